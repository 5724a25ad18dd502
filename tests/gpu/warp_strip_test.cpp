// warp_strip_test.cpp: filters of 2 to 9 taps an axis over small pixels, and over rows that begin on no boundary (src/cuda/warp_strip/warp_strip.cuh).
//
// Data and weights are whole numbers small enough for f32 to hold every sum exactly, so that every pixel must be right to the bit.
// Right answers come from the CPU, which the sweep compares with the reference.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

constexpr std::array pixels{Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32};

/// Factors of whole numbers without symmetry.
Filter factored(std::int64_t taps, std::uint64_t seed) {
  const auto factor = [&](std::uint64_t which) {
    std::vector<double> weights;
    for (std::int64_t i = 0; i < taps; ++i)
      weights.push_back(static_cast<double>(random_bits(seed << 40 ^ which << 20 ^ static_cast<std::uint64_t>(i)) % 5) - 2);
    weights.back() = 1;
    return weights;
  };
  return Filter::separable({.y = factor(2), .x = factor(1)});
}

void expect_same(const Image& image, const Filter& filter, const Options& options) {
  EXPECT_TRUE(same_bits(convolve(image, filter, options), on_gpu(image, filter, options)))
      << filter.size().height << "x" << filter.size().width << " over " << to_string(image.shape()) << " " << name_of(image.pixel())
      << ", border " << name_of(options.border.x.mode) << ", method " << name_of(options.method);
}

Border border_of(Border::Mode mode, double constant) { return Border{mode, mode == Border::Mode::constant ? constant : 0.0}; }

/// Widths around whole pieces, groups and warps, and below the filter.
constexpr std::array<std::int64_t, 19> widths{1,   2,   5,   8,   15,  16,   17,   64,   255, 256,
                                              257, 496, 512, 513, 520, 1024, 1040, 1537, 2064};

TEST(WarpStrip, EveryPixelWidthAndBorderByFactors) {
  for (const Pixel pixel : pixels) {
    for (const std::int64_t width : widths) {
      const Image image = whole_image({.height = 21, .width = width}, pixel, 1);
      for (const std::int64_t taps : {3, 5, 7, 9}) {
        for (const Border::Mode mode : border_modes)
          expect_same(image, factored(taps, 1), {.border = border_of(mode, 7), .method = Method::separable});
      }
    }
  }
}

TEST(WarpStrip, EveryWidthAndBorderDirectly) {
  for (const std::int64_t width : widths) {
    const Image image = whole_image({.height = 21, .width = width}, Pixel::u8, 2);
    for (const std::int64_t taps : {2, 3, 4, 5, 6, 7}) {
      // By products of four bytes up to 127, else by numbers.
      for (const std::uint64_t most : {100, 300}) {
        for (const Border::Mode mode : border_modes) {
          expect_same(image, whole_filter({.height = taps, .width = taps}, 2, most),
                      {.border = border_of(mode, 7), .output = Pixel::i16, .method = Method::direct});
        }
      }
    }
  }
}

TEST(WarpStrip, EveryNumberOfChannels) {
  for (const Pixel pixel : pixels) {
    for (const std::int64_t channels : {2, 3, 4, 5}) {
      for (const std::int64_t width : {3, 16, 66, 129, 171, 352}) {
        for (const Layout layout : {Layout::interleaved, Layout::planar}) {
          const Image image = whole_image({.height = 13, .width = width, .channels = channels}, pixel, 3, layout);
          for (const std::int64_t taps : {3, 5, 7, 9}) {
            for (const Border::Mode mode : border_modes) {
              expect_same(image, factored(taps, 3), {.border = border_of(mode, 3), .method = Method::separable});
              if (taps < 9)
                expect_same(image, whole_filter({.height = taps, .width = taps}, 3),
                            {.border = border_of(mode, 3), .method = Method::direct});
            }
          }
        }
      }
    }
  }
}

