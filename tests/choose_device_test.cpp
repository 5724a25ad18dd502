// choose_device_test.cpp: the estimate that decides where a job runs, read from the reason that comes with
// the choice.
#include "pipeline/choose_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "core/threads.h"
#include "halation/halation.h"

namespace halation {
namespace {

using testing::AnyOf;
using testing::EndsWith;

PlanSpec spec_of(const FilterSet& set, const Options& options) {
  return {.shape = {.height = 1000, .width = 2000},
          .pixel = Pixel::f32,
          .filters = set.filters,
          .combine = set.combine,
          .options = options};
}

/// Milliseconds that the CPU is thought to take for `count` jobs together. All jobs here are too short for a
/// GPU to be looked for.
double estimate_ms(const PlanSpec& spec, std::size_t count = 1) {
  const Plan plan(spec);
  const DeviceChoice choice = choose_device(std::vector<PlannedJob>(count, PlannedJob{spec, plan}));
  EXPECT_EQ(choice.device, cpu());
  EXPECT_THAT(choice.reason, AnyOf(EndsWith("s; a GPU takes 200 ms to start"), EndsWith("s; this build has no GPU backend")));
  double number = -1;
  char unit[3] = "";
  EXPECT_EQ(std::sscanf(choice.reason.c_str(), "cpu, about %lf %2[a-z]", &number, unit), 2) << choice.reason;
  return number * (std::string(unit) == "us" ? 1e-3 : std::string(unit) == "ms" ? 1 : 1e3);
}

Filter dense_gaussian() {
  const Filter product = gaussian({.sigma = 10.0, .dims = 2});
  return Filter::dense(product.size(), product.weights());
}

TEST(ChooseDevice, CountsEachMethodByItsOwnWork) {
  const auto estimate = [](Method method) { return estimate_ms(spec_of(dense_gaussian(), {.method = method, .threads = 4})); };
  const double direct = estimate(Method::direct);
  EXPECT_GT(direct, 50);
  for (const Method method : {Method::separable, Method::fft, Method::automatic}) EXPECT_LT(estimate(method), direct / 5) << name_of(method);
  const FilterSet box = Filter::separable({.y = std::vector<double>(401, 1.0), .x = std::vector<double>(401, 1.0)});
  EXPECT_LT(estimate_ms(spec_of(box, {.threads = 1})), 20);
}

TEST(ChooseDevice, CountsWhatIsDoneBesideFiltering) {
  const PlanSpec spec = spec_of(dense_gaussian(), {.threads = 4});
  const Plan plan(spec);
  const auto reason_with = [&](double host_seconds) {
    return choose_device(std::vector<PlannedJob>{{spec, plan, true, true, host_seconds}}).reason;
  };
  EXPECT_THAT(reason_with(5000), testing::StartsWith("cpu, about 5000 s; "));
  EXPECT_THAT(reason_with(0.1), testing::ContainsRegex("^cpu, about 1[0-9][0-9] ms; "));
}

TEST(ChooseDevice, AddsJobsUpAndSharesThemAmongThreads) {
  const auto with_threads = [](int threads) {
    return spec_of(gaussian({.sigma = 3.0}), {.method = Method::direct, .threads = threads});
  };
  const double once = estimate_ms(with_threads(1));
  EXPECT_GT(once, 10);
  EXPECT_NEAR(estimate_ms(with_threads(1), 3), 3 * once, 3);  // each is rounded to a millisecond
  EXPECT_LT(estimate_ms(with_threads(arena_threads())), 1.5 * once / arena_threads());
}

TEST(ChooseDevice, TakesFiltersThatFollowTheImageAndPlansThatLeaveSomeOut) {
  const double blurred = estimate_ms(spec_of(gaussian({.sigma = 10.0}), {.threads = 1}));
  const double gradient = estimate_ms(spec_of(edges(), {.threads = 1}));
  EXPECT_GT(blurred, gradient);
  EXPECT_GT(gradient, 0);
  EXPECT_EQ(choose_device({}).device, cpu());
}

}  // namespace
}  // namespace halation
