// shared_memory.h: how much of a multiprocessor's shared memory a block may have.
#pragma once

#include <cstddef>

#include "cuda/device/runtime.h"

namespace halation::cuda_backend {

/// Lets blocks of a kernel have all that the GPU lets a block have: the limit is one for all jobs of a process, so none may set what it needs
/// itself and leave less to another.
template <class Kernel>
void allow_all_shared_memory(Kernel kernel, std::size_t shared_limit) {
  const auto* const function = reinterpret_cast<const void*>(kernel);
  cudaFuncAttributes attributes{};
  HALATION_CUDA_CHECK(cudaFuncGetAttributes(&attributes, function));
  HALATION_CUDA_CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared_limit - attributes.sharedSizeBytes)));
}

}  // namespace halation::cuda_backend
