// code_lines.h: the lines that do elsewhere what the page does.
#pragma once

#include <string>

#include "app/studio/picture/asked.h"

namespace halation::app {

/// A line each for a shell, Python and C++.
struct CodeLines {
  std::string command, python, cpp;
};
/// Filters file `in` into `out`. Throws `Error{invalid_argument}` as `Asked::job`.
CodeLines code_lines(const Asked& asked, const std::string& in, const std::string& out);

}  // namespace halation::app
