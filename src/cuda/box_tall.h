// box_tall.h: windows of equal weights along y, of any height, over any pixels and rows.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// For a filter of `taps` rows, 18 or more, and one column and plane, each of `weight`, with sums in f32. Null where its sums do
/// not fit shared memory. The device must be the present one.
std::unique_ptr<const Runner> make_tall(std::shared_ptr<const Job> job, double weight, Device device);

}  // namespace halation::cuda_backend
