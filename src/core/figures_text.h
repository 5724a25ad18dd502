// figures_text.h: what machines were measured to take, as text: a line a figure or a row of them, its name
// and what follows between semicolons; lines that begin with # say what is what.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace halation {

struct FigureLine {
  std::string_view text, name;
  std::vector<std::string_view> fields;  ///< after the name
};

/// The lines, as views on the text.
std::vector<FigureLine> figure_lines(std::string_view text);

/// `text` with these lines in place of those of the same names, comments and order as they are; lines of
/// other names follow at the end.
std::string with_lines(std::string_view text, std::string_view lines);

/// What stands before the separator, without spaces around; `rest` is what stands behind it.
std::string_view take_part(std::string_view& rest, char separator);

/// A number of a line. Throws `Error{invalid_argument}` that says which line where it is none of 0 and more.
double figure_of(std::string_view number, const FigureLine& line);

/// Sets figures to all the numbers that follow a name, or throws the same.
void set_figures(std::initializer_list<double*> figures, const FigureLine& line);

/// Throws `Error{invalid_argument}`: "figures: "lines.row": a number follows the name".
[[noreturn]] void refuse_figures(const FigureLine& line, const std::string& why);

}  // namespace halation
