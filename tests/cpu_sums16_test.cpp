// cpu_sums16_test.cpp: filters of three taps over 8 bits in sums of 16 bits on the CPU (src/cpu/int8/sums16): the bound on what they are
// off by, exact ones to the bit, and what is left to wider sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/convert.h"
#include "cpu/parts/multiplier.h"
#include "cpu/int8/sums16/weights.h"
#include "halation/halation.h"
#include "int8_cases.h"
#include "numbers.h"

namespace halation {
namespace {

using cpu_backend::sums16_point;
using cpu_backend::Sums16Point;
using cpu_backend::Sums16Product;
using cpu_backend::Sums16Weights;

int product_of(const Sums16Weights& narrow, std::size_t tap, int value) {
  const int weight = narrow.weights[tap];
  switch (narrow.product) {
    case Sums16Product::none: return value;
    case Sums16Product::whole:
    case Sums16Product::smoothing:
    case Sums16Product::rise:
    case Sums16Product::fall: return value * weight;
    case Sums16Product::fixed_point: return (value * weight + (1 << 14)) >> 15;
  }
  return 0;
}

/// The sum, before it is rounded, of nine pixels in rows of three.
double sum_of(const Sums16Point& point, const std::vector<int>& pixels) {
  const auto in_range = [](int sum) {
    EXPECT_LE(std::abs(sum), 32767);
    return sum;
  };
  int sum = 0;
  for (std::size_t x = 0; x < 3; ++x) {
    int column = 0;
    for (std::size_t y = 0; y < 3; ++y) {
      const int pixel = pixels[3 * y + x] << point.columns.left;
      column += product_of(point.columns, point.by_columns ? y : 3 * y + x, pixel);
    }
    sum += point.by_columns ? product_of(point.row, x, in_range(column)) : column;
  }
  return std::ldexp(in_range(sum), -point.finish.right);
}

void expect_within_error(const Job& job, const Taps& taps) {
  const auto point = sums16_point(job, taps);
  ASSERT_TRUE(point.has_value());
  EXPECT_LE(point->error, 1.0 / 16);
  Numbers numbers(8);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> pixels(9);
    for (int& pixel : pixels) pixel = static_cast<int>(round % 2 == 0 ? numbers.below(2) * 255 : numbers.below(256));
    double exact = 0;
    for (std::int64_t y = 0; y < taps.size[1]; ++y) {
      for (std::int64_t x = 0; x < taps.size[2]; ++x) {
        const double weight = taps.factors ? (*taps.factors)[1][static_cast<std::size_t>(y)] * (*taps.factors)[2][static_cast<std::size_t>(x)]
                                           : taps.weights[static_cast<std::size_t>(y * taps.size[2] + x)];
        exact += weight * pixels[static_cast<std::size_t>(3 * y + x)];
      }
    }
    EXPECT_LE(std::fabs(sum_of(*point, pixels) - job.scale * exact), point->error + 1e-9);
  }
}

TEST(Sums16Point, KeepsItsError) {
  Numbers numbers(1);
  for (int round = 0; round < 20; ++round) {
    Job job = job_of(round % 2 == 0 ? Pixel::u8 : Pixel::i16);
    const bool positive = round % 4 < 2;
    expect_within_error(job, dense(3, 3, random_weights(9, positive, numbers)));
    expect_within_error(job, dense(2, 3, random_weights(6, positive, numbers)));
    expect_within_error(job, dense(1, 3, random_weights(3, positive, numbers)));
    expect_within_error(job, dense(3, 1, random_weights(3, positive, numbers)));
    expect_within_error(job, product(random_weights(3, positive, numbers), random_weights(2, true, numbers)));
    job.scale = 0.37;
    expect_within_error(job, dense(3, 3, random_weights(9, positive, numbers)));
    expect_within_error(job, product(random_weights(3, positive, numbers), random_weights(3, true, numbers)));
  }
}

TEST(Sums16Point, HasNoErrorForWholeWeightsAndPowersOfTwo) {
  const std::vector<double> binomial{0.25, 0.5, 0.25};
  EXPECT_EQ(sums16_point(job_of(), product(binomial, binomial))->error, 0);
  EXPECT_EQ(sums16_point(job_of(Pixel::i16), product({1, 2, 1}, {-1, 0, 1}))->error, 0);
  EXPECT_EQ(sums16_point(job_of(), dense(3, 3, {0, -1, 0, -1, 5, -1, 0, -1, 0}))->error, 0);
}

TEST(Sums16Point, IsRefusedWhereSumsCouldBeTooLargeOrTooFarOff) {
  const auto fits = [](const Job& job, const Taps& taps) { return sums16_point(job, taps).has_value(); };
  Numbers numbers(2);
  const std::vector<double> nine = random_weights(9, true, numbers);
  EXPECT_TRUE(fits(job_of(), dense(3, 3, nine)));
  EXPECT_TRUE(fits(job_of(), dense(3, 3, {1, 2, 3, 4, -5, 6, 7, 8, 90})));
  EXPECT_FALSE(fits(job_of(), dense(3, 3, {1, 2, 3, 4, -5, 6, 7, 8, 1000})));
  EXPECT_FALSE(fits(job_of(), dense(3, 3, {-0.3, -1.1, -0.3, -1.1, 6.6, -1.1, -0.3, -1.1, -0.3})));
  EXPECT_FALSE(fits(job_of(), dense(1, 4, random_weights(4, true, numbers))));
  EXPECT_FALSE(fits(job_of(), dense(4, 1, random_weights(4, true, numbers))));
  EXPECT_FALSE(fits(job_of(Pixel::f32), dense(3, 3, nine)));
  Job job = job_of(Pixel::i16);
  job.rounding = Rounding::truncate;
  EXPECT_FALSE(fits(job, dense(3, 3, nine)));
  job.out_pixel = Pixel::u8;
  EXPECT_FALSE(fits(job, dense(3, 3, nine)));
  EXPECT_TRUE(fits(job, dense(3, 3, {0, 0.25, 0, 0.25, 0, 0.25, 0, 0.25, 0})));
  job = job_of();
  job.offset = 0.3;
  EXPECT_FALSE(fits(job, dense(3, 3, nine)));
}

TEST(Multiplier, GivesWhatF64Gives) {
  int found = 0;
  for (const double factor : {1.0 / 9, 0.25, 1.0, 0.003, 15.0}) {
    for (const double offset : {0.0, 3.5, -7.0}) {
      for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
        const auto by = cpu_backend::find_multiplier(factor, offset, rounding, 2295);
        if (!by) continue;
        ++found;
        for (unsigned sum = 0; sum <= 2295; ++sum) {
          const unsigned scaled = ((sum << by->left) * by->multiplier) >> 16;
          const unsigned shifted = ((scaled + by->bias) & 0xffff) >> by->right;
          ASSERT_LT(shifted, 32768U);
          const unsigned pixel = std::min<unsigned>(shifted, 255);
          ASSERT_EQ(pixel, to_element<std::uint8_t>(factor * sum + offset, rounding)) << factor << " " << offset << " " << sum;
        }
      }
    }
  }
  EXPECT_GE(found, 8);
  EXPECT_FALSE(cpu_backend::find_multiplier(-1, 0, Rounding::half_even, 2295));
  EXPECT_FALSE(cpu_backend::find_multiplier(1, 0, Rounding::half_even, 70000));
}

