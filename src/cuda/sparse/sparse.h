// sparse.h: the direct method for filters most of whose weights are 0.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter of at most 64 weights that are not 0, in a box that a tile in shared memory holds; any pixels and rows.
extern const Family sparse_taps;

}  // namespace halation::cuda_backend
