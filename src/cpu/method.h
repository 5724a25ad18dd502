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

/// A part of one output plane, filtered from top to bottom: all rows of a strip, some columns. In volumes the planes of a part
/// may follow one another, so that rows staged for one serve the next.
template <class Sum>
struct Tile {
  const Lines<Sum>& lines;
  std::int64_t z;
  std::int64_t x, width;   ///< columns, in pixels
  std::int64_t y, height;  ///< rows
  bool keeps_planes;       ///< the same columns and rows of the next plane follow with the same scratch
  bool first_plane;        ///< no plane came before
};

/// The input rows that a filter reads for one tile. `plane` counts from the first one that the filter needs.
template <class Sum>
class InputRows {
 public:
  InputRows(const Tile<Sum>& tile, const Taps& taps)
      : lines_(tile.lines),
        z_(tile.z + taps.lead[0]),
        x_(tile.x + taps.lead[2]),
        x_end_(x_ + tile.width + taps.size[2] - 1),
        are_lines_(tile.width * tile.lines.step() >= line_slack) {}

  /// The row where it lies in the image; null where it has to be staged.
  const Sum* in_place(std::int64_t plane, std::int64_t row) const {
    return are_lines_ ? lines_.in_place(z_ + plane, row, x_, x_end_) : nullptr;
  }
  void stage(std::int64_t plane, std::int64_t row, Sum* line) const { lines_.stage(z_ + plane, row, x_, x_end_, line); }
  /// What will be wanted of the image after this row (Correlation): the row that takes its part in the next output rows, or, of a
  /// single row, what is further along, since the hardware looks ahead to the end of a page alone.
  const std::byte* ahead(std::int64_t plane, std::int64_t row) const {
    if (!lines_.is_one_row()) return lines_.near(z_ + plane, row + rows_at_once, x_);
    const std::byte* here = lines_.near(z_ + plane, row, x_);
    return here != nullptr ? here + ahead_in_row_bytes : nullptr;
  }

 private:
  static constexpr std::int64_t ahead_in_row_bytes = 4096;

  const Lines<Sum>& lines_;
  std::int64_t z_, x_, x_end_;
  bool are_lines_;  // as kernels read them: whole vectors, though nothing may be read behind a row
};

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

/// One filter, prepared. Constant; what a tile needs to remember lies in its scratch.
template <class Sum>
class FilterMethod {
 public:
  virtual ~FilterMethod() = default;
  /// Whether it reads rows where they lie, if they are sums already and lie inside the image as far as the tile needs them.
  virtual bool reads_in_place() const { return false; }
  /// Scratch for tiles of so many pixels of `step` samples.
  virtual std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const = 0;
  /// Whether rows that it staged for one plane of a volume serve the next, in tiles that keep planes.
  virtual bool keeps_planes() const { return false; }
  /// Scratch for such tiles, of so many rows.
  virtual std::int64_t scratch_bytes_of_planes(std::int64_t width, std::int64_t /*height*/, std::int64_t step) const {
    return scratch_bytes(width, step);
  }
  /// Sums of output rows [y, y + rows) of the tile, into lines out[0 … rows − 1]. Called from the tile's first row to its last,
  /// with rows ≤ rows_at_once and the same scratch. `streams`: out goes past the caches.
  virtual void filter(const Tile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const = 0;
};

/// For one tap of weight 1.
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_copy(const Taps& taps);
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

/// Weights as the kernels read them: for one row, and, of filters of several rows, for `rows_at_once`.
template <class Sum>
class ArrangedWeights {
 public:
  ArrangedWeights() = default;
  ArrangedWeights(const std::vector<double>& weights, double gain, const Space& size) {
    const std::int64_t plane = size[1] * size[2];
    for (std::int64_t z = 0; z < size[0]; ++z) {
      const double* from = weights.data() + z * plane;
      for (std::int64_t i = 0; i < plane; ++i) one_.push_back(static_cast<Sum>(gain * from[i]));
      if (size[1] > 1) arrange(one_.data() + z * plane, size[1], size[2]);
    }
  }
  const Sum* of(int rows) const { return (rows == 1 ? one_ : many_).data(); }

 private:
  /// Appends one plane: tap (j − row, x) at (j, x, row), 0 where there is none.
  void arrange(const Sum* plane, std::int64_t taps_y, std::int64_t taps_x) {
    const std::size_t begin = many_.size();
    many_.resize(begin + static_cast<std::size_t>((taps_y + rows_at_once - 1) * taps_x * rows_at_once));
    for (std::int64_t i = 0; i < taps_y * taps_x * rows_at_once; ++i) {
      const std::int64_t row = i % rows_at_once;
      const std::int64_t tap = i / rows_at_once;
      many_[begin + static_cast<std::size_t>((tap + row * taps_x) * rows_at_once + row)] = plane[tap];
    }
  }

  std::vector<Sum> one_, many_;
};

/// Room for what a kernel is told of lines, and of what is wanted after them.
template <class Sum>
struct Pointers {
  const Sum** lines;
  const std::byte** ahead;

  /// For filters over so many planes and rows.
  Pointers(Scratch& scratch, std::int64_t planes, std::int64_t taps_y)
      : lines(scratch.take<const Sum*>(planes * (taps_y + rows_at_once - 1))),
        ahead(scratch.take<const std::byte*>(planes * rows_at_once)) {}
  static std::int64_t bytes(std::int64_t planes, std::int64_t taps_y) {
    return Scratch::bytes<const Sum*>(planes * (taps_y + rows_at_once - 1)) +
           Scratch::bytes<const std::byte*>(planes * rows_at_once);
  }
};

/// Sums of `rows` output rows from lines: `line_at(plane, j)` is line j of taps_y + rows − 1, counted from the first one that
/// output row 0 needs, and `ahead_of(plane, j)` what is wanted after it. `job` comes without lines, ahead, weights and out.
/// Rows of filters of one row share no lines, so they are summed one by one.
template <class Sum, class LineAt, class AheadOf>
void correlate(const Kernels<Sum>& kernels, Correlation<Sum> job, const ArrangedWeights<Sum>& weights, int rows,
               const Pointers<Sum>& pointers, Sum* const* out, const LineAt& line_at, const AheadOf& ahead_of) {
  const int group = rows == rows_at_once && job.taps_y > 1 ? rows_at_once : 1;
  for (int row = 0; row < rows; row += group) {
    const Sum** next = pointers.lines;
    const std::byte** next_ahead = pointers.ahead;
    for (std::int64_t plane = 0; plane < job.planes; ++plane) {
      for (std::int64_t j = 0; j < job.taps_y + group - 1; ++j) *next++ = line_at(plane, row + j);
      for (std::int64_t j = job.taps_y - 1; j < job.taps_y + group - 1; ++j) *next_ahead++ = ahead_of(plane, row + j);
    }
    job.lines = pointers.lines;
    job.ahead = pointers.ahead;
    job.weights = weights.of(group);
    job.out = out + row;
    (group == 1 ? kernels.correlate_row : kernels.correlate_rows)(job);
  }
}

/// The same for lines behind which nothing is wanted of the image.
template <class Sum, class LineAt>
void correlate(const Kernels<Sum>& kernels, const Correlation<Sum>& job, const ArrangedWeights<Sum>& weights, int rows,
               const Pointers<Sum>& pointers, Sum* const* out, const LineAt& line_at) {
  correlate(kernels, job, weights, rows, pointers, out, line_at, [](std::int64_t, std::int64_t) { return nullptr; });
}

}  // namespace halation::cpu_backend
