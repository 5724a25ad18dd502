// weights.h: the filters of cases, drawn by kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "halation/filter.h"

namespace halation::sweep {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t count) { return random() % count; }
inline double uniform(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

inline constexpr std::size_t weight_kinds = 12;
inline constexpr std::size_t first_equal_kind = 7;  ///< whole and real weights, all equal along each axis
inline constexpr std::size_t smooth_kind = 9;       ///< Gaussians that reach four sigma, which lower rates may stand for
inline constexpr std::size_t low_rank_kind = 10;    ///< dense, a sum of two to four products along y and x
inline constexpr std::size_t faint_kind = 11;       ///< dense, few of the size of 1 or a product of factors, amid 1e-60 to 1e-8 of any sign

/// Weights of one kind. Integers are kept where the kind says so.
Filter make_filter_of(std::size_t kind, const FilterSize& size, Random& random);

/// Whether all weights of a kind are integers.
inline bool has_integer_weights(std::size_t kind) { return kind == 0 || kind == 3 || kind == 6 || kind == first_equal_kind; }
/// Whether all weights of a kind are equal along each axis: sums of any number of them cost the same.
inline bool has_equal_weights(std::size_t kind) { return kind == first_equal_kind || kind == first_equal_kind + 1; }

/// Dense weights that are the sum of so many products of bells.
Filter filter_of_rank(std::size_t rank, const FilterSize& size, Random& random);

}  // namespace halation::sweep
