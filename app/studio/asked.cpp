// asked.cpp: what the page asks of a picture, as the command line's parser reads it.
#include "asked.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "app/command_line/job_options.h"
#include "halation/error.h"

namespace halation::app {
namespace {

constexpr std::array<std::string_view, 11> options_with_values = {"border", "border-value", "extent",   "output-pixel", "scale",
                                                                  "offset", "sum",          "accuracy", "view",         "device", "tune"};
constexpr std::array<std::string_view, 3> flags = {"correlate", "linear", "gray"};

}  // namespace

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
  const auto given = [&](std::string_view name) {
    const auto found = words.find(name);
    return found == words.end() ? std::string() : found->second;
  };
  Asked asked{.chain = given("chain"), .options = {}};
  if (asked.chain.empty()) throw Error{ErrorCode::invalid_argument, "chain is needed, such as chain=gaussian sigma=2"};
  for (const std::string_view name : options_with_values) {
    if (std::string value = given(name); !value.empty()) asked.options.emplace(name, std::move(value));
  }
  for (const std::string_view name : flags) {
    const std::string value = given(name);
    if (value == "1" || value == "true") {
      asked.options.emplace(name, "");
    } else if (!value.empty() && value != "0" && value != "false") {
      throw Error{ErrorCode::invalid_argument, fmt::format("{} is 1 or 0, got '{}'", name, value)};
    }
  }
  return asked;
}

}  // namespace halation::app
