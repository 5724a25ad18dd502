// spread.h: typical jobs, over which the rates of a device are measured.
#pragma once

#include <vector>

#include "halation/plan.h"

namespace halation::app {

/// Jobs by which every method of a device is timed: small and large filters, as sums, products, boxes and
/// transforms do them best, over pictures of two sizes, a signal and a volume, of u8, u16, f32 and f64; a
/// GPU's images have 16 times as many pixels.
std::vector<PlanSpec> spread_for(Device device, int threads);

}  // namespace halation::app
