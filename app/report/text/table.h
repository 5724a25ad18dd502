// table.h: figures in rows, as text.
#pragma once

#include <string>
#include <vector>

namespace halation::app {

/// Figures in rows, as text and page both show them.
struct Table {
  struct Row {
    std::string name;
    std::vector<std::string> cells;  ///< one a heading; none where `note` stands in their place
    std::string note;
  };
  std::string title;
  std::string name_heading;
  std::vector<std::string> headings;  ///< words apart by blanks or underscores
  std::vector<Row> rows;
};

/// For a terminal, with a blank line before it. Headings stand above their columns, a word a line, the last
/// words in one line.
std::string text_of(const Table& table);

/// About four significant digits, without an exponent: "0.0451", "12.35", "2330".
std::string short_number(double value);

}  // namespace halation::app