void expect_same(const Image& image, const Filter& filter, const Options& options) {
  expect_exact(image, filter, options, "sums of 16");
}

TEST(CpuSums16, IsExactForWholeWeightsWindowsAndPowersOfTwo) {
  const Filter sharpen = Filter::dense({1, 3, 3}, {0, -1, 0, -1, 5, -2, 0, -1, 0});
  const Filter wide = Filter::dense({1, 2, 3}, {3, -1, 4, -1, 5, -9});
  const Filter binomial = Filter::separable({.y = {0.25, 0.5, 0.25}, .x = {0.25, 0.5, 0.25}});
  const Filter derivative = Filter::separable({.x = {-1, 0, 1}});
  for (const std::int64_t width : {1, 2, 5, 63, 64, 65, 130, 300, 2200, 4500}) {
    for (const std::int64_t channels : {1, 3, 5}) {
      const Image image = random_image({.height = 23, .width = width, .channels = channels});
      expect_same(image, box({.size = 3.0, .dims = 2}), {.method = Method::box});
      for (const Pixel out : {Pixel::u8, Pixel::i16}) {
        for (const Axis axis : {Axis::x, Axis::y}) {
          for (const Operation operation : {Operation::convolution, Operation::correlation})
            expect_same(image, sobel(axis, 2), {.operation = operation, .output = out, .offset = 7, .method = Method::separable});
        }
        expect_same(image, sharpen, {.output = out, .method = Method::direct});
        expect_same(image, wide, {.output = out, .method = Method::direct});
        expect_same(image, derivative, {.output = out, .method = Method::direct});
        expect_same(image, binomial, {.output = out, .method = Method::separable});
      }
    }
  }
}

