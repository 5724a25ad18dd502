// cpu_box_test.cpp: windows of equal weights on the CPU (src/cpu/box*.cpp): images of several tiles, blocks of rows that begin
// anywhere, outputs past the caches, rounding without a level of error, NaN that stays where it is.
//
// Data and weights are whole numbers small enough for every sum to be exact, so that every pixel must be right to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/convert.h"
#include "halation/halation.h"
#include "numbers.h"

namespace halation {
namespace {

/// Numbers below `most`.
Image whole_image(const Shape& shape, Pixel pixel, std::uint64_t most = 256, Layout layout = Layout::interleaved) {
  Image image(shape, pixel, layout);
  Numbers numbers(1);
  visit_pixel(pixel, [&](auto element) {
    auto* to = reinterpret_cast<decltype(element)*>(image.view().data);
    for (std::int64_t i = 0; i < shape.elements(); ++i)
      to[i] = static_cast<decltype(element)>(static_cast<float>(numbers.below(most)));
  });
  return image;
}

Filter window(std::int64_t height, std::int64_t width, double weight = 1, std::int64_t depth = 1) {
  const auto factor = [](std::int64_t n, double value) { return std::vector<double>(static_cast<std::size_t>(n), value); };
  return Filter::separable({.z = factor(depth, 1), .y = factor(height, 1), .x = factor(width, weight)});
}

void expect_same(const Image& image, const Filter& filter, Options options) {
  options.method = Method::direct;
  const Image expected = convolve(image, filter, options, reference());
  options.method = Method::box;
  for (const int threads : {1, 2}) {
    options.threads = threads;
    const Image found = convolve(image, filter, options, cpu());
    const auto bytes = static_cast<std::size_t>(expected.shape().elements()) * bytes_of(expected.pixel());
    EXPECT_EQ(std::memcmp(expected.view().data, found.view().data, bytes), 0)
        << filter.size().depth << "x" << filter.size().height << "x" << filter.size().width << " over " << to_string(image.shape()) << " "
        << name_of(image.pixel()) << " to " << name_of(expected.pixel()) << ", border " << name_of(options.border.x.mode) << ", "
        << threads << " threads";
  }
}

constexpr Border::Mode modes[] = {Border::Mode::constant, Border::Mode::replicate, Border::Mode::reflect, Border::Mode::reflect101,
                                  Border::Mode::wrap};
constexpr Pixel pixels[] = {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f64};

TEST(CpuBox, SumsOfWholeNumbersAreExact) {
  const std::pair<std::int64_t, std::int64_t> sizes[] = {{1, 1}, {1, 9}, {9, 1}, {2, 2},  {3, 3},  {4, 5},
                                                         {5, 4}, {6, 7}, {9, 9}, {23, 2}, {24, 3}, {31, 17}};
  for (const Pixel pixel : pixels) {
    const Image image = whole_image({.height = 75, .width = 301}, pixel, 100);
    for (const auto& [height, width] : sizes) {
      for (const Border::Mode mode : modes) {
        const double outside = mode == Border::Mode::constant ? 7.0 : 0.0;
        expect_same(image, window(height, width), {.border = Border{mode, outside}, .output = Pixel::f32});
      }
    }
  }
}

TEST(CpuBox, TilesMeet) {
  for (const Pixel pixel : {Pixel::u8, Pixel::i16, Pixel::f32}) {
    for (const Shape& shape : {Shape{.width = 9001}, Shape{.height = 66, .width = 4100}, Shape{.height = 1200, .width = 70}}) {
      const Image image = whole_image(shape, pixel, 100);
      const std::int64_t height = shape.height > 1 ? 1 : 0;
      for (const std::int64_t taps : {3, 9, 26}) {
        expect_same(image, window(height * (taps - 1) + 1, taps), {.border = Border::reflect(), .output = Pixel::f64});
        expect_same(image, window(height * (taps - 1) + 1, taps), {.border = Border::wrap(), .extent = Extent::valid});
        expect_same(image, window(height * (taps - 1) + 1, taps), {.border = Border::replicate(), .extent = Extent::full});
      }
    }
  }
}

TEST(CpuBox, ChannelsPlanesAndFiltersLargerThanTheImage) {
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::f32}) {
    const Shape colours{.batch = 2, .height = 20, .width = 40, .channels = 3};
    for (const Layout layout : {Layout::interleaved, Layout::planar}) {
      const Image image = whole_image(colours, pixel, 100, layout);
      for (const Border::Mode mode : modes) {
        expect_same(image, window(5, 4), {.border = Border{mode, 0}, .output = Pixel::i16});
        expect_same(image, window(45, 93), {.border = Border{mode, 0}, .output = Pixel::f64});
      }
    }
    const Image volume = whole_image({.depth = 7, .height = 9, .width = 33}, pixel, 100);
    for (const std::int64_t depth : {2, 3, 9})
      expect_same(volume, window(3, 5, 1, depth), {.border = Border::reflect101(), .output = Pixel::f32});
  }
}

