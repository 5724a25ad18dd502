// guarded.h: a workspace of exactly as many bytes as a plan asks for, between bytes that must stay as they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halation/halation.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace halation::sweep {

/// Where the device under test can reach it. Its bytes are NaN to who reads them before he writes; AddressSanitizer also tells who reads
/// the guards.
class GuardedWorkspace {
 public:
  GuardedWorkspace(std::size_t bytes, Device device) : bytes_(bytes), on_host_(shares_memory(device, cpu())) {
    std::vector<std::uint8_t> filled(bytes + 2 * guard_bytes, nothing);
    std::fill_n(filled.begin(), guard_bytes, canary);
    std::fill_n(filled.end() - guard_bytes, guard_bytes, canary);
    memory_ = to_device(view_of(filled.data(), {.width = static_cast<std::int64_t>(filled.size())}), device);
    mark(true);
  }
  ~GuardedWorkspace() { mark(false); }
  GuardedWorkspace(const GuardedWorkspace&) = delete;
  GuardedWorkspace& operator=(const GuardedWorkspace&) = delete;

  std::span<std::byte> bytes() { return {memory_.view().data + guard_bytes, bytes_}; }

  bool guards_intact() {
    mark(false);
    for (const std::size_t start : {std::size_t{0}, guard_bytes + bytes_}) {
      std::vector<std::uint8_t> guard(guard_bytes);
      View from = memory_.view();
      from.data += start;
      from.shape.width = guard_bytes;
      copy(from, view_of(guard.data(), from.shape), {});
      synchronise(from.device);
      if (std::any_of(guard.begin(), guard.end(), [](std::uint8_t byte) { return byte != canary; })) return false;
    }
    return true;
  }

 private:
  static constexpr std::int64_t guard_bytes = 256;  // keeps the alignment of what lies between
  static constexpr std::uint8_t nothing = 0xff, canary = 0xa5;

  /// Tells AddressSanitizer that nobody may touch the guards, or that one may again.
  void mark([[maybe_unused]] bool forbidden) {
#if defined(__SANITIZE_ADDRESS__)
    if (!on_host_) return;
    for (const std::byte* guard : {bytes().data() - guard_bytes, bytes().data() + bytes_}) {
      if (forbidden) ASAN_POISON_MEMORY_REGION(guard, guard_bytes);
      else ASAN_UNPOISON_MEMORY_REGION(guard, guard_bytes);
    }
#endif
  }

  std::size_t bytes_;
  [[maybe_unused]] bool on_host_;
  Image memory_;
};

}  // namespace halation::sweep
