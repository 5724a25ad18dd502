// memory.cpp: device memory from a pool of the library's own, and pinned host memory.
#include "cuda/device/memory.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>

#include "cuda/device/device.h"
#include "cuda/device/runtime.h"
#include "halation/error.h"

namespace halation::cuda_backend {
namespace {

/// The pool of the present device; null where the device has no pools (some virtual GPUs).
cudaMemPool_t pool_of(int index) {
  struct Entry {
    std::once_flag once;
    cudaMemPool_t pool = nullptr;
  };
  // Never destroyed: at the end of the program the driver may be gone before static objects are.
  static auto& pools = *new std::deque<Entry>(static_cast<std::size_t>(device_count()));
  Entry& entry = pools.at(static_cast<std::size_t>(index));
  std::call_once(entry.once, [&] {
    int supported = 0;
    HALATION_CUDA_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, index));
    if (supported == 0) return;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = index;
    HALATION_CUDA_CHECK(cudaMemPoolCreate(&entry.pool, &properties));
    // By default a pool gives everything back at each synchronisation, and the next run pays for it again.
    std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
    HALATION_CUDA_CHECK(cudaMemPoolSetAttribute(entry.pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
  });
  return entry.pool;
}

}  // namespace

Memory allocate(std::size_t bytes, Device device, Stream stream, const std::string& what) {
  const UseDevice use(device);
  cudaMemPool_t pool = pool_of(device.index);
  const auto order = static_cast<cudaStream_t>(stream.handle);
  void* data = nullptr;
  const auto attempt = [&] {
    return pool == nullptr ? cudaMalloc(&data, bytes) : cudaMallocFromPoolAsync(&data, bytes, pool, order);
  };
  cudaError_t status = attempt();
  if (status == cudaErrorMemoryAllocation && pool != nullptr) {
    // What the pool keeps may be cut too small: give it back and try once more.
    (void)cudaGetLastError();
    HALATION_CUDA_CHECK(cudaStreamSynchronize(order));
    HALATION_CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
    status = attempt();
  }
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    std::size_t available = 0;
    std::size_t total = 0;
    HALATION_CUDA_CHECK(cudaMemGetInfo(&available, &total));
    refuse_memory(what, static_cast<double>(bytes), static_cast<double>(available), " of " + name_of(device));
  }
  if (status != cudaSuccess) fail(status, ("the allocation of device memory for " + what).c_str(), __FILE__, __LINE__);
  return {static_cast<std::byte*>(data), [pool, order, device](std::byte* p) {
            try {
              const UseDevice there(device);  // a default stream is that of the present device
              (void)(pool == nullptr ? cudaFree(p) : cudaFreeAsync(p, order));
            } catch (const Error&) {  // a device that has gone took its memory along
            }
          }};
}

Memory allocate_pinned(std::size_t bytes, const std::string& what) {
  if (device_count() == 0) return allocate_host(bytes, what);
  void* data = nullptr;
  const cudaError_t status = cudaHostAlloc(&data, bytes, cudaHostAllocPortable);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw Error(ErrorCode::out_of_memory, what + " needs " + size_in_words(static_cast<double>(bytes)) +
                                              " of pinned memory, which the system refused");
  }
  if (status != cudaSuccess) fail(status, ("the allocation of pinned memory for " + what).c_str(), __FILE__, __LINE__);
  return {static_cast<std::byte*>(data), [](std::byte* p) { (void)cudaFreeHost(p); }};
}

}  // namespace halation::cuda_backend