TEST(CpuBox, EveryNumberOfTapsAlongARow) {
  for (const Pixel pixel : {Pixel::u8, Pixel::f32, Pixel::f64}) {
    for (const std::int64_t width : {15, 65, 96, 301}) {
      const Image image = whole_image({.height = 26, .width = width}, pixel, is_float(pixel) ? 100 : 256);
      for (std::int64_t taps = 1; taps <= 34; ++taps) {
        for (const std::int64_t height : {1, 7, 24}) {
          // An odd part of a level is never half of one.
          const double weight = is_float(pixel) ? 1 : 1 / static_cast<double>((height * taps) | 1);
          expect_same(image, window(height, taps, weight), {.border = Border::constant(7), .output = pixel});
        }
      }
    }
  }
}

// Of rows of 4,096 bytes a high window's fall out of the first-level cache, so they are staged.
TEST(CpuBox, RowsOfPages) {
  for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
    const Image image = whole_image({.height = 61, .width = 4096 / static_cast<std::int64_t>(bytes_of(pixel))}, pixel);
    for (const std::int64_t height : {3, 4, 9, 12, 23}) {
      for (const std::int64_t width : {1, 2, 9, 31}) {
        expect_same(image, window(height, width), {.border = Border::constant(7), .output = pixel});
        expect_same(image, window(height, width), {.border = Border::wrap(), .output = pixel});
      }
    }
  }
}

TEST(CpuBox, SumsOfFractionsDoNotDependOnTilesAndThreads) {
  Image image({.height = 430, .width = 1700}, Pixel::f32);
  Numbers numbers(2);
  auto* to = reinterpret_cast<float*>(image.view().data);
  for (std::int64_t i = 0; i < image.shape().elements(); ++i) to[i] = static_cast<float>(numbers.below(1000)) / 999.0F;
  for (const auto& size : {std::pair{1, 9}, {9, 1}, {3, 3}, {5, 4}, {9, 9}, {23, 31}, {24, 3}, {25, 9}, {47, 31}, {53, 1}}) {
    const Filter filter = window(size.first, size.second, 1.0 / (size.first * size.second));
    const auto filtered = [&](int threads) {
      return convolve(image, filter, {.method = Method::box, .threads = threads}, cpu());
    };
    const Image one = filtered(1);
    for (const int threads : {2, 3}) {
      const Image several = filtered(threads);
      const auto bytes = static_cast<std::size_t>(image.shape().elements()) * sizeof(float);
      EXPECT_EQ(std::memcmp(one.view().data, several.view().data, bytes), 0)
          << size.first << "x" << size.second << ", " << threads << " threads";
    }
  }
}

TEST(CpuBox, EveryWidthOfItsSums) {
  // Of 16 bits along x and y; of 16 and 32; of 32. 32 times 255 is more than 16 bits hold with 9 × 9 rows above.
  const Image bytes = whole_image({.height = 40, .width = 333}, Pixel::u8);
  for (const auto& [height, width] : {std::pair{16, 16}, {16, 17}, {2, 257}, {2, 258}, {258, 1}, {9, 9}})
    for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f32, Pixel::f64})
      expect_same(bytes, window(height, width), {.border = Border::reflect101(), .output = output});
}

TEST(CpuBox, BytesAreRoundedAsExactSums) {
  const Image image = whole_image({.height = 65, .width = 301}, Pixel::u8);
  // Of an odd number of pixels, where no sum is half a level, and of powers of two, where products are exact.
  for (const auto& [height, width] : {std::pair{3, 3}, {9, 9}, {15, 15}, {17, 15}, {1, 5}, {31, 31}, {2, 2}, {4, 4}, {16, 16}, {32, 32}}) {
    for (const double scale : {1.0, -0.5, 2.0, 0.25}) {
      for (const double offset : {0.0, 10.0, -3.0, 128.0}) {
        for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
          const auto n = static_cast<double>(height * width);
          const bool power = std::exp2(std::round(std::log2(n))) == n;
          // Truncated sums are whole where a window's pixels are alike, which thirds miss by rounding either way.
          if (!power && (rounding == Rounding::truncate || scale != 1)) continue;
          expect_same(image, window(height, width, 1 / n),
                      {.border = Border::reflect101(), .scale = scale, .offset = offset, .rounding = rounding});
        }
      }
    }
  }
}

