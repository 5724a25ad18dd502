// cuda.h: the CUDA backend: one kernel per method, memory from a pool of the library's own.
#pragma once

#include "core/backend.h"
#include "core/queue.h"

namespace halation::cuda_backend {

const Backend& backend();
const DeviceMemory& memory();
const Queues& queues();

}  // namespace halation::cuda_backend
