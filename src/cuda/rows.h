// rows.h: filters along x alone: signals, and rows of images.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter along x alone, of at most 4,096 taps, sums in f32, on rows of at least 256 pixels: f32 rows on 16-byte boundaries, which
/// the copy engine brings,
extern const Family long_rows_in_bulk;
/// and any others.
extern const Family long_rows;

/// One window of 33 to 4,096 equal weights along x alone, sums in f32, over f32 rows on 16-byte boundaries.
extern const Family running_box_x;

/// Whether a job is one such window, whatever its pixels and rows are.
bool is_window_along_x(const Job& job);

}  // namespace halation::cuda_backend
