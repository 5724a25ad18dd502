// fixed.h: filters over 8 bits in fixed point.
#pragma once

#include <memory>
#include <optional>

#include "core/backend.h"

namespace halation::cpu_backend {

/// Levels of the output that fixed point may put sums of one filter off; none where it is not summed in fixed point.
std::optional<double> fixed_point_error(const Job& job, const Taps& taps, Method method);

/// Whether the job allows fixed point, if its weights do.
bool may_be_fixed_point(const Job& job);
/// None where not all filters of the job are summed in fixed point.
std::unique_ptr<const Runner> make_fixed(const std::shared_ptr<const Job>& job, int workers);

}  // namespace halation::cpu_backend
