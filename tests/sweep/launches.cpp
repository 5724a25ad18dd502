// launches.cpp: which kernels the GPU was given. The linker hands all launches to __wrap___cudaLaunchKernel
// (CMakeLists.txt).
#include "launches.h"

#include <utility>

#ifdef HALATION_HAS_CUDA
#include <cuda_runtime.h>

namespace {
std::string launched;
}

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): names of the linker's --wrap
cudaError_t __real___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      size_t bytes, cudaStream_t stream);

cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      size_t bytes, cudaStream_t stream) {
  const char* name = nullptr;
  if (cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel)) == cudaSuccess)
    launched += (launched.empty() ? "" : " ") + std::string(name);
  return __real___cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream);
}
// NOLINTEND(bugprone-reserved-identifier)
}

namespace halation::sweep {
std::string launches_since() { return std::exchange(launched, {}); }
}  // namespace halation::sweep
#else
namespace halation::sweep {
std::string launches_since() { return {}; }
}  // namespace halation::sweep
#endif
