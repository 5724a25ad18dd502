// workload.h: what a job of the matrix becomes: filter, plan, random pixels.
#pragma once

#include <array>
#include <vector>

#include "bench/matrix.h"
#include "halation/image.h"
#include "halation/plan.h"

namespace halation::bench {

/// The job's filter. Peers are given the same weights, as a convolution.
Filter filter_of(const Job& job);

/// Half the filter's taps, rounded up: no pixel as far from the edge as this sees the border.
std::int64_t reach_of(const Filter& filter);

PlanSpec spec_of(const Job& job, Device device, int threads = 0);

/// Random pixels in host memory, the same ones every time: integers of the whole range, floats in [0, 1).
/// Never zeros: hardware is faster on those.
Image random_image(const Shape& shape, Pixel pixel);

/// Largest magnitude among such pixels.
double largest_input(Pixel pixel);

}  // namespace halation::bench
