// sparse_test.cpp: filters most of whose weights are 0 (src/cuda/sparse/sparse.cuh): boxes of many sizes,
// every pixel, border, extent and layout, images narrower than a block, volumes, and numbers that are not
// finite, which reach the filter's whole box.
//
// Data and weights are integers so small that f32 holds every sum exactly, so every pixel must be right to
// the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Some 9 whole weights, the first and the last among them, in a box of zeros.
Filter sparse(const FilterSize& size, std::uint64_t seed) {
  std::vector<double> weights(static_cast<std::size_t>(size.taps()), 0.0);
  for (std::uint64_t i = 0; i < 9; ++i) {
    const std::uint64_t bits = random_bits(seed << 20 ^ i);
    weights[bits % weights.size()] = static_cast<double>(bits / weights.size() % 7) - 3;
  }
  weights.front() = 2;
  weights.back() = -1;
  return Filter::dense(size, std::move(weights));
}

void expect_same(const Image& image, const Filter& filter, Options options) {
  options.method = Method::direct;
  const Plan plan = plan_by("sparse taps", spec_on_gpu(image, filter, options));
  EXPECT_TRUE(same_bits(convolve(image, filter, options, reference()), result_of(plan, image))) << text(image, filter);
}

TEST(SparseTaps, EveryPixelBorderAndBox) {
  std::uint64_t seed = 0;
  for (const FilterSize& size : {FilterSize{1, 17, 17}, FilterSize{1, 5, 40}, FilterSize{1, 33, 2}, FilterSize{1, 9, 8}, FilterSize{3, 7, 9}, FilterSize{1, 60, 60}}) {
    for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f64}) {
      for (std::size_t mode = 0; mode < border_modes.size(); ++mode) {
        ++seed;
        const std::int64_t depth = size.depth > 1 ? 5 : 1;
        const Image image = whole_image({.depth = depth, .height = 70, .width = 301}, pixel, seed);
        expect_same(image, sparse(size, seed), {.border = border_of(mode), .output = is_float(pixel) ? Pixel::f64 == pixel ? Pixel::f64 : Pixel::f32 : Pixel::i16});
      }
    }
  }
}

TEST(SparseTaps, EveryShapeChannelsAndLayout) {
  std::uint64_t seed = 1000;
  for (const std::int64_t width : {20, 33, 84, 85, 255, 256, 257, 700}) {
    for (const std::int64_t channels : {1, 2, 3, 4, 7}) {
      for (const Layout layout : {Layout::interleaved, Layout::planar}) {
        ++seed;
        const Image image = whole_image({.batch = 2, .height = 37, .width = width, .channels = channels}, Pixel::f32, seed, layout);
        expect_same(image, sparse({.height = 9, .width = 12}, seed), {.border = border_of(seed)});
        expect_same(image, sparse({.height = 21, .width = 9}, seed).with_anchor({.y = 20, .x = 0}),
                    {.border = border_of(seed), .extent = seed % 2 == 0 ? Extent::full : Extent::valid, .operation = Operation::correlation});
      }
    }
  }
}

TEST(SparseTaps, ScaleOffsetAndOtherPixels) {
  const Image image = whole_image({.height = 90, .width = 130}, Pixel::u8, 5);
  const Filter filter = sparse({.height = 13, .width = 13}, 6);
  expect_same(image, filter, {.output = Pixel::u8, .scale = 0.25, .offset = 3});
  expect_same(image, filter, {.output = Pixel::f32, .scale = 0.5, .rounding = Rounding::truncate});
  expect_same(image, filter, {.output = Pixel::u16, .offset = 1000, .rounding = Rounding::truncate});
  expect_same(image, filter, {.output = Pixel::f64, .sum = Sum::f64});
}

TEST(SparseTaps, WhatIsNotFiniteReachesTheWholeBox) {
  std::uint64_t seed = 2000;
  for (const Pixel pixel : {Pixel::f16, Pixel::f32, Pixel::f64}) {
    for (const double odd : {infinity, -infinity, std::nan("")}) {
      for (const std::uint64_t one_in : {97U, 40009U}) {
        ++seed;
        for (const Border& border : {Border::constant(0), Border::constant(infinity), Border::reflect(), Border::wrap()}) {
          Image image = whole_image({.height = 150, .width = 300}, pixel, seed);
          for (std::int64_t i = 0; i < image.shape().elements(); ++i) {
            if (random_bits(seed << 30 ^ static_cast<std::uint64_t>(i)) % one_in != 0) continue;
            visit_pixel(pixel, [&](auto like) {
              reinterpret_cast<decltype(like)*>(image.view().data)[i] = to_element<decltype(like)>(odd, Rounding::half_even);
            });
          }
          const Filter filter = sparse({.height = 9, .width = 9}, seed);
          const Options options{.border = border, .output = pixel == Pixel::f64 ? Pixel::f64 : Pixel::f32, .method = Method::direct};
          const Plan plan = plan_by("sparse taps", spec_on_gpu(image, filter, options));
          const std::vector<double> found = values_of(result_of(plan, image));
          const std::vector<double> expected = values_of(convolve(image, filter, options, reference()));
          ASSERT_EQ(found.size(), expected.size());
          for (std::size_t i = 0; i < found.size(); ++i) {
            if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
            ASSERT_EQ(found[i], expected[i]) << i << " of " << text(image, filter) << ", " << odd;
          }
        }
      }
    }
  }
}

TEST(SparseTaps, AreChosenWhereTheyAreQuicker) {
  const auto explained = [](const Filter& filter) {
    return Plan({.shape = {.height = 4096, .width = 4096},
                 .pixel = Pixel::f32,
                 .filters = {filter},
                 .device = cuda(),
                 .options = {.method = Method::direct}})
        .explain();
  };
  EXPECT_THAT(explained(sparse({.height = 17, .width = 17}, 1)), HasSubstr("family: sparse taps;"));
  EXPECT_THAT(explained(whole_filter({.height = 17, .width = 17}, 1)),
              testing::Not(HasSubstr("family: sparse taps;")));
}

}  // namespace
}  // namespace halation::gpu_test
