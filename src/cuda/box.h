// box.h: windows of equal weights, at a cost that hardly depends on their size.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// Whether a filter is a product of equal weights along y and x (one plane) that `make_box` knows how to sum:
/// in f32, and of a size at which other kernels are slower. A window may still be too large for the device,
/// or better done axis by axis.
bool box_takes(const Job& job, const Taps& taps);

/// Null where `box_takes` says no, where the window does not fit shared memory, and where two passes, one
/// axis each, should be faster.
std::unique_ptr<const Runner> make_box(std::shared_ptr<const Job> job, Device device);

}  // namespace halation::cuda_backend
