// chain.cpp: chains written as text.
#include "halation/chain.h"

#include <algorithm>
#include <string>

#include "filters/catalogue.h"
#include "halation/error.h"
#include "halation/filters.h"

namespace halation {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_argument, "chain: " + sentence); }

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view custom_name = "custom";
constexpr const char* example_weights = "weights='0 -1 0; -1 5 -1; 0 -1 0'";

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

/// Names of parameters may be written as options are, "order-x".
std::string with_underscores(std::string_view name) {
  std::string changed(name);
  std::replace(changed.begin(), changed.end(), '-', '_');
  return changed;
}

struct Given {
  std::string name;
  std::string_view value;
};

/// A parameter of `filter` as it is written: "sigma=2" for a text that begins with "sigma 2", "sigma = 2" or "--sigma=2".
std::string example_of(const NamedFilter& filter, std::string_view text) {
  const std::string blank_or_equals = std::string(blanks) + "=";
  text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
  const std::size_t end = std::min(text.find_first_of(blank_or_equals), text.size());
  const auto meant = std::find_if(filter.parameters.begin(), filter.parameters.end(),
                                  [name = with_underscores(text.substr(0, end))](const Parameter& known) { return known.name == name; });
  const bool is_known = meant != filter.parameters.end();
  const Parameter& parameter = is_known ? *meant : filter.parameters.front();
  text.remove_prefix(is_known ? std::min(text.find_first_not_of(blank_or_equals, end), text.size()) : text.size());
  const std::string value(text.substr(0, text.find_first_of(blanks)));
  const std::vector<std::string>& choices = parameter.choices;
  const bool is_number = choices.empty() && !value.empty() && value.find_first_not_of("+-.,0123456789") == std::string::npos;
  if (is_number || std::find(choices.begin(), choices.end(), value) != choices.end()) return parameter.name + "=" + value;
  const double usual = parameter.by_default.value_or(std::clamp(2.0, parameter.least, parameter.most));
  return parameter.name + "=" + (choices.empty() ? catalogue::text_of(usual) : choices.at(static_cast<std::size_t>(usual)));
}

/// Says of `word`, with which `text` begins and which is no name=value, what would be. Of weights `filter` is null.
[[noreturn]] void refuse_word(std::string_view word, std::string_view text, const NamedFilter* filter, const std::string& stage) {
  const std::string name(filter != nullptr ? filter->name : custom_name);
  const auto filters = named_filters();
  const bool is_filter =
      word == custom_name || std::any_of(filters.begin(), filters.end(), [&](const NamedFilter& each) { return each.name == word; });
  std::string sentence = stage + " (" + name + "): ";
  if (is_filter) {
    sentence += "filters stand apart by '|', such as " + name + " | " + std::string(word);
  } else if (filter != nullptr && filter->parameters.empty()) {
    sentence += "takes no parameters";
  } else {
    sentence += "parameters are written name=value, such as " + (filter != nullptr ? example_of(*filter, text) : std::string(example_weights));
  }
  refuse(sentence + ", got '" + std::string(word) + "'");
}

std::vector<Given> parameters_in(std::string_view text, const NamedFilter* filter, const std::string& stage) {
  const auto refuse_twice = [&](const std::string& name) { refuse(stage + ": " + name + " is given twice"); };
  std::vector<Given> all;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::string_view from_word = text;
    std::string_view word;
    take_until(text, blanks, word);
    const std::size_t equals = word.find('=');
    const bool is_assignment = equals != 0 && equals != std::string_view::npos && equals + 1 != word.size() && word.front() != '-';
    if (!is_assignment) refuse_word(word, from_word, filter, stage);
    std::string name = with_underscores(word.substr(0, equals));
    if (std::any_of(all.begin(), all.end(), [&](const Given& each) { return each.name == name; })) refuse_twice(name);
    all.push_back({std::move(name), unquoted(word.substr(equals + 1))});
  }
  return all;
}

FilterSet custom(const std::vector<Given>& given) {
  if (given.size() != 1 || given[0].name != "weights")
    refuse("custom takes weights and nothing else, such as custom " + std::string(example_weights));
  return parse_weights(given[0].value);
}

FilterSet named(const NamedFilter& filter, const std::vector<Given>& given) {
  Arguments arguments;
  for (const Given& each : given) {
    const auto parameter = std::find_if(filter.parameters.begin(), filter.parameters.end(),
                                        [&](const Parameter& known) { return known.name == each.name; });
    // make_filter refuses a name that is none, and says which there are.
    arguments[each.name] = parameter == filter.parameters.end() ? std::vector<double>{0} : parse_values(filter, *parameter, each.value);
  }
  return make_filter(filter.name, arguments);
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
    const NamedFilter* filter = name == custom_name ? nullptr : &filter_named(name);  // an unknown one before what stands behind it
    const std::vector<Given> given = parameters_in(words, filter, stage);
    chain.stages.push_back(filter == nullptr ? custom(given) : named(*filter, given));
  }
  return chain;
}

}  // namespace halation
