// box_bulk.h: windows of equal weights over f32 rows that the copy engine brings.
#pragma once

#include <memory>
#include <string>

#include "core/job.h"
#include "cuda/box_window.h"
#include "cuda/device.h"

namespace halation::cuda_backend {

/// Sums of windows of f32 pixels to f32 pixels, one channel a block.
class BoxBulk {
 public:
  virtual ~BoxBulk() = default;

  /// False where rows do not lie as it needs them: elements side by side, on 16-byte boundaries. It has then done nothing.
  virtual bool launch(const ConstView& in, const View& out, Stream stream) const = 0;
  virtual int width() const = 0;  ///< columns of a block
};

/// For the job's only filter, y by x taps; null for other pixels than f32, on GPUs without a copy engine, and where windows do not fit
/// shared memory.
std::unique_ptr<const BoxBulk> make_box_bulk(const Job& job, Device device, const BoxWindow& y, const BoxWindow& x, float weight);

}  // namespace halation::cuda_backend
