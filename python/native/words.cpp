// words.cpp: what Python says of filters, borders and options, as the library has it.
#include "words.h"

#include <halation/error.h>

#include <algorithm>
#include <initializer_list>

#include "arrays.h"

namespace halation::python {
namespace {

template <class Choice>
Choice chosen(const std::string& name, std::initializer_list<std::pair<const char*, Choice>> choices,
              const char* what) {
  std::string list;
  for (const auto& [text, choice] : choices) {
    if (name == text) return choice;
    list += (list.empty() ? "" : ", ") + std::string(text);
  }
  throw Error(ErrorCode::invalid_argument,
              "unknown " + std::string(what) + " '" + name + "'; choose from " + list);
}

std::vector<double> doubles(nb::handle object) {
  const Array array(object, Access::read);
  if (array.kind != 'f' || array.item_bytes != 8 || array.axes != 1)
    throw nb::type_error("weights must be one row of f8");
  std::vector<double> values(static_cast<std::size_t>(array.shape[0]));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] =
        *reinterpret_cast<const double*>(array.data + static_cast<std::int64_t>(i) * array.strides[0]);
  }
  return values;
}

}  // namespace

Operation operation_named(const std::string& name) {
  return chosen<Operation>(
      name, {{"correlation", Operation::correlation}, {"convolution", Operation::convolution}}, "operation");
}

Rounding rounding_named(const std::string& name) {
  return chosen<Rounding>(name, {{"half_even", Rounding::half_even}, {"truncate", Rounding::truncate}},
                          "rounding");
}

Overflow overflow_named(const std::string& name) {
  return chosen<Overflow>(name, {{"saturate", Overflow::saturate}, {"wrap", Overflow::wrap}}, "overflow");
}

Sum sum_named(const std::string& name) {
  return chosen<Sum>(name, {{"automatic", Sum::automatic}, {"f64", Sum::f64}}, "sum");
}

Filter filter_from(const FilterWords& words, Operation operation) {
  const auto& [size, given, weights] = words;
  const bool flip = operation == Operation::convolution;
  const auto row = [flip](nb::handle object) {
    std::vector<double> values = doubles(object);
    if (flip) std::reverse(values.begin(), values.end());
    return values;
  };
  Triple anchor = given;
  for (std::size_t i = 0; flip && i < anchor.size(); ++i) anchor[i] = size[i] - 1 - given[i];
  const auto make = [&row, &weights = weights, &size = size] {
    if (!nb::isinstance<nb::tuple>(weights)) {
      return Filter::dense({.depth = size[0], .height = size[1], .width = size[2]}, row(weights));
    }
    const auto factors = nb::cast<std::array<nb::object, 3>>(weights);
    return Filter::separable({.z = row(factors[0]), .y = row(factors[1]), .x = row(factors[2])});
  };
  return make().with_anchor({.z = anchor[0], .y = anchor[1], .x = anchor[2]}).with_name("filter");
}

Border border_from(const BorderWords& words) { return {border_named(words.first), words.second}; }

Chain chain_of(const nb::list& stages) {
  Chain chain;
  for (const nb::handle stage : stages) {
    if (nb::isinstance<nb::str>(stage)) {
      for (FilterSet& each : chain_from(nb::cast<std::string>(stage)).stages)
        chain.stages.push_back(std::move(each));
    } else {
      const auto [words, is_correlation] = nb::cast<std::pair<FilterWords, bool>>(stage);
      const Filter filter = filter_from(words, Operation::correlation);  // as it is
      chain.stages.emplace_back(is_correlation ? filter.as_correlation() : filter);
    }
  }
  return chain;
}

Options options_of(const nb::dict& words) {
  const auto word = [&](const char* name) { return nb::cast<std::string>(words[name]); };
  Options options;
  const auto borders = nb::cast<std::vector<BorderWords>>(words["borders"]);
  if (borders.empty() || borders.size() > 3) throw nb::value_error("there are 1 to 3 borders");
  const Border outer = border_from(borders.front());
  options.border = {.z = outer,
                    .y = borders.size() > 1 ? border_from(borders[borders.size() - 2]) : outer,
                    .x = border_from(borders.back())};
  options.extent = extent_named(word("extent"));
  options.operation = operation_named(word("operation"));
  if (!words["output"].is_none()) options.output = pixel_named(word("output"));
  options.scale = nb::cast<double>(words["scale"]);
  options.offset = nb::cast<double>(words["offset"]);
  options.rounding = rounding_named(word("rounding"));
  options.sum = sum_named(word("sum"));
  options.accuracy = accuracy_named(word("accuracy"));
  options.method = method_named(word("method"));
  options.tune = tune_named(word("tune"));
  options.threads = nb::cast<int>(words["threads"]);
  return options;
}

ColourOptions colours_of(const nb::dict& words) {
  return {.alpha = nb::cast<bool>(words["alpha"]),
          .linear = nb::cast<bool>(words["linear"]),
          .gray = nb::cast<bool>(words["gray"])};
}

std::optional<Display> view_of(const nb::dict& words) {
  if (words["view"].is_none()) return {};
  return display_named(nb::cast<std::string>(words["view"]));
}

}  // namespace halation::python
