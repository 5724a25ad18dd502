// warp_strip.h: small filters on small pixels, and on rows that begin on no boundary: warps that walk down strips of columns.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter of at most 7×7 taps (9×9 by factors), sums in f32, outputs over their inputs along x: small pixels whose rows begin on
/// 16-byte boundaries,
extern const Family warp_strip_aligned;
/// and pixels of any size whose rows begin on any element.
extern const Family warp_strip;

}  // namespace halation::cuda_backend
