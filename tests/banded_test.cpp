// banded_test.cpp: whole numbers that stand for weights in sums over bytes: as they are, by a power of 2, rounded; where there are none.
#include "plan/analysis/banded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/integer_weights.h"

namespace halation {
namespace {

Job job_of(Pixel out = Pixel::u8, double scale = 1) {
  Job job;
  job.in = job.out = {.height = 64, .width = 64};
  job.in_pixel = Pixel::u8;
  job.out_pixel = out;
  job.scale = scale;
  return job;
}

std::vector<double> random_weights(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> one(0, 1);
  std::vector<double> weights(count);
  for (double& weight : weights) weight = one(generator);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

TEST(Banded, TakesWholeNumbersAsTheyAre) {
  for (const Pixel out : {Pixel::u8, Pixel::i16, Pixel::f32}) {
    const auto small = banded_of(job_of(out), {1, -2, 127, -128, 0});
    ASSERT_TRUE(small);
    EXPECT_EQ(small->weights, (std::vector<std::int32_t>{1, -2, 127, -128, 0}));
    EXPECT_EQ(small->bytes, 1);
    EXPECT_EQ(small->error, 0);
    EXPECT_EQ(small->factor(3), 3);
    const auto large = banded_of(job_of(out), {0.5, -16448, 16319.5});
    ASSERT_TRUE(large);
    EXPECT_EQ(large->weights, (std::vector<std::int32_t>{1, -32896, 32639}));
    EXPECT_EQ(large->bytes, 2);
    EXPECT_EQ(large->factor(3), 1.5);
  }
}

TEST(Banded, RoundsOthersWithinASixteenthOfALevel) {
  for (const std::size_t count : {2U, 7U, 49U, 225U, 961U}) {
    for (const double scale : {1.0, 0.37, -1.5}) {
      const std::vector<double> weights = random_weights(count, static_cast<unsigned>(count));
      const auto banded = banded_of(job_of(Pixel::u8, scale), weights);
      ASSERT_TRUE(banded) << count;
      EXPECT_TRUE(banded->has_scale);
      EXPECT_LE(banded->error, most_fixed_error);
      double too_much = 0, too_little = 0, sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double difference = banded->weights[i] / banded->scale - scale * weights[i];
        (difference > 0 ? too_much : too_little) += std::fabs(difference) * most_byte;
        sum += std::abs(banded->weights[i]) * most_byte;
      }
      EXPECT_LE(std::max(too_much, too_little), banded->error * 1.0001);
      EXPECT_LE(sum, 0x1p31 - 0x1p24);
    }
  }
  // A byte holds what is nearly whole.
  const auto equal = banded_of(job_of(), std::vector<double>(49, 1.0 / 49));
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->bytes, 1);
}

TEST(Banded, ThereAreNone) {
  const std::vector<double> real = random_weights(49, 1);
  EXPECT_FALSE(banded_of(job_of(Pixel::f32), real));  // which are within no float's bound
  EXPECT_TRUE(banded_of(job_of(), real));
  Job job = job_of();
  job.rounding = Rounding::truncate;
  EXPECT_FALSE(banded_of(job, real));
  EXPECT_TRUE(banded_of(job, {1, 2, 3}));
  job = job_of();
  job.combine = Combine::magnitude;
  EXPECT_FALSE(banded_of(job, real));
  job = job_of();
  job.sum_f64 = true;
  EXPECT_FALSE(banded_of(job, {1, 2, 3}));
  job = job_of();
  job.in_pixel = Pixel::u16;
  EXPECT_FALSE(banded_of(job, {1, 2, 3}));
  job = job_of();
  job.borders[2] = BorderTable(-1, 65, 64, Border::constant(0.5));
  EXPECT_FALSE(banded_of(job, {1, 2, 3}));
  job.borders[2] = BorderTable(-1, 65, 64, Border::constant(256));
  EXPECT_FALSE(banded_of(job, {1, 2, 3}));
  EXPECT_FALSE(banded_of(job_of(), {0, 0, 0}));
  EXPECT_FALSE(banded_of(job_of(), {}));
  EXPECT_FALSE(banded_of(job_of(Pixel::f32), {40000, 1}));                             // beyond 16 bits
  EXPECT_FALSE(banded_of(job_of(Pixel::f32), std::vector<double>(3000, 30000)));      // sums beyond 32
  std::vector<double> sharp = random_weights(900, 2);
  sharp[450] = 1000;  // the others are lost beside it
  EXPECT_FALSE(banded_of(job_of(), sharp));
  EXPECT_FALSE(banded_of(job_of(Pixel::u8, 0), real));
}

/// The sum over bytes that factors give, as core/banded.h says, at 1/2^shift before it is rounded.
double sum_by_factors(const BandedFactors& factors, const std::vector<std::vector<int>>& rows) {
  const auto low = [](int w) { return static_cast<int>(static_cast<std::int8_t>(w)); };
  const auto high = [&](int w) { return (w - low(w)) / 256; };
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::int64_t across = factors.narrow > 0 ? std::int64_t{1} << (factors.narrow - 1) : 0;
    for (std::size_t k = 0; k < factors.x.size(); ++k) across += std::int64_t{factors.x[k]} * rows[r][k];
    EXPECT_LT(std::abs(across), std::int64_t{1} << 31);
    const auto v = static_cast<int>(across >> factors.narrow);
    EXPECT_LT(std::abs(v), 0x8000 - 128);
    const int w = factors.y[r];
    sum += 256 * high(w) * high(v) + low(w) * high(v) + high(w) * low(v);
  }
  EXPECT_LT(std::abs(sum), std::int64_t{1} << 31);
  return std::ldexp(static_cast<double>(sum), -factors.shift);
}

