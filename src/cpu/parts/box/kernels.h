// kernels.h: the innermost loops of windows of equal weights, as a table of functions for one instruction set.
//
// Lines are scratch: aligned to 64 bytes, and a vector past their end may be read and, where this is not excluded, written. Those
// of Columns and BoxRow may be rows of the image, on any boundary, and nothing past their end is touched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/parts/kernels.h"
#include "cpu/parts/multiplier.h"

namespace halation::cpu_backend {

/// A step towards the sums of windows: from those of shorter windows side by side, and single samples behind them.
///     out[i] = Σ_j shorter[i + j · shorter_shift] + weight · Σ_j samples[i + j · samples_shift]   for i in [0, n).
/// Integers have no weight. Writes a vector past the end.
template <class In, class Out>
struct BoxStep {
  const Out* shorter;
  std::int64_t shorter_shift;
  const In* samples;
  std::int64_t samples_shift;
  Out weight;
  Out* out;
  std::int64_t n;
};

/// The most single samples that a step adds to none, to two and to three shorter windows; a fifth would cost more than another
/// step.
inline constexpr int most_first_samples = 4;
inline constexpr int most_windows = 3;

template <class In, class Out>
struct BoxSteps {
  using Step = void (*)(const BoxStep<In, Out>&);
  std::array<Step, most_first_samples + 1> first;                               ///< by samples, of which there is one at least
  std::array<std::array<Step, most_windows>, most_windows + 1> joined;  ///< by windows, 2 or 3, and samples, fewer than windows
};

/// A row of sums of windows of samples side by side: out[i] = weight · Σ_j samples[i + j]   for i in [0, n). Reads and writes
/// nothing beyond.
template <class Sum>
struct BoxRow {
  const Sum* samples;
  Sum weight;
  Sum* out;
  std::int64_t n;
  bool streams;  ///< past the caches, where `out` is on vectors' boundaries
};

/// The most taps of windows that are summed in one pass.
inline constexpr int most_row_taps = 32;

/// out[r][i] = weight · Σ_j lines[r + j][i], j from 0 to taps − 1. Reads nothing beyond n, of lines of a vector or more.
template <class Sum>
struct Columns {
  const Sum* const* lines;  ///< taps + rows − 1
  Sum weight;
  Sum* const* out;
  std::int64_t taps;
  std::int64_t n;
  bool streams;  ///< past the caches, where `out` is on vectors' boundaries
  bool in_place = false;  ///< the lines are rows of the image
  std::array<const Sum*, rows_at_once> ahead = {};  ///< of `columns`: rows of n that will be read next and are asked for meanwhile
};

/// Rows of one block of windows: suffix sums of the block and, in `prefix`, those of the next block's rows.
///     prefix += newer[r];  out[r] = suffixes[r] + prefix
template <class Sum>
struct Joined {
  const Sum* const* suffixes;
  const Sum* const* newer;
  Sum* const* out;
  Sum* prefix;
  int rows;
  bool starts;  ///< the first row is that of the whole block, to which nothing is added
  std::int64_t n;
  bool streams;
  std::array<const Sum*, rows_at_once> ahead;  ///< as many as `rows`
};

template <class Sum>
struct BoxKernels {
  BoxSteps<Sum, Sum> steps;
  /// By taps, 2 or more; null where there is none.
  std::array<void (*)(const BoxRow<Sum>&), most_row_taps + 1> box_rows;
  std::int64_t most_rows_alike;  ///< lines that `columns` reads about as fast where they lie alike
  void (*column)(const Columns<Sum>&);   ///< one row
  void (*columns)(const Columns<Sum>&);  ///< `rows_at_once` rows
  /// lines[j] = Σ of lines[j … count − 1].
  void (*suffixes)(Sum* const* lines, std::int64_t count, std::int64_t n);
  void (*join)(const Joined<Sum>&);
};

template <class Sum>
const BoxKernels<Sum>& best_box_kernels();
template <> const BoxKernels<float>& best_box_kernels<float>();
template <> const BoxKernels<double>& best_box_kernels<double>();

/// How a sum of pixels becomes an element: round(factor · sum + offset), in f32, or by a multiplier, which is for sums of 16 bits and
/// bytes alone.
struct IntegerFinish {
  double factor = 1;
  double offset = 0;
  Rounding rounding = Rounding::half_even;
  Multiplier multiplier = {};
};

/// A row of running sums, which another row enters and one leaves after outputs have been made of them:
///     sums += newer;  out = finished from sums;  sums −= older
template <class Row, class Sum>
struct Slide {
  const Row* newer;
  const Row* older;
  Sum* sums;       ///< in an order of the kernel's own, up to a vector past the end
  std::byte* out;  ///< packed elements; null: none
  std::int64_t n;
  IntegerFinish finish;
  bool streams;  ///< past the caches, where `out` is on vectors' boundaries
};

/// A row of bytes whose running sums over y become outputs as windows along x, which stay in registers:
///     columns += newer;  out[i] = finished from Σ_j columns[i + j];  columns −= older
/// Reads and writes nothing beyond, but for up to 172 samples behind `columns`.
struct SlideRow {
  const std::uint8_t* newer;  ///< n + taps − 1
  const std::uint8_t* older;
  std::uint16_t* columns;
  std::uint8_t* out;
  std::int64_t n;
  Multiplier by;
  bool streams;  ///< past the caches, where `out` is on vectors' boundaries
};

/// Pixels, sums along a row, running sums of rows. Sums of 16 bits have no sign.
template <class In, class Row, class Sum>
struct BoxIntegerKernels {
  BoxSteps<In, Row> steps;
  BoxSteps<Row, Row> steps_of_sums;
  void (*add)(const In* from, Row* sums, std::int64_t n);  ///< sums[i] += from[i]
  /// By the pixel that is written, integers; f32 and f64 are lines of factor · sum. Null for f16.
  std::array<void (*)(const Slide<Row, Sum>&), 6> slide;
  /// By taps along x; null where there is none.
  std::array<void (*)(const SlideRow&), most_row_taps + 1> slide_rows;
};

template <class In, class Row, class Sum>
const BoxIntegerKernels<In, Row, Sum>& best_box_integer_kernels();
#define HALATION_WHOLE_BOXES(USE)                                \
  USE(u8_16_16, std::uint8_t, std::uint16_t, std::uint16_t)      \
  USE(u8_16_32, std::uint8_t, std::uint16_t, std::int32_t)       \
  USE(u8_32_32, std::uint8_t, std::int32_t, std::int32_t)        \
  USE(u16_32_32, std::uint16_t, std::int32_t, std::int32_t)      \
  USE(i16_32_32, std::int16_t, std::int32_t, std::int32_t)
#define HALATION_DECLARE(name, In, Row, Sum) \
  template <> const BoxIntegerKernels<In, Row, Sum>& best_box_integer_kernels<In, Row, Sum>();
HALATION_WHOLE_BOXES(HALATION_DECLARE)
#undef HALATION_DECLARE

}  // namespace halation::cpu_backend
