// memory.h: device memory from a pool of the library's own, and pinned host memory.
#pragma once

#include <cstddef>
#include <string>

#include "core/memory.h"
#include "halation/device.h"
#include "halation/stream.h"

namespace halation::cuda_backend {

/// `bytes` on `device`, on a 256-byte boundary, in the order of `stream`, which must outlive it. The pool keeps what is given back, so
/// that a warm allocation costs a microsecond. Throws `Error{out_of_memory}`: "<what> needs 17.2 GB of memory of cuda:0, 12.0 GB are
/// available".
Memory allocate(std::size_t bytes, Device device, Stream stream, const std::string& what);

/// Page-locked host memory that all devices reach; ordinary memory where there is no device.
Memory allocate_pinned(std::size_t bytes, const std::string& what);

}  // namespace halation::cuda_backend
