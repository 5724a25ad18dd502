// register_tile.h: the direct method for small filters: a tile of outputs a thread, input in registers.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter of at most 7×7 taps, sums in f32 (of f64 input in f64), outputs over their inputs along x, rows on 16-byte boundaries.
extern const Family register_tile;

}  // namespace halation::cuda_backend
