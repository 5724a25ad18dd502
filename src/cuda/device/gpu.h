// gpu.h: what choices and launches want to know of a GPU: the driver's figures, and the share of them that
// kernels reach.
#pragma once

#include <cstddef>

#include "core/backend.h"

namespace halation::cuda_backend {

struct Gpu {
  Device device;
  int multiprocessors = 1;
  std::size_t shared_limit = 0;  ///< bytes of shared memory that one block may ask for
  int code = 0;    ///< the architecture (10 · major + minor) that kernels here were compiled for
  Rates f32, f64;  ///< by the precision of sums

  const Rates& rates(const Job& job) const { return job.sum_f64 ? f64 : f32; }
  bool copies_in_bulk() const { return code >= 90; }
  bool copies_async() const { return code >= 80; }
};

/// The driver is asked once a device. Throws `Error{device}` where it does not exist.
const Gpu& gpu_of(Device device);

}  // namespace halation::cuda_backend
