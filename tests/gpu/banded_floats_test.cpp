// banded_floats_test.cpp: filters over floats by banded matrices in tf32 (src/cuda/banded/floats.cuh): every
// size of them, border, extent, anchor, layout and output; numbers that are not finite; what is rounded, and
// what is refused.
//
// But for the last, data and weights are integers of 11 bits and less, and f32 holds every sum exactly: every
// pixel must be right to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../message_of.h"
#include "images.h"

namespace halation::gpu_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

Plan plan_of(const Image& image, const Filter& filter, Options options) {
  options.method = Method::banded;
  options.accuracy = Accuracy::fast;
  return plan_by("banded floats", spec_on_gpu(image, filter, options));
}

void expect_same(const Image& image, const Filter& filter, const Options& options) {
  const Plan plan = plan_of(image, filter, options);
  EXPECT_TRUE(same_bits(convolve(image, filter, options, reference()), result_of(plan, image))) << text(image, filter);
}

TEST(BandedFloats, EverySize) {
  std::uint64_t seed = 0;
  for (const std::int64_t width : {1, 2, 3, 8, 9, 10, 15, 17, 18, 25, 26, 31, 33}) {
    for (const std::int64_t height : {1, 2, 3, 7, 8, 9, 16, 17, 31, 33}) {
      ++seed;
      const Image image = whole_image({.height = 60 + height, .width = 290 + width}, seed % 2 == 0 ? Pixel::f32 : Pixel::f16, seed);
      expect_same(image, whole_filter({.height = height, .width = width}, seed, 7), {.border = border_of(seed), .output = Pixel::f32});
    }
  }
}

TEST(BandedFloats, EveryBorderExtentAndOutput) {
  std::uint64_t seed = 500;
  for (const Border::Mode y : border_modes) {
    for (const Border::Mode x : border_modes) {
      for (const Extent extent : {Extent::same, Extent::full, Extent::valid}) {
        for (const Pixel output : {Pixel::f32, Pixel::i16}) {
          ++seed;
          const Options options{.border = {.y = Border{y, y == Border::Mode::constant ? 77.0 : 0}, .x = Border{x, x == Border::Mode::constant ? 201.0 : 0}},
                                .extent = extent,
                                .operation = seed % 3 == 0 ? Operation::correlation : Operation::convolution,
                                .output = output};
          const Filter filter = whole_filter({.height = 7, .width = 12}, seed, 7).with_anchor({.y = static_cast<std::int64_t>(seed % 7), .x = static_cast<std::int64_t>(seed % 12)});
          expect_same(whole_image({.height = 70, .width = 301}, Pixel::f32, seed), filter, options);
          if (extent != Extent::valid) expect_same(whole_image({.height = 3, .width = 2}, Pixel::f32, seed), filter, options);
        }
      }
    }
  }
}

TEST(BandedFloats, EveryShapeChannelsAndLayout) {
  std::uint64_t seed = 1000;
  for (const std::int64_t width : {1, 5, 33, 64, 65, 128, 200, 256, 257, 700}) {
    for (const std::int64_t channels : {1, 2, 3, 4, 7}) {
      for (const Layout layout : {Layout::interleaved, Layout::planar}) {
        ++seed;
        const Image image = whole_image({.batch = 2, .depth = 2, .height = 37, .width = width, .channels = channels}, Pixel::f32, seed, layout);
        expect_same(image, whole_filter({.height = 5, .width = 11}, seed, 7), {.border = border_of(seed)});
      }
    }
  }
}

/// The limit of shared memory is a kernel's, not a plan's.
TEST(BandedFloats, LeaveSharedMemoryToPlansMadeBefore) {
  Image image = whole_image({.height = 100, .width = 300}, Pixel::f32, 6);
  reinterpret_cast<float*>(image.view().data)[5000] = std::numeric_limits<float>::infinity();  // by both kernels
  const Filter large = whole_filter({.height = 31, .width = 9}, 7, 7);
  const Plan before = plan_of(image, large, {});
  const Plan after = plan_of(image, whole_filter({.height = 3, .width = 9}, 8, 7), {});
  const std::vector<double> found = values_of(result_of(before, image));
  const std::vector<double> right = values_of(convolve(image, large, {}, reference()));
  for (std::size_t i = 0; i < right.size(); ++i)
    ASSERT_TRUE(found[i] == right[i] || (std::isnan(found[i]) && std::isnan(right[i]))) << i << ": " << found[i] << ", right is " << right[i];
}

