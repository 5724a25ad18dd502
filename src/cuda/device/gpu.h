// gpu.h: what choices and launches want to know of a GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/job.h"
#include "cuda/device/figures.h"

namespace halation::cuda_backend {

struct Gpu {
  Device device;
  int multiprocessors = 1;
  std::size_t shared_limit = 0;  ///< bytes of shared memory that one block may ask for
  int code = 0;                  ///< the architecture (10 · major + minor) that kernels here were compiled for
  double cache_bytes = 0;        ///< of the second level
  const Figures* figures = nullptr;
  /// How many times as long as the GPU that `figures` were measured on it takes: a multiprocessor for sums in
  /// f32 and in f64, memory for bytes.
  double slower_f32 = 1, slower_f64 = 1, slower_memory = 1;

  bool copies_in_bulk() const { return code >= 90; }
  bool copies_async() const { return code >= 80; }

  /// What launches take: each is started; then a block's steps where blocks follow one another, the work of
  /// all blocks of a multiprocessor, and the way of bytes from memory and back hide each other but for the
  /// longest.
  double seconds(const LaunchShape& shape) const { return seconds(shape, figures->of(shape.kernel)); }
  /// By such figures of its kernel.
  double seconds(const LaunchShape& shape, const KernelFigures& kernel) const;

  /// How blocks live on multiprocessors, so many together on each: how many follow one another in one place,
  /// and how many the multiprocessor has that has most.
  struct Rounds {
    double in_a_place, in_all;
  };
  Rounds rounds_of(std::int64_t blocks, int together) const;

  /// Blocks that share a multiprocessor, each with so many bytes of shared memory: no more than `blocks`, for
  /// which it has registers.
  int together(int blocks, std::size_t shared_bytes) const {
    constexpr std::size_t of_driver = 1024;  // bytes of shared memory that each block takes besides
    const std::size_t fit = (shared_limit + of_driver) / (shared_bytes + of_driver);
    return static_cast<int>(std::clamp<std::size_t>(fit, 1, static_cast<std::size_t>(blocks)));
  }
};

/// The driver is asked once a device. Throws `Error{device}` where it does not exist.
const Gpu& gpu_of(Device device);

/// Has prices made by these figures from now on; nobody may ask for any meanwhile.
void use_figures(Device device, Figures figures);

}  // namespace halation::cuda_backend
