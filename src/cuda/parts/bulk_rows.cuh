// bulk_rows.cuh: whole rows with their borders that the copy engine brings into shared memory (bulk.cuh), where one warp asks for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/bulk.cuh"
#include "cuda/parts/lines.cuh"

namespace halation::cuda_backend {

/// How many arrive at `stage_bulk`'s barrier each time: one that announces bytes, and each lane with its copies.
constexpr int stage_bulk_arrivals = 33;

/// What `stage` does, by one warp, for f32 of one channel on 16-byte boundaries and x a multiple of 4: the copy engine
/// brings what lies inside, lane by lane a row; what does not, follows element by element. `there` is passed when all of it is there.
__device__ __forceinline__ void stage_bulk(const LineArguments& job, const Place& place, std::int64_t z, std::int64_t y, std::int64_t x, int rows,
                                           int columns, float* to, int row_pitch, Arrival& there) {
  constexpr unsigned all = 0xffffffff;
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t n = job.borders[2].n;
  const int low = static_cast<int>(min(max(-x, std::int64_t{0}), static_cast<std::int64_t>(columns)));
  const int high = max(low, static_cast<int>(max(min(n - x, static_cast<std::int64_t>(columns + 3)), std::int64_t{0})) & ~3);
  const std::int64_t source_z = job.borders[0].source(z);
  const std::int64_t source_y = lane < rows ? job.borders[1].source(y + lane) : -1;
  const bool exists = source_z >= 0 && source_y >= 0;
  const std::byte* const row = place.in + source_z * job.in_strides.depth + source_y * job.in_strides.height + x * 4;
  const unsigned existing = __ballot_sync(all, exists);
  const int outer = low + max(columns - high, 0);
  const bool edge = outer > 0 || __popc(existing) < rows;

  // Constants first: the announcement tells of them.
  const float constants[2] = {static_cast<float>(job.borders[source_z < 0 ? 0 : 1].constant), static_cast<float>(job.borders[2].constant)};
  const int bits = outer > 16 ? 5 : outer > 8 ? 4 : outer > 4 ? 3 : 2;  // lanes that share a row's outer elements
  const int own = lane & ((1 << bits) - 1);
  if (edge) {
    for (int r = 0; r < rows; ++r) {
      if (existing >> r & 1) continue;
      for (int e = lane; e < columns; e += 32) to[r * row_pitch + e] = constants[0];
    }
    for (int e = own; e < outer; e += 1 << bits) {
      const int pixel = e < low ? e : e - low + high;
      if (job.borders[2].source(x + pixel) >= 0) continue;
      for (int r = lane >> bits; r < rows; r += 32 >> bits) {
        if (existing >> r & 1) to[r * row_pitch + pixel] = constants[1];
      }
    }
    before_bulk();
    __syncwarp();
  }
  const int bytes = (high - low) * 4;
  if (lane == 0) there.announce(__popc(existing) * bytes);
  __syncwarp();
  if (exists && bytes > 0) copy_bulk(to + lane * row_pitch + low, row + low * 4, bytes, there);
  for (int first = 0; first < outer; first += 1 << bits) {
    const int e = first + own;
    const int pixel = e < low ? e : e - low + high;
    const std::int64_t source_x = e < outer ? job.borders[2].source(x + pixel) : -1;
    for (int above = 0; above < rows; above += 32 >> bits) {
      const int r = above + (lane >> bits);
      const auto* from = reinterpret_cast<const std::byte*>(__shfl_sync(all, reinterpret_cast<unsigned long long>(row), r & 31));
      if (source_x >= 0 && r < rows && (existing >> r & 1)) copy_async(to + r * row_pitch + pixel, from + (source_x - x) * 4);
    }
  }
  there.arrive_with_copies();
}

}  // namespace halation::cuda_backend