TEST(CpuSums16, LargeSumsAreWithinSixteenBitsToTheEnd) {
  Image white({.height = 9, .width = 130}, Pixel::u8);
  std::memset(white.view().data, 255, std::size_t{9} * 130);
  const auto middle = [](const Image& image) -> int {
    if (image.pixel() == Pixel::u8) return image.view().at<std::uint8_t>({.y = 4, .x = 60});
    return image.view().at<std::int16_t>({.y = 4, .x = 60});
  };
  const auto expect_reference = [&](const Filter& filter, Options options) {
    const Image found = convolve(white, filter, options, cpu());
    const Method method = std::exchange(options.method, Method::automatic);
    const Image expected = convolve(white, filter, options, reference());
    const auto bytes = static_cast<std::size_t>(expected.shape().elements()) * bytes_of(expected.pixel());
    EXPECT_EQ(std::memcmp(expected.view().data, found.view().data, bytes), 0)
        << name_of(method) << ", scale " << options.scale << ", offset " << options.offset << ": " << middle(found)
        << " instead of " << middle(expected);
  };
  const auto with_binomial = [](double parts) {
    return Filter::separable({.y = {0.25, 0.5, 0.25}, .x = {1 / parts, 30 / parts, 1 / parts}});
  };
  expect_reference(with_binomial(128), {});
  expect_reference(with_binomial(64), {.offset = 50, .rounding = Rounding::truncate});
  for (const double offset : {7.0, 200.0, -200.0})
    expect_reference(Filter::separable({.y = {0.3, 0.4, 0.3}, .x = {0.3, 0.4, 0.3}}), {.output = Pixel::i16, .offset = offset});
  for (const std::size_t taps : {3, 5, 15}) {
    for (const double scale : {0.5, 1.0, 6.0, 7.0, 15.0, 100.0}) {
      const Filter equal = Filter::separable({.y = std::vector<double>(taps, 1), .x = std::vector<double>(taps, 1)});
      for (const Method method : {Method::separable, Method::box}) {
        for (const Sum sum : {Sum::automatic, Sum::f64}) expect_reference(equal, {.scale = scale, .sum = sum, .method = method});
      }
    }
  }
}

TEST(CpuSums16, TruncatesImagesOfOneValueAsF64Does) {
  Image image({.height = 9, .width = 70}, Pixel::u8);
  for (int value = 0; value < 256; ++value) {
    std::memset(image.view().data, value, std::size_t{9} * 70);
    for (const auto& [taps_y, taps_x] : {std::pair<std::size_t, std::size_t>{3, 1}, {1, 3}, {3, 3}, {5, 5}}) {
      const Filter sum = Filter::separable({.y = std::vector<double>(taps_y, 1), .x = std::vector<double>(taps_x, 1)});
      for (const Method method : {Method::direct, Method::separable, Method::box}) {
        Options options{.scale = 1.0 / static_cast<double>(taps_y * taps_x), .rounding = Rounding::truncate};
        const Image expected = convolve(image, sum, options, reference());
        options.method = method;
        const Image found = convolve(image, sum, options, cpu());
        ASSERT_EQ(std::memcmp(found.view().data, expected.view().data, std::size_t{9} * 70), 0)
            << value << ", " << taps_y << "x" << taps_x << ", " << name_of(method);
      }
    }
  }
}

TEST(CpuSums16, IsExactPastTheCachesAndForPlanesAndAllBorders) {
  const Filter sharpen = Filter::dense({1, 3, 3}, {0, -1, 0, -1, 5, -2, 0, -1, 0});
  const Image large = random_image({.height = 2100, .width = 4100});
  expect_same(large, sharpen, {.method = Method::direct});
  expect_same(large, box({.size = 3.0, .dims = 2}), {.method = Method::box});
  const Image planes = random_image({.batch = 2, .height = 20, .width = 90, .channels = 3}, Layout::planar);
  for (const Border border :
       {Border::constant(200), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap()}) {
    for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
      expect_same(planes, sharpen, {.border = border, .extent = extent, .output = Pixel::i16, .method = Method::direct});
      expect_same(planes, sobel(Axis::y, 2), {.border = border, .extent = extent, .output = Pixel::i16, .method = Method::separable});
      expect_same(planes, box({.size = 3.0, .dims = 2}), {.border = border, .extent = extent, .method = Method::box});
    }
  }
}

}  // namespace
}  // namespace halation
