// sparse.cuh: filters most of whose weights are 0: those that are not, from tiles in shared memory.
//
//   block → outputs    8 warps of 4 rows each (2 in f64); a row is 256 elements, 8 a lane, 32 apart
//   shared memory      the rows and columns that a block's outputs read, of one plane of the filter at a time, as numbers (lines.cuh); then
//                      the sums on their way out
//   operations         a load of shared memory and a multiply-add for each output and weight that is not 0
//   traffic            DRAM: each element once; L2: halos of the filter's box less one for 32 rows × 256 columns
//   not finite         0 · NaN is NaN: over floats a block looks whether all numbers of its tile are finite, which takes a load for each,
//                      and where they are not sums all weights
//   instantiations     4 (CMakeLists.txt): f32 and f64, one channel a row or several
#pragma once

#include "cuda/sparse/arguments.cuh"

namespace halation::cuda_backend {

namespace sparse_steps {

/// Whether a number that this thread looks at is not finite: of `rows` rows, and of each channel's `columns` in them.
template <class Sum>
__device__ __forceinline__ bool finds_odd(const Sum* tile, int rows, int columns, int channels, int row_pitch, int plane_pitch) {
  Sum zeros = 0;
  for (int r = static_cast<int>(threadIdx.y); r < rows; r += static_cast<int>(blockDim.y)) {
    for (int c = 0; c < channels; ++c) {
      const Sum* const line = tile + r * row_pitch + c * plane_pitch;
      for (int x = static_cast<int>(threadIdx.x); x < columns; x += 32) zeros += 0 * line[x];
    }
  }
  return zeros != 0;  // NaN
}

}  // namespace sparse_steps

template <class Sum, bool OneChannel>
__global__ void __launch_bounds__(32 * SparseTile<Sum>::warps, SparseTile<Sum>::blocks)
    sparse_kernel(const __grid_constant__ SparseArguments<Sum> job) {
  using D = SparseTile<Sum>;
  constexpr int own = D::elements / 32;
  extern __shared__ __align__(16) std::byte shared_memory[];
  Sum* const tile = reinterpret_cast<Sum*>(shared_memory);
  const LineArguments& lines = job.lines;
  const Place place = place_of(lines, blockIdx.x, D::warps * D::rows);
  const int row = static_cast<int>(threadIdx.y) * D::rows;
  const int lane = static_cast<int>(threadIdx.x);
  const int width = pixels_left(lines, place.x);

  // Where the lane's elements lie in a row of the tile; those that are none, at the first.
  int at[own];
#pragma unroll
  for (int i = 0; i < own; ++i) {
    const int e = lane + 32 * i;
    const int pixel = OneChannel ? e : e * lines.by_channels >> 16;
    at[i] = OneChannel ? e : (e - pixel * lines.channels) * job.plane_pitch + pixel;
    if (!OneChannel && pixel >= lines.width) at[i] = 0;
  }

  Sum sums[D::rows][own] = {};
  int first = 0;
  for (int plane = 0; plane < job.size[0]; ++plane) {
    if (plane > 0) __syncthreads();  // until all have used the plane before
    const int rows = D::warps * D::rows + job.size[1] - 1;
    const int columns = width + job.size[2] - 1;
    stage<9>(lines, place, place.z + job.lead[0] + plane, place.y + job.lead[1], place.x + job.lead[2], rows, columns, tile, job.row_pitch,
             job.plane_pitch);
    staged();
    __syncthreads();
    const Sum* const from = tile + row * job.row_pitch;
    const auto add = [&](Sum weight, int tap) {
      const Sum* line = from + tap;
#pragma unroll
      for (int r = 0; r < D::rows; ++r, line += job.row_pitch) {
#pragma unroll
        for (int i = 0; i < own; ++i) sums[r][i] += weight * line[OneChannel ? lane + 32 * i : at[i]];
      }
    };
    bool is_odd = false;
    if (job.dense != nullptr) {
      is_odd = __syncthreads_or(sparse_steps::finds_odd(tile, rows, columns, lines.channels, job.row_pitch, job.plane_pitch)) != 0;
    }
    if (is_odd) {
      const Sum* weight = job.dense + static_cast<std::int64_t>(plane) * job.size[1] * job.size[2];
#pragma unroll 1
      for (int y = 0; y < job.size[1]; ++y) {
#pragma unroll 1
        for (int x = 0; x < job.size[2]; ++x) add(__ldg(weight++), y * job.row_pitch + x);
      }
    } else {
#pragma unroll 1
      for (int t = first; t < job.end[plane]; ++t) add(job.weight[t], job.place[t]);
    }
    first = job.end[plane];
  }

  __syncthreads();  // until all have used the tile, where sums go now
  Sum* const sums_out = tile + row * D::elements;
  const auto scale = static_cast<Sum>(lines.scale);
  const auto offset = static_cast<Sum>(lines.offset);
#pragma unroll
  for (int r = 0; r < D::rows; ++r) {
#pragma unroll
    for (int i = 0; i < own; ++i) sums_out[r * D::elements + lane + 32 * i] = sums[r][i] * scale + offset;
  }
  __syncwarp();
  put_rows(lines, place, job.out, place.y + row, lines.out.height, D::rows, sums_out, D::elements);
}

template <class Sum>
SparseKernel<Sum> sparse_kernel_of(bool one_channel) {
  return one_channel ? sparse_kernel<Sum, true> : sparse_kernel<Sum, false>;
}

}  // namespace halation::cuda_backend
