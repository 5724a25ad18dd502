// runtime.cpp: what becomes of the runtime's errors.
#include "cuda/device/runtime.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "halation/error.h"

namespace halation::cuda_backend {
namespace {

/// Whether every call of this process fails from now on: CUDA's errors after which "the process must be terminated and relaunched".
bool loses_device(cudaError_t status) {
  switch (status) {
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
#if !defined(__HIP__) && !defined(__HIP_PLATFORM_AMD__)  // HIP has no others
    case cudaErrorExternalDevice:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorMisalignedAddress:
    case cudaErrorNvlinkUncorrectable:
#endif
      return true;
    default: return false;
  }
}

/// True where HALATION_CUDA_SYNC=1 asks for a wait after each launch.
bool waits_after_launches() {
  static const bool asked = [] {
    const char* value = std::getenv("HALATION_CUDA_SYNC");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return asked;
}

}  // namespace

void fail(cudaError_t status, const char* call, const char* file, int line) {
  (void)cudaGetLastError();
  const ErrorCode code = status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::device;
  const char* const what_to_do = loses_device(status) ? "; this process has lost the device: start it again (with "
                                                        "HALATION_CUDA_SYNC=1 the error names the kernel that made it)"
                                                      : "";
  const std::string_view path(file);
  throw Error(code, "cuda: " + std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ") in " + call + ", " +
                        std::string(path.substr(path.find_last_of('/') + 1)) + ":" + std::to_string(line) + what_to_do);
}

void check_launch(const char* kernel, cudaStream_t stream, const char* file, int line) {
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess && waits_after_launches()) status = cudaStreamSynchronize(stream);
  if (status != cudaSuccess) fail(status, kernel, file, line);
}

}  // namespace halation::cuda_backend
