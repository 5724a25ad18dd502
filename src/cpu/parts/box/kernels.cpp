// kernels.cpp: the tables of the kernels of boxes for all instruction sets, and the choice at run time.
#include "cpu/parts/box/kernels.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/convert.h"
#include "cpu/parts/alike.h"
#include "cpu/parts/caches.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/parts/box/kernels.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

#include "cpu/parts/shift-inl.h"
#include "cpu/parts/box/row-inl.h"
#include "cpu/parts/box/floats-inl.h"
#include "cpu/parts/box/integers-inl.h"

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

#define HALATION_MAKE(name, In, Row, Sum)                                               \
  const BoxIntegerKernels<In, Row, Sum>* box_integer_kernels_##name() {                     \
    static const BoxIntegerKernels<In, Row, Sum> table = make_box_integer_kernels<In, Row, Sum>(); \
    return &table;                                                                      \
  }
HALATION_WHOLE_BOXES(HALATION_MAKE)
#undef HALATION_MAKE

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

#define HALATION_CHOOSE(name, In, Row, Sum)                                     \
  HWY_EXPORT(box_integer_kernels_##name);                                         \
  template <>                                                                   \
  const BoxIntegerKernels<In, Row, Sum>& best_box_integer_kernels<In, Row, Sum>() { \
    return *HWY_DYNAMIC_DISPATCH(box_integer_kernels_##name)();                   \
  }
HALATION_WHOLE_BOXES(HALATION_CHOOSE)
#undef HALATION_CHOOSE

}  // namespace halation::cpu_backend
#endif  // HWY_ONCE
