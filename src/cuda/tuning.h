// tuning.h: what a GPU should do in a second: the driver's figures, and the share of them that kernels reach.
#pragma once

#include "core/backend.h"

namespace halation::cuda_backend {

/// Of one filter with sums in f32 or f64. The driver is asked once a device. Throws `Error{device}` where it
/// does not exist.
Rates rates_of(Device device, bool sum_f64);

}  // namespace halation::cuda_backend
