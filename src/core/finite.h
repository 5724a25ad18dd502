// finite.h: whether a job may see numbers that are not finite.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/job.h"

namespace halation {

/// Whether an input, or a constant around it, may be infinite or no number.
inline bool may_be_non_finite(const Job& job) {
  return is_float(job.in_pixel) || std::any_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
    return !std::isfinite(border.constant());
  });
}

}  // namespace halation
