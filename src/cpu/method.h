// method.h: what a method does with one filter over one tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/job.h"
#include "cpu/kernels.h"
#include "cpu/lines.h"

namespace halation::cpu_backend {

/// A part of one output plane, filtered from top to bottom: all rows of a strip, some columns.
template <class Sum>
struct Tile {
  const Lines<Sum>& lines;
  std::int64_t z;
  std::int64_t x, width;   ///< columns, in pixels
  std::int64_t y, height;  ///< rows
};

/// Elements from one line of scratch to the next: room for the slack, and an odd number of cache lines, so that lines above one
/// another do not fall into the same cache sets.
template <class Sum>
std::int64_t line_pitch(std::int64_t samples) {
  constexpr std::int64_t cache_line = 64 / sizeof(Sum);
  const std::int64_t lines = (samples + line_slack + cache_line - 1) / cache_line;
  return (lines | 1) * cache_line;
}

/// Lines that a direct filter reads at once where they lie in the image.
inline constexpr std::int64_t most_rows_in_place = 12;

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

/// One filter, prepared. Constant; what a tile needs to remember lies in its scratch.
template <class Sum>
class FilterMethod {
 public:
  virtual ~FilterMethod() = default;
  /// Scratch for tiles of so many pixels of `step` samples.
  virtual std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const = 0;
  /// Sums of output rows [y, y + rows) of the tile, into lines out[0 … rows − 1]. Called from the tile's first row to its last, with
  /// rows ≤ rows_at_once and the same scratch. `streams`: out goes past the caches.
  virtual void filter(const Tile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const = 0;
};

template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_direct(const Taps& taps, double gain, const Kernels<Sum>& kernels);
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_separable(const Taps& taps, double gain, const Kernels<Sum>& kernels);
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_box(const Taps& taps, double gain, const Kernels<Sum>& kernels);

/// Input rows that a tile needs new before it can make output rows [y, y + rows): those below what earlier calls staged.
struct RowRange {
  std::int64_t begin, end;
};
inline RowRange new_rows(const Taps& taps, std::int64_t tile_y, std::int64_t y, int rows) {
  const std::int64_t end = y + rows + taps.lead[1] + taps.size[1] - 1;
  return {y == tile_y ? y + taps.lead[1] : y + taps.lead[1] + taps.size[1] - 1, end};
}

/// Weights as the kernels read them, for `rows_at_once` rows and for one.
template <class Sum>
class ArrangedWeights {
 public:
  ArrangedWeights() = default;
  ArrangedWeights(const std::vector<double>& weights, double gain, const Space& size) {
    for (const int rows : {rows_at_once, 1}) {
      std::vector<Sum>& arranged = rows == 1 ? one_ : many_;
      for (std::int64_t z = 0; z < size[0]; ++z) {
        for (std::int64_t j = 0; j < size[1] + rows - 1; ++j) {
          for (std::int64_t x = 0; x < size[2]; ++x) {
            for (std::int64_t row = 0; row < rows; ++row) {
              const std::int64_t y = j - row;
              const bool is_tap = y >= 0 && y < size[1];
              arranged.push_back(
                  is_tap ? static_cast<Sum>(gain * weights[static_cast<std::size_t>((z * size[1] + y) * size[2] + x)]) : 0);
            }
          }
        }
      }
    }
  }
  const Sum* of(int rows) const { return (rows == 1 ? one_ : many_).data(); }

 private:
  std::vector<Sum> many_, one_;
};

/// Sums of `rows` output rows from lines: `line_at(plane, j)` is line j of taps_y + rows − 1, counted from the first one that output
/// row 0 needs. `job` comes without lines, weights and out; `pointers` has room for planes × (taps_y + rows_at_once − 1).
template <class Sum, class LineAt>
void correlate(const Kernels<Sum>& kernels, Correlation<Sum> job, const ArrangedWeights<Sum>& weights, int rows,
               const Sum** pointers, Sum* const* out, const LineAt& line_at) {
  const int group = rows == rows_at_once ? rows_at_once : 1;
  for (int row = 0; row < rows; row += group) {
    const Sum** next = pointers;
    for (std::int64_t plane = 0; plane < job.planes; ++plane) {
      for (std::int64_t j = 0; j < job.taps_y + group - 1; ++j) *next++ = line_at(plane, row + j);
    }
    job.lines = pointers;
    job.weights = weights.of(group);
    job.out = out + row;
    (group == 1 ? kernels.correlate_row : kernels.correlate_rows)(job);
  }
}

}  // namespace halation::cpu_backend