TEST(BandedFactors, SumsAreOffByNoMoreThanTheySay) {
  std::mt19937 generator(5);
  std::uniform_int_distribution<int> byte(0, 255);
  for (const auto& [height, width] : {std::pair{1U, 1U}, std::pair{3U, 3U}, std::pair{17U, 5U}, std::pair{31U, 31U}, std::pair{65U, 65U}, std::pair{5U, 97U}}) {
    for (const double scale : {1.0, 0.37, -3.0}) {
      for (const bool both_signs : {false, true}) {
        std::vector<double> y = random_weights(height, height), x = random_weights(width, width + 1);
        if (both_signs) {
          for (std::size_t i = 0; i < y.size(); i += 3) y[i] *= -0.5;
          for (std::size_t i = 1; i < x.size(); i += 3) x[i] *= -0.5;
        }
        const auto found = banded_factors_of(job_of(Pixel::u8, scale), y, x, 0);
        if (!found) {  // sums along x are too coarse
          ASSERT_GT(std::fabs(scale), 1) << height << "x" << width;
          continue;
        }
        EXPECT_LE(found->levels, most_fixed_error);
        // Noise, and bytes that make sums and what they are off by large.
        for (int pattern = 0; pattern < 40; ++pattern) {
          std::vector<std::vector<int>> rows(height, std::vector<int>(width));
          double right = 0;
          for (std::size_t r = 0; r < height; ++r) {
            for (std::size_t k = 0; k < width; ++k) {
              const bool above = (y[r] > 0) == (x[k] > 0);
              const double off = found->factors.x[k] * 1e-3 - std::floor(found->factors.x[k] * 1e-3);
              rows[r][k] = pattern == 0 ? 255 : pattern == 1 ? (above ? 255 : 0) : pattern == 2 ? (above ? 0 : 255) : pattern == 3 ? (off > 0.5 ? 255 : 0) : byte(generator);
              right += scale * y[r] * x[k] * rows[r][k];
            }
          }
          EXPECT_LE(std::fabs(sum_by_factors(found->factors, rows) - right), found->levels + 1e-9) << height << "x" << width << ", pattern " << pattern;
        }
      }
    }
  }
}

TEST(BandedFactors, ThereAreNone) {
  const std::vector<double> x = random_weights(31, 1);
  EXPECT_TRUE(banded_factors_of(job_of(), x, x, 0));
  EXPECT_TRUE(banded_factors_of(job_of(Pixel::i16), x, x, 1e-6));
  EXPECT_FALSE(banded_factors_of(job_of(Pixel::f32), x, x, 0));
  EXPECT_FALSE(banded_factors_of(job_of(), x, x, 0.01));  // what the product leaves would show
  EXPECT_FALSE(banded_factors_of(job_of(Pixel::u8, 0), x, x, 0));
  EXPECT_FALSE(banded_factors_of(job_of(Pixel::u8, 1e9), x, x, 0));
  EXPECT_FALSE(banded_factors_of(job_of(), x, {0, 0}, 0));
  std::vector<double> sharp = random_weights(91, 2);
  sharp[45] = 1000;  // the others are lost beside it
  EXPECT_FALSE(banded_factors_of(job_of(Pixel::u8, 1e-3), sharp, x, 0));
  EXPECT_FALSE(banded_factors_of(job_of(Pixel::u8, 1e-3), x, sharp, 0));
  Job job = job_of();
  job.rounding = Rounding::truncate;
  EXPECT_FALSE(banded_factors_of(job, x, x, 0));
  job = job_of();
  job.in_pixel = Pixel::u16;
  EXPECT_FALSE(banded_factors_of(job, x, x, 0));
  job = job_of();
  job.borders[1] = BorderTable(-1, 65, 64, Border::constant(0.5));
  EXPECT_FALSE(banded_factors_of(job, x, x, 0));
}

TEST(BandedOverFloats, CountsWhatIsRounded) {
  Job job = job_of(Pixel::f32);
  const Space size{1, 15, 15};
  const std::vector<double> weights = random_weights(225, 9);
  job.in_pixel = Pixel::f32;
  EXPECT_FALSE(banded_over_floats(job, size, weights)) << "exact";
  job.accuracy = Accuracy::fast;
  const auto over_f32 = banded_over_floats(job, size, weights);
  ASSERT_TRUE(over_f32);
  EXPECT_GE(over_f32->error, 0x1p-11);
  EXPECT_LE(over_f32->error, 0x1p-10);
  job.in_pixel = Pixel::f16;
  const auto over_f16 = banded_over_floats(job, size, weights);
  ASSERT_TRUE(over_f16);
  EXPECT_LT(over_f16->error, 0x1p-11) << "pixels are not rounded";
  for (const auto& [constant, is_held] : {std::pair{0.5, true}, {0.1, false}, {1e-9, false}, {1e6, false}}) {
    job.borders[1] = BorderTable(-7, 71, 64, Border::constant(constant));
    EXPECT_EQ(banded_over_floats(job, size, weights).has_value(), is_held) << constant;
  }
  job.sum_f64 = true;
  EXPECT_FALSE(banded_over_floats(job, size, weights)) << "sums in f64";
}

}  // namespace
}  // namespace halation
