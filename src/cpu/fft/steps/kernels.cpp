// fft/steps/kernels.cpp: the tables of all instruction sets, and the choice at run time.
#include "cpu/fft/steps/kernels.h"

#include "cpu/fft/windows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/fft/steps/kernels.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "cpu/fft/steps/butterflies-inl.h"
#include "cpu/fft/steps/transform-inl.h"
#include "cpu/fft/steps/turn-inl.h"
#include "cpu/fft/steps/look-inl.h"
#include "cpu/fft/steps/marks-inl.h"
#include "cpu/fft/steps/outliers-inl.h"

template <bool conj, class T>
void multiply(const T* a, const T* b, T* to, std::int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; ++i, a += 2 * lanes, b += 2 * lanes, to += 2 * lanes) {
    const auto re = hn::LoadU(d, a), im = hn::LoadU(d, a + lanes);
    const auto c = hn::LoadU(d, b), s = hn::LoadU(d, b + lanes);
    if constexpr (conj) {
      hn::StoreU(hn::MulAdd(im, s, hn::Mul(re, c)), d, to);
      hn::StoreU(hn::NegMulAdd(re, s, hn::Mul(im, c)), d, to + lanes);
    } else {
      hn::StoreU(hn::NegMulAdd(im, s, hn::Mul(re, c)), d, to);
      hn::StoreU(hn::MulAdd(re, s, hn::Mul(im, c)), d, to + lanes);
    }
  }
}

template <class T>
void multiply_row(const T* re, const T* im, T by_re, T by_im, T* to_re, T* to_im, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto c = hn::Set(d, by_re), s = hn::Set(d, by_im);
  for (std::int64_t i = 0; i < n; i += lanes) {
    const auto x = hn::LoadU(d, re + i), y = hn::LoadU(d, im + i);
    hn::StoreU(hn::NegMulAdd(y, s, hn::Mul(x, c)), d, to_re + i);
    hn::StoreU(hn::MulAdd(x, s, hn::Mul(y, c)), d, to_im + i);
  }
}

template <class T>
void scale(T* line, T by, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) line[i] *= by;
}

template <class T>
void clamp(const T* from, T low, T high, T* to, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto least = hn::Set(d, low), most = hn::Set(d, high);
  const auto vector = [&](std::int64_t i) { hn::StoreU(hn::Min(hn::Max(hn::LoadU(d, from + i), least), most), d, to + i); };
  if (n >= lanes) {
    // The first and the last overlap the others, which are written where vectors in memory begin: one that reaches over a cache line's end is
    // written in two.
    vector(0);
    const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(T)) % lanes;
    for (std::int64_t i = lanes - past; i + lanes <= n; i += lanes) vector(i);
    vector(n - lanes);
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) to[i] = std::min(std::max(from[i], low), high);
}

template <class T>
void clamp_and_add(const T* from, T low, T high, const T* others, T by, T* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = std::min(std::max(from[i], low), high) + others[i] * by;
}

template <class T>
void round(T* line, std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Round(hn::LoadU(d, line + i)), d, line + i);
  for (; i < n; ++i) line[i] = std::nearbyint(line[i]);
}

template <class T>
TransformKernels<T> make_table() {
  return {.lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>())),
          .forward = forward<T>,
          .inverse = inverse<T>,
          .to_columns = to_columns<T>,
          .to_rows = to_rows<T>,
          .multiply = multiply<false, T>,
          .multiply_conj = multiply<true, T>,
          .multiply_row = multiply_row<T>,
          .extremes = extremes<T>,
          .part_sums = part_sums<T>,
          .sum_of_squares = sum_of_squares<T>,
          .dot = dot<T>,
          .count_outliers = count_outliers<T>,
          .take_outliers = take_outliers<T>,
          .add_outliers = add_outliers<T>,
          .leave_out = leave_out<T>,
          .mark_samples = mark_samples<T>,
          .put_by_windows = put_by_windows<T>,
          .scale = scale<T>,
          .clamp = clamp<T>,
          .clamp_and_add = clamp_and_add<T>,
          .round = round<T>};
}

const TransformKernels<float>* transforms_f32() {
  static const TransformKernels<float> table = make_table<float>();
  return &table;
}

const TransformKernels<double>* transforms_f64() {
  static const TransformKernels<double> table = make_table<double>();
  return &table;
}

const MarkKernels* marks() {
  static const MarkKernels table{.begin_windows = begin_windows, .join_windows = join_windows, .bits_of = bits_of, .put_products = put_products};
  return &table;
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halation::cpu_backend {

HWY_EXPORT(transforms_f32);
HWY_EXPORT(transforms_f64);
HWY_EXPORT(marks);

template <>
const TransformKernels<float>& transform_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(transforms_f32)();
}

template <>
const TransformKernels<double>& transform_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(transforms_f64)();
}

const MarkKernels& mark_kernels() { return *HWY_DYNAMIC_DISPATCH(marks)(); }

}  // namespace halation::cpu_backend
#endif  // HWY_ONCE
