// rounding.h: whether what methods round on the way shows in the outputs, and whether that is worth it.
#pragma once

#include <vector>

#include "core/job.h"
#include "plan/analysis/analyse.h"

namespace halation {

/// How far rounding could put an integer output off, `own` being the bound of the candidate and `bound` the same or that of several. Floats
/// may be of any size: they count as large as weights of one sign turn into the largest outputs.
double levels_off(const Job& job, double magnitudes, const ErrorBound& own, const ErrorBound& bound);

/// Whether transforms would be seen: by a level, or where a fraction is cut off, by any error at all, unless sums are whole numbers.
bool shows_transforms(const Job& job, const std::vector<double>& weights, double magnitudes, const ErrorBound& bound);

/// Whether transforms save too little for the digits that they round away. Whole outputs lose none, but for those that show.
bool saves_too_little(const Space& size, const Job& job);

}  // namespace halation
