// sum_taps.cpp: as many sums as there are registers for, tap by tap; compiled for each instruction set.
#include "sum_taps.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "native/sum_taps.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace halation::python::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

/// So many that neither the latency of a multiply-add nor the loads of weights count.
constexpr std::int64_t vectors = 8;

void sum(const double* in, const double* weights, const std::int64_t* offsets, std::int64_t taps, double* out, std::int64_t n) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; n - i > (vectors - 1) * lanes; i += vectors * lanes) {
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (std::int64_t k = 0; k < taps; ++k) {
      const V weight = hn::Set(d, weights[k]);
      const double* from = in + i + offsets[k];
      s0 = hn::MulAdd(weight, hn::LoadU(d, from), s0);
      s1 = hn::MulAdd(weight, hn::LoadU(d, from + lanes), s1);
      s2 = hn::MulAdd(weight, hn::LoadU(d, from + 2 * lanes), s2);
      s3 = hn::MulAdd(weight, hn::LoadU(d, from + 3 * lanes), s3);
      s4 = hn::MulAdd(weight, hn::LoadU(d, from + 4 * lanes), s4);
      s5 = hn::MulAdd(weight, hn::LoadU(d, from + 5 * lanes), s5);
      s6 = hn::MulAdd(weight, hn::LoadU(d, from + 6 * lanes), s6);
      s7 = hn::MulAdd(weight, hn::LoadU(d, from + 7 * lanes), s7);
    }
    hn::StoreU(s0, d, out + i);
    hn::StoreU(s1, d, out + i + lanes);
    hn::StoreU(s2, d, out + i + 2 * lanes);
    hn::StoreU(s3, d, out + i + 3 * lanes);
    hn::StoreU(s4, d, out + i + 4 * lanes);
    hn::StoreU(s5, d, out + i + 5 * lanes);
    hn::StoreU(s6, d, out + i + 6 * lanes);
    hn::StoreU(s7, d, out + i + 7 * lanes);
  }
  for (; n - i > lanes; i += 2 * lanes) {
    V s0 = hn::Zero(d), s1 = s0;
    for (std::int64_t k = 0; k < taps; ++k) {
      const V weight = hn::Set(d, weights[k]);
      s0 = hn::MulAdd(weight, hn::LoadU(d, in + i + offsets[k]), s0);
      s1 = hn::MulAdd(weight, hn::LoadU(d, in + i + offsets[k] + lanes), s1);
    }
    hn::StoreU(s0, d, out + i);
    hn::StoreU(s1, d, out + i + lanes);
  }
  if (i >= n) return;
  V last = hn::Zero(d);
  for (std::int64_t k = 0; k < taps; ++k) last = hn::MulAdd(hn::Set(d, weights[k]), hn::LoadU(d, in + i + offsets[k]), last);
  hn::StoreU(last, d, out + i);
}

/// Products by 0 are 0, or NaN of what is not finite: their sum tells.
bool finite(const double* in, std::int64_t n) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const V zero = hn::Zero(d);
  V s0 = zero, s1 = zero, s2 = zero, s3 = zero;
  std::int64_t i = 0;
  for (; n - i >= 4 * lanes; i += 4 * lanes) {
    s0 = hn::MulAdd(zero, hn::LoadU(d, in + i), s0);
    s1 = hn::MulAdd(zero, hn::LoadU(d, in + i + lanes), s1);
    s2 = hn::MulAdd(zero, hn::LoadU(d, in + i + 2 * lanes), s2);
    s3 = hn::MulAdd(zero, hn::LoadU(d, in + i + 3 * lanes), s3);
  }
  double rest = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < n; ++i) rest += 0 * in[i];
  return rest == 0;
}

/// `N` sums at once, whose elements lie `between` one another, along rows that lie `apart`: those from each row to the end of its part
/// of `taps` rows first, backwards, then those from the next part's beginning; both in registers.
template <int N, class Between>
void sum_parts(const double* HWY_RESTRICT in, std::int64_t taps, double weight, double* HWY_RESTRICT out, std::int64_t rows, std::int64_t apart,
               Between between) {
  for (std::int64_t part = 0; part < rows; part += taps, in += taps * apart, out += taps * apart) {
    const std::int64_t made = rows - part < taps ? rows - part : taps;
    double to_end[N] = {};
    for (std::int64_t row = taps - 1; row >= made; --row) {
      for (int i = 0; i < N; ++i) to_end[i] += weight * in[row * apart + i * between];
    }
    for (std::int64_t row = made - 1; row >= 0; --row) {
      for (int i = 0; i < N; ++i) out[row * apart + i * between] = to_end[i] += weight * in[row * apart + i * between];
    }
    double from_next[N] = {};
    for (std::int64_t row = 1; row < made; ++row) {
      for (int i = 0; i < N; ++i) from_next[i] += weight * in[(taps + row - 1) * apart + i * between];
      for (int i = 0; i < N; ++i) out[row * apart + i * between] += from_next[i];
    }
  }
}

void sum_windows(const double* in, std::int64_t taps, double weight, double* out, std::int64_t rows, std::int64_t n, std::int64_t blocks,
                 std::int64_t apart) {
  constexpr std::integral_constant<std::int64_t, 1> side_by_side;
  std::int64_t block = 0;
  if (n == 1) {  // sums of one row would wait for one another: those of several rows do not
    for (; blocks - block >= 4; block += 4) sum_parts<4>(in + block * apart, taps, weight, out + block * apart, rows, 1, apart);
  }
  for (; block < blocks; ++block) {
    const double* from = in + block * apart;
    double* to = out + block * apart;
    std::int64_t i = 0;
    if (n == 1 && rows >= 4 * taps) {
      const std::int64_t quarter = rows / 4;
      sum_parts<4>(from, taps, weight, to, quarter, 1, quarter);
      sum_parts<1>(from + 4 * quarter, taps, weight, to + 4 * quarter, rows - 4 * quarter, 1, side_by_side);
      continue;
    }
    for (; n - i >= 32; i += 32) sum_parts<32>(from + i, taps, weight, to + i, rows, n, side_by_side);
    for (; n - i >= 8; i += 8) sum_parts<8>(from + i, taps, weight, to + i, rows, n, side_by_side);
    for (; n - i >= 2; i += 2) sum_parts<2>(from + i, taps, weight, to + i, rows, n, side_by_side);
    if (i < n) sum_parts<1>(from + i, taps, weight, to + i, rows, n, side_by_side);
  }
}

}  // namespace halation::python::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halation::python {

HWY_EXPORT(sum);
HWY_EXPORT(finite);
HWY_EXPORT(sum_windows);

void sum_taps(const double* in, const double* weights, const std::int64_t* offsets, std::int64_t taps, double* out, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(sum)(in, weights, offsets, taps, out, n);
}

bool are_finite(const double* in, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(finite)(in, n); }

void window_sums(const double* in, std::int64_t taps, double weight, double* out, std::int64_t rows, std::int64_t n,
                 std::int64_t blocks, std::int64_t apart) {
  HWY_DYNAMIC_DISPATCH(sum_windows)(in, taps, weight, out, rows, n, blocks, apart);
}

}  // namespace halation::python
#endif  // HWY_ONCE
