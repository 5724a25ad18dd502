// cpu_overhead.cpp: what a call costs beside its arithmetic on the CPU: runs over images of a few pixels, plans, and both
// together.
//
// The least of many repeats is what a call takes when nothing else has the core, so that other work on the machine does not fail
// the test. Images of 16 × 16 have a thousandth of the pixels of 512 × 512 ones: what runs take over them is nearly all start.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "halation/halation.h"
#include "numbers.h"
#include "speed/clock.h"

namespace halation {
namespace {

constexpr double most_seconds_of_a_call = 10e-6;
constexpr double most_seconds_of_a_plan = 20e-6;
constexpr int calls = 10;  ///< of a reading

std::vector<double> weights_of(std::int64_t count) {
  Numbers numbers(7);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back((numbers.next() + 0.1) / static_cast<double>(count));
  return weights;
}

struct Job {
  const char* name;
  Pixel pixel;
  Filter filter;
};

std::vector<Job> jobs() {
  const Filter square = Filter::dense({1, 3, 3}, weights_of(9));
  const Filter product = Filter::separable({.y = weights_of(7), .x = weights_of(7)});
  return {{"f32 3x3", Pixel::f32, square},
          {"u8 3x3", Pixel::u8, square},
          {"f32 separable 7", Pixel::f32, product},
          {"u8 separable 7", Pixel::u8, product},
          {"f32 box 5", Pixel::f32, box({.size = 5}).with_dims(2)},
          {"u8 box 5", Pixel::u8, box({.size = 5}).with_dims(2)}};
}

class CpuOverhead : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_measurable) GTEST_SKIP() << "this build is not optimised, or slowed down by a sanitizer";
  }
};

TEST_F(CpuOverhead, OfARunOverFewPixels) {
  for (const Job& job : jobs()) {
    std::printf("%s: run", job.name);
    for (const std::int64_t side : {1, 16, 64, 512}) {
      const PlanSpec spec{
          .shape = {.height = side, .width = side}, .pixel = job.pixel, .filters = {job.filter}, .options = {.threads = 1}};
      const Plan plan(spec);
      Image in(spec.shape, job.pixel);
      Image out(spec.shape, job.pixel);
      std::fill_n(in.view().data, spec.shape.elements() * static_cast<std::int64_t>(bytes_of(job.pixel)), std::byte{1});
      const double seconds = least_seconds([&] { plan.run(in, out.view()); }, calls);
      std::printf("%s %.2f us over %dx%d", side == 1 ? "" : ",", 1e6 * seconds, static_cast<int>(side), static_cast<int>(side));
      if (side <= 16) {
        EXPECT_LE(seconds, most_seconds_of_a_call) << job.name;
      }
    }
    std::printf("\n");
  }
}

TEST_F(CpuOverhead, OfAPlan) {
  for (const Job& job : jobs()) {
    const PlanSpec spec{.shape = {.height = 16, .width = 16}, .pixel = job.pixel, .filters = {job.filter}};
    Image in(spec.shape, job.pixel);
    std::fill_n(in.view().data, spec.shape.elements() * static_cast<std::int64_t>(bytes_of(job.pixel)), std::byte{1});
    const double planning = least_seconds([&] { const Plan plan(spec); }, calls);
    const double both = least_seconds([&] { (void)convolve(in, job.filter); }, calls);
    std::printf("%s: plan %.2f us, convolve over 16x16 %.2f us\n", job.name, 1e6 * planning, 1e6 * both);
    EXPECT_LE(planning, most_seconds_of_a_plan) << job.name;
    EXPECT_LE(both, most_seconds_of_a_plan + most_seconds_of_a_call) << job.name;
  }
}

}  // namespace
}  // namespace halation
