// page.h: results as a page of HTML that needs nothing beside it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/table.h"

namespace halation::app {

/// Lines of charts have this many colours, by the classes line0 …, dot0 … and ink0 … (lines, points, words).
inline constexpr std::size_t line_colours = 11;

/// One entry at the top of a page.
struct Fact {
  std::string name, text;
};

std::string markup_of(const Table& table);

/// A heading, what to see, and charts or tables; nothing without these.
std::string section(std::string_view title, std::string_view explanation, const std::string& content);

/// The same, shut until the reader opens it: for what most look up rarely. On paper it is open.
std::string folded(std::string_view title, std::string_view explanation, const std::string& content);

/// One HTML file: styles are inline, nothing is scripted, light, dark and print are provided for. It is
/// well-formed XML as well.
/// `lead`: what matters most, a sentence each; may be empty.
std::string page(std::string_view title, std::string_view heading, const std::vector<std::string>& lead, const std::vector<Fact>& facts,
                 std::string_view command, const std::string& sections);

}  // namespace halation::app
