// factored.h: the method separable along two axes in one pass on a GPU.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter by factors along y and x, over any pixels and rows, whose lines fit shared memory.
extern const Family shared_tile_factored;

}  // namespace halation::cuda_backend
