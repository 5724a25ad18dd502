// rounding.cpp: whether what methods round on the way shows in the outputs, and whether that is worth it.
#include "plan/analysis/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/finite.h"

namespace halation {

double levels_off(const Job& job, double magnitudes, const ErrorBound& own, const ErrorBound& bound) {
  if (is_float(job.out_pixel)) return 0;
  if (const std::optional<double> magnitude = largest_input(job)) return bound.of_rounding(*magnitude);
  const double sums = std::fabs(job.scale) * magnitudes;
  if (sums == 0) return 0;
  if (!std::isfinite(sums)) return own.relative;
  return own.relative * std::max(largest(job.out_pixel), -smallest(job.out_pixel)) / sums;
}

bool shows_transforms(const Job& job, const std::vector<double>& weights, double magnitudes, const ErrorBound& bound) {
  const bool cuts = !is_float(job.out_pixel) && job.rounding == Rounding::truncate;
  return levels_off(job, magnitudes, bound, bound) > 0.5 || (cuts && !sums_are_whole(job, weights));
}

bool saves_too_little(const Space& size, const Job& job) {
  constexpr std::int64_t fewest_taps = 32, fewest_of_whole_outputs = 16;
  constexpr std::int64_t least_work_of_volumes = std::int64_t{1} << 19;  // some 40 us
  const std::int64_t taps = size[0] * size[1] * size[2];
  if (!is_float(job.out_pixel)) return taps < fewest_of_whole_outputs;
  return taps < fewest_taps || (size[0] > 1 && job.out.elements() < least_work_of_volumes / taps);
}

}  // namespace halation
