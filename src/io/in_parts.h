// in_parts.h: whether files are filtered in parts: one rule for the program and the library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "halation/io.h"

namespace halation::io {

using PageSources = std::vector<std::unique_ptr<PageSource>>;

/// `open_pages`, and none also where memory does not suffice for that: reading the file whole says what it needs.
PageSources opened_in_parts(const std::string& path, const ReadOptions& options);

/// The facts of all pages.
std::vector<PageFacts> facts_of(const PageSources& pages);

/// Whether pages of these facts should go to those of the results in parts: where they are more than some megabytes. Depends on nothing else,
/// so that a file's result is the same whatever memory there is.
bool is_worth_parts(const std::vector<PageFacts>& pages, const std::vector<PageFacts>& results);

}  // namespace halation::io
