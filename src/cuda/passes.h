// passes.h: jobs that one kernel does not do at once, as several that do.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// Any job: by one kernel where there is one for it; else filter by filter and axis by axis, sums between passes in the workspace.
/// The device must be the present one.
std::unique_ptr<const Runner> make_runner(std::shared_ptr<const Job> job, Device device);

}  // namespace halation::cuda_backend
