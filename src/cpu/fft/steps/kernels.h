// kernels.h: the innermost loops of transforms, as a table of functions for one instruction set.
//
// Complex numbers lie as real parts and imaginary parts, apart: whole rows of either, or vectors of either in turn. Transforms take as
// many columns at once as a vector has lanes, so that all arithmetic is of whole vectors.
#pragma once

#include <cstdint>

#include "cpu/fft/steps/axis.h"

namespace halation::cpu_backend {

/// Columns of complex numbers: point k of lane l is re[k · stride + l] + i · im[k · stride + l]. Roots of unity that points are multiplied
/// by before the way forth, and divided by after the way back, may come with them.
template <class T>
struct Columns {
  T* re;
  T* im;
  std::int64_t stride;
  const T* twist = nullptr;  ///< real and imaginary part for each point, or null
};

/// What numbers are like.
template <class T>
struct Extremes {
  T largest = 0;  ///< magnitude; infinity where one is not finite
  bool any_negative = false, any_positive = false;
};

/// Rows that are summed at once, at most.
inline constexpr std::int64_t most_rows_together = 64;

/// What rows under one another have in their parts.
template <class T>
struct PartSums {
  T least = 0;     ///< sum of squares of a part
  double all = 0;  ///< sum of all squares, of some twice where parts overlap
  bool any_negative = false, any_positive = false;
};

/// Samples of one value side by side in a row, far above all others of their tile.
template <class T>
struct Outliers {
  T value;
  std::int32_t y, begin, end;
};

/// Rows of a filter's weights, `pitch` apart: at −k the sum of the first k, for a vector beyond either end as well.
template <class T>
struct WeightSums {
  const T* sums;
  std::int64_t pitch, taps;
};

template <class T>
struct TransformKernels {
  std::int64_t lanes;
  /// Of `vectors` vectors of columns, side by side.
  void (*forward)(const TransformAxis<T>&, const Columns<T>&, std::int64_t vectors);
  void (*inverse)(const TransformAxis<T>&, const Columns<T>&, std::int64_t vectors);
  /// As many rows as lanes, `pitch` apart, from or to columns of `stride`: whole vectors, so that n is rounded up.
  void (*to_columns)(const T* rows, std::int64_t pitch, std::int64_t n, T* columns, std::int64_t stride);
  void (*to_rows)(const T* columns, std::int64_t stride, std::int64_t n, T* rows, std::int64_t pitch);
  /// to = a · b, and to = a · conj(b), of `count` pairs of vectors, real and imaginary.
  void (*multiply)(const T* a, const T* b, T* to, std::int64_t count);
  void (*multiply_conj)(const T* a, const T* b, T* to, std::int64_t count);
  /// Of a row of n numbers: times one, or to itself.
  void (*multiply_row)(const T* re, const T* im, T by_re, T by_im, T* to_re, T* to_im, std::int64_t n);
  Extremes<T> (*extremes)(const T* from, std::int64_t n);
  /// Of rows of n numbers under one another, in parts of columns no longer than `most`, which cover them.
  PartSums<T> (*part_sums)(const T* const* rows, std::int64_t count, std::int64_t n, std::int64_t most);
  /// The sum of (scale · x)², in f64.
  double (*sum_of_squares)(const T* from, double scale, std::int64_t n);
  /// The sum of products, in f64.
  double (*dot)(const T* a, const double* b, std::int64_t n);
  /// Numbers from a magnitude on, of a line that begins at (x, y), those of one value side by side as one: how many; they themselves, 0
  /// being left in their place.
  std::int64_t (*count_outliers)(const T* line, std::int64_t n, T from);
  void (*take_outliers)(T* line, std::int64_t n, T from, std::int32_t x, std::int32_t y, Outliers<T>* to);
  /// Adds outliers times weights to the sums of n windows that begin at (x, y) and behind it. Whole vectors are written.
  void (*add_outliers)(const Outliers<T>* from, std::int64_t count, std::int64_t x, std::int64_t y, const WeightSums<T>& weights, T* sums,
                       std::int64_t n);
  /// Leaves out numbers from a magnitude on, or that are none: 0 in their place, and `mark::gone`, or marks of infinities where these are to
  /// be told apart; `mark::zero` elsewhere. Whether there is an infinity.
  bool (*leave_out)(T* line, std::int64_t n, T gone_from, bool tells_infinities, std::uint8_t* marks);
  /// Adds marks of what is left.
  void (*mark_samples)(const T* line, std::int64_t n, T strong_from, std::uint8_t* marks);
  /// Sums by windows: 0 where these hold only zeros, infinities and NaN where they hold such, and 0 where they hold nothing strong; how many
  /// these are.
  std::int64_t (*put_by_windows)(const std::uint8_t* windows, std::int64_t n, T* sums);
  void (*scale)(T* line, T by, std::int64_t n);
  /// To numbers from `low` to `high`; to these and others times one.
  void (*clamp)(const T* from, T low, T high, T* to, std::int64_t n);
  void (*clamp_and_add)(const T* from, T low, T high, const T* others, T by, T* to, std::int64_t n);
  /// To whole numbers, the nearest, in place.
  void (*round)(T* line, std::int64_t n);
};

/// The table for the best instruction set of this machine.
template <class T>
const TransformKernels<T>& transform_kernels();
template <> const TransformKernels<float>& transform_kernels<float>();
template <> const TransformKernels<double>& transform_kernels<double>();

/// Of windows.h's bytes.
struct MarkKernels {
  /// What a sample is becomes what a window of one sample has.
  void (*begin_windows)(std::uint8_t* marks, std::int64_t n);
  /// Each of n windows joins what the one `apart` behind it has.
  void (*join_windows)(std::uint8_t* marks, std::int64_t apart, std::int64_t n);
  /// Bits of those of n bytes that have `value` where `mask` has bits; whole words, zeros behind the last.
  void (*bits_of)(const std::uint8_t* marks, std::int64_t n, std::uint8_t mask, std::uint8_t value, std::uint64_t* bits);
  /// Puts bits into bytes: has_positive_infinity and has_negative_infinity.
  void (*put_products)(std::uint8_t* marks, std::int64_t n, const std::uint64_t* positive, const std::uint64_t* negative);
};
const MarkKernels& mark_kernels();

}  // namespace halation::cpu_backend
