// int8.h: filters over 8 bits in fixed point.
#pragma once

#include <optional>

#include "core/backend.h"

namespace halation::cpu_backend {

/// Levels of the output that fixed point may put sums of one filter off; none where it is not summed in fixed point.
std::optional<double> fixed_point_error(const Job& job, const Taps& taps);

}  // namespace halation::cpu_backend
