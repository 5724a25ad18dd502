// streaming_test.cpp: images by streaming and by streaming with movers (src/cuda/streaming): every size of
// filters that they are compiled for, widths around a block's, pixels, borders, outputs, channels and strips.
// volumes_test.cpp has their volumes.
//
// Data and weights are integers so small that f32 holds every sum exactly, so every pixel must be right to
// the bit.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

/// How many jobs the two families did.
struct Done {
  int by_all_warps = 0, by_movers = 0;
};

/// Factors of integers in [-2, 2].
Filter product(std::int64_t taps, std::uint64_t seed) {
  const auto factor = [&](std::uint64_t which) {
    std::vector<double> weights;
    for (std::int64_t i = 0; i < taps; ++i)
      weights.push_back(
          static_cast<double>(random_bits(seed << 40 ^ which << 20 ^ static_cast<std::uint64_t>(i)) % 5) - 2);
    weights.back() = 1;
    return weights;
  };
  return Filter::separable({.y = factor(2), .x = factor(1)});
}

/// By both families, where they take the job. All warps take most sizes, over rows on 16-byte boundaries;
/// movers take products of up to 17 taps a side, over any pixels and rows.
void expect_same(const Image& image, const Filter& filter, Options options, Done& done) {
  options.method = filter.factors() ? Method::separable : Method::direct;
  const Image expected = convolve(image, filter, options);
  const auto is_by = [&](const char* family) {
    const std::optional<Plan> plan = plan_by_or_none(family, spec_on_gpu(image, filter, options));
    EXPECT_TRUE(!plan || same_bits(expected, result_of(*plan, image)))
        << text(image, filter) << ", border " << name_of(options.border.x.mode) << ", " << family;
    return plan.has_value();
  };
  done.by_all_warps += is_by("streaming");
  done.by_movers += is_by("streaming by movers");
}

/// Every size that kernels are compiled for.
std::vector<Filter> filters(std::uint64_t seed) {
  std::vector<Filter> list;
  for (std::int64_t taps = 7; taps <= 15; ++taps)
    list.push_back(whole_filter({.height = taps, .width = taps}, seed));
  for (std::int64_t taps = 7; taps <= 65; taps += 2) list.push_back(product(taps, seed));
  return list;
}

TEST(Streaming, EverySizeWidthAndBorder) {
  Done done;
  std::uint64_t seed = 0;
  for (const std::int64_t width : {68, 128, 260, 516, 1024, 1028, 67, 701}) {
    for (const Filter& filter : filters(++seed)) {
      ++seed;
      expect_same(whole_image({.height = 50 + width % 90, .width = width}, Pixel::f32, seed), filter,
                  {.border = border_of(seed)}, done);
    }
  }
  EXPECT_GE(done.by_all_warps, copies_in_bulk() ? 190 : 0);
  EXPECT_GE(done.by_movers, 45);
}

TEST(Streaming, EveryPixelAndOutput) {
  Done done;
  std::uint64_t seed = 1000;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const Pixel output : {pixel, Pixel::f32}) {
      for (const Filter& filter :
           {whole_filter({.height = 7, .width = 7}, 1), whole_filter({.height = 12, .width = 12}, 2),
            product(9, 3), product(13, 4), product(23, 5), product(51, 6)}) {
        ++seed;
        const Image image = whole_image({.height = 90, .width = 300}, pixel, seed);
        expect_same(image, filter,
                    {.border = border_of(seed), .output = output, .scale = 1.0 / 64, .offset = 3}, done);
      }
    }
  }
  EXPECT_GE(done.by_all_warps, copies_in_bulk() ? 8 : 0);
  EXPECT_GE(done.by_movers, 20);
}

TEST(Streaming, AnchorsExtentsChannelsAndStrips) {
  Done done;
  std::uint64_t seed = 2000;
  for (const Filter& filter : {whole_filter({.height = 9, .width = 9}, 1), product(11, 2), product(41, 3)}) {
    const std::int64_t taps = filter.size().height;
    const Image image = whole_image({.height = 120, .width = 260}, Pixel::f32, ++seed);
    for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
      for (const std::int64_t y : {std::int64_t{0}, taps / 2, taps - 1}) {
        for (const std::int64_t x : {std::int64_t{0}, taps / 2, taps - 1}) {
          const Options options{.border = border_of(++seed), .extent = extent};
          expect_same(image, filter.with_anchor({.y = y, .x = x}), options, done);
        }
      }
    }
    for (const std::int64_t channels : {2, 3, 4, 5}) {
      for (const Layout layout : {Layout::interleaved, Layout::planar}) {
        const Shape shape{.batch = 2, .height = 75, .width = 140, .channels = channels};
        expect_same(whole_image(shape, Pixel::f32, ++seed, layout), filter, {.border = border_of(seed)},
                    done);
      }
    }
    expect_same(whole_image({.height = 5003, .width = 132}, Pixel::f32, ++seed), filter,
                {.border = Border::wrap()}, done);
  }
  EXPECT_GE(done.by_all_warps, copies_in_bulk() ? 24 : 0);
  EXPECT_GE(done.by_movers, 36);
}

}  // namespace
}  // namespace halation::gpu_test
