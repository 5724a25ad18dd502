// input_rows.h: a tile of f32 or f64, and the rows of the input that a filter reads for it.
#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/job.h"
#include "cpu/parts/kernels.h"
#include "cpu/parts/sum_rows.h"
#include "cpu/tiles/lines.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// A part of one output plane, filtered from top to bottom: all rows of a strip, some columns. In volumes the
/// planes of a part may follow one another, so that rows staged for one serve the next.
template <class Sum>
struct LineTile {
  const Lines<Sum>& lines;
  std::int64_t z;
  std::int64_t x, width;   ///< columns, in pixels, those `beyond` the tile's own among them
  std::int64_t y, height;  ///< rows
  bool follows;  ///< the tile to the left writes the cache lines that this one's first columns share with it
  std::int64_t
      beyond;         ///< pixels of the tile to the right, of which this one writes what fills its last lines
  Sum* joint;         ///< Correlation::joint
  bool keeps_planes;  ///< the same columns and rows of the next plane follow with the same scratch
  bool first_plane;   ///< no plane came before
};

/// The input rows that a filter reads for one tile. `plane` counts from the first one that the filter needs.
/// Rows are read where they lie, if they are sums already; what reaches outside the image is staged as part
/// of a line: as whole rows, or, where a tile is wide, their sides.
template <class Sum>
class InputRows {
 public:
  /// `side_columns`: that kernels may read beside what reaches outside (Kernels); 0: only whole rows are
  /// staged.
  InputRows(const LineTile<Sum>& tile, const Taps& taps, std::int64_t side_columns = 0)
      : lines_(tile.lines),
        z_(tile.z + taps.lead[0]),
        x_(tile.x + taps.lead[2]),
        x_end_(x_ + tile.width + taps.size[2] - 1),
        are_lines_(tile.width * tile.lines.step() >= line_slack) {
    const std::int64_t left = std::max<std::int64_t>(0, -x_),
                       right = std::max<std::int64_t>(0, x_end_ - lines_.width());
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
  void stage_all(std::int64_t plane, std::int64_t row, Sum* line) const {
    lines_.stage(z_ + plane, row, x_, x_end_, line);
  }

  /// Stages what of the row is not read where it lies; gives where it is read.
  LineSource<Sum> stage(std::int64_t plane, std::int64_t row, Sum* line) const {
    const Sum* here = has_sides() ? lines_.around(z_ + plane, row, x_) : in_place(plane, row);
    if (here == nullptr) {
      stage_all(plane, row, line);
      return line;
    }
    if (!has_sides()) return here;
    lines_.stage_around(here, x_, left_end_, line);
    const std::int64_t right = (right_begin_ - x_) * lines_.step();
    lines_.stage_around(here + right, right_begin_, x_end_, line + right);
    ask_for_right_side(plane, row + rows_at_once);
    return {here, line};
  }
  /// Whether is(samples, count) of all samples of a row that is read there.
  template <class Is>
  bool all(const LineSource<Sum>& read, const Is& is) const {
    const std::int64_t step = lines_.step();
    if (read.line == read.side) return is(read.line, (x_end_ - x_) * step);
    const std::int64_t left = (left_end_ - x_) * step, right = (right_begin_ - x_) * step;
    return is(read.side, left) && is(read.line + left, right - left) &&
           is(read.side + right, (x_end_ - right_begin_) * step);
  }
  /// Samples of the tile, first ones and last ones, for which sides are read (Correlation).
  std::int64_t left() const { return left_ * lines_.step(); }
  std::int64_t right() const { return right_ * lines_.step(); }

  /// What will be wanted of the image after this row (Correlation): the row that takes its part in the next
  /// output rows, or, of a single row, what is further along, since the hardware looks ahead only to the end
  /// of a page.
  const std::byte* ahead(std::int64_t plane, std::int64_t row) const {
    if (!lines_.is_one_row()) return lines_.near(z_ + plane, row + rows_at_once, x_);
    const std::byte* here = lines_.near(z_ + plane, row, x_);
    return here != nullptr ? here + ahead_in_row_bytes : nullptr;
  }

 private:
  static constexpr std::int64_t ahead_in_row_bytes = 4096;

  bool has_sides() const { return left_ + right_ > 0; }
  /// Kernels that ask for what is ahead come to the right side of a row just before it is staged.
  void ask_for_right_side(std::int64_t plane, std::int64_t row) const {
    const std::byte* side = lines_.near(z_ + plane, row, right_begin_);
    if (right_ == 0 || side == nullptr) return;
    const std::int64_t bytes = (x_end_ - right_ - right_begin_) * lines_.step() * static_cast<std::int64_t>(sizeof(Sum));
    for (std::int64_t at = 0; at < bytes; at += cache_line_bytes) hwy::Prefetch(side + at);
    hwy::Prefetch(side + bytes - 1);
  }

  const Lines<Sum>& lines_;
  std::int64_t z_, x_, x_end_;
  bool are_lines_;  // as kernels read them: whole vectors, though nothing may be read behind a row
  std::int64_t left_ = 0, right_ = 0, left_end_ = 0, right_begin_ = 0;
};

/// Rows that were staged for a tile, each once: in scratch, as many lines for each plane as output rows need
/// at once, around a ring.
template <class Sum>
class RowRing {
 public:
  RowRing(Scratch& scratch, std::int64_t planes, std::int64_t rows, std::int64_t pitch)
      : lines_(scratch.take<Sum>(planes * rows * pitch)),
        sources_(scratch.take<LineSource<Sum>>(planes * rows)),
        planes_(planes),
        rows_(rows),
        pitch_(pitch) {}
  static std::int64_t bytes(std::int64_t planes, std::int64_t rows, std::int64_t pitch) {
    return Scratch::bytes<Sum>(planes * rows * pitch) + Scratch::bytes<LineSource<Sum>>(planes * rows);
  }

  /// What is asked for from now on counts from this plane, and from this row.
  void begin_at(std::int64_t plane, std::int64_t row) {
    first_plane_ = plane % planes_;
    first_row_ = row % rows_;
  }
  /// The place of a row among planes · rows ones; `plane` < planes, `row` < rows.
  std::int64_t slot(std::int64_t plane, std::int64_t row) const {
    const auto around = [](std::int64_t at, std::int64_t size) { return at < size ? at : at - size; };
    return around(first_plane_ + plane, planes_) * rows_ + around(first_row_ + row, rows_);
  }
  Sum* line(std::int64_t slot) const { return lines_ + slot * pitch_; }
  LineSource<Sum>& source(std::int64_t slot) const { return sources_[slot]; }

 private:
  Sum* lines_;
  LineSource<Sum>* sources_;
  std::int64_t planes_, rows_, pitch_;
  std::int64_t first_plane_ = 0, first_row_ = 0;
};

/// Input rows that a tile needs new before it can make output rows [y, y + rows): those below what earlier
/// calls staged.
struct RowRange {
  std::int64_t begin, end;
};
inline RowRange new_rows(const Taps& taps, std::int64_t tile_y, std::int64_t y, int rows) {
  const std::int64_t end = y + rows + taps.lead[1] + taps.size[1] - 1;
  return {y == tile_y ? y + taps.lead[1] : y + taps.lead[1] + taps.size[1] - 1, end};
}

}  // namespace halation::cpu_backend
