// box_ends.cuh: the numbers at the ends of windows along x, eight neighbouring windows at a time.
#pragma once

#include "cuda/box_window.h"

namespace halation::cuda_backend::box_steps {

template <int Count>
__device__ __forceinline__ void load_fours(float (&to)[Count], const float* from) {
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i);
    to[i] = four.x;
    to[i + 1] = four.y;
    to[i + 2] = four.z;
    to[i + 3] = four.w;
  }
}

/// Adds to output i the first Rest + 1 + i numbers after the last whole group of the middle.
template <int Rest>
__device__ __forceinline__ void add_after(float weight, const float* after, float (&out)[box_group]) {
  float numbers[(Rest + box_group + 3) / 4 * 4];
  load_fours(numbers, after);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Rest; ++i) sum += weight * numbers[i];
#pragma unroll
  for (int i = 0; i < box_group; ++i) {
    sum += weight * numbers[Rest + i];
    out[i] += sum;
  }
}

}  // namespace halation::cuda_backend::box_steps
