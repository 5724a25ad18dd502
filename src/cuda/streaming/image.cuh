// image.cuh: the walk of movers.cuh along the rows of an image, where the copy engine brings them and outputs are whole groups.
//
// No warp but computes, and no pixel but f32 is met. Warps wait for what they need, not for each other: in turns one asks for a stretch
// of rows, whose place in shared memory all have left.
//
//   block → outputs    4 warps side by side, 256 pixels each (128 of more than 17 taps, 64 of more than 33)
//   shared memory      3 stretches of 4 rows: one filtered, one there or on its way, one that is being left or asked for
//   limits             Hopper and later; one channel, f32 in and out, rows on 16-byte boundaries, an anchor that keeps them there
#pragma once

#include "cuda/parts/bulk_rows.cuh"
#include "cuda/parts/windows.cuh"
#include "cuda/streaming/movers.cuh"

namespace halation::cuda_backend {

constexpr int arrivals_bytes = 64;  // of shared memory, in front

/// Where a warp's lanes leave what they have summed across for each other: a stretch of rows of its own pixels.
template <class M>
struct SharedRows {
  static constexpr int pixels = 32 * M::sums;
  static constexpr int row_pitch = pixels + 4;  // an odd number of 16 bytes: see sum_across
  static constexpr int numbers = M::units * row_pitch;  // a warp
  static constexpr int bytes = M::shares_rows ? M::warps * numbers * static_cast<int>(sizeof(float)) : 0;
};

/// A stretch of rows from `from` on, a warp's pixels of each, summed across into `to`. A lane has 8 neighbouring pixels at a time, so that
/// it reads X + 7 numbers for 8 X multiply-adds; of 8 lanes that a 16-byte access serves at once, 4 lie side by side in each of two rows,
/// which begin an odd number of 16 bytes apart.
template <int Z, int X, class M>
__device__ __forceinline__ void sum_across(const StreamingArguments<M::weights>& job, const float* from, int row_pitch, float* to) {
  constexpr int run = 8;
  static_assert(M::units == 4);
  const int lane = static_cast<int>(threadIdx.x);
  const int row = (lane & 1) + (lane >> 2 & 2);
  const int own = ((lane >> 1 & 3) + (lane >> 2 & 4)) * run;
#pragma unroll 1
  for (int first = 0; first < SharedRows<M>::pixels; first += 8 * run) {
    const float* const numbers = from + row * row_pitch + first + own;
    float window[(X + run - 1 + M::shift + 3) / 4 * 4];
    float sums[run] = {};
    constexpr int early = (run + M::shift + 3) / 4 * 4;
#pragma unroll
    for (int i = 0; i < early; i += 4) load_window<4>(reinterpret_cast<float(&)[4]>(window[i]), numbers + i);
#pragma unroll
    for (int kx = 0; kx < X; ++kx) {
      const int newest = M::shift + kx + run - 1;
      if (newest >= early && newest % 4 == 0) load_window<4>(reinterpret_cast<float(&)[4]>(window[newest]), numbers + newest);
#pragma unroll
      for (int i = 0; i < run; ++i) sums[i] += job.weights[Z + kx] * window[M::shift + kx + i];
    }
    float* const out = to + row * SharedRows<M>::row_pitch + first + own;
#pragma unroll
    for (int i = 0; i < run; i += 4) *reinterpret_cast<float4*>(out + i) = make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]);
  }
}

template <int Z, int X, bool Factored, class M = Streaming<Z, 1, X, Factored, true>>
__global__ void __launch_bounds__(M::threads, M::blocks) streaming_image_kernel(const __grid_constant__ StreamingArguments<M::weights> job) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  extern __shared__ __align__(16) std::byte shared_memory[];
  constexpr int places = M::ahead + 1;  // of stretches
  auto* const there = reinterpret_cast<Arrival*>(shared_memory);
  Arrival* const left = there + places;
  float* const rows_in = reinterpret_cast<float*>(shared_memory + arrivals_bytes);
  static_assert(2 * places * sizeof(Arrival) <= arrivals_bytes);
  [[maybe_unused]] float* const shared = rows_in + places * M::staged_rows * job.row_pitch + threadIdx.y * SharedRows<M>::numbers;
  const LineArguments& lines = job.lines;
  const int stretch = M::staged_rows * job.row_pitch;
  const Place place = place_of(lines, blockIdx.x, job.strip);
  const int all_units = static_cast<int>(min(lines.out.height - place.y, static_cast<std::int64_t>(job.strip))) + Z - 1;
  const int steps = (all_units + M::units - 1) / M::units;
  const int warp = static_cast<int>(threadIdx.y);

  const auto bring = [&](int s) {
    const int unit = s * M::units;
    stage_bulk(lines, place, place.z + job.lead[0], place.y + job.lead[1] + unit, place.x + job.lead[2] - M::shift,
               min(M::units, all_units - unit), pixels_left(lines, place.x) + X - 1 + M::shift, rows_in + s % places * stretch,
               job.row_pitch, there[s % places]);
  };
  if (warp == 0 && threadIdx.x == 0) {
    for (int i = 0; i < places; ++i) {
      there[i].start(stage_bulk_arrivals);
      left[i].start(M::threads);
    }
  }
  __syncthreads();
  for (int s = warp; s < min(places, steps); s += M::warps) bring(s);

  const int pixels = pixels_left(lines, place.x);
  int pixel[M::groups];
#pragma unroll
  for (int g = 0; g < M::groups; ++g) pixel[g] = M::wide * group_of<M>(warp, g);
  [[maybe_unused]] const int own_pixels = warp * SharedRows<M>::pixels < lines.width ? warp * SharedRows<M>::pixels : 0;
  std::byte* to = job.out + place.out + place.y * lines.out_strides.height + place.x * 4;
  float sums[Z][M::rows][M::sums] = {};
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const int first = s * M::units;
    const float* rows = rows_in + s % places * stretch;
    there[s % places].wait(s / places);
    if constexpr (M::shares_rows) {
      sum_across<Z, X, M>(job, rows + own_pixels, job.row_pitch, shared);
      __syncwarp();
    }
#pragma unroll 1
    for (int u = 0; u < M::units && first + u < all_units; ++u, rows += job.row_pitch) {
      if constexpr (M::shares_rows) {
        float row[M::sums];
        load_window<M::wide>(row, shared + u * SharedRows<M>::row_pitch + M::wide * static_cast<int>(threadIdx.x));
        add_sum<Z, M>(job, row, 0, sums);
      } else {
        const float* from[M::groups];
#pragma unroll
        for (int g = 0; g < M::groups; ++g) from[g] = rows + min(pixel[g], lines.width - M::wide);
        add_unit<Z, 1, X, Factored, M>(job, from, sums, job.row_pitch);
      }
      if (first + u < Z - 1) continue;
      put_groups<M>(job, to, pixel, pixels, sums[0][0]);
      to += lines.out_strides.height;
    }
    __syncwarp();
    left[s % places].arrive();
    // The stretch before this one: by now all have left it, or soon will.
    const int next = s - 1 + places;
    if (s > 0 && next < steps && warp == s % M::warps) {
      left[next % places].wait((s - 1) / places);
      bring(next);
    }
  }
#endif
}

}  // namespace halation::cuda_backend
