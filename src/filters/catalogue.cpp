// catalogue.cpp: the list of named filters, look-up by name, and checking of arguments.
#include "filters/catalogue.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/nearest.h"
#include "core/threads.h"
#include "halation/error.h"

namespace halation {
namespace {

using catalogue::text_of;

[[noreturn]] void refuse(const std::string& sentence) { throw Error{ErrorCode::invalid_argument, sentence}; }

/// "a, b or c", with any word before the last.
std::string joined(const std::vector<std::string>& words, const std::string& last = ", ") {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : ", ";
    text += words[i];
  }
  return text;
}

template <class Named>
std::vector<std::string> names_of(const Named& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

void check_parameter_known(const NamedFilter& filter, const std::string& parameter) {
  const std::vector<std::string> known = names_of(filter.parameters);
  if (std::find(known.begin(), known.end(), parameter) != known.end()) return;
  std::string sentence = filter.name + ": no parameter '" + parameter + "'; it has ";
  sentence += known.empty() ? "none" : joined(known);
  refuse(sentence + meant(parameter, known));
}

void check_value(const NamedFilter& filter, const Parameter& parameter, double value) {
  const bool whole = !parameter.integer || value == std::floor(value);
  if (std::isfinite(value) && whole && value >= parameter.least && value <= parameter.most) return;
  refuse(filter.name + ": " + parameter.name + " must be " +
         (std::isfinite(value) ? allowed_values(parameter) : "finite") + ", got " + text_of(value));
}

/// The arguments with defaults added; every name and value checked, but for their number along the axes.
Arguments completed(const NamedFilter& filter, const Arguments& arguments) {
  for (const auto& [name, values] : arguments) check_parameter_known(filter, name);
  Arguments complete = arguments;
  for (const Parameter& parameter : filter.parameters) {
    const auto given = complete.find(parameter.name);
    if (given == complete.end()) {
      if (parameter.by_default) complete[parameter.name] = {*parameter.by_default};
      continue;
    }
    const std::size_t most = parameter.per_axis ? 3 : 1;
    if (given->second.empty() || given->second.size() > most) {
      refuse(filter.name + ": " + parameter.name + " takes one value" +
             (parameter.per_axis ? " or one for each axis" : "") + ", got " +
             std::to_string(given->second.size()));
    }
    for (const double value : given->second) check_value(filter, parameter, value);
  }
  return complete;
}

}  // namespace

std::span<const NamedFilter> named_filters() {
  using namespace catalogue;
  const HoldsForks held;  // until the list is made
  static const std::vector<NamedFilter> list{
      identity_entry(),     sharpen_entry(),  high_pass_entry(),           low_pass_entry(),
      box_entry(),          gaussian_entry(), gaussian_derivative_entry(), sobel_entry(),
      scharr_entry(),       prewitt_entry(),  laplacian_entry(),           laplacian_of_gaussian_entry(),
      unsharp_mask_entry(), emboss_entry(),   motion_blur_entry(),         disk_entry(),
      edges_entry()};
  return list;
}

const NamedFilter& filter_named(std::string_view name) {
  for (const NamedFilter& filter : named_filters()) {
    if (filter.name == name) return filter;
  }
  const std::vector<std::string> known = names_of(named_filters());
  const std::string hint = meant(name, known);
  refuse("unknown filter '" + std::string(name) + "'" + (hint.empty() ? "; choose from " + joined(known) : hint));
}

std::string allowed_values(const Parameter& parameter) {
  if (!parameter.choices.empty()) return joined(parameter.choices, " or ");
  // An open end is stored as the number next to it, so that every range is a closed one.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double least_whole = std::round(parameter.least);
  const double most_whole = std::round(parameter.most);
  const bool open_below = parameter.least == std::nextafter(least_whole, infinity);
  const bool open_above = parameter.most == std::nextafter(most_whole, -infinity);
  const std::string least = text_of(open_below ? least_whole : parameter.least);
  const std::string most = text_of(open_above ? most_whole : parameter.most);

  const std::string kind = parameter.integer ? "an integer " : "";
  if (parameter.most == std::numeric_limits<double>::max()) return kind + (open_below ? "> " : ">= ") + least;
  return kind + "in " + (open_below ? "(" : "[") + least + ", " + most + (open_above ? ")" : "]");
}

std::vector<double> parse_values(const NamedFilter& filter, const Parameter& parameter, std::string_view text) {
  const auto must_be = [&](const std::string& what, std::string_view got) {
    refuse(filter.name + ": " + parameter.name + " must be " + what + ", got '" + std::string(got) + "'");
  };
  if (!parameter.choices.empty()) {
    const auto choice = std::find(parameter.choices.begin(), parameter.choices.end(), text);
    if (choice == parameter.choices.end()) must_be(allowed_values(parameter), text);
    return {static_cast<double>(choice - parameter.choices.begin())};
  }
  std::vector<double> values;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(more ? comma + 1 : text.size());
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) {
      const bool is_by_x = parameter.per_axis && word.find_first_of("123456789") == 0 && word.find('x') < word.size() - 1;  // 3x3
      must_be(is_by_x ? "a finite number, or one for each axis apart by commas" : "a finite number", word);
    }
    values.push_back(value);
  }
  return values;
}

