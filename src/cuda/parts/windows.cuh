// windows.cuh: what a thread's outputs read of a line in shared memory, into registers.
#pragma once

#include <cstdint>

#include "cuda/parts/neighbours.cuh"

namespace halation::cuda_backend {

/// Numbers from shared memory, `Wide` (4 or 2) at a time; `from` lies on a boundary of as many.
template <int Wide, int Count>
__device__ __forceinline__ void load_window(float (&to)[Count], const float* from) {
#pragma unroll
  for (int i = 0; i < Count; i += Wide) {
    if constexpr (Wide == 4) {
      const float4 four = *reinterpret_cast<const float4*>(from + i);
      to[i] = four.x;
      to[i + 1] = four.y;
      to[i + 2] = four.z;
      to[i + 3] = four.w;
    } else {
      const float2 two = *reinterpret_cast<const float2*>(from + i);
      to[i] = two.x;
      to[i + 1] = two.y;
    }
  }
}

/// Elements from shared memory as numbers, four at a time; `from` lies on a boundary of four.
template <int Wide, class In, int Count>
__device__ __forceinline__ void load_window(float (&to)[Count], const In* from) {
  static_assert(Wide == 4 && sizeof(In) < 4);
  constexpr int words = static_cast<int>(sizeof(In));  // of four elements
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    std::uint32_t word[words];
    if constexpr (words == 1) {
      word[0] = *reinterpret_cast<const std::uint32_t*>(from + i);
    } else {
      const uint2 two = *reinterpret_cast<const uint2*>(from + i);
      word[0] = two.x;
      word[1] = two.y;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) to[i + k] = number_in<In>(word[k * words / 4], k * words % 4);
  }
}

}  // namespace halation::cuda_backend
