// low_rank.h: finds the few products of factors that a filter is the sum of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/job.h"

namespace halation {

/// A sum of products of factors, those of the largest singular values, which are shared out between y and x; and how far it is from weights.
struct LowRank {
  std::vector<Term> terms;
  double residual = 0;  ///< ‖w − Σ y⊗x‖₁ / ‖w‖₁
};

/// Residuals up to this are as good as rounding: of sums in f32 one unit of their precision, in f64 eight, which terms have themselves.
inline double low_rank_tolerance(bool sum_f64) { return sum_f64 ? 0x1p-48 : 0x1p-24; }

/// The fewest terms whose residual is at most `tolerance`, of row-major weights; none where they are more than `most`, or all weights are 0.
/// By crosses of rows and columns through what is largest of the remainder (Gaussian elimination with complete pivoting), then the singular
/// value decomposition of their sum. Cost: `most` passes over the weights, and 30 · m · most² operations.
std::optional<LowRank> low_rank_of(std::int64_t columns, const std::vector<double>& weights, double tolerance, std::size_t most);

}  // namespace halation
