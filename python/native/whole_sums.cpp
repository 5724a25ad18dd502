// whole_sums.cpp: convolutions of whole numbers modulo 2^32 or 2^64, and of floats, product by product;
// compiled for each instruction set.
//
// Each row of outputs is made a block of vectors at a time: of all rows of taps that meet the array, those
// taps that meet it below the block. What meets nothing but the zeros outside is not multiplied.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "native/whole_sums.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

#include "whole_sums.h"

HWY_BEFORE_NAMESPACE();
namespace halation::python::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The taps [begin, end) of a row that meet an array of n elements in the `block` outputs whose first reads
/// element `at` by tap 0.
struct Met {
  Met(std::int64_t at, std::int64_t block, std::int64_t n, std::int64_t taps)
      : begin(at - n + 1 > 0 ? at - n + 1 : 0), end(at + block < taps ? at + block : taps) {}
  std::int64_t begin, end;
};

template <class T>
void sums_of_row(const WholeRow<T>* rows, std::size_t count, std::int64_t first, std::int64_t n,
                 std::int64_t taps, T* out, std::int64_t outputs) {
  const hn::CappedTag<T, whole_lanes> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; outputs - i > 2 * lanes; i += 4 * lanes) {  // four sums: none waits for the one before
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    const Met met(first + i, 4 * lanes, n, taps);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::int64_t k = met.begin; k < met.end; ++k) {
        const auto weight = hn::Set(d, rows[row].weights[k]);
        const T* from = rows[row].from + first + i - k;
        s0 = hn::Add(s0, hn::Mul(weight, hn::LoadU(d, from)));
        s1 = hn::Add(s1, hn::Mul(weight, hn::LoadU(d, from + lanes)));
        s2 = hn::Add(s2, hn::Mul(weight, hn::LoadU(d, from + 2 * lanes)));
        s3 = hn::Add(s3, hn::Mul(weight, hn::LoadU(d, from + 3 * lanes)));
      }
    }
    hn::StoreU(s0, d, out + i);
    hn::StoreU(s1, d, out + i + lanes);
    hn::StoreU(s2, d, out + i + 2 * lanes);
    hn::StoreU(s3, d, out + i + 3 * lanes);
  }
  for (; i < outputs; i += lanes) {
    auto even = hn::Zero(d), odd = even;
    const Met met(first + i, lanes, n, taps);
    for (std::size_t row = 0; row < count; ++row) {
      const T* from = rows[row].from + first + i;
      std::int64_t k = met.begin;
      for (; k + 1 < met.end; k += 2) {
        even = hn::Add(even, hn::Mul(hn::Set(d, rows[row].weights[k]), hn::LoadU(d, from - k)));
        odd = hn::Add(odd, hn::Mul(hn::Set(d, rows[row].weights[k + 1]), hn::LoadU(d, from - k - 1)));
      }
      if (k < met.end)
        even = hn::Add(even, hn::Mul(hn::Set(d, rows[row].weights[k]), hn::LoadU(d, from - k)));
    }
    hn::StoreU(hn::Add(even, odd), d, out + i);
  }
}

void sums_of_32(const WholeRow<std::uint32_t>* rows, std::size_t count, std::int64_t first, std::int64_t n,
                std::int64_t taps, std::uint32_t* out, std::int64_t outputs) {
  sums_of_row(rows, count, first, n, taps, out, outputs);
}

void sums_of_64(const WholeRow<std::uint64_t>* rows, std::size_t count, std::int64_t first, std::int64_t n,
                std::int64_t taps, std::uint64_t* out, std::int64_t outputs) {
  sums_of_row(rows, count, first, n, taps, out, outputs);
}

void sums_of_f32(const WholeRow<float>* rows, std::size_t count, std::int64_t first, std::int64_t n,
                 std::int64_t taps, float* out, std::int64_t outputs) {
  sums_of_row(rows, count, first, n, taps, out, outputs);
}

void sums_of_f64(const WholeRow<double>* rows, std::size_t count, std::int64_t first, std::int64_t n,
                 std::int64_t taps, double* out, std::int64_t outputs) {
  sums_of_row(rows, count, first, n, taps, out, outputs);
}

}  // namespace halation::python::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halation::python {

HWY_EXPORT(sums_of_32);
HWY_EXPORT(sums_of_64);
HWY_EXPORT(sums_of_f32);
HWY_EXPORT(sums_of_f64);

void sum_row(const WholeRow<std::uint32_t>* rows, std::size_t count, std::int64_t first, std::int64_t n,
             std::int64_t taps, std::uint32_t* out, std::int64_t outputs) {
  HWY_DYNAMIC_DISPATCH(sums_of_32)(rows, count, first, n, taps, out, outputs);
}

void sum_row(const WholeRow<std::uint64_t>* rows, std::size_t count, std::int64_t first, std::int64_t n,
             std::int64_t taps, std::uint64_t* out, std::int64_t outputs) {
  HWY_DYNAMIC_DISPATCH(sums_of_64)(rows, count, first, n, taps, out, outputs);
}

void sum_row(const WholeRow<float>* rows, std::size_t count, std::int64_t first, std::int64_t n, std::int64_t taps,
             float* out, std::int64_t outputs) {
  HWY_DYNAMIC_DISPATCH(sums_of_f32)(rows, count, first, n, taps, out, outputs);
}

void sum_row(const WholeRow<double>* rows, std::size_t count, std::int64_t first, std::int64_t n,
             std::int64_t taps, double* out, std::int64_t outputs) {
  HWY_DYNAMIC_DISPATCH(sums_of_f64)(rows, count, first, n, taps, out, outputs);
}

}  // namespace halation::python
#endif  // HWY_ONCE
