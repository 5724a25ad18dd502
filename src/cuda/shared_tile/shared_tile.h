// shared_tile.h: the method direct on a GPU, for any job: tiles in shared memory.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// Dense weights of any size, of one filter or of several over one input, any pixels and rows.
extern const Family shared_tile;

}  // namespace halation::cuda_backend
