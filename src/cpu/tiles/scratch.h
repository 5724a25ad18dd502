// scratch.h: pieces of a worker's part of the workspace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/parts/kernels.h"

namespace halation::cpu_backend {

/// Elements from one line of scratch to the next: room for what is read behind the last one, and an odd number of cache lines, so
/// that lines above one another do not fall into the same cache sets.
template <class T>
std::int64_t line_pitch(std::int64_t samples, std::int64_t slack = line_slack) {
  constexpr std::int64_t cache_line = 64 / sizeof(T);
  const std::int64_t lines = (samples + slack + cache_line - 1) / cache_line;
  return (lines | 1) * cache_line;
}

/// Pieces of the workspace, one after another, each on a cache line.
class Scratch {
 public:
  explicit Scratch(std::byte* at) : at_(at) {}
  template <class T>
  T* take(std::int64_t count) {
    auto* piece = reinterpret_cast<T*>(at_);
    at_ += bytes<T>(count);
    return piece;
  }
  template <class T>
  static std::int64_t bytes(std::int64_t count) {
    return (count * static_cast<std::int64_t>(sizeof(T)) + 63) / 64 * 64;
  }

 private:
  std::byte* at_;
};

}  // namespace halation::cpu_backend