TEST(WarpStrip, EveryAnchorExtentAndSize) {
  const Image image = whole_image({.height = 37, .width = 528}, Pixel::u8, 4);
  for (std::int64_t height = 1; height <= 7; ++height) {
    for (std::int64_t width = 1; width <= 7; ++width) {
      const Filter filter = whole_filter({.height = height, .width = width}, 4);
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full})
        expect_same(image, filter, {.border = Border::reflect(), .extent = extent});
      expect_same(image, filter.with_anchor({.y = 0, .x = 0}), {.border = Border::wrap()});
      expect_same(image, filter.with_anchor({.y = height - 1, .x = width - 1}), {.border = Border::constant(5)});
    }
  }
}

TEST(WarpStrip, BordersOfEachAxisAndConstantsThatAreNoPixels) {
  const Image on_boundaries = whole_image({.height = 19, .width = 528}, Pixel::u8, 5);
  const Image on_none = whole_image({.height = 19, .width = 530}, Pixel::u8, 5);
  for (const Border::Mode y : border_modes) {
    for (const Border::Mode x : border_modes) {
      for (const double constant : {0.0, 255.0, 256.0, -3.0, 0.5}) {
        const Borders border{.z = Border::replicate(), .y = border_of(y, constant), .x = border_of(x, constant + 1)};
        for (const Image* image : {&on_boundaries, &on_none}) {
          expect_same(*image, whole_filter({.height = 5, .width = 5}, 5),
                      {.border = border, .output = Pixel::f32, .method = Method::direct});
          expect_same(*image, factored(5, 5), {.border = border, .output = Pixel::f32, .method = Method::separable});
        }
      }
    }
  }
}

TEST(WarpStrip, EveryPixelOfOutputScaledAndRounded) {
  const Image on_boundaries = whole_image({.height = 23, .width = 704}, Pixel::u8, 6);
  const Image on_none = whole_image({.height = 23, .width = 700}, Pixel::u8, 6);
  for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
      for (const double offset : {0.0, 3.0}) {
        const Options options{
            .border = Border::wrap(), .output = output, .scale = 1.0 / 64, .offset = offset, .rounding = rounding};
        for (const Image* image : {&on_boundaries, &on_none}) {
          expect_same(*image, whole_filter({.height = 3, .width = 3}, 6), options);
          expect_same(*image, whole_filter({.height = 5, .width = 5}, 6), options);
          expect_same(*image, whole_filter({.height = 5, .width = 5}, 6, 300), options);
          expect_same(*image, factored(7, 6), options);
        }
      }
    }
  }
}

TEST(WarpStrip, WeightsThatBecomeIntegersByAPowerOfTwo) {
  const Image image = noise({.height = 64, .width = 1000}, Pixel::u8, 7);
  std::vector<double> weights(25);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = (i % 2 == 0 ? -128 : 127) / 1024.0;
  expect_same(image, Filter::dense({.height = 5, .width = 5}, weights),
              {.border = Border::reflect101(), .output = Pixel::f32, .method = Method::direct});
}

TEST(WarpStrip, IntegerWeightsAreSummedDirectlyAndOthersByFactors) {
  const auto method_of = [](const Filter& filter, Pixel output) {
    const Shape shape{.height = 4096, .width = 4096, .channels = 3};
    return Plan({.shape = shape, .pixel = Pixel::u8, .filters = {filter}, .device = cuda(), .options = {.output = output}}).methods()[0];
  };
  const Filter whole = Filter::separable({.y = {0.25, 0.5, 0.25}, .x = {0.25, 0.5, 0.25}});
  EXPECT_EQ(method_of(whole, Pixel::u8), Method::direct);
  EXPECT_EQ(method_of(Filter::separable({.y = {0.3, 0.4, 0.3}, .x = {0.3, 0.4, 0.3}}), Pixel::u8), Method::separable);
}

TEST(WarpStrip, PlanesBatchesHighAndLowImages) {
  const Options options{.border = Border::reflect()};
  for (const std::int64_t height : {1, 2, 3, 4, 5, 700}) {
    for (const Filter& filter : {whole_filter({.height = 3, .width = 3}, 8), factored(9, 8)}) {
      expect_same(whole_image({.batch = 3, .depth = 2, .height = height, .width = 80}, Pixel::u8, 8), filter, options);
      expect_same(whole_image({.height = height, .width = 4100, .channels = 3}, Pixel::u16, 8), filter, options);
    }
  }
}

