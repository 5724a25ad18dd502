// cuda.h: the CUDA backend: one kernel per method, memory from a pool of the library's own.
#pragma once

#include "core/backend.h"

namespace halation::cuda_backend {

const Backend& backend();
const DeviceMemory& memory();

}  // namespace halation::cuda_backend
