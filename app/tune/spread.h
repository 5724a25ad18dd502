// spread.h: jobs, by which the figures of a device are measured.
#pragma once

#include <vector>

#include "halation/plan.h"

namespace halation::app {

/// Jobs that every family of a device's kernels is timed by, drawn at random, the same ones every time:
/// pictures, signals, volumes, thin and many small images of all pixels, filters of all kinds; of 2^14 to
/// 2^20 elements for a CPU, 2^17 to 2^26 for a GPU. `count` 0: as many as take a few seconds on a CPU, a
/// minute on a GPU.
std::vector<PlanSpec> spread_for(Device device, int threads, int count = 0);

}  // namespace halation::app
