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
  /// The largest magnitude among n numbers; infinity where one is not finite.
  T (*largest)(const T* from, std::int64_t n);
  void (*scale)(T* line, T by, std::int64_t n);
  /// To whole numbers, the nearest, in place.
  void (*round)(T* line, std::int64_t n);
};

/// The table for the best instruction set of this machine.
template <class T>
const TransformKernels<T>& transform_kernels();
template <> const TransformKernels<float>& transform_kernels<float>();
template <> const TransformKernels<double>& transform_kernels<double>();

}  // namespace halation::cpu_backend
