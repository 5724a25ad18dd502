// staged.cuh: filters along x for any pixel, stride and GPU: the warps of a block stage its rows together, and sum one each.
#pragma once

#include "cuda/parts/lines.cuh"
#include "cuda/parts/rows/arguments.cuh"

namespace halation::cuda_backend {

template <int Capacity>
__global__ void __launch_bounds__(32 * staged_warps, staged_blocks)
    long_rows_staged_kernel(const __grid_constant__ RowArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  const LineArguments& lines = job.lines;
  const float* const weights = share_weights(job, reinterpret_cast<float*>(shared_memory));
  float* const tile = reinterpret_cast<float*>(shared_memory) + job.weights_shared;
  Place place = place_of(lines, blockIdx.x, staged_warps);
  const int warp = static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  // Two warps stage every other piece of all rows, the other two the pieces between: a warp has two rows
  // under way at a time.
  place.warp = warp % 2;
  place.warps = 2;
  const std::int64_t x = lines.folded ? place.y * lines.width : place.x;
  const std::int64_t y = lines.folded ? 0 : place.y;
  const int width = lines.folded ? lines.width : pixels_left(lines, place.x);

  // A warp has one row. Its runs are counted through all channels.
  const int runs = (lines.width + run - 1) / run;
  const bool exists = lane < runs * lines.channels;
  const int channel = exists ? lane / runs : 0;
  const int pixel = exists ? (lane - channel * runs) * run : 0;
  float* const row = tile + warp * job.row_pitch;
  constexpr int elements = 11;  // of a row that a lane stages at a time
  const int columns_at_once = 32 * elements / lines.channels;

  float sums[run] = {};
#pragma unroll 1
  for (int part = 0; part < job.parts; ++part) {
    const TapSteps& cut = is_last(job, part) ? job.last : job.full;
    const int columns = width + cut.taps - 1;
    if (part > 0) __syncthreads();  // until all have used the part before
#pragma unroll 1
    for (int c = warp / 2 * columns_at_once; c < columns; c += staged_warps / 2 * columns_at_once) {
      stage<elements>(lines, place, place.z, y, x + job.lead + part * job.part + c, staged_warps,
                      min(columns_at_once, columns - c), tile + step_taps - cut.head + c, job.row_pitch,
                      job.plane_pitch);
    }
    staged();
    __syncthreads();
    add_part(cut, row + channel * job.plane_pitch + pixel + step_taps, weights + part * job.part + cut.head,
             sums);
  }
  scale_sums(job, sums);
  __syncwarp();  // until all have used the row, where sums go now
  if (exists) {
    if (lines.channels == 1) {
      write_run(sums, row + pixel);
    } else {
#pragma unroll
      for (int i = 0; i < run; ++i) row[(pixel + i) * lines.channels + channel] = sums[i];
    }
  }
  __syncwarp();
  put_rows(lines, place, job.out, place.y + warp, lines.out.height, 1, row, job.row_pitch);
}

}  // namespace halation::cuda_backend
