// past_caches.h: bytes that go to memory past the caches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace halation {

inline constexpr std::int64_t cache_line_bytes = 64;

/// Bytes from the beginning of a cache line to `place`.
inline std::int64_t bytes_behind_line(const void* place) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(place) % cache_line_bytes);
}

/// Copies `n` bytes, whole cache lines of the target past the caches, where the processor has such stores.
/// Other threads may read them after a fence for stores (hwy::FlushStream).
inline void copy_past_caches(const void* from, void* to, std::int64_t n) {
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
#if defined(__SSE2__)
  const std::int64_t head = std::min(n, (cache_line_bytes - bytes_behind_line(target)) % cache_line_bytes);
  std::memcpy(target, source, static_cast<std::size_t>(head));
  std::int64_t i = head;
  for (; i + cache_line_bytes <= n; i += cache_line_bytes) {
    for (std::int64_t part = i; part < i + cache_line_bytes; part += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + part),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + part)));
  }
  std::memcpy(target + i, source + i, static_cast<std::size_t>(n - i));
#else
  std::memcpy(target, source, static_cast<std::size_t>(n));
#endif
}

}  // namespace halation
