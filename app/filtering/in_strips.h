// in_strips.h: files filtered page by page and strip by strip, whatever their size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halation/io.h"
#include "job.h"

namespace halation::app {

using PageSources = std::vector<std::unique_ptr<PageSource>>;

/// The facts of all pages.
std::vector<PageFacts> facts_of(const PageSources& pages);

/// Whether pages of these facts, and of those of the results, should go strip by strip: where they are more than some megabytes. Depends
/// on nothing else, so that a file's result is the same whatever memory there is.
bool is_worth_strips(const std::vector<PageFacts>& pages, const std::vector<PageFacts>& results);

/// Filters all pages into `out`, which appears once it is complete. On a terminal a line tells how far it is, unless `quiet`. The
/// explanations of the pages are added to `explained`, where it is given.
void filter_in_strips(const std::vector<PageJob>& jobs, const PageSources& pages, PagesSink& out, bool quiet, Timing& timing,
                      Clipped& clipped, std::string* explained);

}  // namespace halation::app
