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

/// Whether `make_windows` takes a filter by this method: it alone, a window of equal weights along x alone,
/// of 33 to 4,096 columns, on f32 with sums in f32. `taps` may have no weights.
bool windows_take(const Job& job, const Taps& taps, Method method);

/// The same for pixels of other types, which should be f32 first; of 65 columns and more.
bool windows_take_as_f32(const Job& job, const Taps& taps, Method method);

/// For a filter that `windows_take`s, of weights `weight`. `otherwise` is for images whose rows the copy
/// engine cannot bring, null where there are none; it comes back where the device has no such engine.
std::unique_ptr<const Runner> make_windows(std::shared_ptr<const Job> job, double weight, Device device,
                                           std::unique_ptr<const Runner> otherwise);

}  // namespace halation::cuda_backend
