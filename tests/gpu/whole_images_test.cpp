// whole_images_test.cpp: many small images, several of which a block takes whole
// (src/cuda/whole_images/whole_images.cuh): sizes around tiles, every pixel, border, anchor, extent and
// number of channels, batches that do not fill their last block, planes, crops.
//
// Data and weights are integers so small that f32 holds every sum exactly, so every pixel must be right to
// the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "images.h"

namespace halation::gpu_test {
namespace {

constexpr std::array pixels{Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32};

void expect_same(const Image& image, const Filter& filter, Options options) {
  options.method = Method::direct;
  const Plan plan = plan_by_unless_folded("whole images", image, filter, options);
  EXPECT_TRUE(same_bits(convolve(image, filter, options), result_of(plan, image)))
      << text(image, filter) << ", border " << name_of(options.border.x.mode);
}

TEST(WholeImages, EverySizePixelAndBorder) {
  std::uint64_t seed = 0;
  for (const std::int64_t width : {1, 2, 3, 4, 5, 8, 13, 28, 32, 33, 64, 90}) {
    for (const std::int64_t height : {1, 2, 7, 8, 9, 16, 31, 32, 64}) {
      for (const std::int64_t taps : {3, 5, 7}) {
        for (const Pixel pixel : pixels) {
          ++seed;
          expect_same(whole_image({.batch = 67, .height = height, .width = width}, pixel, seed),
                      whole_filter({.height = taps, .width = taps}, seed), {.border = border_of(seed)});
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
        const Image image = whole_image({.batch = batch, .height = side, .width = side}, Pixel::f32, seed);
        const Filter filter = whole_filter({.height = taps, .width = taps}, seed);
        const Options options{.border = border_of(border), .method = Method::direct};
        expect_same(image, filter, options);
        EXPECT_THAT(Plan(spec_on_gpu(image, filter, options)).explain(),
                    testing::HasSubstr("family: whole images;"));
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
          if (layout == Layout::interleaved && channels > 4) continue;  // elements of a channel lie apart
          for (const Pixel pixel : {Pixel::u8, Pixel::f32}) {
            ++seed;
            expect_same(whole_image({.batch = 41, .height = 19, .width = width, .channels = channels}, pixel,
                                    seed, layout),
                        whole_filter({.height = taps, .width = taps}, seed), {.border = border_of(seed)});
          }
        }
      }
    }
  }
}

TEST(WholeImages, EveryAnchorExtentAndOutput) {
  std::uint64_t seed = 300;
  int done = 0;
  for (const std::int64_t taps : {2, 3, 4, 5, 6, 7}) {
    for (std::int64_t anchor = 0; anchor < taps; ++anchor) {
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
        for (const Pixel output : native_pixels) {
          ++seed;
          const Filter filter = whole_filter({.height = taps, .width = taps}, seed).with_anchor({.y = anchor, .x = taps - 1 - anchor});
          const Image image = whole_image({.batch = 300, .height = 12, .width = 28}, Pixel::u16, seed);
          const Options options{.border = border_of(seed),
                                .extent = extent,
                                .output = output,
                                .scale = 0.25,
                                .offset = 3,
                                .rounding = seed % 2 == 0 ? Rounding::half_even : Rounding::truncate,
                                .method = Method::direct};
          // Outputs of f64 ask for sums in f64, and integers where a level of u16 could be missed: the family
          // refuses these.
          const std::optional<Plan> plan =
              plan_by_or_none("whole images", spec_on_gpu(image, filter, options));
          EXPECT_TRUE(plan || !is_float(output) || output == Pixel::f64) << text(image, filter);
          EXPECT_TRUE(same_bits(convolve(image, filter, options),
                                plan ? result_of(*plan, image) : on_gpu(image, filter, options)))
              << text(image, filter) << ", to " << name_of(output);
          done += plan.has_value();
        }
      }
    }
  }
  EXPECT_GE(done, 240);
}

TEST(WholeImages, PlanesOfVolumes) {
  expect_same(whole_image({.batch = 30, .depth = 31, .height = 32, .width = 32, .channels = 2}, Pixel::f32, 1,
                          Layout::planar),
              whole_filter({.height = 5, .width = 5}, 1), {.border = Border::wrap()});
  expect_same(
      whole_image({.batch = 30, .depth = 31, .height = 32, .width = 32, .channels = 2}, Pixel::f32, 2),
      whole_filter({.height = 5, .width = 5}, 2), {.border = Border::reflect()});
}

TEST(WholeImages, CropsOfWiderRows) {
  const Image wide = whole_image({.batch = 500, .height = 40, .width = 51}, Pixel::f32, 3);
  const Filter filter = whole_filter({.height = 5, .width = 5}, 3);
  const Image there = to_device(wide, cuda());
  for (const std::int64_t x : {0, 1, 4, 9}) {
    const ConstView crop = ConstView(wide).crop({.y = 3, .x = x, .height = 32, .width = 32});
    const ConstView crop_there = ConstView(there).crop({.y = 3, .x = x, .height = 32, .width = 32});
    const Options options{.border = Border::reflect101(), .method = Method::direct};
    const Plan plan = plan_by("whole images", {.shape = crop.shape,
                                               .pixel = Pixel::f32,
                                               .filters = {filter},
                                               .device = cuda(),
                                               .options = options});
    Image found = allocate(crop.shape, Pixel::f32, cuda());
    plan.run(crop_there, found.view());
    EXPECT_TRUE(same_bits(convolve(crop, filter, options), to_device(found, cpu()))) << "from column " << x;
  }
}

}  // namespace
}  // namespace halation::gpu_test
