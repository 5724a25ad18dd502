// bulk.cuh: pieces of rows that the copy engine brings into shared memory: one instruction of one thread each, no registers, and
// nothing for other threads to do but wait.
//
// Hopper and later have it. Addresses and sizes are multiples of 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/runtime.h"

namespace halation::cuda_backend {

/// Whether the GPU would run code of `kernel` that has it: what it was compiled for counts, not what the GPU could.
template <class Kernel>
bool copies_in_bulk(Kernel kernel) {
  cudaFuncAttributes attributes{};
  HALATION_CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)));
  return attributes.ptxVersion >= 90;
}

/// In shared memory: where bytes that were announced are waited for, time after time.
struct Arrival {
  std::uint64_t state;

  __device__ __forceinline__ unsigned address() const { return static_cast<unsigned>(__cvta_generic_to_shared(this)); }

  /// By one thread, before all others of the block pass a barrier.
  __device__ __forceinline__ void start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address()) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }

  /// By one thread, once a time, before it asks for the bytes.
  __device__ __forceinline__ void announce([[maybe_unused]] int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
#endif
  }

  /// Until all bytes of time `time` (0, 1, …) are there; for any thread.
  __device__ __forceinline__ void wait([[maybe_unused]] int time) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n\t.reg .pred there;\n"
        "again:\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n\t"
        "@!there bra again;\n\t}" ::"r"(address()),
        "r"(time & 1)
        : "memory");
#endif
  }
};

/// Asks for `bytes` bytes, which `arrival` was told of.
__device__ __forceinline__ void copy_bulk([[maybe_unused]] void* to, [[maybe_unused]] const std::byte* from, [[maybe_unused]] int bytes,
                                          [[maybe_unused]] const Arrival& arrival) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes), "r"(arrival.address())
               : "memory");
#endif
}

/// Before the copy engine writes where this thread has written; others must have passed a barrier since they did.
__device__ __forceinline__ void before_bulk() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

}  // namespace halation::cuda_backend
