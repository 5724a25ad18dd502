// patch.h: the direct method for small filters: a patch of outputs a thread, input in registers.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// Whether patches can take the job, done directly: one filter of at most 7×7 taps, sums in f32, outputs over their inputs along x.
bool patch_takes(const Job& job, const Taps& taps);

/// Null where the job is not one of its own. The device must be the present one.
std::unique_ptr<const Runner> make_patch(std::shared_ptr<const Job> job, Device device);

}  // namespace halation::cuda_backend