FilterSet make_filter(std::string_view name, const Arguments& arguments, int dims) {
  const NamedFilter& entry = filter_named(name);
  const Arguments complete = completed(entry, arguments);
  if (dims == 0 && entry.dims.size() == 1) dims = entry.dims.front();
  if (dims != 0 && std::find(entry.dims.begin(), entry.dims.end(), dims) == entry.dims.end()) {
    std::vector<std::string> allowed;
    for (const int each : entry.dims) allowed.push_back(std::to_string(each));
    refuse(entry.name + ": dims must be " + joined(allowed, " or ") + ", got " + std::to_string(dims));
  }
  FilterSet set = entry.make(complete, dims);
  for (Filter& filter : set.filters) filter = filter.with_name(entry.name).as_correlation();
  return set;
}

namespace catalogue {

Filter make_single(std::string_view name, const Arguments& arguments, int dims) {
  return make_filter(name, arguments, dims).filters.front();
}

double value_of(const Arguments& arguments, std::string_view parameter) {
  return arguments.find(parameter)->second.front();
}

std::vector<double> values_of(std::string_view filter, const Arguments& arguments, std::string_view parameter,
                              int dims) {
  const std::vector<double>& given = arguments.find(parameter)->second;
  if (given.size() == 1) return std::vector<double>(dims, given.front());
  if (given.size() != static_cast<std::size_t>(dims)) {
    refuse(std::string(filter) + ": " + std::string(parameter) + " takes one value" +
           (dims > 1 ? " or one for each of " + std::to_string(dims) + " axes" : " in 1D") + ", got " +
           std::to_string(given.size()));
  }
  return given;
}

void check_weight_count(std::string_view filter, double count) {
  constexpr double most = 1 << 24;
  if (count <= most) return;
  refuse(std::string(filter) + ": " + text_of(count) + " weights are too many; at most " + text_of(most) +
         " fit");
}

std::string text_of(double value) {
  char text[32];
  const double size = std::abs(value);
  const bool plain = value == 0 || (size >= 1e-4 && size < 1e15);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::general;
  return {text, std::to_chars(std::begin(text), std::end(text), value, format).ptr};
}

Filter separable(const FactorList& factors) {
  const auto from_last = [&](std::size_t axis) {
    return axis < factors.size() ? factors[factors.size() - 1 - axis] : std::vector<double>{};
  };
  return Filter::separable({.z = from_last(2), .y = from_last(1), .x = from_last(0)});
}

std::vector<double> outer_product(const FactorList& factors) {
  std::vector<double> product{1};
  for (const std::vector<double>& factor : factors) {
    std::vector<double> longer;
    longer.reserve(product.size() * factor.size());
    for (const double outer : product) {
      for (const double inner : factor) longer.push_back(outer * inner);
    }
    product = std::move(longer);
  }
  return product;
}

FilterSize cube(std::int64_t taps, int dims) {
  return {.depth = dims > 2 ? taps : 1, .height = dims > 1 ? taps : 1, .width = taps};
}

Step step_towards(double angle_degrees) {
  const double angle = angle_degrees * std::numbers::pi / 180;
  const auto rounded = [](double component) { return std::round(component * 0x1p40) * 0x1p-40; };
  return {.x = rounded(std::cos(angle)), .y = rounded(-std::sin(angle))};
}

}  // namespace catalogue
}  // namespace halation
