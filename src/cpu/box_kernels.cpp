// box_kernels.cpp: the tables of the kernels of boxes for all instruction sets, and the choice at run time.
#include "cpu/box_kernels.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/box_kernels.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

#include "cpu/box-inl.h"

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

const BoxKernels<float>* box_kernels_f32() {
  static const BoxKernels<float> table = make_box_kernels<float>();
  return &table;
}

const BoxKernels<double>* box_kernels_f64() {
  static const BoxKernels<double> table = make_box_kernels<double>();
  return &table;
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halation::cpu_backend {

HWY_EXPORT(box_kernels_f32);
HWY_EXPORT(box_kernels_f64);

template <>
const BoxKernels<float>& best_box_kernels<float>() {
  return *HWY_DYNAMIC_DISPATCH(box_kernels_f32)();
}

template <>
const BoxKernels<double>& best_box_kernels<double>() {
  return *HWY_DYNAMIC_DISPATCH(box_kernels_f64)();
}

}  // namespace halation::cpu_backend
#endif  // HWY_ONCE
