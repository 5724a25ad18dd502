// filter_options.h: the options that say which filter; those of named filters come from the library's list.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.h"
#include "halation/chain.h"
#include "halation/filters.h"

namespace halation::app {

/// The name under which the program takes weights.
inline constexpr std::string_view custom_name = "custom";

/// Under which the options of filters stand in a command's help.
inline constexpr std::string_view filter_heading = "Filter";

/// Of all named filters, and `custom`.
std::vector<std::string> names_of_filters();

/// "--order-x" for the parameter order_x.
std::string option_name(std::string_view parameter_name);

/// The default as it would be typed: "0.8", "x"; empty where it follows from others.
std::string default_of(const Parameter& parameter);

/// Meaning, range, unit and default on one line.
std::string explanation(const Parameter& parameter);

/// `parse_values`, which says of "3 3" that it is written 3,3.
std::vector<double> values_from(const NamedFilter& filter, const Parameter& parameter, std::string text);

/// Option names and explanations of what the filter `name` takes; nothing for a name that is none.
std::vector<std::pair<std::string, std::string>> explained_options(std::string_view name);

/// Whether a named filter is called so.
bool is_filter(std::string_view name);

/// Whether the text is a chain, or a filter with parameters behind it, rather than a name alone, which holds no blanks: "gaussian sigma 2",
/// which is meant for a chain, is left to `chain_from` to refuse.
bool is_chain(std::string_view text);

/// --weights, and one option for every parameter in the list of named filters. The command's help shows those of one filter alone,
/// and first, where its first positional argument names one: halation apply gaussian --help.
class FilterOptions {
 public:
  /// An option `left_out` ("--size") is declared by the caller.
  explicit FilterOptions(Command& command, std::string_view left_out = "");
  FilterOptions(const FilterOptions&) = delete;  // the command keeps the addresses of members
  FilterOptions& operator=(const FilterOptions&) = delete;

  /// What was given for `filter`. Throws `Error{invalid_argument}` for a parameter that it does not have.
  Arguments arguments_for(const NamedFilter& filter) const;

  bool has_weights() const { return weights_.has_value(); }

  /// Throws `Error{invalid_argument}`, which says `instead`, where any option of a filter was given.
  void refuse_any(std::string_view instead) const;

  /// The filter `name`, or the weights for "custom"; with `dims` 0 it follows the image. Throws `Error`.
  FilterSet make(std::string_view name, int dims = 0) const;

  /// The filter that `text` names, with the options that go with it, or the chain that it is. Throws `Error`.
  Chain chain(const std::string& text) const;

  /// The same in the words of a chain: "gaussian sigma=3" for gaussian and --sigma 3. Weights are left out.
  std::string as_chain(const std::string& text) const;

 private:
  Given weights_;
  std::map<std::string, Given> given_;  // by parameter
};

}  // namespace halation::app
