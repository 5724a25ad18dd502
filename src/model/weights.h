// weights.h: what is special about a filter's weights, and what each method could make of it.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "halation/filter.h"
#include "halation/plan.h"

namespace halation::model {

/// w[n − 1 − k] = w[k], = −w[k], or neither.
enum class Symmetry { none, even, odd };

/// "none", "even", "odd".
std::string_view name_of(Symmetry symmetry);

/// Facts about weights; real ones are compared to 2⁻⁴⁰ of the largest.
struct WeightFacts {
  FilterSize size;
  std::array<Symmetry, 3> symmetry{};  ///< along z, y, x
  bool integers = false;
  bool equal = false;  ///< all the same and not 0
  double sum = 0;
  bool separable = false;
  /// Of 2D weights; 1 where they are separable; none in 3D and where the shorter side is above `most_ranked`.
  std::optional<int> rank;
};

/// Rank takes about 30 n³ operations: some tenths of a second at this size.
inline constexpr std::int64_t most_ranked = 256;
/// Singular values up to this share of the largest are as good as rounding in f32.
inline constexpr double rank_tolerance = 0x1p-24;

/// `is_separable` is asked about dense weights that were not made from factors. A filter made from factors is
/// never multiplied out.
WeightFacts facts_of(const Filter& filter,
                     bool (*is_separable)(const FilterSize& size, const std::vector<double>& weights));

/// One way to compute a filter.
struct MethodWork {
  Method method = Method::direct;
  double operations = 0;  ///< per sample; a multiplication and an addition count 2
};

/// The methods that the weights allow, with n taps along each axis that has more than one:
///     direct     2 Π n
///     separable  2 Σ n, where the weights are a product of factors
///     low_rank   2 R (ny + nx) for 2D weights of rank 1 < R < min(ny, nx) / 2: a sum of R separable filters
///     box        2 per axis and 1, where all weights are equal: each pixel enters a running sum and leaves
///                it, and the last sum is scaled
std::vector<MethodWork> possible_methods(const WeightFacts& facts);

}  // namespace halation::model