TEST(BandedFloats, CombinesFilters) {
  const Image image = whole_image({.height = 90, .width = 280}, Pixel::f32, 3);
  PlanSpec spec{.shape = image.shape(), .pixel = Pixel::f32, .filters = {whole_filter({.height = 7, .width = 7}, 4, 7), whole_filter({.height = 7, .width = 7}, 5, 7)},
                .combine = Combine::magnitude, .device = cuda(), .options = {.accuracy = Accuracy::fast, .method = Method::banded}};
  const Plan plan(spec);
  // Both by banded floats, since no other family takes what that method makes of weights over f32.
  EXPECT_THAT(plan.explain(), AllOf(HasSubstr("family: filter by filter;"), HasSubstr("banded floats, ")));
  const std::vector<double> found = values_of(result_of(plan, image));
  spec.device = reference();
  spec.options.method = Method::automatic;
  const Plan exact(spec);
  Image out(exact.output_shape(), Pixel::f32);
  exact.run(image, out.view());
  const std::vector<double> right = values_of(out);
  for (std::size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(found[i], right[i], right[i] * 0x1p-22) << i;
}

TEST(BandedFloats, NumbersThatAreNotFinite) {
  std::uint64_t seed = 2000;
  for (const double odd : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    for (const Pixel pixel : {Pixel::f32, Pixel::f16}) {
      for (const std::int64_t channels : {1, 3}) {
        ++seed;
        Image image = whole_image({.height = 150, .width = 333, .channels = channels}, pixel, seed);
        for (std::uint64_t i = 0; i < 5; ++i) {
          const auto at = static_cast<std::int64_t>(random_bits(seed << 8 ^ i) % static_cast<std::uint64_t>(image.shape().elements()));
          if (pixel == Pixel::f32) reinterpret_cast<float*>(image.view().data)[at] = static_cast<float>(odd);
          else reinterpret_cast<f16*>(image.view().data)[at] = f16(static_cast<float>(odd));
        }
        const Filter filter = whole_filter({.height = 9, .width = 7}, seed, 7);
        const Options options{.border = border_of(seed), .output = Pixel::f32};
        const std::vector<double> found = values_of(result_of(plan_of(image, filter, options), image));
        const std::vector<double> right = values_of(convolve(image, filter, options, reference()));
        for (std::size_t i = 0; i < right.size(); ++i)
          ASSERT_TRUE(found[i] == right[i] || (std::isnan(found[i]) && std::isnan(right[i]))) << i << ": " << found[i] << ", right is " << right[i];
      }
    }
  }
}

TEST(BandedFloats, StayWithinTheBound) {
  for (const Pixel pixel : {Pixel::f32, Pixel::f16}) {
    for (const double largest : {1e-30, 1e-3, 1.0, 6e4, 1e30}) {
      if (pixel == Pixel::f16 && (largest < 1e-5 || largest > 6e4)) continue;
      for (const std::int64_t taps : {3, 15, 31}) {
        Image image({.height = 100, .width = 300}, pixel);
        for (std::int64_t i = 0; i < image.shape().elements(); ++i) {
          const double value = largest * (static_cast<double>(random_bits(static_cast<std::uint64_t>(i * taps)) >> 11) * 0x1p-52 - 1);
          if (pixel == Pixel::f32) reinterpret_cast<float*>(image.view().data)[i] = static_cast<float>(value);
          else reinterpret_cast<f16*>(image.view().data)[i] = f16(static_cast<float>(value));
        }
        std::vector<double> weights;
        double magnitudes = 0;
        for (std::int64_t i = 0; i < taps * taps; ++i) {
          weights.push_back(static_cast<double>(random_bits(static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53 - 0.3);
          magnitudes += std::fabs(weights.back());
        }
        const Filter filter = Filter::dense({.height = taps, .width = taps}, weights);
        const Plan plan = plan_of(image, filter, {.output = Pixel::f32});
        const double bound = plan.error_bound(largest);
        EXPECT_LE(bound, 1.001 * 0x1p-10 * magnitudes * largest);
        const std::vector<double> found = values_of(result_of(plan, image));
        const std::vector<double> right = values_of(convolve(image, filter, {.output = Pixel::f64}, reference()));
        double most = 0;
        for (std::size_t i = 0; i < right.size(); ++i) most = std::max(most, std::fabs(found[i] - right[i]));
        EXPECT_LE(most, bound);
        EXPECT_GT(most, 0) << "nothing is rounded";
      }
    }
  }
}

TEST(BandedFloats, AreChosenForLargeImages) {
  for (const Pixel pixel : {Pixel::f32, Pixel::f16}) {
    PlanSpec spec{.shape = {.height = 8192, .width = 8192}, .pixel = pixel, .filters = {whole_filter({.height = 15, .width = 15}, 1, 7)}, .device = cuda(),
                  .options = {.accuracy = Accuracy::fast}};
    EXPECT_EQ(Plan(spec).methods().front(), Method::banded) << Plan(spec).explain();
    EXPECT_THAT(Plan(spec).explain(), HasSubstr("by matrices of weights of 11 bits instead of 225 multiply-adds a sample"));
    spec.options.accuracy = Accuracy::exact;
    EXPECT_NE(Plan(spec).methods().front(), Method::banded);
    spec.options.accuracy = Accuracy::fast;
    spec.options.sum = Sum::f64;
    EXPECT_NE(Plan(spec).methods().front(), Method::banded);
  }
}

TEST(BandedFloats, RefusesWhatIsToBeExactOrTooLarge) {
  const auto refused = [](const FilterSize& size, Accuracy accuracy) {
    return message_of([&] {
      (void)Plan({.shape = {.height = 50, .width = 50}, .pixel = Pixel::f32, .filters = {whole_filter(size, 1, 7)}, .device = cuda(),
                  .options = {.accuracy = accuracy, .method = Method::banded}});
    });
  };
  const std::string why =
      "method banded: filter 'custom' is not summed by matrices: pixels must be u8 and constants around them whole, weights along height and "
      "width, at most 4096 or products of factors, and whole numbers of 16 bits times a power of 2, or outputs integers rounded to the nearest "
      "that such are within 1/16 of; or accuracy fast, pixels f32, or f16 and constants around them such, and at most 33x33 weights; use automatic or direct";
  EXPECT_EQ(refused({.height = 5, .width = 5}, Accuracy::exact), why);
  EXPECT_EQ(refused({.height = 34, .width = 5}, Accuracy::fast), why);
  EXPECT_EQ(refused({.depth = 3, .height = 5, .width = 5}, Accuracy::fast), why);
}

}  // namespace
}  // namespace halation::gpu_test
