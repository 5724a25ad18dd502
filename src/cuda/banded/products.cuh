// products.cuh: products of bytes and whole weights by tensor cores, as matrices of 16 × 32 and 32 × 8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device/runtime.h"

namespace halation::cuda_backend::banded_steps {

/// The registers of 16 rows of 32 bytes, as units at the addresses of all lanes: rows 0 to 7 and 8 to 15 of the first 16 bytes, then of the
/// others.
__device__ __forceinline__ void load_matrices([[maybe_unused]] unsigned (&pixels)[4], [[maybe_unused]] unsigned at) {
#if defined(__CUDA_ARCH__)
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(pixels[0]), "=r"(pixels[1]), "=r"(pixels[2]), "=r"(pixels[3])
               : "r"(at));
#endif
}

/// sums += pixels · weights: 16 × 32 unsigned bytes by 32 × 8 signed ones.
__device__ __forceinline__ void multiply_add([[maybe_unused]] int (&sums)[4], [[maybe_unused]] const unsigned (&pixels)[4],
                                             [[maybe_unused]] uint2 weights) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(pixels[0]), "r"(pixels[1]), "r"(pixels[2]), "r"(pixels[3]), "r"(weights.x), "r"(weights.y));
#endif
}

/// sums = pixels · weights + first: which begins sums.
__device__ __forceinline__ void multiply([[maybe_unused]] int (&sums)[4], [[maybe_unused]] const unsigned (&pixels)[4],
                                         [[maybe_unused]] uint2 weights, [[maybe_unused]] int4 first) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
      : "r"(pixels[0]), "r"(pixels[1]), "r"(pixels[2]), "r"(pixels[3]), "r"(weights.x), "r"(weights.y), "r"(first.x), "r"(first.y), "r"(first.z),
        "r"(first.w));
#endif
}

/// sums = weights · pixels + first: which begins sums. As `multiply_add_behind` else.
template <bool Signed>
__device__ __forceinline__ void multiply_behind([[maybe_unused]] int (&sums)[4], [[maybe_unused]] const uint4& weights, [[maybe_unused]] unsigned low,
                                                [[maybe_unused]] unsigned high, [[maybe_unused]] const int4& first) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (Signed) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
        : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
        : "r"(weights.x), "r"(weights.y), "r"(weights.z), "r"(weights.w), "r"(low), "r"(high), "r"(first.x), "r"(first.y), "r"(first.z),
          "r"(first.w));
  } else {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
        : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
        : "r"(weights.x), "r"(weights.y), "r"(weights.z), "r"(weights.w), "r"(low), "r"(high), "r"(first.x), "r"(first.y), "r"(first.z),
          "r"(first.w));
  }
#endif
}

/// sums += weights · pixels: 16 × 32 signed bytes by 32 × 8 bytes, `Signed` or not.
template <bool Signed>
__device__ __forceinline__ void multiply_add_behind([[maybe_unused]] int (&sums)[4], [[maybe_unused]] const uint4& weights,
                                                    [[maybe_unused]] unsigned first, [[maybe_unused]] unsigned second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (Signed) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(weights.x), "r"(weights.y), "r"(weights.z), "r"(weights.w), "r"(first), "r"(second));
  } else {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(weights.x), "r"(weights.y), "r"(weights.z), "r"(weights.w), "r"(first), "r"(second));
  }
#endif
}

}  // namespace halation::cuda_backend::banded_steps
