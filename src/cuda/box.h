// box.h: windows of equal weights, at a cost that hardly depends on their size.
#pragma once

#include <memory>

#include "core/backend.h"
#include "cuda/runner.h"

namespace halation::cuda_backend {

/// Whether the job's one filter is a window of equal weights along rows and columns that is done faster axis by axis than at once.
bool box_by_axes(const Job& job);

/// For a window along columns alone, over any pixels but f64, or over f32 along rows alone; null for others, and where another
/// kernel is faster or the window does not fit shared memory. `otherwise` makes the runner for images whose rows the copy engine
/// cannot bring, where box_tall.h has none.
std::unique_ptr<const Runner> make_box(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise);

}  // namespace halation::cuda_backend
