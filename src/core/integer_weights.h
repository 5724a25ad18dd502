// integer_weights.h: weights as whole numbers, and what they and their sums are off by.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace halation {

/// Levels that sums over 8 bits may be off before they are rounded.
inline constexpr double most_fixed_error = 1.0 / 16;
inline constexpr double most_byte = 255;

inline bool is_integer(double value) { return value == std::nearbyint(value); }

/// What a sum of weights and values lies between, values from 0 to 1.
struct SumRange {
  double low = 0;
  double high = 0;
  double largest() const { return high > -low ? high : -low; }
};

SumRange sum_range_of(const std::vector<double>& weights);
double sum_of_magnitudes(const std::vector<double>& weights);
double largest_magnitude(const std::vector<double>& weights);

/// The largest |Σ weight · value| for any values within the range.
double largest_sum(const std::vector<double>& weights, const SumRange& values);

std::vector<double> scaled(std::vector<double> weights, double scale);

/// Weights as whole numbers over `scale`.
struct IntegerWeights {
  std::vector<std::int32_t> weights;
  double scale = 1;
  std::vector<double> differences;  ///< of the whole numbers over the scale from the weights
};

/// The nearest ones, but for a few whose sum is nearest as well: images of one value stay such.
IntegerWeights at_scale(const std::vector<double>& weights, double scale);

}  // namespace halation
