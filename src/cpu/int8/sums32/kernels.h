// sums32_kernels.h: the innermost loops of filters over 8 bits in fixed point, as a table of functions for one instruction set.
//
// All of them multiply pairs of 16-bit whole numbers by pairs of weights and add both products to a sum of 32 bits, which is
// what one instruction does (vpdpwssd, or vpmaddwd and vpaddd). Two rows of pixels make a line of pairs; so an output row whose
// filter begins at the second row of a pair takes the same pairs by other weights, and a filter of k rows takes (k + 1) / 2 of
// them, k made odd by a row of zeros.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "halation/plan.h"

namespace halation::cpu_backend {

/// Output rows that are made at once; even, so that pairs of rows begin where they began before.
inline constexpr int int8_rows_at_once = 6;

/// Samples that the kernels may read behind the last one of a line in scratch memory.
inline constexpr std::int64_t int8_slack = 256;

/// Rows of pixels in the image, behind which nothing may be read, have at least so many samples.
inline constexpr std::int64_t int8_least_row = 64;

/// round(factor · sum + offset) as a pixel; smaller in magnitude than 2^30 before it is saturated. Where `shifts`, (sum + bias) >>
/// shift instead, which takes one instruction for three.
struct Sums32Finish {
  float factor = 1;
  float offset = 0;
  Rounding rounding = Rounding::half_even;
  bool shifts = false;
  int shift = 0;
  std::int32_t bias = 0;
};

/// Two whole numbers of 16 bits, the first in the lower half.
inline std::int32_t pair_of(std::int32_t first, std::int32_t second) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(second) << 16 | (static_cast<std::uint32_t>(first) & 0xffff));
}

/// out[r][i] = finished Σ_p Σ_j Σ_k weights[p][j][k][r] · lines[p][j][i + k · tap_stride]   for i in [0, n), r in [0,
/// int8_rows_at_once).
struct Sums32Direct {
  const std::int32_t* const* lines;  ///< planes × (pairs + int8_rows_at_once / 2 − 1) lines of pairs
  const std::int32_t* weights;       ///< as many × taps_x × int8_rows_at_once pairs
  std::int64_t planes;
  std::int64_t pairs;  ///< of rows of the filter, for each output row
  std::int64_t taps_x;
  std::int64_t tap_stride;
  std::byte* const* out;
  std::int64_t n;
  Sums32Finish finish;
  bool streams;
  std::array<const std::uint8_t*, int8_rows_at_once> ahead = {};  ///< rows of n that are asked for meanwhile; null: none
};

/// out[r][i] = (Σ_j weights[j][r] · (rows[2 j][i], rows[2 j + 1][i]) + half) >> shift   for i in [0, n), half = 2^(shift − 1)
/// or 0.
struct Sums32Columns {
  const std::uint8_t* const* rows;  ///< 2 · (pairs + int8_rows_at_once / 2 − 1)
  const std::int32_t* weights;      ///< pairs + int8_rows_at_once / 2 − 1 times int8_rows_at_once
  std::int64_t pairs;
  std::int16_t* const* out;
  std::int64_t n;
  int shift;
};

/// out[i] = finished Σ_k weight[k] · line[i + k · tap_stride]   for i in [0, n).
struct Sums32Row {
  const std::int16_t* line;
  const std::int32_t* weights;  ///< pairs of taps, two kinds in turn: from the first tap on, and from 0 and the first tap on
  std::int64_t pairs;
  std::int32_t* line_of_pairs;  ///< room for as many as the line has samples
  std::int64_t tap_stride;
  std::byte* out;
  std::int64_t n;
  Sums32Finish finish;
  bool streams;
  const std::uint8_t* ahead = nullptr;
};

/// Pixels that come out: u8 and i16.
template <class Kernel>
struct ForPixels {
  void (*u8)(const Kernel&);
  void (*i16)(const Kernel&);
  auto of(Pixel pixel) const { return pixel == Pixel::u8 ? u8 : i16; }
};

struct Sums32Kernels {
  const char* instruction_set;
  /// pairs[i] = (first[i], second[i]).
  void (*pair_up)(const std::uint8_t* first, const std::uint8_t* second, std::int32_t* pairs, std::int64_t n);
  ForPixels<Sums32Direct> direct;
  void (*columns)(const Sums32Columns&);
  bool reads_lines_in_steps;  ///< `columns` reads a cache line of all rows several times
  ForPixels<Sums32Row> row;
};

/// The table for the best instruction set of this machine, or without VNNI; null where there is none that multiplies pairs.
const Sums32Kernels* best_sums32_kernels(bool vnni = true);

}  // namespace halation::cpu_backend
