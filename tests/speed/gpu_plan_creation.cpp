// gpu_plan_creation.cpp: a plan on the GPU is made in under 100 microseconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "halation/halation.h"
#include "speed/clock.h"

namespace halation {
namespace {

double median_creation_us(const PlanSpec& spec) {
  std::vector<Plan> kept;
  std::vector<double> microseconds;
  constexpr std::size_t creations = 50;
  constexpr std::size_t warm = 10;
  kept.reserve(creations + warm);
  for (std::size_t i = 0; i < creations + warm; ++i) {
    const double seconds = seconds_of([&] { kept.emplace_back(spec); });
    if (i >= warm) microseconds.push_back(1e6 * seconds);
  }
  std::nth_element(microseconds.begin(), microseconds.begin() + creations / 2, microseconds.end());
  return microseconds[creations / 2];
}

TEST(GpuPlans, AreMadeInUnderAHundredMicroseconds) {
  const std::vector<DeviceInfo> found = devices();
  if (std::none_of(found.begin(), found.end(), [](const DeviceInfo& each) { return each.device.kind == Device::Kind::cuda; })) {
    GTEST_SKIP() << "no GPU";
  }
  const auto check = [&](const char* name, const Filter& filter) {
    const double median =
        median_creation_us({.shape = {.height = 8192, .width = 8192}, .pixel = Pixel::f32, .filters = {filter}, .device = cuda()});
    std::cout << "plan of " << name << ": " << median << " us, median of 50\n";
    EXPECT_LT(median, 100) << name;
  };
  std::vector<double> whole(25);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<double>(i % 7) - 3;
  check("5x5 f32", Filter::dense({1, 5, 5}, whole));
  check("Gaussian, sigma 2, f32", gaussian({.sigma = 2.0}));
}

}  // namespace
}  // namespace halation
