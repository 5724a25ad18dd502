// combine.h: the magnitude of several filters whose results lie in memory already.
#pragma once

#include "core/job.h"
#include "halation/stream.h"
#include "halation/view.h"

namespace halation::cuda_backend {

/// out = round(scale · √Σ_f sums_f² + offset) for packed planes of sums, f32 or f64, one a filter after the other, each of the
/// output's shape. The device must be the present one.
void combine_magnitude(const std::byte* sums, bool are_f64, int filters, const View& out, const Job& job, Stream stream);

}  // namespace halation::cuda_backend
