// arguments.cuh: what the two kernels for filters along x share: arguments, weights and scaling.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/lines.cuh"
#include "cuda/parts/rows/slide.cuh"

namespace halation::cuda_backend {

constexpr int warp_pixels = 32 * run;
constexpr int bulk_warps = 8;
constexpr int staged_warps = 4;  // and rows
constexpr int staged_blocks = 4;  // that a multiprocessor must hold
constexpr int part_taps = 256;
constexpr int few_taps = 256;
constexpr int many_taps = 4096;
constexpr int most_stages = 4;
constexpr int arrivals = most_stages * 2;  // numbers of shared memory that a warp's take
template <int Capacity>
constexpr bool one_part = Capacity <= part_taps;

/// What a launch gets by value.
template <int Capacity>
struct RowArguments {
  LineArguments lines;
  std::byte* out;
  std::int64_t lead;
  int parts;
  int part;            // taps of each part but the last, a multiple of 4
  TapSteps full, last;     // of parts
  int row_pitch;       // numbers from one row or tile to the next
  int plane_pitch;     // from one channel to the next
  int stages;          // tiles of a warp in shared memory at a time, in bulk
  int weights_shared;  // numbers of shared memory that weights take
  int tiles;
  // Tiles of a row that have all of their outputs, and their inputs inside:
  int first_inner, inner;  // where they begin, and how many there are,
  std::int64_t inner_low;  // bytes from the row's first element to what its first output reads,
  int inner_to;            // number of a tile in shared memory where that goes,
  int inner_bytes[2];      // and how many there are, of each part but the last, and of the last
  int last_pixels;         // of a row's last tile
  bool one_line;           // a signal
  bool one_plane;          // an image of one channel
  bool scales;             // otherwise sums go out as they are
  bool stores_words;       // f32 of one channel on 16-byte boundaries
  float weights[Capacity];
};

template <int Capacity>
__device__ __forceinline__ bool is_last(const RowArguments<Capacity>& job, int part) {
  return one_part<Capacity> || part + 1 == job.parts;
}

/// All weights to shared memory, by all of a block; they must meet before these are read. Gives where that of
/// tap 0 lies: steps begin on 16-byte boundaries.
template <int Capacity>
__device__ __forceinline__ const float* share_weights(const RowArguments<Capacity>& job, float* to) {
  const int count = (job.parts - 1) * job.part + job.last.taps;
  float* const first = to + step_taps - job.last.head;
  for (int t = static_cast<int>(threadIdx.y) * 32 + static_cast<int>(threadIdx.x); t < count;
       t += static_cast<int>(blockDim.y) * 32) {
    first[t] = job.weights[t];
  }
  return first;
}

template <int Capacity>
__device__ __forceinline__ void scale_sums(const RowArguments<Capacity>& job, float (&sums)[run]) {
  if (!job.scales) return;
  const auto scale = static_cast<float>(job.lines.scale);
  const auto offset = static_cast<float>(job.lines.offset);
#pragma unroll
  for (int i = 0; i < run; ++i) sums[i] = sums[i] * scale + offset;
}

}  // namespace halation::cuda_backend
