// plan.cpp: plans, and calls: a plan together with how n-D arrays become its five extents.
#include <halation/halation.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "arrays.h"
#include "call.h"
#include "module.h"

namespace halation::python {
namespace {

template <class Choice>
Choice chosen(const std::string& name, std::initializer_list<std::pair<const char*, Choice>> choices, const char* what) {
  std::string list;
  for (const auto& [text, choice] : choices) {
    if (name == text) return choice;
    list += (list.empty() ? "" : ", ") + std::string(text);
  }
  throw Error(ErrorCode::invalid_argument, "unknown " + std::string(what) + " '" + name + "'; choose from " + list);
}

std::vector<double> doubles(nb::handle object) {
  const Array array(object, Access::read);
  if (array.kind != 'f' || array.item_bytes != 8 || array.axes != 1) throw nb::type_error("weights must be one row of f8");
  std::vector<double> values(static_cast<std::size_t>(array.shape[0]));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = *reinterpret_cast<const double*>(array.data + static_cast<std::int64_t>(i) * array.strides[0]);
  }
  return values;
}

using Triple = std::array<std::int64_t, 3>;
/// Size and anchor along depth, height and width, and weights: a row of f8 in row-major order, or a tuple of
/// factors z, y, x.
using FilterWords = std::tuple<Triple, Triple, nb::object>;
using BorderWords = std::pair<std::string, double>;

/// A filter given for correlation, as `operation` takes it.
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

Plan make_plan(const Five& shape, const std::string& pixel, const std::vector<FilterWords>& filters,
               const std::array<BorderWords, 3>& borders, const std::string& extent, const std::string& output, double scale,
               double offset, const std::string& rounding, const std::string& sum, const std::string& accuracy,
               const std::string& method, const std::string& tune, int threads, const std::string& device, bool magnitude,
               const std::string& operation, int most_threads) {
  PlanSpec spec;
  spec.shape = shape_of(shape);
  spec.pixel = pixel_named(pixel);
  spec.options.operation =
      chosen<Operation>(operation, {{"correlation", Operation::correlation}, {"convolution", Operation::convolution}}, "operation");
  for (const FilterWords& filter : filters) spec.filters.push_back(filter_from(filter, spec.options.operation));
  spec.combine = magnitude ? Combine::magnitude : Combine::none;
  spec.device = device_named(device);
  spec.options.border = {.z = border_from(borders[0]), .y = border_from(borders[1]), .x = border_from(borders[2])};
  spec.options.extent = extent_named(extent);
  spec.options.output = pixel_named(output);
  spec.options.scale = scale;
  spec.options.offset = offset;
  spec.options.rounding =
      chosen<Rounding>(rounding, {{"half_even", Rounding::half_even}, {"truncate", Rounding::truncate}}, "rounding");
  spec.options.sum = chosen<Sum>(sum, {{"automatic", Sum::automatic}, {"f64", Sum::f64}}, "sum");
  spec.options.accuracy = chosen<Accuracy>(accuracy, {{"exact", Accuracy::exact}, {"fast", Accuracy::fast}}, "accuracy");
  spec.options.method = method_named(method);
  spec.options.tune = tune_named(tune);
  spec.options.threads = threads;
  std::optional<ThreadLimit> limit;
  if (most_threads > 0) limit.emplace(most_threads);
  const nb::gil_scoped_release released;  // tune "measure" takes a while
  return Plan(spec);
}

std::vector<std::string> names_of(const std::vector<Method>& methods) {
  std::vector<std::string> names;
  names.reserve(methods.size());
  for (const Method method : methods) names.emplace_back(name_of(method));
  return names;
}

nb::list list_of_devices() {
  nb::list all;
  for (const DeviceInfo& info : devices()) {
    nb::dict facts;
    facts["device"] = name_of(info.device);
    facts["description"] = info.description;
    facts["methods"] = nb::cast(info.methods);
    all.append(facts);
  }
  return all;
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<Plan>(module, "Plan", "A prepared job of the library, over five extents: batch, depth, height, width, channels.")
      .def_prop_ro(
          "output_shape", [](const Plan& plan) { return five_of(plan.output_shape()); }, "The five extents of the output.")
      .def_prop_ro("output_pixel", [](const Plan& plan) { return std::string(name_of(plan.output_pixel())); })
      .def_prop_ro("workspace_bytes", &Plan::workspace_bytes, "Scratch bytes that one run needs, from the library's pool.")
      .def_prop_ro(
          "methods", [](const Plan& plan) { return names_of(plan.methods()); }, "The methods chosen, one a filter.")
      .def("error_bound", &Plan::error_bound, nb::arg("max_abs"),
           "Largest difference, before rounding, from exact arithmetic for inputs of magnitude at most "
           "`max_abs`.")
      .def("explain", &Plan::explain, "What will be done and why.");
  nb::class_<Call>(module, "Call", "A plan for arrays of given shapes and strides.")
      .def(nb::init<Plan, const Five&, const std::string&, const SideWords&, const SideWords&>(), nb::arg("plan"), nb::arg("shape"),
           nb::arg("pixel"), nb::arg("input"), nb::arg("output"))
      .def("run", &Call::run, nb::arg("input"), nb::arg("output"), nb::arg("stream") = 0,
           "Filters one array into another; False, with nothing done, where one of them is not as this call "
           "expects it.")
      .def_prop_ro("plan", &Call::plan);
  module.def("make_plan", &make_plan, nb::arg("shape"), nb::arg("pixel"), nb::arg("filters"), nb::arg("borders"), nb::arg("extent"),
             nb::arg("output"), nb::arg("scale"), nb::arg("offset"), nb::arg("rounding"), nb::arg("sum"), nb::arg("accuracy"),
             nb::arg("method"), nb::arg("tune"), nb::arg("threads"), nb::arg("device"), nb::arg("magnitude"), nb::arg("operation"),
             nb::arg("most_threads"),
             "A plan for filters given for correlation as (size, anchor, weights or factors); `operation` is "
             "what the caller named. "
             "Where `threads` is 0, at most `most_threads` are taken, if that is not 0.");
  module.def(
      "available_threads",
      [](int most_threads) {
        std::optional<ThreadLimit> limit;
        if (most_threads > 0) limit.emplace(most_threads);
        return available_threads();
      },
      nb::arg("most_threads"), "CPU threads that plans take at most, where `most_threads`, if it is not 0, limits them.");
  module.def("devices", &list_of_devices, nb::sig("def devices() -> list[dict[str, typing.Any]]"),
             "Every device that this build can use on this machine.");
}

}  // namespace halation::python
