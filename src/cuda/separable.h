// separable.h: the method separable along two axes in one pass on a GPU.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// Whether the job's one filter, separable, with one factor along z, can be done in one pass: its lines fit shared memory.
bool separable_fits(const Job& job, Device device);

/// A job that fits. The device must be the present one.
std::unique_ptr<const Runner> make_separable(std::shared_ptr<const Job> job, Device device);

}  // namespace halation::cuda_backend
