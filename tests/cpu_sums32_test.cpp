// cpu_sums32_test.cpp: filters over 8 bits in fixed point on the CPU (src/cpu/int8/sums32): what it promises, on images of several
// tiles too, which the sweep's are too small for; and the kernels of instruction sets that this machine would not choose.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "cpu/int8/sums32/kernels.h"
#include "cpu/int8/sums32/weights.h"
#include "halation/halation.h"
#include "int8_cases.h"
#include "numbers.h"

namespace halation {
namespace {

using cpu_backend::fixed_point;
using cpu_backend::FixedPoint;

/// The result of a fixed-point filter for pixels at (y, x), before it is rounded.
double sum_of(const FixedPoint& fixed, const Taps& taps, const std::vector<int>& pixels) {
  const auto at = [&](std::int64_t y, std::int64_t x) { return pixels[static_cast<std::size_t>(y * taps.size[2] + x)]; };
  double sum = 0;
  if (!fixed.by_columns) {
    for (std::size_t i = 0; i < pixels.size(); ++i) sum += static_cast<double>(fixed.whole[i]) * pixels[i];
    return sum * fixed.factor;
  }
  for (std::int64_t x = 0; x < taps.size[2]; ++x) {
    std::int64_t column = fixed.shift > 0 ? std::int64_t{1} << (fixed.shift - 1) : 0;
    for (std::int64_t y = 0; y < taps.size[1]; ++y) column += std::int64_t{fixed.integer_y[static_cast<std::size_t>(y)]} * at(y, x);
    column >>= fixed.shift;
    EXPECT_LE(std::abs(column), 32767);
    sum += static_cast<double>(fixed.whole[static_cast<std::size_t>(x)]) * static_cast<double>(column);
  }
  return sum * fixed.factor;
}

/// Pixels that are 255 where `high` says so, else 0.
template <class High>
std::vector<int> extreme(const Taps& taps, const High& high) {
  std::vector<int> pixels;
  for (std::int64_t y = 0; y < taps.size[1]; ++y) {
    for (std::int64_t x = 0; x < taps.size[2]; ++x) pixels.push_back(high(y, x) ? 255 : 0);
  }
  return pixels;
}

void expect_within_error(const Job& job, const Taps& taps) {
  const auto fixed = fixed_point(job, taps);
  ASSERT_TRUE(fixed.has_value());
  EXPECT_LE(fixed->error, 1.0 / 16);
  const auto weight = [&](std::int64_t y, std::int64_t x) {
    const auto i = static_cast<std::size_t>(y);
    const auto j = static_cast<std::size_t>(x);
    if (taps.factors) return (*taps.factors)[1][i] * (*taps.factors)[2][j];
    return taps.weights[i * static_cast<std::size_t>(taps.size[2]) + j];
  };
  const auto off = [&](const std::vector<int>& pixels) {
    double exact = 0;
    for (std::int64_t y = 0; y < taps.size[1]; ++y) {
      for (std::int64_t x = 0; x < taps.size[2]; ++x) {
        exact += weight(y, x) * pixels[static_cast<std::size_t>(y * taps.size[2] + x)];
      }
    }
    return std::fabs(sum_of(*fixed, taps, pixels) - job.scale * exact);
  };
  Numbers numbers(4);
  for (int i = 0; i < 50; ++i) {
    EXPECT_LE(off(extreme(taps, [&](auto, auto) { return numbers.below(2) == 1; })), fixed->error + 1e-9);
  }
  EXPECT_LE(off(extreme(taps, [](auto, auto) { return true; })), fixed->error + 1e-9);
  // The worst image of a direct filter: white where weights were rounded up.
  if (!fixed->by_columns) {
    const auto up = [&](std::int64_t y, std::int64_t x) {
      const double whole = fixed->whole[static_cast<std::size_t>(y * taps.size[2] + x)];
      return whole * fixed->factor > job.scale * weight(y, x);
    };
    const double highest = off(extreme(taps, up));
    const double lowest = off(extreme(taps, [&](auto y, auto x) { return !up(y, x); }));
    EXPECT_LE(highest, fixed->error + 1e-9);
    EXPECT_GE(std::max(highest, lowest), fixed->error * 0.99);
  }
}

TEST(FixedPoint, KeepsItsError) {
  Numbers numbers(1);
  for (const bool positive : {true, false}) {
    for (const std::int64_t k : {2, 3, 5, 8, 15}) {
      Job job = job_of(positive ? Pixel::u8 : Pixel::i16);
      const auto n = static_cast<std::size_t>(k);
      expect_within_error(job, dense(k, k, random_weights(n * n, positive, numbers)));
      expect_within_error(job, product(random_weights(n, positive, numbers), random_weights(n, true, numbers)));
      job.scale = 0.37;
      expect_within_error(job, dense(k, 1, random_weights(n, positive, numbers)));
      expect_within_error(job, dense(1, k, random_weights(n, positive, numbers)));
    }
  }
  expect_within_error(job_of(), product(random_weights(63, true, numbers), random_weights(63, true, numbers)));
}

TEST(FixedPoint, HasNoErrorForWholeWeightsAndPowersOfTwo) {
  const std::vector<double> binomial{1, 4, 6, 4, 1};
  const std::vector<double> edge{-1, -2, 0, 2, 1};
  EXPECT_EQ(fixed_point(job_of(), product(binomial, binomial))->error, 0);
  EXPECT_EQ(fixed_point(job_of(Pixel::i16), product(edge, binomial))->error, 0);
  EXPECT_EQ(fixed_point(job_of(), dense(1, 5, {0.0625, 0.25, 0.375, 0.25, 0.0625}))->error, 0);
  EXPECT_EQ(fixed_point(job_of(), dense(3, 3, {1, 2, 3, 4, -5, 6, 7, 8, 1000}))->error, 0);
  EXPECT_EQ(fixed_point(job_of(), dense(2, 2, {0, 0, 0, 0}))->error, 0);
}

TEST(FixedPoint, IsRefusedWhereItCouldBeFurtherOff) {
  Numbers numbers(2);
  const Taps small = dense(3, 3, random_weights(9, true, numbers));
  const auto fits = [&](const Job& job, const Taps& taps) { return fixed_point(job, taps).has_value(); };
  EXPECT_TRUE(fits(job_of(), small));
  EXPECT_FALSE(fits(job_of(Pixel::f32), small));
  EXPECT_FALSE(fits(job_of(Pixel::u16), small));
  EXPECT_TRUE(fits(job_of(Pixel::u8, Border::constant(255)), small));
  EXPECT_FALSE(fits(job_of(Pixel::u8, Border::constant(255.5)), small));
  EXPECT_FALSE(fits(job_of(Pixel::u8, Border::constant(-1)), small));
  Job job = job_of();
  job.scale = 1e6;
  EXPECT_FALSE(fits(job, small));
  job = job_of();
  job.sum_f64 = true;
  EXPECT_FALSE(fits(job, small));
  job = job_of();
  job.in_pixel = Pixel::u16;
  EXPECT_FALSE(fits(job, small));
  EXPECT_FALSE(fits(job_of(), product(random_weights(501, true, numbers), random_weights(501, true, numbers))));
}

TEST(FixedPoint, KeepsImagesOfOneValue) {
  Numbers numbers(3);
  for (const std::int64_t k : {3, 7, 31}) {
    const auto n = static_cast<std::size_t>(k);
    for (const Filter& filter : {Filter::dense({1, k, k}, random_weights(n * n, true, numbers)),
                                 Filter::separable({.y = random_weights(n, true, numbers), .x = random_weights(n, true, numbers)})}) {
      for (const int value : {1, 77, 254, 255}) {
        Image image({.height = 40, .width = 70}, Pixel::u8);
        constexpr std::size_t pixels = std::size_t{40} * 70;
        std::memset(image.view().data, value, pixels);
        const Image found = convolve(image, filter, {.border = Border::replicate()}, cpu());
        EXPECT_EQ(std::memcmp(found.view().data, image.view().data, pixels), 0) << k << " taps, value " << value;
      }
    }
  }
}

void expect_same(const Image& image, const Filter& filter, const Options& options) {
  expect_exact(image, filter, options, "fixed point");
}

std::vector<double> integer_weights(std::int64_t count) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(static_cast<double>((i * 7 + 3) % 5) - 2);
  weights.front() = 3;
  return weights;
}

TEST(CpuSums32, IsExactOverSeveralTiles) {
  for (const std::int64_t width : {1, 5, 63, 64, 65, 300, 1200, 1280, 4096, 4500}) {  // of 4,096 bytes: rows that are staged (columns.cpp)
    for (const std::int64_t channels : {1, 3}) {
      const Image image = random_image({.height = 61, .width = width, .channels = channels});
      for (const auto& [height, taps] : {std::pair<std::int64_t, std::int64_t>{3, 3}, {5, 5}, {4, 7}, {1, 9}, {8, 1}, {15, 2}}) {
        for (const Pixel out : {Pixel::u8, Pixel::i16}) {
          const Filter dense = Filter::dense({1, height, taps}, integer_weights(height * taps));
          expect_same(image, dense, {.output = out, .method = Method::direct});
          const Filter product = Filter::separable({.y = integer_weights(height), .x = integer_weights(taps)});
          expect_same(image, product, {.output = out, .method = Method::separable});
        }
      }
    }
  }
}

TEST(CpuSums32, IsExactPastTheCaches) {
  const Image image = random_image({.height = 2100, .width = 4100});
  expect_same(image, Filter::dense({1, 3, 3}, integer_weights(9)), {.method = Method::direct});
  expect_same(image, Filter::separable({.y = integer_weights(3), .x = integer_weights(5)}),
              {.output = Pixel::i16, .method = Method::separable});
}

TEST(CpuSums32, IsExactForVolumesPlanesAndAllBorders) {
  const Image volume = random_image({.depth = 5, .height = 9, .width = 80});
  const Image planes = random_image({.batch = 2, .height = 20, .width = 90, .channels = 3}, Layout::planar);
  const Filter cube = Filter::dense({3, 3, 3}, integer_weights(27));
  const Filter tall = Filter::dense({1, 31, 5}, integer_weights(155));
  const Filter product = Filter::separable({.y = integer_weights(41), .x = integer_weights(5)});
  for (const Border border :
       {Border::constant(200), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap()}) {
    Options options{.border = border, .output = Pixel::i16, .method = Method::direct};
    expect_same(volume, cube, options);
    expect_same(planes, tall, options);
    options.extent = Extent::full;
    options.method = Method::separable;
    expect_same(planes, product, options);
  }
}

TEST(CpuSums32, RoundsHalfToEvenAndSaturates) {
  Image image({.height = 2, .width = 256}, Pixel::u8);
  auto* pixels = reinterpret_cast<std::uint8_t*>(image.view().data);
  for (int i = 0; i < 512; ++i) pixels[i] = static_cast<std::uint8_t>(i);
  for (const double weight : {0.5, 1.5, -0.25, 2.0}) {
    for (const double offset : {0.0, 0.25, -3.5}) {
      for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
        for (const Pixel out : {Pixel::u8, Pixel::i16}) {
          expect_same(image, Filter::dense({1, 1, 1}, {weight}), {.output = out, .offset = offset, .rounding = rounding});
          expect_same(image, Filter::dense({1, 2, 2}, {weight, 0, 0, 0}), {.output = out, .offset = offset, .rounding = rounding});
        }
      }
    }
  }
}

