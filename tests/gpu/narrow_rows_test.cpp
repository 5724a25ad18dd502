// narrow_rows_test.cpp: images and volumes of narrow rows (src/cuda/narrow_rows/narrow_rows.cuh): every
// width, pixel, border, extent, layout and height of filters, and numbers that are not finite.
//
// Data and weights are integers so small that f32 holds every sum exactly, so every pixel must be right to
// the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

/// By sums of all weights.
void expect_same(const Image& image, const Filter& filter, Options options) {
  options.method = Method::direct;
  const Plan plan = plan_by("narrow rows", spec_on_gpu(image, filter, options));
  EXPECT_TRUE(same_bits(convolve(image, filter, options, reference()), result_of(plan, image))) << text(image, filter);
}

TEST(NarrowRows, EveryWidthAndHeightOfFilters) {
  std::uint64_t seed = 0;
  for (const std::int64_t width : {1, 2, 3, 4, 5, 7, 8, 13, 16, 21, 31, 32, 33, 63, 64}) {
    for (const FilterSize& size : {FilterSize{1, 1, 3}, FilterSize{1, 3, 3}, FilterSize{1, 5, 2}, FilterSize{1, 7, 7}, FilterSize{1, 2, 5}, FilterSize{1, 9, 3}, FilterSize{1, 16, 1}}) {
      ++seed;
      const Image image = whole_image({.height = 3001, .width = width}, Pixel::f32, seed);
      expect_same(image, whole_filter(size, seed), {.border = border_of(seed)});
    }
  }
}

TEST(NarrowRows, EveryPixelBorderAndExtent) {
  std::uint64_t seed = 1000;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f64}) {
    for (std::size_t mode = 0; mode < border_modes.size(); ++mode) {
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
        ++seed;
        const Image image = whole_image({.height = 20000, .width = 6}, pixel, seed);
        const Pixel output = pixel == Pixel::f64 ? Pixel::f64 : is_float(pixel) ? Pixel::f32 : Pixel::i16;
        expect_same(image, whole_filter({.height = 3, .width = 4}, seed),
                    {.border = border_of(mode), .extent = extent, .output = output});
      }
    }
  }
}

TEST(NarrowRows, ChannelsAndLayouts) {
  std::uint64_t seed = 2000;
  for (const std::int64_t width : {1, 3, 9, 20}) {
    for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
      for (const Layout layout : {Layout::interleaved, Layout::planar}) {
        // Up to 4 channels lie inside of a row, which then has at most 64 elements.
        if (layout == Layout::interleaved && (channels > 4 || channels * width > 64)) continue;
        ++seed;
        const Image image = whole_image({.batch = 3, .height = 1111, .width = width, .channels = channels}, Pixel::f32, seed, layout);
        expect_same(image, whole_filter({.height = 5, .width = 3}, seed).with_anchor({.y = 4, .x = 0}),
                    {.border = border_of(seed)});
      }
    }
  }
}

TEST(NarrowRows, Volumes) {
  std::uint64_t seed = 3000;
  for (const Pixel pixel : {Pixel::u8, Pixel::f32, Pixel::f64}) {
    for (std::size_t mode = 0; mode < border_modes.size(); ++mode) {
      ++seed;
      const Image image = whole_image({.batch = 2, .depth = 9, .height = 333, .width = 5}, pixel, seed);
      const Pixel output = pixel == Pixel::u8 ? Pixel::i16 : pixel;
      const Options options{.border = {.z = border_of(mode), .y = border_of(seed), .x = border_of(seed + mode)}, .output = output};
      expect_same(image, whole_filter({.depth = 3, .height = 3, .width = 3}, seed), options);
      expect_same(image, whole_filter({.depth = 4, .height = 6, .width = 2}, seed), options);
    }
  }
}

/// Images and outputs stored upside down.
TEST(NarrowRows, RowsThatGoUp) {
  const Image image = whole_image({.height = 20000, .width = 3}, Pixel::f32, 9);
  const Filter filter = whole_filter({.height = 3, .width = 3}, 9);
  for (const Border& border : {Border::constant(7), Border::reflect101()}) {
    const Options options{.border = border, .method = Method::direct};
    const Plan plan = plan_by("narrow rows", spec_on_gpu(image, filter, options));
    Image there = to_device(image, cuda());
    Image out = allocate(image.shape(), Pixel::f32, cuda());
    const auto upside_down = [](View view) {
      view.data += (view.shape.height - 1) * view.strides.height;
      view.strides.height = -view.strides.height;
      return view;
    };
    plan.run(upside_down(there.view()), upside_down(out.view()));
    const Image found = to_device(out, cpu());
    const auto flipped = [&](const Image& one) {
      Image from = one.clone(), to = one.clone();
      copy(upside_down(from.view()), to.view());
      return to;
    };
    EXPECT_TRUE(same_bits(flipped(convolve(flipped(image), filter, options, reference())), found));
  }
}

TEST(NarrowRows, ScaleOffsetAndOtherPixels) {
  const Image image = whole_image({.height = 50000, .width = 3}, Pixel::u8, 5);
  const Filter filter = whole_filter({.height = 3, .width = 3}, 6);
  expect_same(image, filter, {.output = Pixel::f32, .scale = 0.5, .rounding = Rounding::truncate});
  expect_same(image, filter, {.output = Pixel::u16, .offset = 1000, .rounding = Rounding::truncate});
  expect_same(image, filter, {.output = Pixel::f64, .sum = Sum::f64});
}

TEST(NarrowRows, WhatIsNotFiniteReachesTheWholeBox) {
  for (const Pixel pixel : {Pixel::f16, Pixel::f32, Pixel::f64}) {
    Image image = whole_image({.height = 30000, .width = 5}, pixel, 7);
    for (std::int64_t i = 0; i < image.shape().elements(); i += 1009) {
      visit_pixel(pixel, [&](auto like) {
        const double odd = i % 3 == 0 ? std::nan("") : i % 3 == 1 ? INFINITY : -INFINITY;
        reinterpret_cast<decltype(like)*>(image.view().data)[i] = to_element<decltype(like)>(odd, Rounding::half_even);
      });
    }
    const Filter filter = Filter::dense({.height = 3, .width = 3}, {1, 0, -2, 0, 0, 3, 1, 0, 2});
    const Options options{.border = Border::constant(INFINITY), .output = pixel == Pixel::f64 ? Pixel::f64 : Pixel::f32, .method = Method::direct};
    const Plan plan = plan_by("narrow rows", spec_on_gpu(image, filter, options));
    const std::vector<double> found = values_of(result_of(plan, image));
    const std::vector<double> expected = values_of(convolve(image, filter, options, reference()));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
      ASSERT_EQ(found[i], expected[i]) << i;
    }
  }
}

}  // namespace
}  // namespace halation::gpu_test
