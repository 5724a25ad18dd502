// register_tile_test.cpp: small filters by tiles in registers (src/cuda/register_tile/register_tile.cuh):
// every pixel, sizes around tiles, borders, channels, extents along y, and every output.
//
// Data and weights are integers, scales powers of two, so every pixel must be right to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

void expect_same(const Image& image, const Filter& filter, Options options) {
  options.method = Method::direct;
  const Plan plan = plan_by_unless_folded("register tile", image, filter, options);
  EXPECT_TRUE(same_bits(convolve(image, filter, options), result_of(plan, image)))
      << text(image, filter) << ", border " << name_of(options.border.x.mode) << ", to "
      << name_of(plan.output_pixel());
}

/// Every row begins on a 16-byte boundary.
TEST(RegisterTile, SmallerPixels) {
  std::uint64_t seed = 300;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const std::int64_t width : {16, 48, 256, 272, 528}) {
      for (const std::int64_t height : {1, 5, 24, 49}) {
        for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
          for (const std::int64_t taps : {3, 5, 7}) {
            // Over u8 the family takes 3x3 taps, and 5x5 over one channel a row.
            if (pixel == Pixel::u8 && (taps == 7 || (taps == 5 && channels > 1 && channels < 5))) continue;
            ++seed;
            const Layout layout = channels == 5 ? Layout::planar : Layout::interleaved;
            const Image image =
                whole_image({.height = height, .width = width, .channels = channels}, pixel, seed, layout);
            // Over integers it sets 2 rows of taps into 3x3 places, and so on.
            const std::int64_t rows = is_float(pixel) || seed % 2 == 0 ? taps : taps - 1;
            expect_same(image, whole_filter({.height = rows, .width = taps}, seed),
                        {.border = border_of(seed)});
          }
        }
      }
    }
  }
}

TEST(RegisterTile, SmallerPixelsToEveryPixelAnchorAndExtent) {
  std::uint64_t seed = 400;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    const Image image = whole_image({.batch = 3, .height = 61, .width = 272}, pixel, seed);
    for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
      for (const std::int64_t taps : {3, 5}) {
        for (std::int64_t anchor = 0; anchor < taps; ++anchor) {
          ++seed;
          const Filter filter =
              whole_filter({.height = taps, .width = taps}, seed).with_anchor({.y = anchor, .x = taps / 2});
          expect_same(image, filter,
                      {.border = border_of(seed),
                       .output = output,
                       .scale = 0.0625,
                       .offset = 20.5,
                       .rounding = seed % 2 == 0 ? Rounding::half_even : Rounding::truncate});
        }
      }
    }
  }
}

TEST(RegisterTile, FloatsOfEightBytes) {
  std::uint64_t seed = 0;
  for (const std::int64_t width : {2, 6, 64, 66, 130, 254, 512}) {
    for (const std::int64_t height : {1, 5, 23, 24, 49, 64}) {
      for (const std::int64_t channels : {1, 2, 3, 4}) {
        for (const std::int64_t taps : {3, 5, 7}) {
          ++seed;
          const Border::Mode mode = border_modes[seed % border_modes.size()];
          expect_same(whole_image({.height = height, .width = width, .channels = channels}, Pixel::f64, seed),
                      whole_filter({.height = taps, .width = taps}, seed),
                      {.border = Border{mode, mode == Border::Mode::constant ? 0.5 : 0.0}});
        }
      }
    }
  }
}

TEST(RegisterTile, FloatsOfEightBytesToEveryPixel) {
  std::uint64_t seed = 100;
  const Image image = whole_image({.batch = 3, .height = 131, .width = 260}, Pixel::f64, seed);
  for (const Pixel output : native_pixels) {
    for (const std::int64_t taps : {3, 5, 7}) {
      for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
        ++seed;
        expect_same(image, whole_filter({.height = taps, .width = taps}, seed),
                    {.output = output, .scale = 0.125, .offset = 20.5, .rounding = rounding});
        expect_same(image,
                    whole_filter({.height = taps, .width = taps}, seed).with_anchor({.y = 0, .x = taps / 2}),
                    {.border = Border::wrap(), .output = output, .scale = 3, .rounding = rounding});
      }
    }
  }
}

TEST(RegisterTile, TakesFloatsOfEightBytes) {
  const Plan plan({.shape = {.height = 4096, .width = 4096},
                   .pixel = Pixel::f64,
                   .filters = {whole_filter({.height = 5, .width = 5}, 1)},
                   .device = cuda()});
  EXPECT_THAT(plan.explain(), testing::HasSubstr("family: register tile;"));
}

// Whichever kernels take filters of few taps: none may add a tap, whose product with the constant would be NaN.
TEST(RegisterTile, LeavesIntegersBesideConstantsThatAreNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 200;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16}) {
    for (const FilterSize& size : {FilterSize{.width = 2}, FilterSize{.width = 5}, FilterSize{.height = 3, .width = 5},
                                   FilterSize{.height = 7, .width = 4}, FilterSize{.height = 3, .width = 3}}) {
      for (const double constant : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        for (const double weight : {0.3, 2.0}) {
          for (const Shape& shape : {Shape{.height = 64, .width = 256}, Shape{.batch = 500, .height = 5, .width = 8},
                                     Shape{.height = 33, .width = 41, .channels = 3}}) {
            const Image image = noise(shape, pixel, ++seed);
            const Filter filter = Filter::dense(size, std::vector<double>(static_cast<std::size_t>(size.taps()), weight));
            const Options options{.border = Border::constant(constant), .output = Pixel::f32};
            const Plan plan({.shape = shape, .pixel = pixel, .filters = {filter}, .device = cuda(), .options = options});
            EXPECT_THAT(values_of(result_of(plan, image)),
                        testing::Pointwise(testing::NanSensitiveDoubleNear(1), values_of(convolve(image, filter, options))))
                << text(image, filter) << ", weight " << weight << "\n" << plan.explain();
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace halation::gpu_test
