// expected.h: what filters by rows of tiles should take on the CPU.
#pragma once

#include "core/job.h"

namespace halation::cpu_backend {

/// Seconds of one thread for one filter of a job, by lines of floats, in fixed point or by running boxes:
/// whichever of these would take it.
double by_rows_seconds(const Job& job, const Taps& taps, Method method);

}  // namespace halation::cpu_backend
