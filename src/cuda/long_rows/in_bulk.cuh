// in_bulk.cuh: filters along x where rows are f32 on 16-byte boundaries: each warp is on its own.
#pragma once

#include "cuda/parts/rows/stretches.cuh"

namespace halation::cuda_backend {

template <int Capacity>
__global__ void __launch_bounds__(32 * bulk_warps, 3)
    long_rows_bulk_kernel(const __grid_constant__ RowArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  const int warp = static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  // A warp's own: where its tiles arrive, its sums on their way out, and its tiles.
  float* const own = reinterpret_cast<float*>(shared_memory) + job.weights_shared +
                     warp * (arrivals + warp_pixels + job.stages * job.row_pitch);
  auto* const there = reinterpret_cast<Arrival*>(own);
  float* const sums_out = own + arrivals;
  float* const buffers = sums_out + warp_pixels;
  if (lane == 0) {
    for (int s = 0; s < job.stages; ++s) there[s].start(1);
  }
  const float* const weights = share_weights(job, reinterpret_cast<float*>(shared_memory));
  __syncthreads();

  const int apart = static_cast<int>(gridDim.x) * bulk_warps;
  int tile = static_cast<int>(blockIdx.x) * bulk_warps + warp;
  int coming = tile;  // which is to be brought,
  int coming_part = 0;
  const auto brought = [&] {
    if (!is_last(job, coming_part++)) return;
    coming_part = 0;
    coming += apart;
  };
#pragma unroll 1
  for (int s = 0; s < job.stages && coming < job.tiles; ++s, brought())
    bring(job, Stretch(job, coming), coming_part, buffers + s * job.row_pitch, there[s]);

  int s = 0;     // which of the stages,
  int time = 0;  // and how often each has been used
#pragma unroll 1
  for (; tile < job.tiles; tile += apart) {
    float sums[run] = {};
    bool complete = false;
#pragma unroll 1
    for (int part = 0; !complete; ++part, brought()) {
      complete = is_last(job, part);
      const TapSteps& cut = complete ? job.last : job.full;
      float* const buffer = buffers + s * job.row_pitch;
      await_tile(there[s], time);
      add_part(cut, buffer + lane * run + step_taps, weights + part * job.part + cut.head, sums);
      if (complete) {
        finish_run(job, sums, sums_out);
      }
      before_bulk();
      __syncwarp();
      const bool comes = coming < job.tiles;
      const Stretch done(job, tile);
      const Stretch next(job, coming);
      if (complete && comes && job.stores_words && done.inner(job) && next.inner(job)) {
        if (lane == 0) {
          store_bulk(job.out + done.out + std::int64_t{done.index} * (warp_pixels * 4), sums_out,
                     warp_pixels * 4);
          bring_inner(job, next, coming_part, buffer, there[s]);
        }
      } else {
        if (complete) take_away(job, done, 0, sums_out);
        if (comes) bring_either(job, next, coming_part, buffer, there[s]);
      }
      if (++s == job.stages) {
        s = 0;
        ++time;
      }
    }
  }
  if (lane == 0) stored_bulk();
}

}  // namespace halation::cuda_backend
