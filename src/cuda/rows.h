// rows.h: filters along x alone: signals, and rows of images.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// Whether `make_rows` takes a filter by this method: it alone, along x alone, with at most 4,096 taps and
/// sums in f32, on rows of at least 256 pixels. `taps` may have no weights.
bool rows_take(const Job& job, const Taps& taps, Method method);

/// Null where the job's filter is none of its own. The device must be the present one.
std::unique_ptr<const Runner> make_rows(std::shared_ptr<const Job> job, Device device);

}  // namespace halation::cuda_backend
