// plan.cpp: plans, and calls: a plan together with how n-D arrays become its five extents.
#include <halation/halation.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.h"
#include "call.h"
#include "gil.h"
#include "module.h"
#include "text.h"
#include "words.h"

namespace halation::python {
namespace {

Plan make_plan(const Five& shape, const std::string& pixel, const std::vector<FilterWords>& filters,
               const std::array<BorderWords, 3>& borders, const std::string& extent,
               const std::string& output, double scale, double offset, const std::string& rounding,
               const std::string& overflow, const std::string& sum, const std::string& accuracy,
               const std::string& method, const std::string& tune, int threads, const std::string& device,
               bool magnitude, const std::string& operation, int most_threads) {
  PlanSpec spec;
  spec.shape = shape_of(shape);
  spec.pixel = pixel_named(pixel);
  spec.options.operation = operation_named(operation);
  for (const FilterWords& filter : filters)
    spec.filters.push_back(filter_from(filter, spec.options.operation));
  spec.combine = magnitude ? Combine::magnitude : Combine::none;
  spec.device = device_named(device);
  spec.options.border = {
      .z = border_from(borders[0]), .y = border_from(borders[1]), .x = border_from(borders[2])};
  spec.options.extent = extent_named(extent);
  spec.options.output = pixel_named(output);
  spec.options.scale = scale;
  spec.options.offset = offset;
  spec.options.rounding = rounding_named(rounding);
  spec.options.overflow = overflow_named(overflow);
  spec.options.sum = sum_named(sum);
  spec.options.accuracy = accuracy_named(accuracy);
  spec.options.method = method_named(method);
  spec.options.tune = tune_named(tune);
  spec.options.threads = threads;
  std::optional<ThreadLimit> limit;
  if (most_threads > 0) limit.emplace(most_threads);
  const WithoutGil released;  // tune "measure" takes a while
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
  nb::class_<Plan>(module, "Plan",
                   "A prepared job of the library, over five extents: batch, depth, height, width, channels.")
      .def_prop_ro(
          "output_shape", [](const Plan& plan) { return five_of(plan.output_shape()); },
          "The five extents of the output.")
      .def_prop_ro("output_pixel", [](const Plan& plan) { return std::string(name_of(plan.output_pixel())); })
      .def_prop_ro("workspace_bytes", &Plan::workspace_bytes,
                   "Scratch bytes that one run needs, from the library's pool.")
      .def_prop_ro("constant_bytes", &Plan::constant_bytes,
                   "Bytes that stay taken while it lives: weights, spectra and roots of transforms.")
      .def_prop_ro(
          "methods", [](const Plan& plan) { return names_of(plan.methods()); },
          "The methods chosen, one a filter.")
      .def("error_bound", &Plan::error_bound, nb::arg("max_abs"),
           "Largest difference, before rounding, from exact arithmetic for inputs of magnitude at most "
           "`max_abs`.")
      .def("explain", &Plan::explain, "What will be done and why.");
  nb::class_<Call>(module, "Call", "A plan for arrays of given shapes and strides.")
      .def(nb::init<Plan, const Five&, const std::string&, const SideWords&, const SideWords&>(),
           nb::arg("plan"), nb::arg("shape"), nb::arg("pixel"), nb::arg("input"), nb::arg("output"))
      .def("run", &Call::run, nb::arg("input"), nb::arg("output"), nb::arg("stream") = 0,
           "Filters one array into another; False, with nothing done, where one of them is not as this call "
           "expects it.")
      .def_prop_ro("plan", &Call::plan);
  module.def("make_plan", &make_plan, nb::arg("shape"), nb::arg("pixel"), nb::arg("filters"),
             nb::arg("borders"), nb::arg("extent"), nb::arg("output"), nb::arg("scale"), nb::arg("offset"),
             nb::arg("rounding"), nb::arg("overflow"), nb::arg("sum"), nb::arg("accuracy"), nb::arg("method"),
             nb::arg("tune"), nb::arg("threads"), nb::arg("device"), nb::arg("magnitude"),
             nb::arg("operation"), nb::arg("most_threads"),
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
      nb::arg("most_threads"),
      "CPU threads that plans take at most, where `most_threads`, if it is not 0, limits them.");
  module.def("devices", &list_of_devices, nb::sig("def devices() -> list[dict[str, typing.Any]]"),
             "Every device that this build can use on this machine.");
}

}  // namespace halation::python
