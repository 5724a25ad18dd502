// alike.h: rows that get into each other's way, since they lie at like places of pages of 4,096 bytes.
#pragma once

#include <cstdint>

namespace halation::cpu_backend {

inline constexpr std::uintptr_t page_bytes = 4096;

/// Whether a row lies at nearly the same place of a page as a line: loads from the line wait for stores to the row that came some
/// blocks before.
inline bool lie_alike(const void* line, const void* row) {
  constexpr std::uintptr_t before = 32, behind = 256;  // bytes from the line to the row
  return (reinterpret_cast<std::uintptr_t>(row) - reinterpret_cast<std::uintptr_t>(line) + before) % page_bytes < before + behind;
}

/// Lines at like places of pages for which the first-level cache has places. It has to keep a line of each until the rest of that is
/// read, where it is read in several steps.
inline constexpr std::int64_t places_alike = 8;

/// Whether `lines` lines, the first and the last of which lie there, fall out of the first-level cache: more than `most`, and not so far
/// apart within pages that they have places enough.
inline bool fall_out(const void* first, const void* last, std::int64_t lines, std::int64_t most = places_alike) {
  if (lines <= most) return false;
  const auto apart = static_cast<std::uintptr_t>(24 * (lines - places_alike));  // bytes
  return (reinterpret_cast<std::uintptr_t>(last) - reinterpret_cast<std::uintptr_t>(first) + apart) % page_bytes <= 2 * apart;
}

}  // namespace halation::cpu_backend
