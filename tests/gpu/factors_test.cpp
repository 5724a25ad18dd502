// factors_test.cpp: products of factors by every family that takes them: both axes in one pass
// (src/cuda/shared_tile/factored.cu), one axis after the other with sums apart or inside of pixels, and one
// axis as dense weights or with depth for height (src/cuda/compose).
//
// Data and weights are integers so small that f32 holds every sum exactly, so every pixel must be right to
// the bit.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

/// How many jobs each family did.
struct Done {
  int in_one_pass = 0, apart = 0, pixels = 0, dense = 0, depth = 0;
};

/// Factors of integers in [-2, 2]; of one tap: 1.
Filter product(const FilterSize& size, std::uint64_t seed) {
  const auto factor = [&](std::int64_t taps, std::uint64_t which) {
    std::vector<double> weights;
    for (std::int64_t i = 0; i < taps; ++i)
      weights.push_back(
          static_cast<double>(random_bits(seed << 40 ^ which << 20 ^ static_cast<std::uint64_t>(i)) % 5) - 2);
    weights.back() = 1;
    return weights;
  };
  return Filter::separable(
      {.z = factor(size.depth, 3), .y = factor(size.height, 2), .x = factor(size.width, 1)});
}

/// By every family that takes the job, of which there is one at least.
void expect_same(const Image& image, const Filter& filter, Options options, Done& done) {
  const Image expected = convolve(image, filter, options);
  options.method = Method::separable;
  const PlanSpec spec = spec_on_gpu(image, filter, options);
  bool is_done = false;
  for (const auto& [family, jobs] : {std::pair{"shared tile, factored", &done.in_one_pass},
                                     {"axis by axis", &done.apart},
                                     {"axis by axis, pixels", &done.pixels},
                                     {"one factor, dense", &done.dense},
                                     {"depth for height", &done.depth}}) {
    const std::optional<Plan> plan = plan_by_or_none(family, spec);
    if (!plan) continue;
    EXPECT_TRUE(same_bits(expected, result_of(*plan, image)))
        << text(image, filter) << ", border " << name_of(options.border.x.mode) << ", " << family;
    ++*jobs;
    is_done = true;
  }
  EXPECT_TRUE(is_done) << text(image, filter);
}

TEST(Factors, EverySizePixelAndBorder) {
  Done done;
  std::uint64_t seed = 0;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f64}) {
    const Pixel output = pixel == Pixel::f64 ? Pixel::f64 : Pixel::f32;
    for (const FilterSize& size :
         {FilterSize{1, 3, 3}, FilterSize{1, 5, 2}, FilterSize{1, 2, 9}, FilterSize{1, 17, 6},
          FilterSize{1, 31, 40}, FilterSize{1, 64, 65}, FilterSize{1, 1, 12}, FilterSize{1, 23, 1}}) {
      for (const std::int64_t width : {1, 33, 128, 301}) {
        ++seed;
        const Image image = whole_image({.height = 97, .width = width}, pixel, seed);
        expect_same(image, product(size, seed), {.border = border_of(seed), .output = output}, done);
      }
    }
  }
  EXPECT_GE(done.in_one_pass, 190);
  EXPECT_GE(done.apart, 130);
  EXPECT_GE(done.dense, 60);
}

TEST(Factors, ChannelsAndLayouts) {
  Done done;
  std::uint64_t seed = 1000;
  for (const Pixel pixel : {Pixel::u8, Pixel::f32}) {
    for (const std::int64_t channels : {2, 3, 4, 5, 17}) {
      for (const Layout layout : {Layout::interleaved, Layout::planar}) {
        for (const std::int64_t width : {5, 64, 131}) {
          for (const FilterSize& size : {FilterSize{1, 7, 5}, FilterSize{1, 20, 33}}) {
            ++seed;
            const Shape shape{.batch = 2, .height = 70, .width = width, .channels = channels};
            expect_same(whole_image(shape, pixel, seed, layout), product(size, seed),
                        {.border = border_of(seed), .output = Pixel::f32}, done);
          }
        }
      }
    }
  }
  EXPECT_GE(done.in_one_pass, 120);
  EXPECT_GE(done.apart, 80);
  EXPECT_GE(done.pixels, 36);
}

TEST(Factors, AnchorsExtentsAndOutputs) {
  Done done;
  std::uint64_t seed = 2000;
  const Image image = whole_image({.height = 80, .width = 210}, Pixel::u8, 5);
  for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
    for (const Pixel output : native_pixels) {
      for (const std::int64_t at : {0, 4, 8}) {
        ++seed;
        const Options options{.border = border_of(seed),
                              .extent = extent,
                              .output = output,
                              .scale = 0.25,
                              .offset = 9,
                              .rounding = seed % 2 == 0 ? Rounding::half_even : Rounding::truncate};
        expect_same(image, product({.height = 9, .width = 12}, seed).with_anchor({.y = at, .x = 11 - at}),
                    options, done);
      }
    }
  }
  EXPECT_GE(done.in_one_pass, 54);
  EXPECT_GE(done.apart, 54);
}

TEST(Factors, Volumes) {
  Done done;
  std::uint64_t seed = 3000;
  for (const Pixel pixel : {Pixel::u16, Pixel::f32}) {
    for (const FilterSize& size :
         {FilterSize{3, 5, 4}, FilterSize{4, 1, 3}, FilterSize{12, 1, 1}, FilterSize{6, 7, 1}}) {
      for (const std::int64_t channels : {1, 3}) {
        ++seed;
        const Shape shape{.depth = 21, .height = 33, .width = 70, .channels = channels};
        expect_same(whole_image(shape, pixel, seed), product(size, seed),
                    {.border = border_of(seed), .output = Pixel::f32}, done);
      }
    }
  }
  EXPECT_GE(done.apart, 6);
  EXPECT_GE(done.pixels, 6);
  EXPECT_GE(done.dense, 4);
  EXPECT_GE(done.depth, 4);
}

}  // namespace
}  // namespace halation::gpu_test
