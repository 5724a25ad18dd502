// past_caches.h: which outputs go to memory past the caches, and rows of them that begin anywhere.
#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "core/past_caches.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {

/// Outputs of so many bytes are not wanted in the caches.
inline constexpr std::int64_t streamed_bytes = 8 << 20;
/// Rows that are longer gain more than it costs where they share a cache line, which is written half past the caches and half not:
/// some 250 ns on a Zen 3.
inline constexpr std::int64_t least_streamed_row_bytes = 4 << 10;
/// The same where rows follow one another within a tile, so that such a line is written once.
inline constexpr std::int64_t least_joined_row_bytes = 1 << 10;
/// For rows of 8 bits, which gain less than such a line costs, whatever their length.
inline constexpr std::int64_t rows_share_no_line = std::numeric_limits<std::int64_t>::max();

/// Whether outputs go past the caches: `least` bytes and more, in rows of `least_row` bytes and more or in such as share no cache line.
inline bool goes_past_caches(const View& out, std::int64_t least = streamed_bytes, std::int64_t least_row = least_streamed_row_bytes) {
  const auto element = static_cast<std::int64_t>(bytes_of(out.pixel));
  if (out.shape.elements() * element < least) return false;
  const std::int64_t row = out.shape.width * out.shape.channels * element;
  const bool shares_none =
      row % cache_line_bytes == 0 && out.strides.height % cache_line_bytes == 0 && bytes_behind_line(out.data) == 0;
  return row >= least_row || shares_none;
}

/// Whether the rows of a tile follow one another without a gap.
inline bool are_joined(const View& out, const Tiles::Tile& tile) {
  return tile.width == out.shape.width && out.strides.height == out.shape.width * out.strides.width;
}

/// Whether all rows of a tile begin equally far behind a cache line.
inline bool begin_alike(const View& out, const Tiles::Tile& tile) {
  return (tile.height == 1 || out.strides.height % cache_line_bytes == 0) && (tile.planes == 1 || out.strides.depth % cache_line_bytes == 0);
}

/// Whether column x is where a cache line begins in all rows of a tile.
inline bool begins_lines(const View& out, const Tiles::Tile& tile, std::int64_t x) {
  return begin_alike(out, tile) && bytes_behind_line(place_in(out, tile, tile.y) + (x - tile.x) * out.strides.width) == 0;
}

/// Puts rows past the caches as whole cache lines, wherever they begin: what a row has of its last line waits for the next row, which
/// may follow without a gap.
class RowsPastCaches {
 public:
  RowsPastCaches() = default;
  RowsPastCaches(const RowsPastCaches&) = delete;
  /// What went past the caches is there before others read.
  ~RowsPastCaches() {
    if (next_ == nullptr) return;
    put_kept();
    hwy::FlushStream();
  }

  void put(const void* row, std::byte* to, std::int64_t n) {
    const auto* from = static_cast<const std::byte*>(row);
    if (to != next_) put_kept();
    next_ = to + n;
    if (const std::int64_t behind = bytes_behind_line(to); behind > 0) {
      if (kept_ == 0) first_ = behind;
      const std::int64_t part = std::min(n, cache_line_bytes - behind);
      std::memcpy(line_ + behind, from, static_cast<std::size_t>(part));
      kept_ += part;
      if (first_ + kept_ < cache_line_bytes) return;
      copy_past_caches(line_ + first_, to + part - kept_, kept_);
      from += part, to += part, n -= part;
    }
    const std::int64_t whole = n / cache_line_bytes * cache_line_bytes;
    copy_past_caches(from, to, whole);
    first_ = 0;
    kept_ = n - whole;
    std::memcpy(line_, from + whole, static_cast<std::size_t>(kept_));
  }

 private:
  void put_kept() {
    if (kept_ > 0) std::memcpy(next_ - kept_, line_ + first_, static_cast<std::size_t>(kept_));
    kept_ = 0;
  }

  alignas(cache_line_bytes) std::byte line_[cache_line_bytes];
  std::byte* next_ = nullptr;          ///< behind the last row
  std::int64_t first_ = 0, kept_ = 0;  ///< the bytes of `line_` that wait
};

}  // namespace halation::cpu_backend
