// filters.cpp: the list of named filters, their weights, and filtering with alpha.
#include <halation/colour.h>
#include <halation/filters.h>
#include <halation/threads.h>
#include <halation/transfer.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "arrays.h"
#include "gil.h"
#include "module.h"
#include "text.h"

namespace halation::python {
namespace {

namespace nb = nanobind;

nb::dict described(const Parameter& parameter) {
  nb::dict facts;
  facts["name"] = parameter.name;
  facts["meaning"] = parameter.meaning;
  facts["unit"] = parameter.unit;
  facts["default"] = parameter.by_default ? nb::object(nb::float_(*parameter.by_default)) : nb::object(nb::none());
  facts["allowed"] = allowed_values(parameter);
  facts["integer"] = parameter.integer;
  facts["per_axis"] = parameter.per_axis;
  facts["choices"] = nb::cast(parameter.choices);
  return facts;
}

nb::list list_of_filters() {
  nb::list all;
  for (const NamedFilter& filter : named_filters()) {
    nb::dict facts;
    nb::list parameters;
    for (const Parameter& parameter : filter.parameters) parameters.append(described(parameter));
    facts["name"] = filter.name;
    facts["summary"] = filter.summary;
    facts["formula"] = filter.formula;
    facts["source"] = filter.source;
    facts["parameters"] = parameters;
    facts["dims"] = nb::cast(filter.dims);
    all.append(facts);
  }
  return all;
}

/// (depth, height, width) of a filter as Python's numbers.
nb::tuple triple(std::int64_t z, std::int64_t y, std::int64_t x) { return nb::make_tuple(z, y, x); }

nb::dict settled(const Filter& filter) {
  nb::dict facts;
  const FilterSize size = filter.size();
  const Anchor anchor = filter.anchor();
  facts["name"] = filter.name();
  facts["size"] = triple(size.depth, size.height, size.width);
  facts["anchor"] = triple(anchor.z, anchor.y, anchor.x);
  facts["is_correlation"] = filter.is_correlation();
  if (filter.factors()) {
    const Factors& factors = *filter.factors();
    facts["factors"] = nb::make_tuple(nb::cast(factors.z), nb::cast(factors.y), nb::cast(factors.x));
  } else {
    facts["weights"] = nb::cast(filter.weights());
  }
  return facts;
}

using NamedArguments = std::map<std::string, std::vector<double>>;

void filter_with_alpha(const std::string& name, const NamedArguments& arguments, int dims, nb::handle in, nb::handle out,
                       const std::pair<std::string, double>& border, int most_threads) {
  const Array from(in, Access::read);
  const Array to(out, Access::write);
  const auto source = five_extents<ConstView>(from);
  const auto target = five_extents<View>(to);
  std::optional<ThreadLimit> limit;
  if (most_threads > 0) limit.emplace(most_threads);
  const WithoutGil released;
  const Options options{.border = Border{border_named(border.first), border.second}, .output = target.pixel};
  copy(convolve_colour(source, make_filter(name, Arguments(arguments.begin(), arguments.end()), dims), options, {.alpha = true}),
       target);
}

}  // namespace

void bind_filters(nb::module_& module) {
  module.def("named_filters", &list_of_filters, nb::sig("def named_filters() -> list[dict[str, typing.Any]]"),
             "Every named filter: name, summary, formula, source, parameters, and the dimensions in which it has a meaning.");
  module.def(
      "make_filter",
      [](const std::string& name, const std::map<std::string, std::vector<double>>& arguments, int dims) {
        const FilterSet set = make_filter(name, Arguments(arguments.begin(), arguments.end()), dims);
        nb::list filters;
        for (const Filter& filter : set.filters) filters.append(settled(filter.with_dims(dims)));
        return nb::make_tuple(filters, set.combine == Combine::magnitude);
      },
      nb::arg("name"), nb::arg("arguments"), nb::arg("dims"),
      nb::sig("def make_filter(name: str, arguments: collections.abc.Mapping[str, collections.abc.Sequence[float]], dims: int) "
              "-> tuple[list[dict[str, typing.Any]], bool]"),
      "The filters behind a name in 1, 2 or 3 dimensions, each with size, anchor and 'factors' or 'weights' (row-major), and "
      "whether "
      "they combine to a magnitude.");
  module.def("filter_with_alpha", &filter_with_alpha, nb::arg("name"), nb::arg("arguments"), nb::arg("dims"), nb::arg("input"),
             nb::arg("output"), nb::arg("border"), nb::arg("most_threads"),
             "A named filter over an array of five axes, the last channel of which is alpha.");
}

}  // namespace halation::python
