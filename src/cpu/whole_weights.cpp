// whole_weights.cpp: weights as whole numbers, and what they and their sums are off by.
#include "cpu/whole_weights.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace halation::cpu_backend {
namespace {

std::vector<std::int32_t> rounded(const std::vector<double>& weights, double scale) {
  std::vector<std::int32_t> whole;
  std::vector<double> left;
  for (const double w : weights) {
    whole.push_back(static_cast<std::int32_t>(std::nearbyint(w * scale)));
    left.push_back(w * scale - whole.back());
  }
  const auto missing = static_cast<std::int64_t>(std::nearbyint(std::accumulate(left.begin(), left.end(), 0.0)));
  if (missing == 0) return whole;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double sign = missing < 0 ? -1 : 1;
  const auto most = order.begin() + static_cast<std::ptrdiff_t>(std::abs(missing));
  std::partial_sort(order.begin(), most, order.end(), [&](std::size_t a, std::size_t b) {
    return left[a] != left[b] ? sign * left[a] > sign * left[b] : a < b;
  });
  for (auto next = order.begin(); next != most; ++next) whole[*next] += missing < 0 ? -1 : 1;
  return whole;
}

}  // namespace

Range range_of(const std::vector<double>& weights) {
  Range range;
  for (const double w : weights) (w < 0 ? range.low : range.high) += w;
  return range;
}

double sum_of_magnitudes(const std::vector<double>& weights) {
  const Range range = range_of(weights);
  return range.high - range.low;
}

double largest_magnitude(const std::vector<double>& weights) {
  double largest = 0;
  for (const double w : weights) largest = std::max(largest, std::fabs(w));
  return largest;
}

double largest_sum(const std::vector<double>& weights, const Range& values) {
  const Range w = range_of(weights);
  return std::max(w.high * values.high + w.low * values.low, -(w.low * values.high + w.high * values.low));
}

std::vector<double> scaled(std::vector<double> weights, double scale) {
  for (double& w : weights) w *= scale;
  return weights;
}

WholeWeights at_scale(const std::vector<double>& weights, double scale) {
  WholeWeights whole{rounded(weights, scale), scale, {}};
  for (std::size_t i = 0; i < weights.size(); ++i) whole.differences.push_back(whole.weights[i] / scale - weights[i]);
  return whole;
}

}  // namespace halation::cpu_backend
