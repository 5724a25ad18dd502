// march.h: filters of one known size, whose partial sums stay in registers while a block walks along the
// filter's outermost axis.
#pragma once

#include <memory>

#include "cuda/runner.h"

namespace halation::cuda_backend {

/// Null where the job's one filter has no size of the lists in march_sizes.h; `otherwise` makes the runner for images whose rows the size
/// does not take, if there are such.
std::unique_ptr<const Runner> make_march(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise);

/// Whether `make_march` takes a filter by this method.
bool march_takes(const Job& job, const Taps& taps, Method method);

/// Whether rows of the job may be such as the kernels for f32 rows on 16-byte boundaries take.
bool march_whole(const Job& job, const Taps& taps);

}  // namespace halation::cuda_backend
