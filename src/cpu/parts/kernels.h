// kernels.h: the innermost loops, as a table of functions for one instruction set.
//
// All arithmetic happens on lines: rows of sums (f32 or f64) in scratch memory, aligned to 64 bytes and readable one vector past
// their end. Pixels become lines and lines become pixels in rows-inl.h; lines are filtered in correlate-inl.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/past_caches.h"
#include "halation/plan.h"

namespace halation::cpu_backend {

/// How a sum becomes a pixel: round(scale · sum + offset).
struct Finish {
  double scale = 1;
  double offset = 0;
  Rounding rounding = Rounding::half_even;
};

/// out[r][i] = Σ_p Σ_j Σ_k weights[p][j][k] · lines[p][r + j][i + k · tap_stride]   for i in [0, n).
template <class Sum>
struct Correlation {
  const Sum* const* lines;   ///< planes × (taps_y + rows − 1) pointers
  const Sum* weights;        ///< planes × (taps_y + rows − 1) × taps_x × rows: weight (p, j − r, k) at (p, j, k, r)
  std::int64_t planes;
  std::int64_t taps_y;
  std::int64_t taps_x;
  std::int64_t tap_stride;
  Sum* const* out;           ///< `rows` pointers
  std::int64_t n;
  /// As many pointers as `lines`, which the first `left` columns and the last `right` read, and up to Kernels::side_columns beside these.
  const Sum* const* side_lines = nullptr;
  std::int64_t left = 0, right = 0;
  /// planes × rows pointers, null where there is nothing: parts of the image as long as `out` that are wanted soon.
  const std::byte* const* ahead = nullptr;
  /// Write past the caches. One row has to begin on a cache line; several may begin anywhere where Kernels::shifts_rows, if they have
  /// 512 bytes and more.
  bool streams = false;
  // What follows is read where several rows are written past the caches.
  bool follows = false;     ///< the job to the left writes the cache line that its last columns share with this one's first
  std::int64_t beyond = 0;  ///< the last columns, which are the job's to the right: this one writes of them what fills its last cache line
  /// Room for a cache line, where each row ends in the one that the next row begins in: a row leaves here what it has of that line.
  Sum* joint = nullptr;
  bool after_row = false, before_row = false;  ///< whether a row of another job comes before the first one, or after the last
  /// Whether row `row` of `rows` begins in the line that the row before ends in, or ends in that which the next one begins in.
  bool joins_previous(int row) const { return joint != nullptr && (row > 0 || after_row); }
  bool joins_next(int row, int rows) const { return joint != nullptr && (row + 1 < rows || before_row); }
  // Hints, of which shifted rows follow only the first.
  bool takes_turns = false;  ///< blocks of distant columns: those beside each other would wait for each other (Crowded)
  bool by_halves = false;    ///< blocks of half as many rows, which read fewer lines
};

/// The pixel that is a sum already.
template <class Sum>
inline constexpr Pixel pixel_of = sizeof(Sum) == 4 ? Pixel::f32 : Pixel::f64;

/// Rows that `correlate_rows` makes at once: each loaded vector then serves up to as many sums.
inline constexpr int rows_at_once = 6;

/// Room that every line has behind its last sample, in elements: one vector of the widest instruction set.
inline constexpr std::int64_t line_slack = 16;

/// Elements of a cache line.
template <class Sum>
inline constexpr std::int64_t line_elements = cache_line_bytes / static_cast<std::int64_t>(sizeof(Sum));

/// Elements from the beginning of a cache line to `to`.
template <class Sum>
std::int64_t elements_behind_line(const Sum* to) {
  return bytes_behind_line(to) / static_cast<std::int64_t>(sizeof(Sum));
}

template <class Sum>
struct Kernels {
  const char* instruction_set;
  std::int64_t side_columns;  ///< beside those of Correlation::left and right that may read side lines: a block of sums, or a cache line
  bool shifts_rows;           ///< sums that go past the caches may begin on no cache line
  /// to[i] = the element `stride_bytes` · i after `from`. Indexed by Pixel; null for f64 where Sum is f32.
  std::array<void (*)(const std::byte* from, std::int64_t stride_bytes, Sum* to, std::int64_t n), 6> load;
  /// The pixel at `stride_bytes` · i after `to` = finished from[i]. Indexed by Pixel.
  std::array<void (*)(const Sum* from, const Finish& finish, std::byte* to, std::int64_t stride_bytes, std::int64_t n), 6> store;
  void (*correlate_row)(const Correlation<Sum>&);    ///< one row
  void (*correlate_rows)(const Correlation<Sum>&);   ///< `rows_at_once` rows of a filter of at least 2
  /// `rows_at_once` rows of which each has weights of its own for all lines: out[r][i] = Σ_j weights[j][r] · lines[j][i], j in
  /// [0, taps_y).
  void (*mix_lines)(const Correlation<Sum>&);
  bool (*all_finite)(const Sum* from, std::int64_t n);
  /// squares[i] += from[i]², and from squares to roots; in f64, where the square of no f32 overflows.
  void (*add_squares)(const Sum* from, double* squares, std::int64_t n);
  void (*roots)(const double* squares, Sum* to, std::int64_t n);
};

/// The table for the best instruction set of this machine.
template <class Sum>
const Kernels<Sum>& best_kernels();
template <> const Kernels<float>& best_kernels<float>();
template <> const Kernels<double>& best_kernels<double>();

}  // namespace halation::cpu_backend
