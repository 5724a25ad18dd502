// notice.h: what is said on standard error beside the work.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "app/report/text/printable.h"

namespace halation::app {

/// Writes a line, which ends with a line end, to standard error, whatever bytes it quotes. Where that cannot be written the line is lost
/// and nothing else: the exit code still tells how the work went. What the user asked for, such as timings, is printed by `fmt::print`
/// instead, which throws.
inline void notice(const std::string& line) { std::fputs((in_one_line(std::string_view(line).substr(0, line.size() - (line.ends_with('\n') ? 1 : 0))) + "\n").c_str(), stderr); }

}  // namespace halation::app
