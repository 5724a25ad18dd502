// queue.h: CUDA streams of the library's own.
#pragma once

#include "core/queue.h"

namespace halation::cuda_backend {

std::unique_ptr<Queue> make_queue(Device device);
bool is_pinned(const void* data);

}  // namespace halation::cuda_backend
