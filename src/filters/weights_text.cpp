// weights_text.cpp: weights written as text.
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "halation/error.h"
#include "halation/filters.h"

namespace halation {
namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error{ErrorCode::invalid_argument, "weights: " + sentence};
}

constexpr std::string_view blanks = " \t\r\f\v";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes what lies before the first of `ends` off `text`, and that one character too.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::size_t end = text.find_first_of(ends);
  const std::string_view taken = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return taken;
}

double number_in(std::string_view word, std::size_t row) {
  // from_chars knows no plus sign.
  const bool plus = word.starts_with('+') && !word.starts_with("+-");
  const char* const begin = word.data() + (plus ? 1 : 0);
  const char* const end = word.data() + word.size();
  double value = 0;
  const auto [stopped, status] = std::from_chars(begin, end, value);
  const std::string quoted = "row " + std::to_string(row) + ": '" + std::string(word) + "'";
  if (status == std::errc::invalid_argument || stopped != end) refuse(quoted + " is not a number");
  if (status == std::errc::result_out_of_range) refuse(quoted + " is out of range");
  if (!std::isfinite(value)) refuse(quoted + " is not a finite number");
  return value;
}

/// The numbers of one row, which is not blank: one comma at most between two of them.
std::vector<double> numbers_in(std::string_view text, std::size_t row) {
  std::vector<double> numbers;
  for (bool more = true; more;) {
    more = text.find(',') != std::string_view::npos;
    std::string_view words = trimmed(take_until(text, ","));
    if (words.empty()) refuse("row " + std::to_string(row) + " has a comma without a number");
    while (!words.empty()) {
      numbers.push_back(number_in(take_until(words, blanks), row));
      words = trimmed(words);
    }
  }
  return numbers;
}

}  // namespace

Filter parse_weights(std::string_view text) {
  std::vector<double> weights;
  std::int64_t rows = 0;
  std::size_t width = 0;
  while (!text.empty()) {
    std::string_view line = take_until(text, "\n");
    line = trimmed(take_until(line, "#"));
    while (!line.empty()) {
      const std::string_view row = trimmed(take_until(line, ";"));
      ++rows;
      if (row.empty()) refuse("row " + std::to_string(rows) + " is empty");
      const std::vector<double> numbers = numbers_in(row, rows);
      if (rows == 1) width = numbers.size();
      if (numbers.size() != width) {
        refuse("row " + std::to_string(rows) + " has " + std::to_string(numbers.size()) +
               " numbers, row 1 has " + std::to_string(width));
      }
      weights.insert(weights.end(), numbers.begin(), numbers.end());
    }
  }
  if (rows == 0) refuse("empty; write rows such as \"0 -1 0; -1 5 -1; 0 -1 0\"");
  return Filter::dense({.height = rows, .width = static_cast<std::int64_t>(width)}, std::move(weights));
}

}  // namespace halation
