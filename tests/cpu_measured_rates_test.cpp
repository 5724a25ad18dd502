// cpu_measured_rates_test.cpp: figures from times by which the times are expected.
#include "cpu/measured_rates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "cpu/families.h"
#include "halation/halation.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"

namespace halation::cpu_backend {
namespace {

double alone(const Job&, double seconds, const Rates&) { return seconds; }

TEST(MeasuredRates, AreNearTheRowThatTimesWereMadeOf) {
  const Rates& truth = *rates_named(rates().name == "avx2" ? "zen4" : "avx2");
  std::vector<TimedOffer> offers;
  for (const std::int64_t width : {63, 512, 2048}) {
    for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::f32}) {
      for (const Filter& filter : {gaussian({.sigma = 1.0, .dims = 2}), gaussian({.sigma = 6.0, .dims = 2}),
                                   box({.size = 15, .dims = 2}), laplacian()}) {
        const PlanSpec spec{
            .shape = {.height = 512, .width = width}, .pixel = pixel, .filters = {filter}, .options = {}};
        const auto job = choose(check(spec), spec.options, backend_for(cpu()), cpu()).job;
        const View in{nullptr, job->in, strides_of(job->in, job->in_pixel), job->in_pixel, cpu()};
        const View out{nullptr, job->out, strides_of(job->out, job->out_pixel), job->out_pixel, cpu()};
        const Request request{.job = *job, .filters = job->filters, .costs = truth};
        for (const Family* const family : families().list()) {
          if (family->refuses(request) == nullptr)
            offers.push_back({job, in, out, family->name, family->seconds(request)});
        }
      }
    }
  }
  ASSERT_GT(offers.size(), 50U);
  const Rates found = with(rates(), rates_from_times(offers, alone));
  const auto off = [&](const Rates& by) {
    double sum = 0;
    for (const TimedOffer& offer : offers) {
      for (const Family* const family : families().list()) {
        if (family->name == offer.family)
          sum += std::fabs(
              std::log(family->seconds({.job = *offer.job, .filters = offer.job->filters, .costs = by}) /
                       offer.seconds));
      }
    }
    return sum / static_cast<double>(offers.size());
  };
  EXPECT_GT(off(rates()), 0.15) << "the rows differ";
  EXPECT_LT(off(found), 0.08);
}

TEST(MeasuredRates, StayWhereNothingWasMeasured) {
  const Rates found = with(rates(), rates_from_times({}, alone));
  EXPECT_NEAR(found.lines.row, rates().lines.row, 1e-3 * rates().lines.row);
  EXPECT_EQ(found.axis.call, rates().axis.call) << "by which results would change";
}

}  // namespace
}  // namespace halation::cpu_backend
