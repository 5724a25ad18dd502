// sums16_kernels.cpp: the kernel tables of filters of three taps over 8 bits for all instruction sets, and the choice at run time.
#include "cpu/int8/sums16/kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/int8/sums16/kernels.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "cpu/int8/sums16/kernels-inl.h"

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halation::cpu_backend {

HWY_EXPORT(sums16_kernels);

const Sums16Kernels& best_sums16_kernels() { return HWY_DYNAMIC_DISPATCH(sums16_kernels)(); }

}  // namespace halation::cpu_backend
#endif  // HWY_ONCE
