// alike.h: rows that get into each other's way, since they lie at like places of pages of 4,096 bytes.
#pragma once

#include <cstdint>

namespace halation::cpu_backend {

/// Whether two rows lie at nearly the same place of a page: loads from the first wait for stores to the second that came some blocks
/// before, and both have the same few places in the first-level cache.
inline bool lie_alike(const void* line, const void* row) {
  constexpr std::uintptr_t page = 4096;
  constexpr std::uintptr_t before = 32, behind = 192;  // bytes from the line to the row
  return (reinterpret_cast<std::uintptr_t>(row) - reinterpret_cast<std::uintptr_t>(line) + before) % page < before + behind;
}

/// Rows that lie alike for which the first-level cache has places. It has to keep a line of each until the rest of that is read, where it is
/// read in several steps.
inline constexpr std::int64_t places_alike = 8;

}  // namespace halation::cpu_backend
