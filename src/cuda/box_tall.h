// box_tall.h: windows of equal weights along y, of any height, over any pixels and rows.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One window of equal weights along y alone, of 18 rows and more, sums in f32; rows that leave it are read again.
extern const Family running_box_y_reread;

}  // namespace halation::cuda_backend
