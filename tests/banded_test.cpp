// banded_test.cpp: whole numbers that stand for weights in sums over bytes: as they are, by a power of 2, rounded; where there are none.
#include "plan/banded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

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

}  // namespace
}  // namespace halation
