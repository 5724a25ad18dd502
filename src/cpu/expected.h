// expected.h: what filters by rows of tiles should take on the CPU.
#pragma once

#include "cpu/families.h"

namespace halation::cpu_backend {

/// How rows are summed.
enum class RowSums { of_floats, of_bytes, running };

/// Seconds of one thread for the filters of a job.
double seconds_by_rows(const Request& request, RowSums sums);

}  // namespace halation::cpu_backend
