// sizes.h: the sizes that the streaming kernels are compiled for: lists, one a file, so that they compile side by side.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/backend.h"
#include "cuda/device/gpu.h"

namespace halation::cuda_backend {

/// A kernel of one size, as it is launched.
struct StreamingKernel {
  std::size_t bytes = 0;  ///< of shared memory that a block takes at most
  int warps = 0;          ///< of a block that compute
  int columns = 0;        ///< sums of a row of a block
  int rows = 0;           ///< of a block, at each place along the way
  int together = 0;       ///< blocks of a multiprocessor, as registers let
  std::unique_ptr<const Runner> (*make)(const std::shared_ptr<const Job>&, const Gpu&) = nullptr;

  explicit operator bool() const { return make != nullptr; }
};

/// One size, and its kernels: by all warps of a block, over rows of its pixel on 16-byte boundaries, and by
/// movers, over any.
struct StreamingSize {
  Space size;
  bool factored;
  Pixel pixel;
  StreamingKernel all_warps, movers;
};

template <class In, int Z, int Y, int X, bool Factored>
struct StreamedTaps {};
template <class... Taps>
struct StreamingList {};

/// Images by weights, and by factors; volumes likewise, which all pixels but f64 have. A list compiles as one file.
template <int... K>
using DenseSquares = StreamingList<StreamedTaps<float, K, 1, K, false>...>;
template <int... K>
using FactoredSquares = StreamingList<StreamedTaps<float, K, 1, K, true>...>;
template <class In, int... K>
using DenseCubes = StreamingList<StreamedTaps<In, K, K, K, false>...>;
template <class In, int... K>
using FactoredCubes = StreamingList<StreamedTaps<In, K, K, K, true>...>;

using Dense = DenseSquares<7, 8, 9, 10, 11, 12, 13, 14, 15>;
using SmallFactored = FactoredSquares<7, 9, 11, 13, 15, 17>;
using MiddleFactored = FactoredSquares<19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41>;
using LargeFactored = FactoredSquares<43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63, 65>;
template <class In>
using Volumes = DenseCubes<In, 3, 5, 7>;
template <class In>
using FactoredVolumes = FactoredCubes<In, 3, 5, 7, 9>;

template <class List>
std::span<const StreamingSize> streaming_sizes();

}  // namespace halation::cuda_backend
