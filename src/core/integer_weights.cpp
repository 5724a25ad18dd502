// integer_weights.cpp: weights as whole numbers, and what they and their sums are off by.
#include "core/integer_weights.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace halation {
namespace {

std::vector<std::int32_t> rounded(const std::vector<double>& weights, double scale) {
  std::vector<std::int32_t> integers;
  std::vector<double> left;
  integers.reserve(weights.size());
  left.reserve(weights.size());
  for (const double w : weights) {
    integers.push_back(static_cast<std::int32_t>(std::nearbyint(w * scale)));
    left.push_back(w * scale - integers.back());
  }
  const auto missing = static_cast<std::int64_t>(std::nearbyint(std::accumulate(left.begin(), left.end(), 0.0)));
  if (missing == 0) return integers;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double sign = missing < 0 ? -1 : 1;
  const auto most = order.begin() + static_cast<std::ptrdiff_t>(std::abs(missing));
  std::partial_sort(order.begin(), most, order.end(), [&](std::size_t a, std::size_t b) {
    return left[a] != left[b] ? sign * left[a] > sign * left[b] : a < b;
  });
  for (auto next = order.begin(); next != most; ++next) integers[*next] += missing < 0 ? -1 : 1;
  return integers;
}

}  // namespace

SumRange sum_range_of(const std::vector<double>& weights) {
  SumRange range;
  for (const double w : weights) (w < 0 ? range.low : range.high) += w;
  return range;
}

double sum_of_magnitudes(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0, [](double sum, double w) { return sum + std::fabs(w); });
}

double largest_magnitude(const std::vector<double>& weights) {
  double largest = 0;
  for (const double w : weights) largest = std::max(largest, std::fabs(w));
  return largest;
}

double largest_sum(const std::vector<double>& weights, const SumRange& values) {
  const SumRange w = sum_range_of(weights);
  return std::max(w.high * values.high + w.low * values.low, -(w.low * values.high + w.high * values.low));
}

std::vector<double> scaled(std::vector<double> weights, double scale) {
  for (double& w : weights) w *= scale;
  return weights;
}

IntegerWeights at_scale(const std::vector<double>& weights, double scale) {
  IntegerWeights integers{rounded(weights, scale), scale, {}};
  integers.differences.reserve(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) integers.differences.push_back(integers.weights[i] / scale - weights[i]);
  return integers;
}

}  // namespace halation
