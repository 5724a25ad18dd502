// analyse.h: what the weights of a filter allow: factors, exact sums, error bounds.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/job.h"

namespace halation {

/// z, y, x.
using Factors = std::array<std::vector<double>, 3>;

/// The best product of factors found for dense weights, and how far it is from them.
struct Separation {
  Factors factors;
  double residual = 0;  ///< ‖w − z⊗y⊗x‖₁ / ‖w‖₁
};

/// Finds z ⊗ y ⊗ x through the largest weight: exact for every filter that is such a product; integer weights get integer factors.
/// None where all weights are 0. Cost: a few passes over the weights.
std::optional<Separation> separate(const Space& size, const std::vector<double>& weights);

/// Whether the weights of each factor are one number, each factor's its own: what makes a box.
bool all_equal(const Factors& factors);

/// Residuals up to this are as good as rounding: one unit of the sums' precision.
double separable_tolerance(bool sum_f64);

/// Whether sums round nothing: whole weights (or factors) and pixels, and no sum of them beyond what the sums' precision holds.
bool sums_are_exact(const Taps& taps, double sum_of_magnitudes, const Job& job);

/// |error| ≤ relative · max|x| + absolute, before rounding to the output pixel.
struct ErrorBound {
  double relative = 0;
  double absolute = 0;
};

/// The bound for one filter as the job will compute it: n roundings a term give γ(n) = n·u / (1 − n·u), with
/// u half a unit in the last place of 1 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
/// section 3.1), times Σ|w|, plus what the factors leave out of the weights. With kz, ky and kx taps along
/// the axes n is, beside 12 for all that is no addition,
///     direct     kz · ky · kx: additions in a row, each of which rounds what came before it
///     separable  kz + ky + kx: additions in a row along one axis after the other
///     box        kz + ky + kx + 8: each pixel is multiplied by the weight once, and then only added
///
/// The additions of a box may form any tree in which no pixel passes through more of them. Prefix and suffix
/// sums along an axis do: a pixel passes through k − 1 additions of one of them at most, and through the one
/// that joins the two; 8 are left for sums of groups. Done as a separable filter, a box has the n of one.
///
/// Where numbers are too small to be normal, additions are exact and a product is off by half of the least
/// number: a box makes kz · ky · kx products, or such as come between axes.
ErrorBound error_bound(const Taps& taps, double sum_of_magnitudes, double residual, const Job& job);

}  // namespace halation
