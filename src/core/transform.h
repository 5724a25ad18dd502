// transform.h: what a job done by transforms rounds: what backends say of theirs, and the bound that follows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/finite.h"
#include "core/job.h"

namespace halation {

/// Of the tiles that a backend cuts for filters by transforms.
struct TransformFacts {
  double samples = 1;    ///< of the input in a tile, what lies outside among them
  double roundings = 0;  ///< that a term meets on its way: to its spectrum, by the product, and back; see below
  /// The same of one axis after the other, where filters that are products of factors may be done so; else 0.
  double axis_samples = 0, axis_roundings = 0;
};

/// Roundings of one complex product with a root of unity that is itself rounded: √2 · 2 for the product (Higham, Lemma 3.5), 1 for the
/// root; in whole numbers.
inline constexpr double roundings_of_twiddle = 4;

/// Roundings of one pass of radix 2, 3, 4, 5 or 8, without its twiddles, in units of half an ulp of the norm that passes through.
/// Radix 2, 4, 8 are one, two, three levels of sums a ± b, each of which rounds its result once; radix 8 has products with √½ too,
/// of a sum: its rounding, the constant's and the product's. Radix 3 and 5 are sums of products of 3 and 5 terms with 5 and 6 roundings
/// on the longest way, beside the norm of the pass √3 and √5 times as large.
inline double roundings_of_pass(int radix) {
  switch (radix) {
    case 2: return 1;
    case 3: return 9;
    case 4: return 2;
    case 5: return 14;
    default: return 6;
  }
}

/// How far one sum by transforms is off, over the largest |x|: roundings · u · ‖w‖₂ · √samples, u half a unit in the last place of 1.
///
/// Proof. Let F be the transform of N points, ŵ and x̂ what it makes of weights and samples: y[n] = 1/N Σ_k ŵ_k x̂_k e^{…}. Each pass of
/// the way forth gives (P + Δ) v for P v, ‖Δ v‖₂ ≤ c u ‖P v‖₂, c its roundings above (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., section 24.1, for radix 2): all together ‖δx̂‖₂ ≤ ρ u ‖x̂‖₂, ρ the sum of the c, and likewise ŵ; the product adds
/// its own. So y[n] is off by 1/N ‖ŵ‖₂ ‖δx̂‖₂ at most (Cauchy and Schwarz), which is ρ u ‖w‖₂ ‖x‖₂. The way back is a sum of the N
/// products in a tree in which each meets ρ' roundings: off by ρ' u / N Σ_k |ŵ_k x̂_k| ≤ ρ' u ‖w‖₂ ‖x‖₂. And ‖x‖₂ ≤ √samples · max|x|. ∎
/// It is norm-wise, of the tile: a star of 10⁶ lets sky of 1 beside it be off by 10⁶ times as much as sky alone.
inline double transform_error(const std::vector<double>& weights, const TransformFacts& facts, bool sum_f64) {
  const double u = sum_f64 ? 0x1p-53 : 0x1p-24;
  double squares = 0;
  for (const double w : weights) squares += w * w;
  const double growth = 1 / (1 - std::min(0.5, facts.roundings * u));
  return facts.roundings * u * growth * std::sqrt(squares) * std::sqrt(facts.samples);
}

/// The same of factors along one axis after the other, each by transforms or by sums: what they are off along one axis, times what the
/// others make of it.
inline double transform_error_by_axes(const std::array<std::vector<double>, 3>& factors, const TransformFacts& facts, bool sum_f64) {
  const TransformFacts of_axis{.samples = facts.axis_samples, .roundings = facts.axis_roundings};
  const double u = sum_f64 ? 0x1p-53 : 0x1p-24;
  double exact = 1, off = 1;
  for (const std::vector<double>& factor : factors) {
    double magnitudes = 0;
    for (const double w : factor) magnitudes += std::fabs(w);
    exact *= magnitudes;
    off *= magnitudes * (1 + 2 * u * static_cast<double>(factor.size() + 1)) + (factor.size() > 1 ? transform_error(factor, of_axis, sum_f64) : 0);
  }
  return off - exact;
}

/// Whether these whole numbers are the right ones, whatever the pixels: tiles are off by less than one half.
inline bool whole_sums_are_exact(const Job& job, const std::vector<double>& weights, const TransformFacts& facts) {
  return facts.samples > 0 && sums_are_whole(job, weights) && transform_error(weights, facts, job.sum_f64) * largest_integer(job) < 0.5;
}

}  // namespace halation
