// in_strips.h: files filtered page by page and strip by strip, whatever their size.
#pragma once

#include <string>
#include <vector>

#include "io/in_parts.h"
#include "job.h"

namespace halation::app {

/// Filters all pages into `out`, which appears once it is complete. On a terminal a line tells how far it is, unless `quiet`. The
/// explanations of the pages are added to `explained`, where it is given.
void filter_in_strips(const std::vector<PageJob>& jobs, const io::PageSources& pages, PagesSink& out, bool quiet, Timing& timing,
                      Clipped& clipped, std::string* explained);

}  // namespace halation::app
