// weights_of_little.h: filters of weights above 0 that f32 cannot hold, some of them only once the scale is part of them: over infinite
// pixels every sum is infinite, and none is NaN, as 0 · ∞ would be.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/convert.h"
#include "halation/halation.h"

namespace halation {

/// Plans over images of `pixel`s, to floats of the same size.
inline std::vector<PlanSpec> plans_of_little_weights(Pixel pixel, const Device& device) {
  const double tiny = pixel == Pixel::f64 ? 1e-320 : 1e-60;
  const double small = pixel == Pixel::f64 ? 1e-105 : 1e-25;  // the product of three is too small, and not 0 in f64
  std::vector<double> corner(25, tiny);
  corner.front() = 1;
  const std::vector<Filter> filters{
      Filter::dense({1, 5, 5}, corner),
      Filter::dense({1, 3, 3}, std::vector<double>(9, tiny)),
      Filter::dense({1, 1, 9}, {1, 1, tiny, 1, 1, 1, 1, 2, 1}),
      Filter::dense({2, 2, 2}, {1, tiny, tiny, tiny, tiny, tiny, tiny, 1}),
      Filter::separable({.y = {1, 3, 1}, .x = {tiny, 2, 1}}),
      Filter::separable({.y = {small}, .x = {small, 1, 2}}),
      Filter::separable({.y = {1, 2, small}, .x = {small}}),
      Filter::separable({.z = {small}, .y = {small}, .x = {1, 1, 1}}),
      Filter::separable({.z = {small}, .y = {small}, .x = {small}}),
      Filter::separable({.y = {small, small, small}, .x = {small, small, small}}),
  };
  std::vector<PlanSpec> plans;
  for (const Filter& filter : filters) {
    for (const double scale : {1.0, 0.5, 0x1p-20, 1e-30}) {
      for (const Shape& shape : {Shape{.height = 12, .width = 40}, Shape{.depth = 3, .height = 70, .width = 68}}) {
        plans.push_back({.shape = shape,
                         .pixel = pixel,
                         .filters = {filter},
                         .device = device,
                         .options = {.border = Border::replicate(), .output = pixel == Pixel::f64 ? pixel : Pixel::f32, .scale = scale}});
      }
    }
  }
  return plans;
}

/// Holds every output of those plans over infinite pixels to be infinite and above 0.
inline void expect_infinities_kept(const Device& device) {
  for (const Pixel pixel : {Pixel::f16, Pixel::f32, Pixel::f64}) {
    for (const PlanSpec& spec : plans_of_little_weights(pixel, device)) {
      const Plan plan(spec);
      Image in(spec.shape, pixel);
      visit_pixel(pixel, [&](auto like) {
        using T = decltype(like);
        const T infinity = to_element<T>(std::numeric_limits<double>::infinity(), Rounding::half_even);
        std::fill_n(reinterpret_cast<T*>(in.view().data), spec.shape.elements(), infinity);
      });
      const Image there = to_device(in, device);
      Image filtered = allocate(plan.output_shape(), plan.output_pixel(), device);
      plan.run(there, filtered.view());
      const Image out = to_device(filtered, cpu());
      visit_pixel(plan.output_pixel(), [&](auto like) {
        const auto* found = reinterpret_cast<const decltype(like)*>(out.view().data);
        for (std::int64_t i = 0; i < out.shape().elements(); ++i) {
          const auto value = static_cast<double>(found[i]);
          ASSERT_EQ(value, std::numeric_limits<double>::infinity())
              << i << " of " << to_string(spec.shape) << ", filter '" << spec.filters.front().name() << "', scale " << spec.options.scale << "\n"
              << plan.explain();
        }
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace halation
