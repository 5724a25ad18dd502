// finite.h: what kinds of numbers a job may see: not finite ones, and what filters make of them; integers, and how large.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/job.h"

namespace halation {

/// Whether an input, or a constant around it, may be infinite or no number.
inline bool may_be_non_finite(const Job& job) {
  return is_float(job.in_pixel) || std::any_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
    return !std::isfinite(border.constant());
  });
}

/// What a filter makes of a constant: the sum of its products by all weights, which is NaN where the constant is infinite and a weight is
/// 0 or two differ in sign.
inline double filtered(double constant, const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += std::isfinite(constant) ? weight : weight * constant;
  return std::isfinite(constant) ? sum * constant : sum;
}

/// The largest magnitude of integer pixels, and of what lies outside.
inline double largest_integer(const Job& job) {
  double magnitude = std::max(largest(job.in_pixel), -smallest(job.in_pixel));
  for (const BorderTable& border : job.borders) magnitude = std::max(magnitude, std::fabs(border.constant()));
  return magnitude;
}

/// Whether all sums of a filter that are finite are integers, whatever the pixels, and kernels know it: then
/// transforms round theirs to integers.
inline bool sums_are_whole(const Job& job, const std::vector<double>& weights) {
  const auto whole = [](double value) { return value == std::nearbyint(value); };
  return !is_float(job.in_pixel) && is_native(job.in_pixel) &&
         std::all_of(weights.begin(), weights.end(), whole) &&
         std::all_of(job.borders.begin(), job.borders.end(), [&](const BorderTable& border) {
           return whole(border.constant()) || !std::isfinite(border.constant());
         });
}

}  // namespace halation
