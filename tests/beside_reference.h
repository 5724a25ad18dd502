// beside_reference.h: images of whole numbers, some of them not finite, and results of the CPU beside the reference's within the plan's bound.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/convert.h"
#include "halation/halation.h"
#include "numbers.h"

namespace halation {

/// Whole numbers below 200, of which one in so many is replaced; none where that is 0.
inline Image noise(const Shape& shape, Pixel pixel, Numbers& numbers, std::size_t one_in = 0, double replaced_by = 0) {
  Image image(shape, pixel);
  visit_pixel(pixel, [&](auto like) {
    using T = decltype(like);
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      const double value = one_in > 0 && numbers.below(one_in) == 0 ? replaced_by : std::floor(200 * numbers.next());
      reinterpret_cast<T*>(image.view().data)[i] = to_element<T>(value, Rounding::half_even);
    }
  });
  return image;
}

/// The i-th number of an image without gaps.
inline double number_of(const Image& image, std::int64_t i) {
  return visit_pixel(image.pixel(), [&](auto like) { return static_cast<double>(reinterpret_cast<const decltype(like)*>(image.view().data)[i]); });
}

/// What the CPU gives as floats by one thread and by three, by a plan whose explanation has `said`, is what the reference gives: within the
/// bound for inputs up to 200, and where that is not finite the same.
inline void expect_as_reference(const Image& in, const Filter& filter, Options options, const std::string& said) {
  options.output = in.pixel() == Pixel::f64 ? Pixel::f64 : Pixel::f32;  // an output in f64 would make sums so
  PlanSpec spec{.shape = in.shape(), .pixel = in.pixel(), .filters = {filter}, .options = options};
  PlanSpec by_reference = spec;
  by_reference.device = reference();
  by_reference.options.method = Method::automatic;
  by_reference.options.output = Pixel::f64;
  const Plan oracle(by_reference);
  Image expected(oracle.output_shape(), Pixel::f64);
  oracle.run(in, expected.view());
  for (const int threads : {1, 3}) {
    spec.options.threads = threads;
    const Plan plan(spec);
    ASSERT_THAT(plan.explain(), testing::HasSubstr(said));
    Image found(plan.output_shape(), plan.output_pixel());
    plan.run(in, found.view());
    const double bound = plan.error_bound(200);
    for (std::int64_t i = 0; i < plan.output_shape().elements(); ++i) {
      const double sum = number_of(expected, i);
      const double got = number_of(found, i);
      if (got == sum || (std::isnan(got) && std::isnan(sum))) continue;
      ASSERT_LE(std::fabs(got - sum), bound + std::fabs(sum) * 0x1p-24) << i << " of " << to_string(in.shape()) << "\n" << plan.explain();
    }
  }
}

}  // namespace halation
