// many_taps.cuh: sums of bytes and whole weights as products of matrices, by tensor cores.
//
// Outputs of 8 neighbouring columns, n, are products of the columns around them, c, and a matrix whose entry (c, n) is the tap c − n away:
// a band of weights (Toeplitz). One instruction multiplies 16 rows of 32 bytes by 32 × 8 weights; the 32 are 8 columns (a window) of 4
// rows of taps (a quad). In shared memory each row lies twice, beside the row above it and beside the row below: units of 16 bytes, 8 columns
// of two rows. So one instruction (ldmatrix) brings the four registers of pixels, for rows r and r + 1, and r + 2 and r + 3 of the taps.
//
//   block → outputs    4 warps side by side walk down a strip; at each step a warp makes 16 rows of 64 columns (interleaved channels are
//                      columns, C apart)
//   registers          32 sums a byte of weights; the weights of a quad: 2 a window and byte
//   shared memory      the rows that a step reads and 16 more on their way, twice each of 256 columns and those that taps reach
//   operations         K rows up to a multiple of 4, times K + 7 columns up to a multiple of 8 (and the filter's shift in it), for each
//                      byte of a weight: 15×15 taps of 2 bytes 768 products an output
//   traffic            DRAM: each element once; L2: K − 1 rows above each strip, and columns beside each block's
//   limits             u8; weights w = 256 · high + low of signed bytes; |sums| < 2^31. sm_80: m16n8k32 of whole numbers
//   source             stencils as products of banded matrices, and where they pay: arXiv 2603.00477
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/banded/arguments.cuh"
#include "cuda/banded/products.cuh"
#include "cuda/banded/stage.cuh"

namespace halation::cuda_backend {

namespace banded_steps {

/// A window's weights for this lane, from their place in shared memory.
__device__ __forceinline__ void load_weights([[maybe_unused]] uint2 (&weights)[1], [[maybe_unused]] unsigned from) {
#if defined(__CUDA_ARCH__)
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(weights[0].x), "=r"(weights[0].y) : "r"(from));
#endif
}
__device__ __forceinline__ void load_weights([[maybe_unused]] uint2 (&weights)[2], [[maybe_unused]] unsigned from) {
#if defined(__CUDA_ARCH__)
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(weights[0].x), "=r"(weights[0].y), "=r"(weights[1].x), "=r"(weights[1].y)
               : "r"(from));
#endif
}

}  // namespace banded_steps

template <int Windows, int Bytes>
__global__ void __launch_bounds__(32 * ManyTaps::warps, ManyTaps::blocks(0, 0, Bytes))
    banded_many_taps_kernel(const __grid_constant__ BandedArguments job) {
  using namespace banded_steps;
  using Cut = ManyTaps;
  using Rows = Stage<Cut, Windows>;
  constexpr int pitch = Rows::pitch;
  extern __shared__ uint4 banded_memory[];
  __shared__ int table[Rows::most_near];
  auto* const memory = reinterpret_cast<std::byte*>(banded_memory);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Strip strip = strip_of(job, blockIdx.x);
  const int groups = groups_of<Cut>(job.quads);
  const int places = places_of<Cut>(job.quads);
  const int ring = places * Cut::group_rows;
  std::byte* const outputs = memory + ring * pitch + warp * outputs_bytes<Cut>(job.as_bytes);
  constexpr int a_window = Bytes * 256;  // bytes of weights
  std::byte* const weights_there = memory + ring * pitch + Cut::warps * outputs_bytes<Cut>(job.as_bytes);
  for (int i = static_cast<int>(threadIdx.x); i < job.quads * Windows * a_window / 16; i += 32 * Cut::warps)
    reinterpret_cast<uint4*>(weights_there)[i] = __ldg(job.weights + i);
  const unsigned all_weights = static_cast<unsigned>(__cvta_generic_to_shared(weights_there)) + lane * Bytes * 8;
  const Rows stage(job, strip, table);
  __syncthreads();
  typename Rows::Held held = {};
  stage.fill(job, groups, held, memory);
  const int columns = job.columns - strip.column - warp * Cut::warp_columns;
  std::byte* to = strip.out + warp * Cut::warp_columns * job.out_step;
  // The row whose unit this lane names: matrices of rows 0 to 7, 8 to 15, 2 to 9 and 10 to 17.
  const int own_row = lane % 8 + lane / 8 % 2 * 8 + lane / 16 * 2;
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + warp * 2 * Cut::warp_columns;
  int start = 0;        // row of the ring where the step's first lies
  int coming = groups;  // place of the ring for the next group
#pragma unroll 1
  for (int done = 0, group = groups; done < strip.rows; done += Cut::rows, ++group) {
    __syncthreads();
    const bool more = done + Cut::rows < strip.rows;
    std::byte* const place = memory + coming * Cut::group_rows * pitch;
    if (more) {
      stage.take(job, group, held);
      stage.template put_singles<1>(job, group, {place});
    }

    int sums[Cut::tiles][Bytes][4];
#pragma unroll
    for (int i = 0; i < 4 * Bytes * Cut::tiles; ++i) sums[i / 4 / Bytes][i / 4 % Bytes][i % 4] = i / 4 % Bytes == 0 ? job.bias : 0;
    unsigned weights = all_weights;
    int r = start + own_row;
    if (columns > 0) {
      // Weights and pixels are asked for before they are needed.
      constexpr int ahead = Bytes == 1 ? 3 : 1;
      constexpr int windows = Cut::tiles + Windows - 1;
      uint2 own[Windows][Bytes];
#pragma unroll
      for (int w = 0; w < Windows; ++w) load_weights(own[w], weights + w * a_window);
#pragma unroll 1
      for (int quad = 0; quad < job.quads; ++quad) {
        weights += Windows * a_window;  // past the last quad lies room for as many more
        const unsigned units = base + static_cast<unsigned>((r >= ring ? r - ring : r) * pitch);
        r += Cut::taps_down;
        unsigned pixels[ahead + 1][4];
#pragma unroll
        for (int w = 0; w < ahead; ++w) load_matrices(pixels[w], units + 16 * w);
#pragma unroll
        for (int w = 0; w < windows; ++w) {
          if (w + ahead < windows) load_matrices(pixels[(w + ahead) % (ahead + 1)], units + 16 * (w + ahead));
#pragma unroll
          for (int t = 0; t < Cut::tiles; ++t) {
            if (t > w || t + Windows <= w) continue;
#pragma unroll
            for (int b = 0; b < Bytes; ++b) multiply_add(sums[t][b], pixels[w % (ahead + 1)], own[w - t][b]);
          }
          if (const int done_with = w - Cut::tiles + 1; done_with >= 0) load_weights(own[done_with], weights + done_with * a_window);
        }
      }
    }
    start += Cut::rows;
    if (start == ring) start = 0;

    // A lane has columns 2 · (lane mod 4) and the next of each tile, in rows lane / 4 and 8 below.
    with_finish(job, [&]<Finish How>() {
#pragma unroll
      for (int t = 0; t < Cut::tiles; ++t) put_sums<Cut, 8, How>(job, sums[t], outputs, lane / 4, 8 * t + lane % 4 * 2);
      put_outputs<Cut, How>(job, to, min(strip.rows - done, Cut::rows), columns, outputs);
    });
    to += Cut::rows * job.out_row;
    if (more) stage.put(job, group, held, place);
    coming = coming + 1 == places ? 0 : coming + 1;
  }
}

template <int Windows, int Bytes>
BandedKernel banded_many_taps() {
  return banded_many_taps_kernel<Windows, Bytes>;
}

}  // namespace halation::cuda_backend
