// sizes.h: the sizes that the streaming kernels are compiled for: lists, one a file, so that they compile side by side.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/backend.h"
#include "cuda/device/gpu.h"

namespace halation::cuda_backend {

/// One size, and the way to make runners: by all warps of a block, over rows of its pixel on 16-byte boundaries, and by movers, over any.
struct StreamingSize {
  Space size;
  bool factored;
  Pixel pixel;
  std::size_t all_warps_bytes;  ///< of shared memory that a block takes at most; 0 where there is no such kernel
  std::size_t movers_bytes;
  std::unique_ptr<const Runner> (*by_all_warps)(const std::shared_ptr<const Job>&, const Gpu&);
  std::unique_ptr<const Runner> (*by_movers)(const std::shared_ptr<const Job>&, const Gpu&);
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
