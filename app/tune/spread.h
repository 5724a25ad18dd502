// spread.h: typical jobs, by which the figures of a device are measured.
#pragma once

#include <vector>

#include "halation/plan.h"

namespace halation::app {

/// Jobs that every family of a device's kernels is timed by: small and large filters, as sums, products,
/// boxes and transforms do them best, over pictures of two sizes, one of them with rows on no 16-byte
/// boundaries, a picture of three channels, a signal and a volume, of u8, u16, f16, f32 and f64; a GPU's
/// images have 16 times as many pixels.
std::vector<PlanSpec> spread_for(Device device, int threads);

}  // namespace halation::app
