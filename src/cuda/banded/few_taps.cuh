// few_taps.cuh: what many_taps.cuh does, of so few taps that their weights stay in registers.
//
// A warp makes 32 rows of 64 columns at a step. Its first 16 rows are 0 to 3, 8 to 11, 16 to 19 and 24 to 27, the others lie 4 below: what
// they read for one quad of taps is what the first 16 read for the next, so that each load serves twice. Tile after tile is completed
// and leaves while others are summed.
//
//   registers          Q · W · 2 weights a byte, Q quads, W windows; 8 sums for each tile under way, of which there are W, and byte
//   shared memory      the rows that a step reads and 32 more, as many_taps.cuh has them
//   traffic            Q + 1 loads of matrices for 2 Q products a window, tile and byte
//   limits             Q · W · bytes up to some 40; others have many taps
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/banded/arguments.cuh"
#include "cuda/banded/products.cuh"
#include "cuda/banded/stage.cuh"

namespace halation::cuda_backend {

template <int Windows, int Quads, int Bytes>
__global__ void __launch_bounds__(32 * FewTaps::warps, FewTaps::blocks(Windows, Quads, Bytes))
    banded_few_taps_kernel(const __grid_constant__ BandedArguments job) {
  using namespace banded_steps;
  using Cut = FewTaps;
  using Rows = Stage<Cut, Windows>;
  constexpr int pitch = Rows::pitch;
  constexpr int groups = groups_of<Cut>(Quads);
  constexpr int places = places_of<Cut>(Quads);
  constexpr int ring = places * Cut::group_rows;
  extern __shared__ uint4 banded_memory[];
  __shared__ int table[Rows::most_near];
  auto* const memory = reinterpret_cast<std::byte*>(banded_memory);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Strip strip = strip_of(job, blockIdx.x);
  std::byte* const outputs = memory + ring * pitch + warp * outputs_bytes<Cut>(job.as_bytes);
  uint2 weights[Quads][Windows][Bytes];
#pragma unroll
  for (int q = 0; q < Quads; ++q) {
#pragma unroll
    for (int w = 0; w < Windows; ++w) {
#pragma unroll
      for (int b = 0; b < Bytes; ++b)
        weights[q][w][b] = __ldg(reinterpret_cast<const uint2*>(job.weights) + ((q * Windows + w) * 32 + lane) * Bytes + b);
    }
  }
  // From shared memory, or the compiler would copy it into four registers for each sum.
  __shared__ int4 shared_biases;
  if (threadIdx.x == 0) shared_biases = make_int4(job.bias, job.bias, job.bias, job.bias);
  const Rows stage(job, strip, table);
  __syncthreads();
  const int4 biases = shared_biases;
  typename Rows::Held held = {};
  stage.fill(job, groups, held, memory);
  const int columns = job.columns - strip.column - warp * Cut::warp_columns;
  std::byte* to = strip.out + warp * Cut::warp_columns * job.out_step;
  // The row whose unit this lane names: matrices of rows 0 to 3 and 8 to 11, 16 to 19 and 24 to 27, and both 2 further down.
  const int own_row = lane % 4 + lane / 4 % 4 * 8 + lane / 16 * 2;
  const int out_row = lane / 4 % 4 + lane / 16 * 8;  // of this lane's first outputs
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + warp * 2 * Cut::warp_columns;
  int start = 0;        // row of the ring where the step's first lies
  int coming = groups;  // place of the ring for the next group
  const auto place_of = [&](int place) { return memory + place * Cut::group_rows * pitch; };
  const auto next = [](int place) { return place + 1 == places ? 0 : place + 1; };
  const auto step = [&]<Finish How>(int done, int group) {
    __syncthreads();
    const bool more = done + Cut::rows < strip.rows;
    if (more) stage.template put_singles<2>(job, group, {place_of(coming), place_of(next(coming))});
    const int rows = min(strip.rows - done, Cut::rows);
    unsigned units[Quads + 1];
#pragma unroll
    for (int f = 0; f <= Quads; ++f) {
      int r = start + own_row + Cut::taps_down * f;
      if (r >= ring) r -= ring;
      units[f] = base + static_cast<unsigned>(r * pitch + r / 8 % 2 * Cut::lift);
    }
    start += Cut::rows;
    if (start >= ring) start -= ring;
    constexpr int windows = Cut::tiles + Windows - 1;
    constexpr int fragments = windows * (Quads + 1);
    constexpr int ahead = Windows * Bytes > 2 ? 1 : 2;  // loads under way: products between two take as long as one
    unsigned pixels[ahead + 2][4];
    const auto load = [&](int n) {
      if (n < fragments) load_matrices(pixels[n % (ahead + 2)], units[n % (Quads + 1)] + 16 * (n / (Quads + 1)));
    };
#pragma unroll
    for (int n = 0; n < ahead; ++n) load(n);
    int sums[Windows][2][Bytes][4];
#pragma unroll
    for (int w = 0; w < windows; ++w) {
      if (more && w == 0) stage.take(job, group, held);
      if (more && w == windows / 2) {
        stage.put(job, group, held, place_of(coming));
        stage.take(job, group + 1, held);
      }
#pragma unroll
      for (int f = 0; f <= Quads; ++f) {
        const int n = w * (Quads + 1) + f;
        load(n + ahead);
        if (f == 0) continue;
#pragma unroll
        for (int t = 0; t < Cut::tiles; ++t) {
          if (t > w || t + Windows <= w) continue;
#pragma unroll
          for (int b = 0; b < Bytes; ++b) {
            const uint2 own = weights[f - 1][w - t][b];
            auto& first = sums[t % Windows][0][b];
            auto& second = sums[t % Windows][1][b];
            if (t == w && f == 1) {
              const int4 begin = How == Finish::shifted && b == 0 ? biases : int4{};
              multiply(first, pixels[(n - 1) % (ahead + 2)], own, begin);
              multiply(second, pixels[n % (ahead + 2)], own, begin);
            } else {
              multiply_add(first, pixels[(n - 1) % (ahead + 2)], own);
              multiply_add(second, pixels[n % (ahead + 2)], own);
            }
          }
        }
      }
      const int t = w - Windows + 1;  // is complete
      if (t < 0) continue;
      constexpr int tiles_out = Cut::out_columns / 8;
#pragma unroll
      for (int half = 0; half < 2; ++half)
        put_sums<Cut, 16, How>(job, sums[t % Windows][half], outputs, out_row + 4 * half, t % tiles_out * 8 + lane % 4 * 2);
      if (t % tiles_out == tiles_out - 1) {
        const int column = (t + 1 - tiles_out) * 8;
        put_outputs<Cut, How>(job, to + column * job.out_step, rows, columns - column, outputs);
      }
    }
    to += Cut::rows * job.out_row;
    if (more) stage.put(job, group + 1, held, place_of(next(coming)));
    coming = next(next(coming));
  };
  with_finish(job, [&]<Finish How>() {
#pragma unroll 1
    for (int done = 0, group = groups; done < strip.rows; done += Cut::rows, group += 2) step.template operator()<How>(done, group);
  });
}

template <int Windows, int Quads, int Bytes>
BandedKernel banded_few_taps() {
  return banded_few_taps_kernel<Windows, Quads, Bytes>;
}

}  // namespace halation::cuda_backend
