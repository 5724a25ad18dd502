// asked.cpp: what the page asks of a picture, as the command line's parser reads it.
#include "asked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/command_line/job_options.h"
#include "halation/error.h"

namespace halation::app {
namespace {

constexpr std::array<std::string_view, 13> options_with_values = {"border",   "border-value", "extent",   "anchor", "output-pixel", "scale", "offset",
                                                                  "rounding", "sum",          "accuracy", "view",   "device",       "tune"};
constexpr std::array<std::string_view, 3> flags = {"correlate", "linear", "gray"};
/// What else stands beside a chain, in one request or another.
constexpr std::array<std::string_view, 16> others = {"chain",  "w", "z", "crop", "picture", "client", "turn",  "token",
                                                     "of", "format", "x", "y", "as",   "quality", "stage",  "before"};

constexpr std::int64_t usual_width = 1200;
constexpr std::int64_t most_number = std::int64_t{1} << 40;

}  // namespace

std::string word(const Words& words, std::string_view name) {
  const auto found = words.find(name);
  return found == words.end() ? "" : found->second;
}

std::int64_t number(const Words& words, std::string_view name, std::int64_t otherwise, std::int64_t least) {
  const std::string text = word(words, name);
  return text.empty() ? otherwise : whole_number_from(name, text, least, most_number);
}

bool flag(const Words& words, std::string_view name) {
  const std::string text = word(words, name);
  if (text == "1" || text == "true") return true;
  if (text.empty() || text == "0" || text == "false") return false;
  throw Error{ErrorCode::invalid_argument, fmt::format("{} is 1 or 0, got '{}'", name, text)};
}

Look look_from(const Words& words, const Shape& shape) {
  Look look{.part = whole_of(shape), .width = number(words, "w", usual_width, 1)};
  look.part.z = number(words, "z", look.part.z);
  const std::string crop = word(words, "crop");
  if (crop.empty()) return look;
  const std::vector<std::string_view> parts = split(crop, ',');
  if (parts.size() != 4) throw Error{ErrorCode::invalid_argument, fmt::format("crop is x,y,width,height, got '{}'", crop)};
  const auto value = [&](std::size_t i, std::int64_t least) { return whole_number_from("crop", parts[i], least, most_number); };
  look.part.x = value(0, 0);
  look.part.y = value(1, 0);
  look.part.width = value(2, 1);
  look.part.height = value(3, 1);
  return look;
}

std::string Asked::key() const {
  std::string text = chain;
  for (const auto& [name, value] : options) text += fmt::format("\n{}={}", name, value);
  return text;
}

Job Asked::job() const {
  Program program("", "halation", "");
  Command& command = program.add("apply", "");
  const JobOptions parsed(command);
  std::vector<std::string> words = {"halation", "apply"};
  for (const auto& [name, value] : options) words.push_back(value.empty() ? fmt::format("--{}", name) : fmt::format("--{}={}", name, value));
  words.insert(words.end(), {"--", chain});
  std::vector<const char*> arguments;
  arguments.reserve(words.size());
  for (const std::string& word : words) arguments.push_back(word.c_str());
  (void)program.parse(static_cast<int>(arguments.size()), arguments.data());
  return parsed.job();
}

Asked asked_from(const Words& words) {
  for (const auto& each : words) {
    const std::string& name = each.first;
    const auto is_in = [&name](const auto& list) { return std::find(list.begin(), list.end(), name) != list.end(); };
    if (!is_in(options_with_values) && !is_in(flags) && !is_in(others))
      throw Error{ErrorCode::invalid_argument, fmt::format("unknown option '{}'; choose from {}, {}", name, fmt::join(options_with_values, ", "), fmt::join(flags, ", "))};
  }
  Asked asked{.chain = word(words, "chain"), .options = {}};
  if (asked.chain.empty()) throw Error{ErrorCode::invalid_argument, "chain is needed, such as chain=gaussian sigma=2"};
  for (const std::string_view name : options_with_values) {
    if (std::string value = word(words, name); !value.empty()) asked.options.emplace(name, std::move(value));
  }
  for (const std::string_view name : flags) {
    if (flag(words, name)) asked.options.emplace(name, "");
  }
  return asked;
}

}  // namespace halation::app
