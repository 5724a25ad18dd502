// chain.cpp: chains written as text.
#include "halation/chain.h"

#include <algorithm>
#include <string>

#include "halation/error.h"
#include "halation/filters.h"

namespace halation {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_argument, "chain: " + sentence); }

constexpr std::string_view blanks = " \t\r\n";

/// Takes what lies before the first of `ends` that stands outside quotes off `text`, and that one character too; true where there was one.
bool take_until(std::string_view& text, std::string_view ends, std::string_view& taken) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != '\0') {
      if (text[i] == quote) quote = '\0';
    } else if (text[i] == '\'' || text[i] == '"') {
      quote = text[i];
    } else if (ends.find(text[i]) != std::string_view::npos) {
      taken = text.substr(0, i);
      text.remove_prefix(i + 1);
      return true;
    }
  }
  if (quote != '\0') refuse(std::string("the quote ") + quote + " is not closed");
  taken = text;
  text = {};
  return false;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// A value without the quotes around it.
std::string_view unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && (value.front() == '\'' || value.front() == '"') && value.back() == value.front();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

struct Given {
  std::string name;
  std::string_view value;
};

std::vector<Given> parameters_in(std::string_view text, const std::string& stage) {
  const auto refuse_here = [&](const std::string& what) { refuse(stage + ": " + what); };
  std::vector<Given> all;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    std::string_view word;
    take_until(text, blanks, word);
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == word.size())
      refuse_here("expected name=value, got '" + std::string(word) + "'");
    std::string name(word.substr(0, equals));
    std::replace(name.begin(), name.end(), '-', '_');
    if (std::any_of(all.begin(), all.end(), [&](const Given& each) { return each.name == name; }))
      refuse_here(name + " is given twice");
    all.push_back({std::move(name), unquoted(word.substr(equals + 1))});
  }
  return all;
}

FilterSet custom(const std::vector<Given>& given) {
  if (given.size() != 1 || given[0].name != "weights")
    refuse("custom takes weights and nothing else, such as custom weights='0 -1 0; -1 5 -1; 0 -1 0'");
  return parse_weights(given[0].value);
}

FilterSet named(std::string_view name, const std::vector<Given>& given) {
  const NamedFilter& filter = filter_named(name);
  Arguments arguments;
  for (const Given& each : given) {
    const auto parameter = std::find_if(filter.parameters.begin(), filter.parameters.end(),
                                        [&](const Parameter& known) { return known.name == each.name; });
    // make_filter refuses a name that is none, and says which there are.
    arguments[each.name] = parameter == filter.parameters.end() ? std::vector<double>{0} : parse_values(filter, *parameter, each.value);
  }
  return make_filter(name, arguments);
}

}  // namespace

Chain chain_from(std::string_view text) {
  Chain chain;
  for (bool more = true; more;) {
    const std::string stage = "stage " + std::to_string(chain.stages.size() + 1);
    std::string_view words;
    more = take_until(text, "|", words);
    words = trimmed(words);
    if (words.empty()) refuse(stage + " is empty; expected a filter's name, such as gaussian sigma=2 | edges");
    std::string_view name;
    take_until(words, blanks, name);
    const std::vector<Given> given = parameters_in(words, stage);
    chain.stages.push_back(name == "custom" ? custom(given) : named(name, given));
  }
  return chain;
}

}  // namespace halation