TEST(CpuSums32, SumsBeyond16BitsAreWhite) {
  // 255 · 129 = 32,895 and its neighbours: as numbers of 16 bits they would have a sign.
  const Shape shape{.height = 12, .width = 70};
  std::vector<double> random(9, 14);
  random[3] = 17;
  const Filter boxes = Filter::separable({.y = {5, 5, 5}, .x = {3, 3, 3}});
  for (const Pixel out : {Pixel::u8, Pixel::u16, Pixel::i16}) {
    for (const auto& [filter, scale] : {std::pair{Filter::dense({1, 3, 3}, random), 1.0},
                                        std::pair{Filter::separable({.x = {43, 43, 43}}), 1.0},
                                        std::pair{Filter::separable({.y = {1, 1, 1}, .x = {3, 37, 3}}), 1.0},
                                        std::pair{boxes, 129.0 / 135}}) {
      for (int white = 240; white <= 255; ++white) {
        std::vector<std::uint8_t> pixels(static_cast<std::size_t>(shape.elements()), static_cast<std::uint8_t>(white));
        PlanSpec spec{.shape = shape, .pixel = Pixel::u8, .filters = {filter}, .options = {.output = out, .scale = scale}};
        Image found(shape, out);
        Plan(spec).run(view_of(pixels.data(), shape), found.view());
        spec.device = reference();
        Image expected(shape, out);
        Plan(spec).run(view_of(pixels.data(), shape), expected.view());
        ASSERT_EQ(std::memcmp(found.view().data, expected.view().data, static_cast<std::size_t>(shape.elements()) * bytes_of(out)), 0)
            << filter.name() << " " << filter.size().taps() << " over " << white << " to " << name_of(out);
      }
    }
  }
}

