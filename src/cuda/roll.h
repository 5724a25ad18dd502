// roll.h: small filters on small pixels, and on rows that begin on no boundary: warps that roll down strips of columns.
#pragma once

#include <memory>

#include "cuda/runner.h"

namespace halation::cuda_backend {

/// Whether warps roll through the job, done directly or by factors, where its rows begin on 16-byte boundaries: one filter of at most
/// 7×7 taps (9×9 by factors) over small pixels, sums in f32, outputs over their inputs along x.
bool roll_takes(const Job& job, const Taps& taps, Method method);

/// Null where the job is not one of its own on any rows; views of other arrangements go by `otherwise`. The device must be the present
/// one.
std::unique_ptr<const Runner> make_roll(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise);

}  // namespace halation::cuda_backend
