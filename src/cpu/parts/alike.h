// alike.h: rows that get into each other's way, since they lie at like places of pages of 4,096 bytes.
#pragma once

#include <cstdint>

#include "core/past_caches.h"

namespace halation::cpu_backend {

/// Whether two rows lie at nearly the same place of a page: loads from the first wait for stores to the second that came some blocks
/// before, and both have the same few places in the first-level cache.
inline bool lie_alike(const void* line, const void* row) {
  constexpr std::uintptr_t page = 4096;
  constexpr std::uintptr_t before = 32, behind = 192;  // bytes from the line to the row
  return (reinterpret_cast<std::uintptr_t>(row) - reinterpret_cast<std::uintptr_t>(line) + before) % page < before + behind;
}

/// Rows that lie alike for which the first-level cache has places.
inline constexpr std::int64_t places_alike = 8;

/// Rows that lie alike and are read side by side about as fast as others. The cache has to keep a line of each until the rest is read,
/// where that is read in several steps.
constexpr std::int64_t most_rows_alike(std::int64_t bytes_at_once) {
  return bytes_at_once < cache_line_bytes ? places_alike : 2 * places_alike;
}

}  // namespace halation::cpu_backend