TEST(CpuSums32, KernelsWithoutTheLongProductsAreTheSame) {
  const cpu_backend::Sums32Kernels* best = cpu_backend::best_sums32_kernels();
  const cpu_backend::Sums32Kernels* other = cpu_backend::best_sums32_kernels(false);
  if (best == other) GTEST_SKIP() << "no VNNI here";
  constexpr std::int64_t n = 230;
  constexpr std::int64_t room = n + cpu_backend::int8_slack + 32;
  Numbers numbers(6);
  std::vector<std::int32_t> lines(4 * room);
  for (auto& pair : lines) pair = cpu_backend::pair_of(static_cast<int>(numbers.below(256)), static_cast<int>(numbers.below(256)));
  std::vector<std::int32_t> weights(168);  // 4 lines of 7 pairs for 6 rows
  for (auto& pair : weights) {
    pair = cpu_backend::pair_of(static_cast<int>(numbers.below(2000)) - 1000, static_cast<int>(numbers.below(2000)) - 1000);
  }
  for (const int taps : {3, 4, 7}) {
    std::vector<const std::int32_t*> pointers;
    for (std::size_t line = 0; line < 4; ++line) pointers.push_back(lines.data() + line * room);
    std::vector<std::vector<std::int16_t>> outs(12, std::vector<std::int16_t>(n));
    std::vector<std::byte*> to;
    to.reserve(outs.size());
    for (auto& row : outs) to.push_back(reinterpret_cast<std::byte*>(row.data()));
    cpu_backend::Sums32Direct job{.lines = pointers.data(),
                                 .weights = weights.data(),
                                 .planes = 1,
                                 .pairs = 2,
                                 .taps_x = taps,
                                 .tap_stride = 3,
                                 .out = to.data(),
                                 .n = n,
                                 .finish = {.factor = 0.01F},
                                 .streams = false};
    for (const bool shifts : {false, true}) {
      job.finish = {.factor = 0.01F, .shifts = shifts, .shift = 7, .bias = 64};
      job.out = to.data();
      best->direct.i16(job);
      job.out = to.data() + 6;
      other->direct.i16(job);
      for (std::size_t row = 0; row < 6; ++row) EXPECT_EQ(outs[row], outs[row + 6]);
    }
    std::vector<std::int16_t> line(room);
    std::vector<std::int32_t> pairs(room);
    for (auto& value : line) value = static_cast<std::int16_t>(numbers.below(60000) - 30000);
    cpu_backend::Sums32Row row{.line = line.data(),
                              .weights = weights.data(),
                              .pairs = 5,
                              .line_of_pairs = pairs.data(),
                              .tap_stride = taps == 3 ? 1 : taps,
                              .out = to[0],
                              .n = n,
                              .finish = {.factor = 0.001F, .offset = 3},
                              .streams = false};
    best->row.i16(row);
    row.out = to[1];
    other->row.i16(row);
    EXPECT_EQ(outs[0], outs[1]);
  }
}

}  // namespace
}  // namespace halation
