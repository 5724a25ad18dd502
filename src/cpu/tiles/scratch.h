// scratch.h: what workers keep beside the images: lines that kernels may read behind, and each worker's part of the workspace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstdio>
#include <span>

#include "core/scratch.h"
#include "cpu/parts/kernels.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace halation::cpu_backend {

/// Elements from one line of scratch to the next: room for what is read behind the last one, and an odd number of cache lines, so
/// that lines above one another do not fall into the same cache sets.
template <class T>
std::int64_t line_pitch(std::int64_t samples, std::int64_t slack = line_slack) {
  constexpr std::int64_t cache_line = 64 / sizeof(T);
  const std::int64_t lines = (samples + slack + cache_line - 1) / cache_line;
  return (lines | 1) * cache_line;
}

/// The parts of a workspace that workers have, as many bytes each. In builds with assertions a guard lies behind each part: whoever
/// writes behind his own ends the program once the work is done, and under AddressSanitizer on the spot, readers too.
class WorkerScratch {
 public:
  WorkerScratch(std::span<std::byte> workspace, int workers, std::int64_t bytes_each) : workspace_(workspace), workers_(workers), each_(bytes_each) {
    for_each_guard([](std::span<std::byte> guard) {
      std::fill(guard.begin(), guard.end(), canary);
#if defined(__SANITIZE_ADDRESS__)
      ASAN_POISON_MEMORY_REGION(guard.data(), guard.size());
#endif
    });
  }
  ~WorkerScratch() {
    for_each_guard([](std::span<std::byte> guard) {
#if defined(__SANITIZE_ADDRESS__)
      ASAN_UNPOISON_MEMORY_REGION(guard.data(), guard.size());
#endif
      if (std::all_of(guard.begin(), guard.end(), [](std::byte byte) { return byte == canary; })) return;
      std::fputs("halation: a worker wrote behind its scratch\n", stderr);
      std::abort();
    });
  }
  WorkerScratch(const WorkerScratch&) = delete;
  WorkerScratch& operator=(const WorkerScratch&) = delete;

  Scratch of(int worker) const {
    return Scratch(workspace_.subspan(static_cast<std::size_t>(worker * (each_ + guard_bytes)), static_cast<std::size_t>(each_)));
  }

  /// What so many workers need.
  static std::int64_t bytes(int workers, std::int64_t bytes_each) { return workers * (bytes_each + guard_bytes); }

 private:
#ifdef NDEBUG
  static constexpr std::int64_t guard_bytes = 0;
#else
  static constexpr std::int64_t guard_bytes = 64;
#endif
  static constexpr std::byte canary{0xc5};

  template <class Body>
  void for_each_guard(const Body& body) const {
    if constexpr (guard_bytes > 0) {
      for (int worker = 0; worker < workers_; ++worker)
        body(workspace_.subspan(static_cast<std::size_t>(worker * (each_ + guard_bytes) + each_), static_cast<std::size_t>(guard_bytes)));
    }
  }

  std::span<std::byte> workspace_;
  int workers_;
  std::int64_t each_;
};

}  // namespace halation::cpu_backend
