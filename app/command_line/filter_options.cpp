// filter_options.cpp: the options that say which filter; those of named filters come from the library's list.
#include "filter_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "arguments.h"
#include "core/nearest.h"
#include "halation/error.h"
#include "quoting.h"

namespace halation::app {
namespace {

/// "V", "V[,V[,V]]" or "x|y|z".
std::string kind_of(const Parameter& parameter) {
  if (!parameter.choices.empty()) return fmt::format("{}", fmt::join(parameter.choices, "|"));
  return parameter.per_axis ? "V[,V[,V]]" : "V";
}

/// "gaussian, unsharp_mask: standard deviation …", and the same for each other meaning of the parameter.
std::string explanation_of_all(const std::string& parameter_name) {
  std::vector<std::pair<std::string, std::vector<std::string>>> meanings;
  for (const NamedFilter& filter : named_filters()) {
    for (const Parameter& parameter : filter.parameters) {
      if (parameter.name != parameter_name) continue;
      const std::string meaning = explanation(parameter);
      auto same = std::find_if(meanings.begin(), meanings.end(),
                               [&](const auto& known) { return known.first == meaning; });
      if (same == meanings.end()) same = meanings.insert(same, {meaning, {}});
      same->second.push_back(filter.name);
    }
  }
  std::vector<std::string> lines;
  lines.reserve(meanings.size());
  for (const auto& [meaning, filters] : meanings)
    lines.push_back(fmt::format("{}: {}", fmt::join(filters, ", "), meaning));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

constexpr const char* weights_explanation =
    "the weights; rows apart by ';', numbers by blanks or commas, such as \"0 -1 0; -1 5 -1; 0 -1 0\", or a "
    "file that holds them: .txt in the same notation, .npy an array of 1 to 3 axes";

std::string summary_of(std::string_view name) {
  return name == custom_name ? "weights of your own" : filter_named(name).summary;
}

/// "unknown filter 'gausian'; did you mean 'gaussian'?", else with `otherwise` behind it. `more`: words that may have been meant as well.
std::string unknown_filter(std::string_view name, const std::string& otherwise, std::vector<std::string> more = {}) {
  for (const std::string& each : names_of_filters()) more.push_back(each);
  const std::string hint = meant(name, more);
  return fmt::format("unknown filter '{}'{}", name, hint.empty() ? otherwise : hint);
}

/// What the help of a command begins with where its line names the filter `name`, or no filter where one should stand.
std::optional<Command::Chosen> chosen_filter(const std::string& name) {
  if (is_chain(name)) return {};
  if (!is_filter(name) && name != custom_name)
    return Command::Chosen{.title = unknown_filter(name, "; halation filters lists them", {"all"}), .is_known = false};
  return Command::Chosen{.title = fmt::format("{}: {}", name, summary_of(name)), .options = explained_options(name)};
}

/// A file's name in place of a filter's.
void refuse_file(std::string_view name) {
  std::error_code ignored;
  if (is_filter(name) || !std::filesystem::is_regular_file(name, ignored)) return;
  throw Error{ErrorCode::invalid_argument, fmt::format("{0} is a file; the filter stands before it, as in gaussian {0}", name)};
}

/// `filter_named`, which would not say of `custom`.
const NamedFilter& known_filter(std::string_view name) {
  if (is_filter(name)) return filter_named(name);
  throw Error{ErrorCode::invalid_argument, unknown_filter(name, fmt::format("; choose from {}", fmt::join(names_of_filters(), ", ")))};
}

void refuse_chain(std::string_view name) {
  if (!is_chain(name)) return;
  throw Error{ErrorCode::invalid_argument,
              fmt::format("one filter is asked for, its parameters as options, as in gaussian --sigma 2; a chain is explained by halation "
                          "apply {} in.png -o out.png --explain",
                          shell_word(name))};
}

}  // namespace

std::vector<std::string> names_of_filters() {
  std::vector<std::string> names;
  for (const NamedFilter& filter : named_filters()) names.push_back(filter.name);
  names.emplace_back(custom_name);
  return names;
}

std::string option_name(std::string_view parameter_name) {
  std::string name = fmt::format("--{}", parameter_name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string default_of(const Parameter& parameter) {
  if (!parameter.by_default) return "";
  if (parameter.choices.empty()) return fmt::format("{}", *parameter.by_default);
  return parameter.choices.at(static_cast<std::size_t>(*parameter.by_default));
}

std::string explanation(const Parameter& parameter) {
  std::string text = parameter.meaning;
  text +=
      fmt::format("; {}{}{}", allowed_values(parameter), parameter.unit.empty() ? "" : " ", parameter.unit);
  if (parameter.per_axis) text += ", one for all axes, or one each as Y,X (in 3D Z,Y,X)";
  if (parameter.by_default) text += fmt::format(" [{}]", default_of(parameter));
  return text;
}

std::vector<double> values_from(const NamedFilter& filter, const Parameter& parameter, std::string text) {
  const bool has_blanks = parameter.per_axis && text.find(' ') != std::string::npos;
  if (!has_blanks || text.find_first_not_of("+-.0123456789 ") != std::string::npos) return parse_values(filter, parameter, text);
  const std::string given = text;
  std::replace(text.begin(), text.end(), ' ', ',');
  throw Error{ErrorCode::invalid_argument, fmt::format("{}: values of {} for each axis are apart by commas, {}, got '{}'", filter.name,
                                                       parameter.name, text, given)};
}

std::vector<std::pair<std::string, std::string>> explained_options(std::string_view name) {
  if (name == custom_name) return {{"--weights", weights_explanation}};
  std::vector<std::pair<std::string, std::string>> options;
  for (const NamedFilter& filter : named_filters()) {
    if (filter.name != name) continue;
    for (const Parameter& parameter : filter.parameters)
      options.emplace_back(option_name(parameter.name), explanation(parameter));
  }
  return options;
}

bool is_filter(std::string_view name) {
  return std::any_of(named_filters().begin(), named_filters().end(), [&](const NamedFilter& filter) { return filter.name == name; });
}

bool is_chain(std::string_view text) { return text.find_first_of("|= \t\r\n") != std::string_view::npos; }

FilterOptions::FilterOptions(Command& command, std::string_view left_out) {
  command.explain_chosen(std::string(filter_heading), chosen_filter);
  OptionGroup options = command.group(std::string(filter_heading));
  options.text("--weights", weights_, "TEXT/FILE", fmt::format("{}: {}", custom_name, weights_explanation));
  for (const NamedFilter& filter : named_filters()) {
    for (const Parameter& parameter : filter.parameters) {
      const auto [place, is_new] = given_.try_emplace(parameter.name);
      std::string names = option_name(parameter.name);
      if (!is_new || names == left_out) continue;
      if (parameter.name.find('_') != std::string::npos) names += ",--" + parameter.name;
      options.text(names, place->second, kind_of(parameter), explanation_of_all(parameter.name));
    }
  }
}

Arguments FilterOptions::arguments_for(const NamedFilter& filter) const {
  Arguments arguments;
  for (const auto& [name, text] : given_) {
    if (!text) continue;
    const auto parameter =
        std::find_if(filter.parameters.begin(), filter.parameters.end(),
                     [&name = name](const Parameter& known) { return known.name == name; });
    if (parameter == filter.parameters.end()) {
      std::vector<std::string> known;
      for (const Parameter& each : filter.parameters) known.push_back(option_name(each.name));
      throw Error{ErrorCode::invalid_argument,
                  fmt::format("{}: no parameter {}; it has {}", filter.name, option_name(name),
                              known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")))};
    }
    arguments[name] = values_from(filter, *parameter, *text);
  }
  return arguments;
}

void FilterOptions::refuse_any(std::string_view instead) const {
  const auto refuse = [&](const std::string& option) {
    throw Error{ErrorCode::invalid_argument, fmt::format("{} goes with one filter; {}", option, instead)};
  };
  if (weights_) refuse("--weights");
  for (const auto& [name, text] : given_) {
    if (text) refuse(option_name(name));
  }
}

FilterSet FilterOptions::make(std::string_view name, int dims) const {
  if (name != custom_name) {
    refuse_chain(name);
    const NamedFilter& filter = known_filter(name);
    if (weights_)
      throw Error{ErrorCode::invalid_argument,
                  fmt::format("--weights goes with the filter {}, got {}", custom_name, name)};
    return make_filter(name, arguments_for(filter), dims);
  }
  for (const auto& [parameter, text] : given_) {
    if (text)
      throw Error{ErrorCode::invalid_argument,
                  fmt::format("{}: no parameter {}; it has --weights", custom_name, option_name(parameter))};
  }
  if (!weights_)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{}: weights are missing; give them by --weights", custom_name)};
  return weights_from(*weights_);
}

Chain FilterOptions::chain(const std::string& text) const {
  if (!is_chain(text)) {
    refuse_file(text);
    return make(text);
  }
  refuse_any("in a chain parameters stand behind their filter, such as \"gaussian sigma=2 | edges\"");
  return chain_from(text);
}

std::string FilterOptions::as_chain(const std::string& text) const {
  std::string chain = text;
  for (const auto& [name, value] : given_) {
    if (value) chain += fmt::format(" {}={}", name, *value);
  }
  return chain;
}

}  // namespace halation::app
