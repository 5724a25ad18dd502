// expected.h: what filters over lines of floats should take.
#pragma once

#include "cpu/families.h"

namespace halation::cpu_backend {

/// Seconds of one thread for the filters of a job.
double seconds_by_lines(const Request& request);

}  // namespace halation::cpu_backend
