// left_out.h: what of a file its result has not, or was not heeded.
#pragma once

#include <string>

#include "file.h"

namespace halation::app {

/// Sentences, one behind the other; empty where there is nothing to say. `results` are those of `pages`.
std::string left_out(const FileJob& request, const std::vector<PageFacts>& pages, const std::vector<PageJob>& jobs, const std::vector<PageFacts>& results);

}  // namespace halation::app
