// method.h: what a method does with one filter over one tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/job.h"
#include "cpu/parts/kernels.h"
#include "cpu/parts/sum_rows.h"
#include "cpu/tiles/lines.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// A part of one output plane, filtered from top to bottom: all rows of a strip, some columns. In volumes the planes of a part
/// may follow one another, so that rows staged for one serve the next.
template <class Sum>
struct LineTile {
  const Lines<Sum>& lines;
  std::int64_t z;
  std::int64_t x, width;   ///< columns, in pixels, those `beyond` the tile's own among them
  std::int64_t y, height;  ///< rows
  bool follows;            ///< the tile to the left writes the cache lines that this one's first columns share with it
  std::int64_t beyond;     ///< pixels of the tile to the right, of which this one writes what fills its last lines
  Sum* joint;              ///< Correlation::joint
  bool keeps_planes;       ///< the same columns and rows of the next plane follow with the same scratch
  bool first_plane;        ///< no plane came before
};

/// The input rows that a filter reads for one tile. `plane` counts from the first one that the filter needs. Rows are read where they lie,
/// if they are sums already; what reaches outside the image is staged as part of a line: as whole rows, or, where a tile is wide, their
/// sides.
template <class Sum>
class InputRows {
 public:
  /// `side_columns`: that kernels may read beside what reaches outside (Kernels); 0: only whole rows are staged.
  InputRows(const LineTile<Sum>& tile, const Taps& taps, std::int64_t side_columns = 0)
      : lines_(tile.lines),
        z_(tile.z + taps.lead[0]),
        x_(tile.x + taps.lead[2]),
        x_end_(x_ + tile.width + taps.size[2] - 1),
        are_lines_(tile.width * tile.lines.step() >= line_slack) {
    const std::int64_t left = std::max<std::int64_t>(0, -x_), right = std::max<std::int64_t>(0, x_end_ - lines_.width());
    const std::int64_t beside = (side_columns + lines_.step() - 1) / lines_.step();
    if (beside == 0 || left + right == 0 || tile.width < left + right + 4 * beside) return;
    left_ = left;
    right_ = right;
    left_end_ = left == 0 ? x_ : x_ + left + beside + taps.size[2] - 1;
    right_begin_ = right == 0 ? x_end_ : std::max(left_end_, x_ + tile.width - right - beside);
  }

  /// The whole row where it lies in the image; null where some of it has to be staged.
  const Sum* in_place(std::int64_t plane, std::int64_t row) const {
    return are_lines_ ? lines_.in_place(z_ + plane, row, x_, x_end_) : nullptr;
  }
  /// Stages the whole row.
  void stage_all(std::int64_t plane, std::int64_t row, Sum* line) const { lines_.stage(z_ + plane, row, x_, x_end_, line); }

  /// Stages what of the row is not read where it lies; gives where it is read.
  LineSource<Sum> stage(std::int64_t plane, std::int64_t row, Sum* line) const {
    const LineSource<Sum> read = source(plane, row, line);
    if (read.line == line) {
      stage_all(plane, row, line);
    } else if (read.side == line) {
      if (left_ > 0) lines_.stage(z_ + plane, row, x_, left_end_, line);
      if (right_ > 0) lines_.stage(z_ + plane, row, right_begin_, x_end_, line + (right_begin_ - x_) * lines_.step());
    }
    return read;
  }
  /// Where the row is read, of which `line` has what was staged.
  LineSource<Sum> source(std::int64_t plane, std::int64_t row, const Sum* line) const {
    const Sum* here = has_sides() ? lines_.around(z_ + plane, row, x_) : in_place(plane, row);
    if (here == nullptr) return line;
    return has_sides() ? LineSource<Sum>{here, line} : here;
  }
  /// Whether is(samples, count) of all samples of a row that is read there.
  template <class Is>
  bool all(const LineSource<Sum>& read, const Is& is) const {
    const std::int64_t step = lines_.step();
    if (read.line == read.side) return is(read.line, (x_end_ - x_) * step);
    const std::int64_t left = (left_end_ - x_) * step, right = (right_begin_ - x_) * step;
    return is(read.side, left) && is(read.line + left, right - left) && is(read.side + right, (x_end_ - right_begin_) * step);
  }
  /// Samples of the tile, first ones and last ones, for which sides are read (Correlation).
  std::int64_t left() const { return left_ * lines_.step(); }
  std::int64_t right() const { return right_ * lines_.step(); }

  /// What will be wanted of the image after this row (Correlation): the row that takes its part in the next output rows, or, of a
  /// single row, what is further along, since the hardware looks ahead to the end of a page alone.
  const std::byte* ahead(std::int64_t plane, std::int64_t row) const {
    if (!lines_.is_one_row()) return lines_.near(z_ + plane, row + rows_at_once, x_);
    const std::byte* here = lines_.near(z_ + plane, row, x_);
    return here != nullptr ? here + ahead_in_row_bytes : nullptr;
  }

 private:
  static constexpr std::int64_t ahead_in_row_bytes = 4096;

  bool has_sides() const { return left_ + right_ > 0; }

  const Lines<Sum>& lines_;
  std::int64_t z_, x_, x_end_;
  bool are_lines_;  // as kernels read them: whole vectors, though nothing may be read behind a row
  std::int64_t left_ = 0, right_ = 0, left_end_ = 0, right_begin_ = 0;
};

/// One filter, prepared. Constant; what a tile needs to remember lies in its scratch.
template <class Sum>
class FilterMethod {
 public:
  virtual ~FilterMethod() = default;
  /// Whether it reads rows where they lie, if they are sums already and lie inside the image as far as the tile needs them.
  virtual bool reads_in_place() const { return false; }
  /// Whether its rows may be cut where cache lines end (Correlation::streams).
  virtual bool shifts_rows() const { return false; }
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
  virtual void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const = 0;
};

/// Says of the last sums of a tile's rows [y, y + rows) how they go to memory.
template <class Sum>
void put_as(const LineTile<Sum>& tile, std::int64_t y, int rows, bool streams, Correlation<Sum>& last) {
  last.streams = streams;
  last.joint = tile.joint;
  last.after_row = y > tile.y;
  last.before_row = y + rows < tile.y + tile.height;
  last.follows = tile.follows;
  last.beyond = tile.beyond * tile.lines.step();
}

/// For one tap of weight 1.
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_copy(const Taps& taps);
/// `may_be_non_finite`: whether samples may be, or what a border has.
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_direct(const Taps& taps, double gain, const Kernels<Sum>& kernels, bool may_be_non_finite);
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_separable(const Taps& taps, double gain, const Kernels<Sum>& kernels, std::int64_t channels);
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_low_rank(const Taps& taps, double gain, const Kernels<Sum>& kernels);
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

}  // namespace halation::cpu_backend