/// A crop of an image of `canvas_width` pixels a row from one column on, into another from another on, of which nothing else may
/// change.
void expect_right_crop(const Shape& shape, Pixel pixel, std::int64_t canvas_width, std::int64_t from, std::int64_t to,
                       const Filter& filter, const Options& options) {
  const std::int64_t height = shape.height + 4;
  const Shape larger{.height = height, .width = canvas_width, .channels = shape.channels};
  const Image there = to_device(whole_image(larger, pixel, 9), cuda());
  const Region region{.y = 2, .x = from, .height = shape.height, .width = shape.width};
  Options direct = options;
  direct.method = Method::direct;
  const Image expected = convolve(to_device(ConstView(there).crop(region), cpu()), filter, direct);
  Image canvas(larger, expected.pixel());
  std::memset(canvas.view().data, 0x5a, bytes_in(canvas));
  Image there_out = to_device(canvas, cuda());
  const Region place{.y = 1, .x = to, .height = shape.height, .width = shape.width};
  const Plan plan({.shape = expected.shape(), .pixel = pixel, .filters = {filter}, .device = cuda(), .options = options});
  plan.run(ConstView(there).crop(region), there_out.view().crop(place));
  copy(expected, canvas.view().crop(place));
  EXPECT_TRUE(same_bits(canvas, to_device(there_out, cpu())))
      << to_string(shape) << " " << name_of(pixel) << " from column " << from << " to " << to << ", " << plan.explain();
}

/// Rows that end anywhere between 16-byte boundaries, in images narrower than a warp's columns too: lanes whose first outputs lie
/// inside, whose second do, and those that the row's end cuts.
TEST(WarpStrip, RowsOnBoundariesThatEndAnywhere) {
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::f16}) {
    for (const std::int64_t width : {5, 15, 17, 100, 250, 271, 496, 505, 519, 530, 703, 1001, 1023, 1030}) {
      const Shape shape{.height = 19, .width = width};
      for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f64}) {
        if (pixel == Pixel::f16 && !is_float(output)) continue;
        const Options options{.border = Border::replicate(), .output = output, .method = Method::separable};
        for (const std::int64_t taps : {3, 5}) expect_right_crop(shape, pixel, 1104, 16, 32, factored(taps, 8), options);
      }
      const Options options{.border = Border::constant(3)};
      expect_right_crop(shape, pixel, 1104, 16, 32, whole_filter({.height = 1, .width = 3}, 8), options);
      expect_right_crop(shape, pixel, 1104, 16, 32, whole_filter({.height = 3, .width = 1}, 8), options);
    }
  }
}

TEST(WarpStrip, RowsFromAnyElementOn) {
  const auto expect_right = [](const Shape& shape, Pixel pixel, const Filter& filter, const Options& options) {
    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, 1}, {1, 0}, {3, 6}, {16, 5}, {23, 23}})
      expect_right_crop(shape, pixel, shape.width + 23, from, to, filter, options);
  };
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const std::int64_t channels : {1, 2, 3, 4}) {
      for (const std::int64_t width : {1, 7, 100, 555, 1111}) {
        const Shape shape{.height = 30, .width = width, .channels = channels};
        for (const std::int64_t taps : {3, 5, 7}) {
          const Options options{.border = Border::reflect101(), .scale = 1.0 / 16, .offset = 3};
          expect_right(shape, pixel, whole_filter({.height = taps, .width = taps}, 9), options);
        }
        expect_right(shape, pixel, factored(9, 9), {.border = Border::constant(7), .output = Pixel::f32});
        expect_right(shape, pixel, whole_filter({.height = 3, .width = 3}, 9, 300),
                     {.border = Border::wrap(), .output = pixel == Pixel::u8 ? Pixel::i16 : pixel});
      }
    }
  }
}

}  // namespace
}  // namespace halation::gpu_test
