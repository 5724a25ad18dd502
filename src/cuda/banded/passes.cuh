// passes.cuh: separable filters over bytes by tensor cores, both passes in one kernel: sums along x become what sums along y are made of
// where they are, in the registers of the same lane.
//
// Along x, 16 columns of sums of 8 rows are a banded matrix of weights (16 × 32, Toeplitz) by 32 columns of bytes of these rows. A lane then
// holds two rows of a column, of two such matrices four rows on end (plain_rows.cuh lays rows out so). Rounded to 16 bits (core/banded.h), their
// high and low bytes are two words; a word of 16 rows and one of the next 16 are what the product with the weights along y takes, 16 rows of
// outputs of 8 columns. Words wait in shared memory for the outputs below, each read by the lane that put it.
//
//   block → outputs    4 warps side by side walk down a strip; at each step a warp makes 16 rows of 64 columns (interleaved channels are
//                      columns, C apart)
//   registers          weights: 8 a window and 8 for each two groups; 32 sums under way
//   shared memory      32 rows of bytes; 16 bytes a lane for each 16 × 16 sums along x, of as many groups of 16 rows as outputs read
//   operations         64 products an output for each window (32 columns; 16 + taps − 1 are needed), 96 for each two groups (16 rows each,
//                      likewise): 65 × 65 taps 480
//   traffic            DRAM: each element once; L2: the rows above each strip, and columns beside each block's
//   limits             u8; factors as core/banded.h has them; |sums| < 2^31. sm_80: m16n8k32 of whole numbers
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/banded/arguments.cuh"
#include "cuda/banded/plain_rows.cuh"
#include "cuda/banded/products.cuh"
#include "cuda/banded/stage.cuh"

