// weights.h: weights for jobs that only their time matters of.
#pragma once

#include <cstdint>
#include <vector>

namespace halation::bench {

/// Positive weights that sum to 1 and are no product.
inline std::vector<double> weights_of(std::int64_t count) {
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i)
    sum += weights.emplace_back(static_cast<double>(i * 7919 % 251 + 1));
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace halation::bench
