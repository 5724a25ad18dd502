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
#define cudaMemsetAsync hipMemsetAsync
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
#include <utility>
#include <vector>

namespace halation::cuda_backend {

/// Throws `Error`: "cuda: out of memory (cudaErrorMemoryAllocation) in cudaMalloc(&p, bytes), direct.cu:87", and what to do where
/// the process has lost the device. Clears the error, so that the device stays usable where it can be.
[[noreturn]] void fail(cudaError_t status, const char* call, const char* file, int line);

/// What HALATION_CUDA_LAUNCHED does: where HALATION_CUDA_SYNC=1 asks for it, with a wait, so that an error names the kernel that
/// made it.
void check_launch(const char* kernel, cudaStream_t stream, const char* file, int line);

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

/// Numbers on their way into device memory; they must outlive the copy.
template <class T>
DeviceArray<T> uploaded(const std::vector<T>& numbers, cudaStream_t queue) {
  DeviceArray<T> there(numbers.size());
  HALATION_CUDA_CHECK(cudaMemcpyAsync(there.data(), numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice, queue));
  return there;
}

}  // namespace halation::cuda_backend
