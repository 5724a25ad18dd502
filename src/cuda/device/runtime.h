// runtime.h: the one header through which code meets a GPU's runtime, CUDA's or HIP's, and its errors.
//
// All code is written in CUDA's names, which are the field's. Under AMD's compiler (`make hip`) the few that are used are HIP's
// functions of the same meaning; nothing else in the tree knows of two vendors.
#pragma once

#if defined(__HIP__) || defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#define cudaError_t hipError_t
#define cudaErrorAssert hipErrorAssert
#define cudaErrorECCUncorrectable hipErrorECCNotCorrectable
#define cudaErrorIllegalAddress hipErrorIllegalAddress
#define cudaErrorLaunchFailure hipErrorLaunchFailure
#define cudaErrorLaunchTimeout hipErrorLaunchTimeOut
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaFree hipFree
#define cudaFuncSetAttribute hipFuncSetAttribute
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaGetErrorName hipGetErrorName
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaMalloc hipMalloc
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyToSymbolAsync(symbol, ...) hipMemcpyToSymbolAsync(HIP_SYMBOL(symbol), __VA_ARGS__)
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor hipOccupancyMaxActiveBlocksPerMultiprocessor
#define cudaStream_t hipStream_t
#define cudaStreamPerThread hipStreamPerThread
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaSuccess hipSuccess
#define __grid_constant__
inline __device__ void __syncwarp() {  // lanes of a wavefront, which has two warps of 32
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
inline __device__ __half __double2half(double value) { return static_cast<_Float16>(value); }  // HIP has none
#else
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#endif

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "halation/error.h"

namespace halation::cuda_backend {

/// Whether every call of this process fails from now on: CUDA's errors after which "the process must be terminated and relaunched".
inline bool loses_device(cudaError_t status) {
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

/// Throws `Error`: "cuda: out of memory (cudaErrorMemoryAllocation) in cudaMalloc(&p, bytes), direct.cu:87", and what to do where
/// the process has lost the device. Clears the error, so that the device stays usable where it can be.
[[noreturn]] inline void fail(cudaError_t status, std::string_view call, std::string_view file, int line) {
  (void)cudaGetLastError();
  const ErrorCode code = status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::device;
  const char* const what_to_do = loses_device(status) ? "; this process has lost the device: start it again (with "
                                                        "HALATION_CUDA_SYNC=1 the error names the kernel that made it)"
                                                      : "";
  throw Error(code, "cuda: " + std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ") in " +
                        std::string(call) + ", " + std::string(file.substr(file.find_last_of('/') + 1)) + ":" +
                        std::to_string(line) + what_to_do);
}

/// True where HALATION_CUDA_SYNC=1 asks for a wait after each launch, so that an error names the kernel that made it.
inline bool waits_after_launches() {
  static const bool asked = [] {
    const char* value = std::getenv("HALATION_CUDA_SYNC");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return asked;
}

/// What HALATION_CUDA_LAUNCHED does.
inline void check_launch(const char* kernel, cudaStream_t stream, const char* file, int line) {
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess && waits_after_launches()) status = cudaStreamSynchronize(stream);
  if (status != cudaSuccess) fail(status, kernel, file, line);
}

/// Checks a call of the runtime; the one way to make one.
#define HALATION_CUDA_CHECK(call)                                              \
  do {                                                                         \
    const cudaError_t halation_status = (call);                                \
    if (halation_status != cudaSuccess)                                        \
      ::halation::cuda_backend::fail(halation_status, #call, __FILE__, __LINE__); \
  } while (false)

/// Follows every launch: `HALATION_CUDA_LAUNCHED("naive", stream)`.
#define HALATION_CUDA_LAUNCHED(kernel, stream) ::halation::cuda_backend::check_launch(kernel, stream, __FILE__, __LINE__)

/// An array in device memory that goes with its owner.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) {
    if (count > 0) HALATION_CUDA_CHECK(cudaMalloc(&data_, count * sizeof(T)));
  }
  DeviceArray(DeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceArray() { (void)cudaFree(data_); }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace halation::cuda_backend
