// constants.h: what a prepared job keeps on the device: weights and border tables, one block of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/job.h"
#include "cuda/runtime.h"

namespace halation::cuda_backend {

/// Sources of the coordinates outside the image along one axis of n pixels; −1 for the constant. Coordinates from `low` up to
/// `high` are covered; `before` holds those from `low` to −1, `after` those from n.
struct DeviceBorder {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t n = 0;
  const std::int64_t* before = nullptr;
  const std::int64_t* after = nullptr;
  double constant = 0;

  __device__ std::int64_t source(std::int64_t c) const { return c < 0 ? before[c - low] : c >= n ? after[c - n] : c; }
};

/// One filter as kernels read it: weights of type float or double by the job's sums.
struct DeviceTaps {
  std::int64_t size[3];
  std::int64_t lead[3];
  const void* weights;
};

/// Uploads the filters and borders of a job; all pointers stay valid while it lives. Waits until they are there.
class DeviceConstants {
 public:
  explicit DeviceConstants(const Job& job);
  const DeviceBorder* borders() const { return reinterpret_cast<const DeviceBorder*>(block_.data()); }  ///< 3: z, y, x
  const DeviceTaps* taps() const { return reinterpret_cast<const DeviceTaps*>(block_.data() + 3 * sizeof(DeviceBorder)); }

 private:
  DeviceArray<std::byte> block_;
};

}  // namespace halation::cuda_backend
