// table.cpp: figures in rows, as text.
#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace halation::app {
namespace {

constexpr std::size_t least_name_columns = 20;

/// The words of a heading, apart by blanks or underscores.
std::vector<std::string> words_of(const std::string& heading) {
  std::vector<std::string> words(1);
  for (const char c : heading) {
    if (c == ' ' || c == '_') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

std::string text_of(const Table& table) {
  std::vector<std::vector<std::string>> words;
  std::size_t lines = 1;
  std::vector<std::size_t> widths;
  std::size_t name_width = least_name_columns;
  for (const Table::Row& row : table.rows) name_width = std::max(name_width, row.name.size());
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    words.push_back(words_of(table.headings[i]));
    lines = std::max(lines, words.back().size());
    std::size_t width = 0;
    for (const std::string& word : words.back()) width = std::max(width, word.size());
    for (const Table::Row& row : table.rows) {
      if (i < row.cells.size()) width = std::max(width, row.cells[i].size());
    }
    widths.push_back(width);
  }
  std::string text = "\n" + table.title + "\n";
  for (std::size_t line = 0; line < lines && !words.empty(); ++line) {
    text += fmt::format("{:<{}}", line + 1 == lines ? table.name_heading : "", name_width);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t blank = lines - words[i].size();
      text += fmt::format(" {:>{}}", line < blank ? "" : words[i][line - blank], widths[i]);
    }
    text += '\n';
  }
  for (const Table::Row& row : table.rows) {
    text += fmt::format("{:<{}}", row.name, name_width);
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      text += fmt::format(" {:>{}}", row.cells[i], widths[i]);
    text += (row.note.empty() ? "" : " " + row.note) + "\n";
  }
  return text;
}

std::string short_number(double value) {
  constexpr int digits = 4;
  constexpr int most_decimals = 5;
  const int whole_digits = value > 0 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1;
  return fmt::format("{:.{}f}", value, std::clamp(digits - whole_digits, 0, most_decimals));
}

}  // namespace halation::app
