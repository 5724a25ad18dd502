// wrapped.h: text broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halation::app {

/// Columns of the program's output.
inline constexpr std::size_t page_columns = 100;

/// `text` with blanks turned into line ends wherever a line would pass `columns` characters (of UTF-8), and
/// each line after the first begun with `indent` blanks. Line ends in `text` stay.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent = 0);

}  // namespace halation::app
