// wrapped.cpp: text broken into lines.
#include "wrapped.h"

#include <algorithm>

namespace halation::app {
namespace {

/// Characters of UTF-8 text: bytes that do not continue one.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string lines;
  std::size_t column = 0;
  const auto begin_line = [&] {
    lines += '\n';
    lines.append(indent, ' ');
    column = 0;
  };
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    const std::size_t length = length_of(word);
    if (column > 0 && column + 1 + length > columns) begin_line();
    if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += length;
    if (end == std::string_view::npos) break;
    if (text[end] == '\n') begin_line();
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace halation::app
