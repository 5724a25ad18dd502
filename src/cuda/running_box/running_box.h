// running_box.h: boxes of equal weights along one axis, at a cost that hardly depends on their size.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One box of 33 to 4,096 equal weights along x alone, sums in f32, over f32 rows on 16-byte boundaries.
extern const Family running_box_x;

/// One box of equal weights along y alone, of 18 rows and more: over f32 rows on 16-byte boundaries, by a ring of rows in shared memory;
extern const Family running_box_y;

/// and over any pixels and rows, of any height: rows that leave it are read again.
extern const Family running_box_y_reread;

}  // namespace halation::cuda_backend
