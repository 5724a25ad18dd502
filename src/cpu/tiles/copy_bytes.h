// copy_bytes.h: copies of rows, and of single pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace halation::cpu_backend {

/// Copies `n` bytes by moves of vectors. Instructions for whole strings, which std::memcpy takes for as many
/// bytes as rows have, are several times as slow on some processors where both sides begin at like places of
/// a page, as rows often do.
inline void copy_bytes(const void* from, void* to, std::int64_t n) {
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    std::memcpy(target + i, source + i, 64);
#if defined(__GNUC__)
    asm volatile("" ::: "memory");  // or the loop becomes one such instruction again
#endif
  }
  std::memcpy(target + i, source + i, static_cast<std::size_t>(n - i));
}

/// Copies the samples of one pixel, few or many: of few a call of std::memmove would take several times as long.
template <class T>
void copy_pixel(const T* from, std::int64_t samples, T* to) {
  if (samples >= 16) return copy_bytes(from, to, samples * static_cast<std::int64_t>(sizeof(T)));
  for (std::int64_t i = 0; i < samples; ++i) {
    to[i] = from[i];
#if defined(__GNUC__)
    asm volatile("" ::: "memory");  // or the loop becomes that call
#endif
  }
}

/// The same for one value.
template <class T>
void fill_pixel(T value, std::int64_t samples, T* to) {
  for (std::int64_t i = 0; i < samples; ++i) to[i] = value;
}

}  // namespace halation::cpu_backend
