// patch.h: the direct method for small filters: a patch of outputs a thread, input in registers.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// Null where the job is not one of its own: one filter of at most 7×7 taps, sums in f32, rows packed or planar. The device must be
/// the present one.
std::unique_ptr<const Runner> make_patch(std::shared_ptr<const Job> job, Device device);

}  // namespace halation::cuda_backend
