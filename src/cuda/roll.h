// roll.h: small filters on images of small pixels: warps that roll down strips of columns.
#pragma once

#include <memory>

#include "cuda/runner.h"

namespace halation::cuda_backend {

/// Whether warps can roll through the job, done directly or by factors: one filter of at most 7×7 taps (9×9 by factors), sums in f32,
/// outputs over their inputs along x.
bool roll_takes(const Job& job, const Taps& taps, Method method);

/// Null where the job is not one of its own; views of other arrangements go by `otherwise`. The device must be the present one.
std::unique_ptr<const Runner> make_roll(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise);

}  // namespace halation::cuda_backend
