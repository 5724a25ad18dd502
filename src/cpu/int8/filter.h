// filter.h: one filter over 8 bits in whole numbers, and the rows that it reads and writes.
#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>

#include "cpu/int8/sums16/weights.h"
#include "cpu/int8/sums32/kernels.h"
#include "cpu/int8/sums32/weights.h"
#include "cpu/tiles/lines.h"
#include "cpu/tiles/past_caches.h"
#include "cpu/tiles/scratch.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {

using ByteLines = Lines<std::uint8_t>;

/// A prepared filter. Constant; what a tile needs to remember lies in its scratch.
class Int8Filter {
 public:
  virtual ~Int8Filter() = default;
  /// Bits of its sums, and what multiplies, for explain.
  virtual int sum_bits() const { return 32; }
  virtual std::string_view instruction_set() const { return best_sums32_kernels()->instruction_set; }
  /// Whether it reads rows where they lie, if they are inside the image as far as a tile needs them.
  virtual bool reads_in_place() const { return true; }
  /// Scratch for tiles of so many pixels of `step` samples.
  virtual std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const = 0;
  virtual void run(const ByteLines& rows, const Tiles::Tile& tile, std::int64_t step, const View& out, Scratch scratch) const = 0;
};

/// By pairs of rows: any weights (pairs.cpp). `finish` has the job's offset and rounding.
std::unique_ptr<const Int8Filter> make_sums32_pairs(const Taps& taps, const FixedPoint& point, Sums32Finish finish);
/// The same sums by products of matrices, over images of so many channels (matrices.cpp); where `matrix_kernels` are.
std::unique_ptr<const Int8Filter> make_sums32_matrices(const Taps& taps, const FixedPoint& point, Sums32Finish finish, std::int64_t channels);
/// Products of matrices for 16 groups of outputs, of weights of two bytes whose taps are `step` samples apart.
std::int64_t matrix_products(const Space& taps, std::int64_t step);
/// Columns first, then rows: products of y and x (columns.cpp).
std::unique_ptr<const Int8Filter> make_sums32_columns(const Taps& taps, const FixedPoint& point, Sums32Finish finish);
/// Three taps along y and x, sums of 16 bits (sums16.cpp).
std::unique_ptr<const Int8Filter> make_sums16(const Taps& taps, const Sums16Point& point);

/// Elements from one line of scratch to the next.
template <class T>
std::int64_t int8_pitch(std::int64_t samples) {
  return line_pitch<T>(samples, int8_slack);
}

/// Columns [x, x_end) of the input rows that a filter reads for one tile; rows are counted in the image.
struct SourceRows {
  const ByteLines& rows;
  std::int64_t x, x_end, y_last;
  std::int64_t samples;

  SourceRows(const Taps& taps, const ByteLines& pixels, const Tiles::Tile& tile, std::int64_t step)
      : rows(pixels),
        x(tile.x + taps.lead[2]),
        x_end(x + tile.width + taps.size[2] - 1),
        y_last(tile.y + tile.height + taps.lead[1] + taps.size[1] - 2),
        samples((x_end - x) * step) {}

  /// The row itself, or null where it has to be staged. Rows below the tile's last one are that one.
  const std::uint8_t* in_place(std::int64_t z, std::int64_t y) const {
    return samples < int8_least_row ? nullptr : rows.in_place(z, std::min(y, y_last), x, x_end);
  }
  /// What kernels ask for while they have other work: a row that is wanted soon, if it is inside the image.
  const std::uint8_t* ahead(std::int64_t z, std::int64_t y) const {
    return y > y_last ? nullptr : reinterpret_cast<const std::uint8_t*>(rows.near(z, y, std::max<std::int64_t>(x, 0)));
  }
  const std::uint8_t* stage(std::int64_t z, std::int64_t y, std::uint8_t* line) const {
    rows.stage(z, std::min(y, y_last), x, x_end, line);
    return line;
  }
  const std::uint8_t* in_place_or_staged(std::int64_t z, std::int64_t y, std::uint8_t* line) const {
    const std::uint8_t* row = in_place(z, y);
    return row != nullptr ? row : stage(z, y, line);
  }
};

/// Where the rows of a tile go: to the output, or where its samples are apart, to lines that are scattered afterwards. Rows below
/// the tile's last one go to a line of their own.
class OutputRows {
 public:
  static std::int64_t scratch_bytes(std::int64_t samples) {
    return Scratch::bytes<std::byte>(int8_rows_at_once * int8_pitch<std::int16_t>(samples) * 2);
  }
  OutputRows(const View& out, const Tiles::Tile& tile, std::int64_t step, Scratch& scratch)
      : out_(out), tile_(tile), step_(step), element_(static_cast<std::int64_t>(bytes_of(out.pixel))) {
    const std::int64_t pitch = int8_pitch<std::int16_t>(tile.width * step) * 2;
    auto* lines = scratch.take<std::byte>(int8_rows_at_once * pitch);
    for (std::size_t row = 0; row < int8_rows_at_once; ++row) lines_[row] = lines + static_cast<std::int64_t>(row) * pitch;
    in_place_ = sample_stride(out.strides, step) == element_;
    streams_ = in_place_ && goes_past_caches(out, streamed_bytes, rows_share_no_line);
  }
  OutputRows(const OutputRows&) = delete;
  /// What went past the caches is there before others read.
  ~OutputRows() {
    if (streams_) hwy::FlushStream();
  }
  bool streams() const { return streams_; }
  /// Output rows [y, y + rows) of the tile, which `end` completes.
  std::byte* const* begin(std::int64_t y, std::int64_t rows) {
    to_ = lines_;
    for (std::int64_t row = 0; in_place_ && row < rows; ++row) {
      to_[static_cast<std::size_t>(row)] = place_in(out_, tile_, tile_.y + y + row);
    }
    return to_.data();
  }
  void end(std::int64_t y, std::int64_t rows) const {
    if (in_place_) return;
    const std::int64_t stride = sample_stride(out_.strides, step_);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::byte* from = lines_[static_cast<std::size_t>(row)];
      std::byte* to = place_in(out_, tile_, tile_.y + y + row);
      for (std::int64_t i = 0; i < tile_.width * step_; ++i, from += element_, to += stride) {
        std::memcpy(to, from, static_cast<std::size_t>(element_));
      }
    }
  }

 private:
  const View& out_;
  const Tiles::Tile& tile_;
  std::int64_t step_;
  std::int64_t element_;
  std::array<std::byte*, int8_rows_at_once> lines_{};
  std::array<std::byte*, int8_rows_at_once> to_{};
  bool in_place_;
  bool streams_;
};

/// Pairs of rows that an output row of a filter of k rows takes.
inline std::int64_t pairs_of(std::int64_t taps) { return taps / 2 + 1; }

/// Lines of pairs that `int8_rows_at_once` output rows take.
inline std::int64_t lines_of(std::int64_t taps) { return pairs_of(taps) + int8_rows_at_once / 2 - 1; }

/// Of lines of pairs and output rows: the weights of the lines' two rows for the output row, of a filter whose weight of row y is
/// `at(y)`; y may be outside.
template <class At>
std::int32_t pair_for(std::int64_t line, int row, const At& at) {
  return pair_of(at(2 * line - row), at(2 * line + 1 - row));
}

}  // namespace halation::cpu_backend
