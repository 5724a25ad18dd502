// march_sizes.h: the sizes that march.cuh is compiled for: lists, one a file, so that they compile side by side.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/backend.h"
#include "cuda/gpu.h"

namespace halation::cuda_backend {

/// One size, and the way to make runners: by all warps of a block, over f32 rows on 16-byte boundaries, and by movers, over any.
struct MarchSize {
  Space size;
  bool factored;
  std::size_t all_warps_bytes;  ///< of shared memory that a block takes at most; 0 where there is no such kernel
  std::size_t movers_bytes;
  std::unique_ptr<const Runner> (*by_all_warps)(std::shared_ptr<const Job>, const Gpu&);
  std::unique_ptr<const Runner> (*by_movers)(std::shared_ptr<const Job>, const Gpu&);
};

std::span<const MarchSize> march_dense();
std::span<const MarchSize> march_factored();
std::span<const MarchSize> march_long();
std::span<const MarchSize> march_planes();
std::span<const MarchSize> march_volumes();

}  // namespace halation::cuda_backend
