// arguments.cuh: what launches of sparse filters get, and how their blocks cut images.
#pragma once

#include <cstddef>

#include "cuda/parts/lines.cuh"

namespace halation::cuda_backend {

constexpr int most_sparse_taps = 64;
constexpr int most_sparse_planes = 16;

/// How a block's outputs are cut.
template <class Sum>
struct SparseTile {
  static constexpr int warps = 8;
  static constexpr int blocks = 2;                       // that a multiprocessor must hold
  static constexpr int rows = sizeof(Sum) == 8 ? 2 : 4;  // of outputs of a warp
  static constexpr int elements = 256;                   // of a row: 8 a lane, 32 apart, so that no two lanes meet in a bank
};

/// What a launch gets by value.
template <class Sum>
struct SparseArguments {
  LineArguments lines;
  std::byte* out;
  std::int64_t lead[3];
  int size[3];
  int row_pitch;            // numbers from one staged row to the next
  int plane_pitch;          // from one channel to the next
  const Sum* dense;         // all weights, for tiles with numbers that are not finite; null where there are none such
  int end[most_sparse_planes];  // of the taps of each plane of the filter
  int place[most_sparse_taps];  // numbers from an output's first to a tap's, in the tile
  Sum weight[most_sparse_taps];
};

template <class Sum>
using SparseKernel = void (*)(SparseArguments<Sum>);

/// The kernel for one channel a row, or for several.
template <class Sum>
SparseKernel<Sum> sparse_kernel_of(bool one_channel);

}  // namespace halation::cuda_backend
