// axis_by_axis.h: products of factors, one axis after another over whole images in scratch: what they cost is
// the sum of their taps, at any shape.
#pragma once

#include <memory>
#include <optional>

#include "core/backend.h"

namespace halation::cpu_backend {

/// Seconds that one thread should take for one filter of a job; none where its weights are no factors of
/// axes, or the scratch would not fit. `taps` may come without factors: they are then as `method` promises.
std::optional<double> axis_by_axis_seconds(const Job& job, const Taps& taps, Method method);

/// For jobs of whose filters each has `axis_by_axis_seconds`.
std::unique_ptr<const Runner> make_axis_by_axis(std::shared_ptr<const Job> job, int workers);

}  // namespace halation::cpu_backend
