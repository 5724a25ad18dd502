// streaming.h: filters of one known size, whose partial sums stay in registers while a block walks along the
// filter's outermost axis.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter of a size of sizes.h, sums in f32: over f32 rows on 16-byte boundaries, by all warps of a
/// block,
extern const Family streaming;
/// and over any pixels and rows, which some warps move for the others.
extern const Family streaming_movers;

}  // namespace halation::cuda_backend