TEST(CpuBox, OutputsPastTheCaches) {
  for (const std::int64_t width : {4096, 4099}) {
    const Options options{.border = Border::reflect101()};
    expect_same(whole_image({.height = 8200, .width = width}, Pixel::u8), window(1, 3, 1.0 / 3), options);
    expect_same(whole_image({.height = 8200, .width = width}, Pixel::u8), window(1, 2, 0.5), options);
    expect_same(whole_image({.height = 4100, .width = width}, Pixel::u16), window(2, 2), options);
    expect_same(whole_image({.height = 2100, .width = width}, Pixel::f32), window(3, 2), options);
    expect_same(whole_image({.height = 600, .width = width}, Pixel::f32), window(25, 1), options);
  }
}

TEST(CpuBox, NaNAndInfinityReachTheirWindowsAndNoPixelBeyond) {
  constexpr float bad[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  for (const std::int64_t taps : {2, 5, 9, 25, 31}) {
    for (const float value : bad) {
      Image image = whole_image({.height = 90, .width = 120}, Pixel::f32);
      image.view().at<float>({.y = 45, .x = 57}) = value;
      const Image out = convolve(image, window(taps, taps).with_anchor({0, 0, 0}),
                                 {.border = Border::replicate(), .operation = Operation::correlation, .method = Method::box}, cpu());
      for (std::int64_t y = 0; y < 90; ++y) {
        for (std::int64_t x = 0; x < 120; ++x) {
          const bool reached = y <= 45 && y > 45 - taps && x <= 57 && x > 57 - taps;
          ASSERT_EQ(std::isfinite(out.view().at<float>({.y = y, .x = x})), !reached) << taps << " taps, " << y << ", " << x;
        }
      }
    }
  }
}

TEST(CpuBox, HugeNumbersAreWeighedBeforeTheyAreAdded) {
  Image image({.height = 60, .width = 70}, Pixel::f32);
  std::fill_n(reinterpret_cast<float*>(image.view().data), 60 * 70, 3e38F);
  for (const std::int64_t taps : {3, 9, 31}) {
    const Image out = convolve(image, window(taps, taps, 1.0 / static_cast<double>(taps * taps)), {.method = Method::box}, cpu());
    EXPECT_NEAR(out.view().at<float>({.y = 30, .x = 30}), 3e38, 1e33) << taps;
  }
}

TEST(CpuBox, IsChosenWhereItIsQuicker) {
  const auto method_of = [](Pixel pixel, std::int64_t height, std::int64_t width) {
    return Plan({.shape = {.height = 400, .width = 400}, .pixel = pixel, .filters = {window(height, width)}}).methods().front();
  };
  EXPECT_EQ(method_of(Pixel::f32, 9, 9), Method::box);
  EXPECT_EQ(method_of(Pixel::f64, 101, 101), Method::box);
  EXPECT_EQ(method_of(Pixel::f32, 31, 1), Method::box);
  EXPECT_EQ(method_of(Pixel::u8, 1, 1), Method::direct);
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16}) {
    EXPECT_EQ(method_of(pixel, 3, 3), Method::box);
    EXPECT_EQ(method_of(pixel, 31, 31), Method::box);
  }
}

TEST(CpuBox, Explains) {
  const auto explain = [](Pixel pixel, std::int64_t taps) {
    return Plan({.shape = {.height = 400, .width = 400},
                 .pixel = pixel,
                 .filters = {window(taps, taps)},
                 .options = {.method = Method::box}})
        .explain();
  };
  EXPECT_NE(explain(Pixel::u8, 16).find("running sums of whole numbers in 16 bits"), std::string::npos);
  EXPECT_NE(explain(Pixel::u8, 17).find("running sums of whole numbers in 32 bits"), std::string::npos);
  EXPECT_EQ(explain(Pixel::f32, 17).find("running sums"), std::string::npos);
}

}  // namespace
}  // namespace halation
