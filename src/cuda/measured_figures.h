// measured_figures.h: figures of kernels from what their launches took.
#pragma once

#include <span>
#include <string>

#include "core/backend.h"
#include "cuda/device/gpu.h"

namespace halation::cuda_backend {

/// Lines of figures of every kernel that some of these offers launched, and of what a second pass costs: each
/// kernel's by itself, near the measured times, and near what they were where little was measured.
std::string figures_from_times(std::span<const TimedOffer> offers, const Gpu& gpu);

}  // namespace halation::cuda_backend