namespace halation::cuda_backend {

namespace banded_steps {

/// The words of four sums along x, rows on end, each shifted down already: bits 8 to 15 of all, and 0 to 7.
struct HighLow {
  unsigned high, low;
};
__device__ __forceinline__ HighLow high_and_low(int a, int b, int c, int d) {
  const unsigned ab = __byte_perm(static_cast<unsigned>(a), static_cast<unsigned>(b), 0x5410);
  const unsigned cd = __byte_perm(static_cast<unsigned>(c), static_cast<unsigned>(d), 0x5410);
  return {__byte_perm(ab, cd, 0x7531), __byte_perm(ab, cd, 0x6420)};
}

}  // namespace banded_steps

template <int Windows, int Groups>
__global__ void __launch_bounds__(32 * BandedCut::warps, banded_passes_blocks(Windows, Groups))
    banded_passes_kernel(const __grid_constant__ BandedPassesArguments job) {
  using namespace banded_steps;
  using Cut = ManyTaps;
  using Rows = PlainRows<banded_passes_pieces(Windows)>;
  constexpr int pitch = Rows::pitch;
  constexpr int pairs = (Groups + 1) / 2;       // of groups, that a product along y takes
  constexpr int parts = Cut::warp_columns / 16;  // of a warp's columns
  extern __shared__ uint4 banded_memory[];
  __shared__ int table[Rows::most_singles];
  auto* const memory = reinterpret_cast<std::byte*>(banded_memory);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Strip strip = strip_of(job, blockIdx.x);
  auto* const ring = reinterpret_cast<unsigned*>(memory + 2 * 16 * pitch) + warp * Groups * parts * 128 + lane;  // words, 32 apart
  std::byte* const outputs = memory + 2 * 16 * pitch + Cut::warps * Groups * parts * 512 + warp * outputs_bytes<Cut>(job.as_bytes);
  uint4 across[Windows][2], down[pairs][2];  // weights: low bytes, high ones
#pragma unroll
  for (int i = 0; i < 2 * Windows; ++i) across[i / 2][i % 2] = __ldg(job.weights + i * 32 + lane);
#pragma unroll
  for (int i = 0; i < 2 * pairs; ++i) down[i / 2][i % 2] = __ldg(job.weights_y + i * 32 + lane);
  // From shared memory, or the compiler would copy them into four registers for each sum.
  __shared__ int4 shared_beginnings[2];
  if (threadIdx.x < 2) {
    const int value = threadIdx.x == 0 ? job.first_bias : job.middle;
    shared_beginnings[threadIdx.x] = make_int4(value, value, value, value);
  }
  const Rows rows(job, strip, table);
  __syncthreads();
  const int4 first_biases = shared_beginnings[0], middles = shared_beginnings[1];
  typename Rows::Held held = {};
  rows.take(job, 0, held);
  rows.put(job, 0, held, memory);
  const int columns = job.columns - strip.column - warp * Cut::warp_columns;
  std::byte* to = strip.out + warp * Cut::warp_columns * job.out_step;
  const unsigned own_rows = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + warp * Cut::warp_columns + (lane % 8 + lane / 16 * 8) * pitch + lane / 8 % 2 * 16;
  const int groups = (strip.rows + 15) / 16 + Groups - 1;
  int slot = 0;  // of the ring, for the group's sums along x

  const auto step = [&]<Finish How>(int group) {
    __syncthreads();
    const bool more = group + 1 < groups;
    std::byte* const next = memory + (group + 1) % 2 * 16 * pitch;
    if (more) rows.take(job, group + 1, held);
    const bool completes = group >= Groups - 1;
    if (columns > 0) {
      unsigned pixels[2][Windows + parts / 2 - 1][4];  // of pairs of blocks from even ones on, and from odd ones: two of each matrix of rows
      const unsigned from = own_rows + group % 2 * 16 * pitch;
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        unsigned(&pairs_of_blocks)[Windows + parts / 2 - 1][4] = pixels[part % 2];
#pragma unroll
        for (int b = part < 2 ? 0 : part / 2 + Windows - 1; b < part / 2 + Windows; ++b) load_matrices(pairs_of_blocks[b], from + 32 * b + 16 * (part % 2));
        int sums[2][2][4];  // of each matrix of rows: by low bytes of weights, by high ones
#pragma unroll
        for (int w = 0; w < Windows; ++w) {
          const unsigned(&four)[4] = pairs_of_blocks[part / 2 + w];
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            auto& sum = sums[i / 2][i % 2];
            if (w == 0) multiply_behind<false>(sum, across[w][i % 2], four[i / 2 * 2], four[i / 2 * 2 + 1], i % 2 == 0 ? first_biases : int4{});
            else multiply_add_behind<false>(sum, across[w][i % 2], four[i / 2 * 2], four[i / 2 * 2 + 1]);
          }
        }
        const auto whole = [&](int matrix, int i) { return (sums[matrix][0][i] + (sums[matrix][1][i] << 8)) >> job.narrow; };
        const HighLow left = high_and_low(whole(0, 0), whole(0, 1), whole(1, 0), whole(1, 1));
        const HighLow right = high_and_low(whole(0, 2), whole(0, 3), whole(1, 2), whole(1, 3));
        const unsigned newest[4] = {left.high, left.low, right.high, right.low};
        unsigned* const own = ring + part * 128;
#pragma unroll
        for (int i = 0; i < 4; ++i) own[slot * parts * 128 + 32 * i] = newest[i];
        if (!completes) continue;

        // Of each half of the columns, high bytes and low ones: words of two groups side by side.
        unsigned words[pairs][4][2];
#pragma unroll
        for (int g = 0; g < 2 * pairs; ++g) {
          const int place = slot + 1 + g;
          const unsigned* const there = own + (place >= Groups ? place - Groups : place) * parts * 128;
#pragma unroll
          for (int i = 0; i < 4; ++i) words[g / 2][i][g % 2] = g + 1 < Groups ? there[32 * i] : g + 1 == Groups ? newest[i] : 0;
        }
        int outs[2][2][4];  // of each half: products of 256, of 65536
#pragma unroll
        for (int p = 0; p < pairs; ++p) {
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const unsigned(&high)[2] = words[p][2 * half];
            const unsigned(&low)[2] = words[p][2 * half + 1];
            if (p == 0) {
              multiply_behind<true>(outs[half][1], down[p][1], high[0], high[1], int4{});
              multiply_behind<true>(outs[half][0], down[p][0], high[0], high[1], middles);
            } else {
              multiply_add_behind<true>(outs[half][1], down[p][1], high[0], high[1]);
              multiply_add_behind<true>(outs[half][0], down[p][0], high[0], high[1]);
            }
            multiply_add_behind<false>(outs[half][0], down[p][1], low[0], low[1]);
          }
        }
#pragma unroll
        for (int half = 0; half < 2; ++half)
          put_sums<Cut, 8, How>(job, outs[half], outputs, lane / 4, 16 * part + 8 * half + lane % 4 * 2);
      }
      if (completes) {
        const int done = (group - (Groups - 1)) * 16;
        put_outputs<Cut, How>(job, to + done * job.out_row, min(strip.rows - done, 16), columns, outputs);
      }
    }
    if (more) rows.put(job, group + 1, held, next);
    slot = slot + 1 == Groups ? 0 : slot + 1;
  };
  with_finish(job, [&]<Finish How>() {
#pragma unroll 1
    for (int group = 0; group < groups; ++group) step.template operator()<How>(group);
  });
}

template <int Windows, int Groups>
BandedPassesKernel banded_passes_of() {
  return banded_passes_kernel<Windows, Groups>;
}

}  // namespace halation::cuda_backend
