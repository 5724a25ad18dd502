// figures_text.cpp: reads lines of figures.
#include "core/figures_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "halation/error.h"

namespace halation {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = trimmed(rest.substr(0, end));
  rest = trimmed(rest.substr(std::min(end + 1, rest.size())));
  return part;
}

std::vector<FigureLine> figure_lines(std::string_view text) {
  std::vector<FigureLine> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    std::string_view rest = line;
    FigureLine found{.text = line, .name = take_part(rest, ';'), .fields = {}};
    while (!rest.empty()) found.fields.push_back(take_part(rest, ';'));
    lines.push_back(std::move(found));
  }
  return lines;
}

std::string with_lines(std::string_view text, std::string_view lines) {
  std::vector<FigureLine> left = figure_lines(lines);
  std::string whole;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view rest = line;
    const std::string_view name = take_part(rest, ';');
    const auto found =
        std::find_if(left.begin(), left.end(), [&](const FigureLine& each) { return each.name == name; });
    if (found != left.end()) {
      line = found->text;
      left.erase(found);
    }
    whole.append(line).append("\n");
  }
  for (const FigureLine& line : left) whole.append(line.text).append("\n");
  return whole;
}

double figure_of(std::string_view number, const FigureLine& line) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !(value >= 0) || !std::isfinite(value))
    refuse_figures(line, "\"" + std::string(number) + "\" is no figure: a number of 0 and more");
  return value;
}

void set_figures(std::initializer_list<double*> figures, const FigureLine& line) {
  std::string_view numbers = line.fields.size() == 1 ? line.fields.front() : std::string_view();
  for (double* const figure : figures) *figure = figure_of(take_part(numbers, ' '), line);
  if (!numbers.empty())
    refuse_figures(line, "figures that follow the name are " + std::to_string(figures.size()));
}

void refuse_figures(const FigureLine& line, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "figures: \"" + std::string(line.text) + "\": " + why);
}

}  // namespace halation
