// sums32_kernels.cpp: the kernel tables of filters in fixed point for all instruction sets, and the choice at run time.
#include "cpu/int8/sums32/kernels.h"

#include <algorithm>

#include "core/past_caches.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/int8/sums32/kernels.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

#undef HALATION_MULTIPLIES_PAIRS
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
#define HALATION_MULTIPLIES_PAIRS 1
#else
#define HALATION_MULTIPLIES_PAIRS 0
#endif

#if HALATION_MULTIPLIES_PAIRS
HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Sums, class Pairs>
HWY_INLINE Sums add_products(Sums sums, Pairs values, Pairs weights) {
  Sums none = sums;
  return hn::ReorderWidenMulAccumulate(hn::DFromV<Sums>(), values, weights, sums, none);
}

/// To the nearest whole number, of two the even one; |value| < 2^31.
#if HWY_TARGET == HWY_AVX3
HWY_INLINE auto nearest(hn::Vec512<float> value) { return hn::Vec512<std::int32_t>{_mm512_cvtps_epi32(value.raw)}; }
#elif HWY_TARGET == HWY_AVX2
HWY_INLINE auto nearest(hn::Vec256<float> value) { return hn::Vec256<std::int32_t>{_mm256_cvtps_epi32(value.raw)}; }
#else
HWY_INLINE auto nearest(hn::Vec128<float> value) { return hn::Vec128<std::int32_t>{_mm_cvtps_epi32(value.raw)}; }
#endif

#include "cpu/int8/sums32/kernels-inl.h"

const Sums32Kernels* table() { return &sums32_kernels(hwy::TargetName(HWY_TARGET)); }

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_TARGET == HWY_AVX3
// Highway 1.0 knows no target with this instruction and 512 bits.
HWY_PUSH_ATTRIBUTES("avx512vnni," HWY_TARGET_STR)
namespace halation::cpu_backend::HWY_NAMESPACE::vnni {

template <class Sums, class Pairs>
HWY_INLINE Sums add_products(Sums sums, Pairs values, Pairs weights) {
  __asm__("vpdpwssd %2, %1, %0" : "+v"(sums.raw) : "v"(values.raw), "v"(weights.raw));
  return sums;
}

#include "cpu/int8/sums32/kernels-inl.h"

const Sums32Kernels* table() { return &sums32_kernels("AVX3 with VNNI"); }

}  // namespace halation::cpu_backend::HWY_NAMESPACE::vnni
HWY_POP_ATTRIBUTES
#endif

#else
namespace halation::cpu_backend::HWY_NAMESPACE {

const Sums32Kernels* table() { return nullptr; }

}  // namespace halation::cpu_backend::HWY_NAMESPACE
#endif

#if HWY_ONCE
namespace halation::cpu_backend {

HWY_EXPORT(table);

const Sums32Kernels* best_sums32_kernels([[maybe_unused]] bool vnni) {
  const Sums32Kernels* best = HWY_DYNAMIC_DISPATCH(table)();
#if HWY_TARGETS & HWY_AVX3
  if (vnni && best == N_AVX3::table() && __builtin_cpu_supports("avx512vnni")) return N_AVX3::vnni::table();
#endif
  return best;
}

}  // namespace halation::cpu_backend
#endif  // HWY_ONCE
