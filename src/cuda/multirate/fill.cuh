// fill.cuh: samples at the lower rate back to full rate, along x and y at once, into pixels.
//
//   thread → pixels   four columns, down a strip: of each row at the lower rate 4 samples become its four columns, once; of four such
//                     rows, in registers, each output row is a sum
//   traffic           DRAM: each output once; D² times fewer samples read, by way of the caches
//   operations        4 (1 + 1/D) multiply-adds a pixel
//   shared memory     none, and no waits
//   limits            one factor along both axes; sums in f32
//   instantiations    5 elements × 5 factors
#pragma once

#include "cuda/multirate/arguments.cuh"

namespace halation::cuda_backend {

/// Four elements on a boundary of as many bytes as they have.
template <class Out>
__device__ __forceinline__ void store_four(std::byte* to, const float (&values)[4], Rounding rounding) {
  struct alignas(4 * sizeof(Out)) Four {
    Out elements[4];
  };
  if constexpr (sizeof(Out) == 4) {
    __stcs(reinterpret_cast<float4*>(to), make_float4(values[0], values[1], values[2], values[3]));
  } else {
    Four four;
#pragma unroll
    for (int c = 0; c < 4; ++c) store_as<Out>(reinterpret_cast<std::byte*>(&four.elements[c]), values[c], rounding);
    *reinterpret_cast<Four*>(to) = four;
  }
}

template <class Out, int Factor>
__global__ void __launch_bounds__(MultirateBlock<Factor>::threads) fill(const __grid_constant__ FillArguments job) {
  using Block = MultirateBlock<Factor>;
  constexpr int steps = multirate_steps;
  constexpr int columns_a_group = 4 / Block::groups_a_thread;
  constexpr int samples = Block::groups_a_thread + steps - 1;

  const MultiratePlace place = multirate_place(job.places);
  const int x = place.block * Block::columns + 4 * static_cast<int>(threadIdx.x);
  if (x >= job.width) return;
  std::byte* const plane = job.out + place.batch * job.strides.batch + place.z * job.strides.depth + place.channel * job.strides.channels +
                           x * job.strides.width;
  const float* const in = job.in.data + plane_of(place, job.places) * job.in.plane + x / Factor;
  const bool are_four = x + 4 <= job.width && job.strides.width == static_cast<std::int64_t>(sizeof(Out)) &&
                        reinterpret_cast<std::uintptr_t>(plane) % (4 * sizeof(Out)) == 0 && job.strides.height % (4 * sizeof(Out)) == 0;

  float along_x[4][steps];
#pragma unroll
  for (int c = 0; c < 4; ++c) {
#pragma unroll
    for (int s = 0; s < steps; ++s) along_x[c][s] = job.up[(x + c) % Factor * steps + s];
  }
  const auto load = [&](int row, float (&to)[samples]) {
#pragma unroll
    for (int i = 0; i < samples; ++i) to[i] = __ldg(in + row * job.in.pitch + i);
  };
  const auto widen = [&](const float (&from)[samples], float (&to)[4]) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      to[c] = along_x[c][0] * from[c / columns_a_group];
#pragma unroll
      for (int s = 1; s < steps; ++s) to[c] = fmaf(along_x[c][s], from[c / columns_a_group + s], to[c]);
    }
  };

  const int first = place.strip * job.places.strip;
  const int last = min(first + job.places.strip, (job.height + Factor - 1) / Factor);
  float rows[steps][4];
  float next[samples];
#pragma unroll
  for (int s = 0; s < steps - 1; ++s) {
    load(first + s, next);
    widen(next, rows[s]);
  }
  load(first + steps - 1, next);
  for (int q = first; q < last; ++q) {
    widen(next, rows[steps - 1]);
    if (q + 1 < last) load(q + steps, next);
#pragma unroll
    for (int p = 0; p < Factor; ++p) {
      const int y = q * Factor + p;
      if (y >= job.height) break;
      float values[4];
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        values[c] = job.offset;
#pragma unroll
        for (int s = 0; s < steps; ++s) values[c] = fmaf(job.up[p * steps + s], rows[s][c], values[c]);
      }
      std::byte* const to = plane + y * job.strides.height;
      if (are_four) {
        store_four<Out>(to, values, job.rounding);
      } else {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          if (x + c < job.width) store_as<Out>(to + c * job.strides.width, values[c], job.rounding);
        }
      }
    }
#pragma unroll
    for (int s = 0; s < steps - 1; ++s) {
#pragma unroll
      for (int c = 0; c < 4; ++c) rows[s][c] = rows[s + 1][c];
    }
  }
}

template <class Out>
FillKernel fill_kernel(int index) {
  constexpr FillKernel kernels[] = {fill<Out, 2>, fill<Out, 4>, fill<Out, 8>, fill<Out, 16>, fill<Out, 32>};
  return kernels[index];
}

}  // namespace halation::cuda_backend
