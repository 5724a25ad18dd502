// equal_weights.h: which jobs are boxes of equal weights, whose neighbouring sums share most of what they add.
#pragma once

#include "core/job.h"
#include "cuda/device/gpu.h"

namespace halation::cuda_backend {

/// Whether the job is one filter of equal weights whose product is as good as one after the other, with sums in f32.
bool is_equal_weights(const Job& job);

/// Whether such a box lies along x alone, 33 to 4,096 columns, in the rows of its outputs, whatever its pixels and rows are.
bool is_box_along_x(const Job& job);

/// Whether such a box stands along y alone, 18 to 65,536 rows.
bool is_box_along_y(const Job& job);

/// The product of its factors' weights.
double weight_of(const Taps& taps);

}  // namespace halation::cuda_backend
