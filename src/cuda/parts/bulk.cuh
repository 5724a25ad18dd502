// bulk.cuh: pieces of rows that the copy engine brings into shared memory: one instruction of one thread each, no registers, and
// nothing for other threads to do but wait.
//
// Hopper and later have it. Addresses and sizes are multiples of 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device/runtime.h"

namespace halation::cuda_backend {

/// A barrier in shared memory (mbarrier) that is passed time after time: when all who were counted have arrived, and all bytes that
/// were announced are there.
struct Arrival {
  std::uint64_t state;

  __device__ __forceinline__ unsigned address() const { return static_cast<unsigned>(__cvta_generic_to_shared(this)); }

  /// By one thread, before all others of the block pass a barrier: `count` arrive each time.
  __device__ __forceinline__ void start([[maybe_unused]] int count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }

  __device__ __forceinline__ void arrive() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
#endif
  }

  /// Arrives, and asks all to wait for bytes that are yet to come.
  __device__ __forceinline__ void announce([[maybe_unused]] int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes) : "memory");
#endif
  }

  /// Arrives when all that this thread has asked of `copy_async` (async_copy.cuh) is there.
  __device__ __forceinline__ void arrive_with_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address()) : "memory");
#endif
  }

  /// Until time `time` (0, 1, …) has been passed; for any thread, at most one time behind.
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

/// Asks for `bytes` bytes to leave shared memory, which was written before `before_bulk`.
__device__ __forceinline__ void store_bulk([[maybe_unused]] std::byte* to, [[maybe_unused]] const void* from, [[maybe_unused]] int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))),
               "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/// Until all that this thread has asked of `store_bulk` has left shared memory.
__device__ __forceinline__ void stored_bulk() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

/// Before the copy engine reads or writes where this thread has written; others must have passed a barrier since they did.
__device__ __forceinline__ void before_bulk() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

}  // namespace halation::cuda_backend
