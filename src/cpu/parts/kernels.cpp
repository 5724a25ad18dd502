// parts/kernels.cpp: the kernel tables of all instruction sets, and the choice at run time.
#include "cpu/parts/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "core/convert.h"
#include "cpu/tiles/copy_bytes.h"

/// Before a loop whose indices must be known to the code, so that what they count stays in registers.
#define HALATION_UNROLL _Pragma("GCC unroll 16")

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/parts/kernels.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

#include "cpu/parts/shift-inl.h"
#include "cpu/parts/output-inl.h"
#include "cpu/parts/correlate-inl.h"
#include "cpu/parts/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

template <class Sum>
Kernels<Sum> make_kernels() {
  Kernels<Sum> table{};
  table.instruction_set = hwy::TargetName(HWY_TARGET);
  table.side_columns = std::max(most_block_vectors * static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<Sum>())), line_slack);
  table.shifts_rows = shifts_rows;
  table.load = {load<std::uint8_t, Sum>, load<std::uint16_t, Sum>, load<std::int16_t, Sum>,
                load<f16, Sum>,          load<float, Sum>,         nullptr};
  table.store = {store<std::uint8_t, Sum>, store<std::uint16_t, Sum>, store<std::int16_t, Sum>,
                 store<f16, Sum>,          store<float, Sum>,         nullptr};
  if constexpr (std::is_same_v<Sum, double>) {
    table.load[5] = load<double, Sum>;
    table.store[5] = store<double, Sum>;
  }
  table.correlate_row = correlate_one<4 * vectors_in_registers, Sum>;
  table.correlate_rows = correlate_many<rows_at_once, vectors_in_registers, Sum>;
  table.mix_lines = mix_all<rows_at_once, vectors_in_registers, Sum>;
  table.all_finite = all_finite<Sum>;
  table.add_squares = add_squares<Sum>;
  table.roots = roots<Sum>;
  return table;
}

const Kernels<float>* kernels_f32() {
  static const Kernels<float> table = make_kernels<float>();
  return &table;
}

const Kernels<double>* kernels_f64() {
  static const Kernels<double> table = make_kernels<double>();
  return &table;
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halation::cpu_backend {

HWY_EXPORT(kernels_f32);
HWY_EXPORT(kernels_f64);

template <>
const Kernels<float>& best_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(kernels_f32)();
}

template <>
const Kernels<double>& best_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(kernels_f64)();
}

}  // namespace halation::cpu_backend
#endif  // HWY_ONCE
