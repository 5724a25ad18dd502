// reach.h: what lies under a filter for each of its outputs: by it, the error that an output may have is bounded.
#pragma once

#include <vector>

#include "arena.h"
#include "core/job.h"

namespace halation::sweep {

/// Of the finite samples under a filter, constants of the border included; outputs in the order of `Arena::for_each`.
struct Reach {
  std::vector<double> largest;  ///< magnitude
  std::vector<double> norm;     ///< the root of the sum of squares, and no less than the largest
};

Reach reach_of(const Arena& in, const Job& job, const Taps& taps);

}  // namespace halation::sweep
