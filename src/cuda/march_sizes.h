// march_sizes.h: the sizes that march.cuh is compiled for: lists, one a file, so that they compile side by side.
#pragma once

#include <memory>
#include <span>

#include "core/backend.h"
#include "cuda/runner.h"

namespace halation::cuda_backend {

/// One size, with the way to make its runner from a job and, for rows that its kernels do not take, from the maker of another runner;
/// null where they take none of the job's.
struct MarchSize {
  Space size;
  bool factored;
  std::unique_ptr<const Runner> (*make)(std::shared_ptr<const Job>, Device, const MakeRunner& otherwise);
};

std::span<const MarchSize> march_dense();
std::span<const MarchSize> march_factored();
std::span<const MarchSize> march_long();
std::span<const MarchSize> march_planes();
std::span<const MarchSize> march_volumes();

}  // namespace halation::cuda_backend
