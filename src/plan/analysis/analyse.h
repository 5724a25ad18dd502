// analyse.h: what the weights of a filter allow: factors, exact sums, error bounds.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "core/job.h"
#include "core/transform.h"

namespace halation {

/// Those along z, y and x, in this order.
using FactorArray = std::array<std::vector<double>, 3>;

/// The best product of factors found for dense weights, and how far it is from them.
struct Separation {
  FactorArray factors;
  double difference = 0;    ///< ‖w − z⊗y⊗x‖₁
  double residual = 0;      ///< that / ‖w‖₁
  bool keeps_faint = true;  ///< each weight has the sign of its product, and is within 1/1024 of it: also those far below the largest
};

/// Finds z ⊗ y ⊗ x through the largest weight: exact for every filter that is such a product; integer weights get integer factors.
/// None where all weights are 0. Cost: a few passes over the weights.
std::optional<Separation> separate(const Space& size, const std::vector<double>& weights);

/// Factors of the same product, none of which makes sums larger only for another to make them smaller: no product of some of their sums of
/// magnitudes is above 1 and above that of all. So sums along some axes overflow no sooner than the sum of all. Axes of one tap get
/// weight 1, and the longest axis their weight, where f64 holds it.
FactorArray balanced(FactorArray factors);

/// The same where pixels may not be finite, or factors are so far from 1 that f32 may not hold their sums of integers; else as they are.
FactorArray balanced_for(const Job& job, FactorArray factors);

/// Where pixels may be infinite, raises weights, factors and products of a box's factors that the sums' precision cannot hold, by
/// themselves or times the scale, to the least that it can: 0 would make NaN.
void keep_infinities(Taps& taps, const Job& job);

/// Whether the weights of each factor are one number, each factor's its own: what makes a box.
bool all_equal(const FactorArray& factors);

/// Residuals up to this are as good as rounding: one unit of the sums' precision.
double separable_tolerance(bool sum_f64);

/// Largest magnitude that an integer input, or a constant around it, can have; none for floats.
std::optional<double> largest_input(const Job& job);

/// Whether sums round nothing: whole weights (or factors) and pixels, and no sum of them beyond what the sums' precision holds.
bool sums_are_exact(const Taps& taps, double sum_of_magnitudes, const Job& job);

/// |error| ≤ min(relative · max|x|, most) + absolute + approximation · max|x|, before rounding to the output pixel.
struct ErrorBound {
  double relative = 0;
  double absolute = 0;
  double most = std::numeric_limits<double>::infinity();  ///< for any input that integer pixels can hold
  double approximation = 0;  ///< what is left out of the filter on purpose, over max|x|

  double at(double max_abs) const { return of_rounding(max_abs) + approximation * max_abs; }
  double of_rounding(double max_abs) const { return std::min(most, relative * max_abs) + absolute; }  // ∞ · 0 is not the less
};

/// Of weights whose sum overflows: nothing is known.
inline ErrorBound no_bound() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {.relative = infinity, .absolute = infinity};
}

/// The bound for one filter as the job will compute it: with u half a unit in the last place of 1 and S(j) the
/// sum of the j largest |w|, of n that are not 0,
///     direct          (S(1) + … + S(n) + 12 S(n)) · u / (1 − (n + 12) u)
///     separable, box  the product of the factors' S(n), times (d + 12) · u / (1 − (n + 12) u), d the sum of the
///                     factors' (S(1) + … + S(n)) / S(n), n the number of all their weights
/// plus what the factors leave out of the weights. 12 stand for all that is no addition. Equal weights count
/// (n + 1) / 2 additions, a weight that outweighs all others nearly n.
///
/// Proof. A term that k roundings meet is off by k u / (1 − k u) of itself at most (Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd ed., section 3.1), k ≤ n + 12. Σ|w| · (additions that the term meets)
/// is the sum, over all additions, of the |w| of the terms in their results. In whatever order and tree they
/// are made, the j-th has j + 1 terms in its result at most, of which no |w| sum to more than S(j + 1): in all
/// S(2) + … + S(n), and S(1) for a multiply-add to nothing; a weight of 0 adds nothing. Along axes, additions
/// along one are as many for all terms of another, so their means add. ∎ Methods must add each term of a sum
/// once, in any tree, so never subtract what has left a window, and sum separable filters and boxes by axes.
///
/// `most` is for a direct filter over integers in f32. An addition is off by u times the largest power of 2 not
/// above its result at most, the result of the j-th is S(j + 1) · max|x| / (1 − (n + 12) u) at most, and such
/// errors are added to the sum as they are: this power stands in place of each S(j) · max|x|.
///
/// `absolute` counts what is lost where numbers too small to be normal are taken as 0, as the CPU does: of each pixel the least
/// normal number of its kind, times its weight; that of the sums once in each product and each addition, and in each weight; and
/// one in the result. Where they are not, a product is off by half of the least number of all, which is less.
ErrorBound error_bound(const Taps& taps, double magnitudes, double residual, const Job& job);

/// The bound for one filter by transforms (core/transform.h), whose sums are rounded to whole numbers where they are such: no error then
/// where they are less than half off. Elsewhere such rounding at most doubles it. Numbers too small to be normal that are taken as 0 on
/// the way are less than one rounding: tiles far from 1 are scaled to it. Where factors are given and the backend may go by them, it counts
/// that as well.
ErrorBound error_bound_of_transforms(const Taps& taps, double magnitudes, double residual, const TransformFacts& facts, const Job& job);

/// The bound for one filter by products of matrices (core/banded.h): sums in whole weights are exact, become f32, and are multiplied and
/// offset; and what the weights leave out. Over floats what tf32 leaves out, and tensor cores cut off, is the approximation.
ErrorBound error_bound_of_banded(const Banded& banded, double magnitudes, const Job& job);

/// The bound for one filter as a sum of products of factors: along x a term is summed behind those before it, so it is one product of as
/// many more additions; the magnitudes of terms, which may cancel, can be more than those of the weights. And what they leave out of Σ|w|.
ErrorBound error_bound_of_low_rank(const Taps& taps, double magnitudes, double residual, const Job& job);

/// The bound for one filter at a lower rate (core/multirate.h): a term meets the roundings of |down| + |taps| + m additions an axis at
/// most, and what all terms sum up to is no more than the taps' magnitudes, since `down` and `up` are positive and sum up to 1; the rest
/// as above. And what the approximation leaves out.
ErrorBound error_bound_of_multirate(const Taps& taps, const Job& job);

}  // namespace halation
