// long_rows.h: filters along x alone: signals, and rows of images.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter along x alone, of at most 4,096 taps, sums in f32, on rows of at least 256 pixels: f32 rows on 16-byte boundaries, which
/// the copy engine brings,
extern const Family long_rows_in_bulk;
/// and any others.
extern const Family long_rows;

}  // namespace halation::cuda_backend
