// spread.h: jobs, by which the figures of a device are measured.
#pragma once

#include <vector>

#include "halation/plan.h"

namespace halation::app {

/// Jobs that every family of a device's kernels is timed by, drawn at random, the same ones every time:
/// pictures, signals, volumes, thin and many small images of all pixels, filters of all kinds; 120 of up to
/// 2^20 elements for a CPU, 600 of up to 2^25 for a GPU.
std::vector<PlanSpec> spread_for(Device device, int threads);

}  // namespace halation::app
