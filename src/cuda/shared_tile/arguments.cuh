// arguments.cuh: what launches of the shared tile's kernel get, and its kernels by size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/lines.cuh"

namespace halation::cuda_backend {

constexpr int few_weights = 256;  // that travel with every launch; more make launches slower
template <class Sum>
constexpr int many_weights = 16384 / sizeof(Sum);
constexpr int most_unrolled = 16;  // taps of a row, with few weights

/// Filters over one tile at most.
constexpr int most_filters_together = 8;

/// How a block's outputs are cut.
template <class Sum>
struct SharedTile {
  static constexpr int warps = 8;
  static constexpr int blocks = sizeof(Sum) == 8 ? 1 : 2;  // that a multiprocessor must hold
  static constexpr int rows = sizeof(Sum) == 8 ? 2 : 4;  // of outputs of a warp: more share what is read, and need more registers
  static constexpr int few_rows = 1;                     // the same where images are small: there are more blocks
  static constexpr int groups = 64;                      // of 4 pixels, a row
  static constexpr int row_sums = 4 * groups;
  static constexpr int part_rows = 16;     // taps of a filter at a time
  static constexpr int part_columns = 32;  // a multiple of 4
};

struct TileFilter {
  std::int64_t lead[3];
  int size[3];
  int first_weight;
};

/// What a launch gets by value: up to `Capacity` weights; more lie in memory.
template <class Sum, int Capacity>
struct SharedTileArguments {
  LineArguments lines;
  std::byte* out[most_filters_together];
  TileFilter filter[most_filters_together];
  int filters;
  bool magnitude;  // one output: the root of the sum of squares
  bool shared;     // all filters read one part, which is staged once, from `first` on
  std::int64_t first[3];
  int part[2];      // rows and columns of taps of that part
  int row_pitch;    // numbers from one staged row to the next
  int plane_pitch;  // from one channel to the next
  const Sum* far_weights;  // null where they are here
  union {
    Sum weights[Capacity];
    float2 weight_pairs[Capacity / 2];
  };
};

template <class Sum, int Capacity>
using SharedTileKernel = void (*)(SharedTileArguments<Sum, Capacity>);

/// The kernel with `Capacity` weights as arguments, whose warps have `R` rows of outputs.
template <class Sum, int Capacity, int R>
SharedTileKernel<Sum, Capacity> shared_tile_kernel_of();

}  // namespace halation::cuda_backend
