// measure_gpu.h: the part of measuring that needs a GPU's runtime; refused in a build without one.
#pragma once

#include "ladder/measure.h"

namespace halation::ladder {

/// `run_once`, `measure_kernel_s` and `measure` for a rung whose place is the GPU.
void run_once_on_gpu(const Rung& rung, const Problem& problem, HostImages& images);
double kernel_s_on_gpu(const Rung& rung, const Problem& problem, HostImages& images, double budget_s);
Timings measure_on_gpu(const Rung& rung, const Problem& problem, HostImages& images, double budget_s);

}  // namespace halation::ladder
