// random_job.h: jobs of the ladder on random values, as `halation ladder` has them unless told otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "run.h"

namespace halation::app {

/// 16777216, 2048 × 2048 or 256 × 256 × 256.
std::vector<std::int64_t> usual_extents(int dims);

/// Values in [0, 1), the same ones every time, of one to three extents, outermost first. Radius, memories and rungs are still to be chosen.
LadderJob random_job(const std::vector<std::int64_t>& extents);

}  // namespace halation::app
