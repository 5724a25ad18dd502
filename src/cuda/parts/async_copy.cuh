// async_copy.cuh: copies from global into shared memory that go on while a thread does, where the GPU can, and waiting for them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halation::cuda_backend {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr bool copies_async = true;
#else
constexpr bool copies_async = false;
#endif

/// 4 bytes to a shared address, on their way when this returns.
__device__ __forceinline__ void copy_async([[maybe_unused]] const float* to, [[maybe_unused]] const std::byte* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from));
#endif
}

/// 16 bytes to an address in shared memory, both on boundaries of 16; on their way when this returns.
__device__ __forceinline__ void copy_16([[maybe_unused]] unsigned to, [[maybe_unused]] const std::byte* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#elif defined(__CUDA_ARCH__)
  const uint4 word = __ldg(reinterpret_cast<const uint4*>(from));
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w) : "memory");
#endif
}

/// The same, of which the first `bytes` are copied and the others are 0.
__device__ __forceinline__ void copy_16([[maybe_unused]] unsigned to, [[maybe_unused]] const std::byte* from,
                                        [[maybe_unused]] int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#elif defined(__CUDA_ARCH__)
  for (int i = 0; i < 16; ++i) {
    const unsigned value = i < bytes ? static_cast<unsigned>(from[i]) : 0;
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(to + i), "r"(value) : "memory");
  }
#endif
}

/// The first `bytes` of 16, where those behind them are nobody's: words on their way, others at once.
__device__ __forceinline__ void copy_first([[maybe_unused]] unsigned to, [[maybe_unused]] const std::byte* from,
                                           [[maybe_unused]] int bytes) {
#if defined(__CUDA_ARCH__)
  int at = 0;
#if __CUDA_ARCH__ >= 800
#pragma unroll 1
  for (; at + 4 <= bytes; at += 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + at), "l"(from + at) : "memory");
#endif
#pragma unroll 1
  for (; at < bytes; ++at) {
    const unsigned value = __ldg(reinterpret_cast<const std::uint8_t*>(from) + at);
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(to + at), "r"(value) : "memory");
  }
#endif
}

/// Waits for what this thread staged; the block must meet before others read it.
__device__ __forceinline__ void staged() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Ends a group of what this thread stages, and waits for all groups but the last `Count`.
template <int Count>
__device__ __forceinline__ void staged_but() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group %0;" ::"n"(Count) : "memory");
#endif
}

/// Until `Threads` threads of the block are here, wherever their code has brought them.
template <int Threads>
__device__ __forceinline__ void meet() {
#if defined(__CUDA_ARCH__)
  __barrier_sync_count(1, Threads);
#else
  __syncthreads();
#endif
}

}  // namespace halation::cuda_backend
