// printable.h: texts of any origin as a reader of UTF-8 can take them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace halation::app {

// Names of files, arguments and what sentences quote of damaged files may hold any bytes. Whatever is written for people or as JSON comes
// through here.

/// `text` with \xNN in place of each byte that is no part of valid UTF-8.
std::string printable(std::string_view text);

/// The same with blanks in place of control characters, line ends among them.
std::string in_one_line(std::string_view text);

/// Indented by two blanks, and a line end; all its texts are `printable`.
std::string json_text(nlohmann::ordered_json json);

}  // namespace halation::app
