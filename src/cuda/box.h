// box.h: windows of equal weights along y, at a cost that hardly depends on their size.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One window of equal weights along y alone, of 18 rows and more: over f32 rows on 16-byte boundaries, by a ring of rows in shared memory.
extern const Family running_box_y;

/// Whether the job is one filter of equal weights whose product is as good as one after the other, with sums in f32.
bool is_one_weight(const Job& job);

/// Whether such a window stands along y alone, and is high enough for sums that neighbours share.
bool is_window_along_y(const Job& job);

/// The product of its factors' weights.
double weight_of(const Taps& taps);

}  // namespace halation::cuda_backend
