// arranged_weights.h: weights as the kernels of sums read them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/job.h"
#include "cpu/parts/kernels.h"

namespace halation::cpu_backend {

/// Whether weights sum up to 1, but for their own rounding.
inline bool sum_up_to_1(std::span<const double> weights) {
  return std::fabs(std::accumulate(weights.begin(), weights.end(), -1.0)) < 1e-9;
}

/// Changes the largest of some weights that sum up to 1, by a few units in the last place of 1 at most, so that sum_of_ones() is 1: what the
/// kernels make of them over pixels that are all 1. Each order of additions rounds differently.
template <class Sum, class SumOfOnes>
void keep_ones(std::span<Sum> weights, const SumOfOnes& sum_of_ones) {
  if (sizeof(Sum) > 4) return;
  constexpr int most_tries = 8;
  const auto magnitude = [](Sum a, Sum b) { return std::fabs(a) < std::fabs(b); };
  Sum& largest = *std::max_element(weights.begin(), weights.end(), magnitude);
  Sum best = largest, least = 1, share = 1, before = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    const Sum off = 1 - sum_of_ones();
    const Sum distance = off < 0 ? -2 * off : off;  // rather below 1, which many take for the largest that a pixel can be
    if (distance < least) {
      least = distance;
      best = largest;
    }
    if (least == 0) return;
    if (off * before < 0) share /= 2;  // the change before was too much
    before = off;
    largest += share * off;
  }
  largest = best;
}

/// Weights as the kernels read them: for one row, and, of filters of several rows, for `rows_at_once`.
template <class Sum>
class ArrangedWeights {
 public:
  ArrangedWeights() = default;
  ArrangedWeights(const std::vector<double>& weights, double gain, const Space& size) {
    for (const double weight : weights) one_.push_back(static_cast<Sum>(gain * weight));
    arrange(size);
  }
  /// The same, so that pixels that are all 1 stay 1 where the weights sum up to 1, as the kernels add them up `tap_stride` samples apart.
  ArrangedWeights(const std::vector<double>& weights, const Space& size, const Kernels<Sum>& kernels, std::int64_t tap_stride = 1)
      : ArrangedWeights(weights, 1, size) {
    constexpr std::size_t most_taps = 1024;
    if (one_.size() > most_taps || !sum_up_to_1(weights)) return;
    keep_ones<Sum>(one_, [&] {
      arrange(size);
      return sum_of_ones(size, kernels, tap_stride);
    });
    arrange(size);
  }
  const Sum* of(int rows) const { return (rows == 1 ? one_ : many_).data(); }

 private:
  Sum sum_of_ones(const Space& size, const Kernels<Sum>& kernels, std::int64_t tap_stride) const {
    constexpr std::int64_t n = 64;
    const int rows = size[1] > 1 ? rows_at_once : 1;
    const std::vector<Sum> ones(static_cast<std::size_t>(n + size[2] * tap_stride + line_slack), Sum(1));
    const std::vector<const Sum*> lines(static_cast<std::size_t>(size[0] * (size[1] + rows - 1)), ones.data());
    std::vector<Sum> sums(static_cast<std::size_t>(rows * (n + line_slack)));
    std::array<Sum*, rows_at_once> out{};
    for (int row = 0; row < rows; ++row) out[static_cast<std::size_t>(row)] = sums.data() + row * (n + line_slack);
    (rows == 1 ? kernels.correlate_row : kernels.correlate_rows)({.lines = lines.data(),
                                                                  .weights = of(rows),
                                                                  .planes = size[0],
                                                                  .taps_y = size[1],
                                                                  .taps_x = size[2],
                                                                  .tap_stride = tap_stride,
                                                                  .out = out.data(),
                                                                  .n = n});
    return sums.front();
  }

  void arrange(const Space& size) {
    many_.clear();
    for (std::int64_t z = 0; size[1] > 1 && z < size[0]; ++z) arrange(one_.data() + z * size[1] * size[2], size[1], size[2]);
  }
  /// Appends one plane: tap (j − row, x) at (j, x, row), 0 where there is none.
  void arrange(const Sum* plane, std::int64_t taps_y, std::int64_t taps_x) {
    const std::size_t begin = many_.size();
    many_.resize(begin + static_cast<std::size_t>((taps_y + rows_at_once - 1) * taps_x * rows_at_once));
    for (std::int64_t i = 0; i < taps_y * taps_x * rows_at_once; ++i) {
      const std::int64_t row = i % rows_at_once;
      const std::int64_t tap = i / rows_at_once;
      many_[begin + static_cast<std::size_t>((tap + row * taps_x) * rows_at_once + row)] = plane[tap];
    }
  }

  std::vector<Sum> one_, many_;
};

}  // namespace halation::cpu_backend
