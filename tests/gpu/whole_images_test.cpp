// whole_images_test.cpp: many small images, several of which a block takes whole (src/cuda/whole_images/whole_images.cuh): sizes around
// tiles, every pixel, border, anchor, extent and number of channels, batches that do not fill their last block, planes, crops.
//
// Data and weights are whole numbers so small that f32 holds every sum exactly, so every pixel must be right to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "images.h"

namespace halation::gpu_test {
namespace {

using testing::HasSubstr;

constexpr std::array pixels{Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32};

void expect_same(const Image& image, const Filter& filter, const Options& options, bool by_whole_images = true) {
  const Plan plan({.shape = image.shape(), .pixel = image.pixel(), .filters = {filter}, .device = cuda(), .options = options});
  const std::string what = std::to_string(filter.size().height) + "x" + std::to_string(filter.size().width) + " over " +
                           to_string(image.shape()) + " " + std::string(name_of(image.pixel())) + ", border " +
                           std::string(name_of(options.border.x.mode));
  if (by_whole_images) {
    EXPECT_THAT(plan.explain(), HasSubstr("whole images")) << what;
  }
  EXPECT_TRUE(same_bits(convolve(image, filter, options), result_of(plan, image))) << what;
}

TEST(WholeImages, EverySizePixelAndBorder) {
  std::uint64_t seed = 0;
  for (const std::int64_t width : {1, 2, 3, 4, 5, 8, 13, 28, 32, 33, 64, 90}) {
    for (const std::int64_t height : {1, 2, 7, 8, 9, 16, 31, 32, 64}) {
      for (const std::int64_t taps : {3, 5, 7}) {
        for (const Pixel pixel : pixels) {
          ++seed;
          expect_same(whole_image({.batch = 67, .height = height, .width = width}, pixel, seed), whole_filter({.height = taps, .width = taps}, seed),
                      {.border = border_of(seed), .method = Method::direct}, false);
        }
      }
    }
  }
}

TEST(WholeImages, TakesManySmallFloats) {
  std::uint64_t seed = 100;
  for (const std::int64_t taps : {3, 5, 7}) {
    for (const std::int64_t side : {9, 16, 24, 32, 33, 48}) {
      for (std::size_t border = 0; border < border_modes.size(); ++border) {
        ++seed;
        const std::int64_t batch = 2'000'003 / side / side;
        expect_same(whole_image({.batch = batch, .height = side, .width = side}, Pixel::f32, seed), whole_filter({.height = taps, .width = taps}, seed),
                    {.border = border_of(border), .method = Method::direct});
      }
    }
  }
}

TEST(WholeImages, EveryNumberOfChannels) {
  std::uint64_t seed = 200;
  for (const std::int64_t channels : {2, 3, 4, 5}) {
    for (const std::int64_t width : {1, 4, 7, 20, 33}) {
      for (const std::int64_t taps : {3, 5, 7}) {
        for (const Layout layout : {Layout::interleaved, Layout::planar}) {
          for (const Pixel pixel : {Pixel::u8, Pixel::f32}) {
            ++seed;
            expect_same(whole_image({.batch = 41, .height = 19, .width = width, .channels = channels}, pixel, seed, layout),
                        whole_filter({.height = taps, .width = taps}, seed), {.border = border_of(seed), .method = Method::direct}, false);
          }
        }
      }
    }
  }
}

TEST(WholeImages, EveryAnchorExtentAndOutput) {
  std::uint64_t seed = 300;
  for (const std::int64_t taps : {2, 3, 4, 5, 6, 7}) {
    for (std::int64_t anchor = 0; anchor < taps; ++anchor) {
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
        for (const Pixel output : all_pixels) {
          ++seed;
          const Filter filter = whole_filter({.height = taps, .width = taps}, seed).with_anchor({.y = anchor, .x = taps - 1 - anchor});
          expect_same(whole_image({.batch = 300, .height = 12, .width = 28}, Pixel::u16, seed), filter,
                      {.border = border_of(seed), .extent = extent, .output = output, .scale = 0.25, .offset = 3,
                       .rounding = seed % 2 == 0 ? Rounding::half_even : Rounding::truncate, .method = Method::direct},
                      false);
        }
      }
    }
  }
}

TEST(WholeImages, PlanesOfVolumes) {
  expect_same(whole_image({.batch = 30, .depth = 31, .height = 32, .width = 32, .channels = 2}, Pixel::f32, 1, Layout::planar),
              whole_filter({.height = 5, .width = 5}, 1), {.border = Border::wrap(), .method = Method::direct});
  expect_same(whole_image({.batch = 30, .depth = 31, .height = 32, .width = 32, .channels = 2}, Pixel::f32, 2), whole_filter({.height = 5, .width = 5}, 2),
              {.border = Border::reflect(), .method = Method::direct});
}

TEST(WholeImages, CropsOfWiderRows) {
  const Image wide = whole_image({.batch = 500, .height = 40, .width = 51}, Pixel::f32, 3);
  const Filter filter = whole_filter({.height = 5, .width = 5}, 3);
  const Image there = to_device(wide, cuda());
  for (const std::int64_t x : {0, 1, 4, 9}) {
    const ConstView crop = ConstView(wide).crop({.y = 3, .x = x, .height = 32, .width = 32});
    const ConstView crop_there = ConstView(there).crop({.y = 3, .x = x, .height = 32, .width = 32});
    const Options options{.border = Border::reflect101(), .method = Method::direct};
    const Image expected = convolve(crop, filter, options);
    const Image found = to_device(convolve(crop_there, filter, options), cpu());
    EXPECT_TRUE(same_bits(expected, found)) << "from column " << x;
  }
}

}  // namespace
}  // namespace halation::gpu_test
