// thin.cuh: an image at full rate to the lower rate, along y and x at once.
//
//   thread → pixels   four columns, down a strip of rows: each row is loaded once, for the four rows at the lower rate that it is part of,
//                     whose sums are in registers
//   block → samples   `made` columns; a sum along y that is complete becomes a row at the lower rate by 4 more multiply-adds a column,
//                     a sum over the threads of a group and one over 4 groups, through shared memory: 2 KB or 4 KB at most
//   traffic           DRAM: each element once, beside 3 steps above a strip and beside a block; D² times fewer samples written
//   operations        4 (1 + 1/D) multiply-adds a pixel
//   limits            one factor along both axes; sums in f32
//   instantiations    5 elements × 5 factors
#pragma once

#include "cuda/multirate/arguments.cuh"

namespace halation::cuda_backend {

/// Four elements on a boundary of as many bytes as they have.
template <class In>
__device__ __forceinline__ void load_four(const std::byte* from, float (&to)[4]) {
  if constexpr (sizeof(In) == 4) {
    const float4 four = __ldg(reinterpret_cast<const float4*>(from));
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  } else if constexpr (sizeof(In) == 2) {
    const uint2 two = __ldg(reinterpret_cast<const uint2*>(from));
    to[0] = number_of<In, float>(two.x & 0xffffU), to[1] = number_of<In, float>(two.x >> 16);
    to[2] = number_of<In, float>(two.y & 0xffffU), to[3] = number_of<In, float>(two.y >> 16);
  } else {
    const std::uint32_t bytes = __ldg(reinterpret_cast<const std::uint32_t*>(from));
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = number_of<In, float>(bytes >> (8 * i) & 0xffU);
  }
}

template <class In, int Factor>
__global__ void __launch_bounds__(MultirateBlock<Factor>::threads) thin(const __grid_constant__ ThinArguments job) {
  using Block = MultirateBlock<Factor>;
  constexpr int steps = multirate_steps;
  constexpr int rows_at_once = Factor < 8 ? Factor : 8;
  constexpr int columns_a_group = 4 / Block::groups_a_thread;
  __shared__ float4 parts[2][Block::groups];

  const MultiratePlace place = multirate_place(job.places);
  const std::byte* const plane = job.in + place.batch * job.strides.batch + place.z * job.strides.depth + place.channel * job.strides.channels;
  float* const out = job.out.data + plane_of(place, job.places) * job.out.plane;
  const auto thread = static_cast<int>(threadIdx.x);
  const int made_before = place.block * Block::made;
  const int x = job.lead_x + made_before * Factor + 4 * thread;
  const auto height = static_cast<int>(job.y.n);
  const auto width = static_cast<int>(job.x.n);

  float along_x[4][steps];
  int source_x[4];
#pragma unroll
  for (int c = 0; c < 4; ++c) {
#pragma unroll
    for (int s = 0; s < steps; ++s) along_x[c][s] = job.down[s * Factor + (4 * thread + c) % Factor];
    source_x[c] = job.x.source<int>(x + c);
  }
  const std::byte* const four = plane + x * job.strides.width;
  const bool are_four = x >= 0 && x + 4 <= width && job.strides.width == static_cast<std::int64_t>(sizeof(In)) &&
                        reinterpret_cast<std::uintptr_t>(four) % (4 * sizeof(In)) == 0 && job.strides.height % (4 * sizeof(In)) == 0;
  const auto constant_y = static_cast<float>(job.y.constant);
  const auto constant_x = static_cast<float>(job.x.constant);

  float sums[steps][4] = {};
  const int first = place.strip * job.places.strip;
  const int last = min(first + job.places.strip, job.out.rows);
  for (int step = first; step < last + steps - 1; ++step) {
    const int y = job.lead_y + step * Factor;
    const bool are_inside = are_four && y >= 0 && y + Factor <= height;
#pragma unroll
    for (int begin = 0; begin < Factor; begin += rows_at_once) {
      float pixels[rows_at_once][4];
      if (are_inside) {
#pragma unroll
        for (int r = 0; r < rows_at_once; ++r) load_four<In>(four + (y + begin + r) * job.strides.height, pixels[r]);
      } else {
        for (int r = 0; r < rows_at_once; ++r) {
          const int source_y = job.y.source<int>(y + begin + r);
#pragma unroll
          for (int c = 0; c < 4; ++c) {
            float value = source_y < 0 ? constant_y : constant_x;
            if (source_y >= 0 && source_x[c] >= 0)
              value = load_constant<In, float>(plane + source_y * job.strides.height + source_x[c] * job.strides.width);
#pragma unroll
            for (int k = 0; k < rows_at_once; ++k) {
              if (k == r) pixels[k][c] = value;
            }
          }
        }
      }
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
#pragma unroll
        for (int s = 0; s < steps; ++s) {
#pragma unroll
          for (int c = 0; c < 4; ++c) sums[s][c] = fmaf(job.down[s * Factor + begin + r], pixels[r][c], sums[s][c]);
        }
      }
    }

    float4* const part = parts[step & 1];
#pragma unroll
    for (int g = 0; g < Block::groups_a_thread; ++g) {
      float of_group[steps] = {};
#pragma unroll
      for (int c = g * columns_a_group; c < (g + 1) * columns_a_group; ++c) {
#pragma unroll
        for (int s = 0; s < steps; ++s) of_group[s] = fmaf(along_x[c][s], sums[steps - 1][c], of_group[s]);
      }
#pragma unroll
      for (int apart = 1; apart < Block::threads_a_group; apart *= 2) {
#pragma unroll
        for (int s = 0; s < steps; ++s) of_group[s] += __shfl_xor_sync(0xffffffffU, of_group[s], apart);
      }
      if (thread % Block::threads_a_group == 0) {
        part[thread * Block::groups_a_thread / Block::threads_a_group + g] = make_float4(of_group[0], of_group[1], of_group[2], of_group[3]);
      }
    }
    // One wait a step: the other half is written next, which all have read before they come here.
    __syncthreads();
    const int row = step - (steps - 1);
    if (row >= first) {
      for (int j = thread; j < Block::made && made_before + j < job.out.columns; j += Block::threads)
        out[row * job.out.pitch + made_before + j] = part[j].x + part[j + 1].y + part[j + 2].z + part[j + 3].w;
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
#pragma unroll
      for (int s = steps - 1; s > 0; --s) sums[s][c] = sums[s - 1][c];
      sums[0][c] = 0;
    }
  }
}

template <class In>
ThinKernel thin_kernel(int index) {
  constexpr ThinKernel kernels[] = {thin<In, 2>, thin<In, 4>, thin<In, 8>, thin<In, 16>, thin<In, 32>};
  return kernels[index];
}

}  // namespace halation::cuda_backend
