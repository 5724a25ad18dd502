// notice.h: what is said on standard error beside the work.
#pragma once

#include <cstdio>
#include <string>

namespace halation::app {

/// Writes `text` to standard error. Where that cannot be written the text is lost and nothing else: the exit
/// code still tells how the work went. What the user asked for, such as timings, is printed by `fmt::print`
/// instead, which throws.
inline void notice(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace halation::app
