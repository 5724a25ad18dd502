// box.cpp: windows of equal weights over lines of floats. Nothing is subtracted: NaN and infinity reach the windows that hold
// them alone, and no error stays behind. Weights come first, so that no sum overflows that does not have to.
//
// Low windows of one plane and of channels that are not side by side, whose sums along x stay in registers, where such kernels are
// (BoxKernels::box_rows), or that have one column: rows are read where they lie, weighed and summed over y into a few lines of
// the first-level cache, and these along x straight to the output.
//
// Others: each input row is weighed, summed over z and summed along x into a ring of lines, and the ring is summed over y: a low
// window's rows as often as outputs that are made at once share them; a high one's in blocks of as many rows as it has, so that a
// window is a suffix of one block and a prefix of the next and costs three additions whatever its height.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cpu/float_lines/limits.h"
#include "cpu/float_lines/method.h"
#include "cpu/parts/box/kernels.h"
#include "cpu/parts/box/sum.h"

namespace halation::cpu_backend {
namespace {

/// Samples of a row that are summed at a time, at least.
constexpr std::int64_t part_samples = 1000;
/// Samples of low windows that are summed over y and then along x: their lines fill half of a first-level cache.
constexpr std::int64_t low_part_samples = 768;

template <class Sum>
class Box final : public FilterMethod<Sum> {
 public:
  Box(const Taps& taps, double gain, const Kernels<Sum>& kernels)
      : taps_(taps), kernels_(kernels), box_(best_box_kernels<Sum>()), box_sum_(taps.size[2]) {
    const auto& [z, y, x] = *taps.factors;
    const double weight = z[0] * y[0] * x[0] * gain;
    // A sum over z weighs already.
    weight_ = taps.size[0] > 1 ? 1 : static_cast<Sum>(weight);
    weights_z_ = ArrangedWeights<Sum>(std::vector<double>(static_cast<std::size_t>(taps.size[0]), weight), 1, {1, taps.size[0], 1});
  }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    if (is_low(step)) {
      return Scratch::bytes<Sum>(ring_rows() * low_pitch(width)) + Scratch::bytes<Sum>(rows_at_once * sums_pitch()) +
             Scratch::bytes<const Sum*>(ring_rows());
    }
    return Scratch::bytes<Sum>((taps_.size[0] + 3) * wide_pitch(width, step)) +
           Scratch::bytes<Sum>((ring_rows() + 1) * line_pitch<Sum>(width * step)) +
           Scratch::bytes<Sum*>(std::max(taps_.size[0], ring_rows()));
  }

  void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const override {
    if (is_low(tile.lines.step())) return filter_low(tile, y, rows, scratch, out, streams);
    const std::int64_t step = tile.lines.step();
    const std::int64_t n = tile.width * step;
    const std::int64_t narrow = line_pitch<Sum>(n);
    auto* staged = scratch.take<Sum>((taps_.size[0] + 3) * wide_pitch(tile.width, step));
    auto* ring = scratch.take<Sum>(ring_rows() * narrow);
    auto* prefix = scratch.take<Sum>(narrow);
    auto* pointers = scratch.take<Sum*>(std::max(taps_.size[0], ring_rows()));
    const std::int64_t top = tile.y + taps_.lead[1];
    const auto slot = [&](std::int64_t row) { return ring + (row - top) % ring_rows() * narrow; };

    const RowRange fresh = new_rows(taps_, tile.y, y, rows);
    for (std::int64_t row = fresh.begin; row < fresh.end; ++row) sum_row(tile, row, staged, pointers, slot(row));

    if (taps_.size[1] < least_box_block) {
      const auto lines = static_cast<int>(taps_.size[1]) + rows - 1;
      for (int j = 0; j < lines; ++j) pointers[j] = slot(y + taps_.lead[1] + j);
      Columns<Sum> job{.lines = pointers, .weight = 1, .out = out, .taps = taps_.size[1], .n = n, .streams = streams};
      if (rows == rows_at_once) {
        for (int row = 0; row < rows; ++row) job.ahead[row] = ahead(tile, fresh.end + row, ring);
        return box_.columns(job);
      }
      for (int row = 0; row < rows; ++row, ++job.lines, ++job.out) box_.column(job);
      return;
    }
    for (int row = 0; row < rows;) {
      const std::int64_t first = y + taps_.lead[1] + row;
      const std::int64_t in_block = (y - tile.y + row) % taps_.size[1];
      if (in_block == 0) {
        for (std::int64_t j = 0; j < taps_.size[1]; ++j) pointers[j] = slot(first + j);
        box_.suffixes(pointers, taps_.size[1], n);
      }
      const auto run = static_cast<int>(std::min<std::int64_t>(rows - row, taps_.size[1] - in_block));
      std::array<const Sum*, rows_at_once> before{};
      std::array<const Sum*, rows_at_once> after{};
      std::array<const Sum*, rows_at_once> next{};
      for (int r = 0; r < run; ++r) {
        next[r] = ahead(tile, fresh.end + row + r, ring);
        before[r] = slot(first + r);
        after[r] = slot(first + r + taps_.size[1] - 1);
      }
      box_.join({.suffixes = before.data(),
                 .newer = after.data(),
                 .out = out + row,
                 .prefix = prefix,
                 .rows = run,
                 .starts = in_block == 0,
                 .n = n,
                 .streams = streams,
                 .ahead = next});
      row += run;
    }
  }

 private:
  /// Null where windows are summed along x by steps.
  auto row_kernel(std::int64_t step) const {
    const bool known = step == 1 && taps_.size[2] <= most_row_taps;
    return known ? box_.box_rows[static_cast<std::size_t>(taps_.size[2])] : nullptr;
  }
  bool is_low(std::int64_t step) const {
    const bool sums_x_at_once = row_kernel(step) != nullptr || (taps_.size[2] == 1 && taps_.size[1] > 1 && step == 1);
    return sums_x_at_once && taps_.size[0] == 1 && taps_.size[1] < least_box_block;
  }

  /// Rows that are not all read where they lie have places in a ring of whole lines, but only what is near the image's sides is
  /// staged there.
  void filter_low(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const {
    const std::int64_t pitch = low_pitch(tile.width);
    auto* ring = scratch.take<Sum>(ring_rows() * pitch);
    auto* sums = scratch.take<Sum>(rows_at_once * sums_pitch());
    auto** lines = scratch.take<const Sum*>(ring_rows());
    const auto sum_x = row_kernel(1);
    const bool sums_x = sum_x != nullptr;
    const bool sums_y = taps_.size[1] > 1;
    const std::int64_t top = y + taps_.lead[1];
    const std::int64_t x = tile.x + taps_.lead[2];
    const std::int64_t halo = taps_.size[2] - 1;
    const std::int64_t z = tile.z + taps_.lead[0];
    const std::int64_t first_slot = (y - tile.y) % ring_rows();
    const auto slot = [&](std::int64_t j) { return ring + (first_slot + j) % ring_rows() * pitch; };
    const auto columns = inside_columns(tile);
    const std::int64_t inside = columns.first, outside = columns.second;
    const bool fall_out = tile.lines.rows_fall_out(z, tile.y + taps_.lead[1], ring_rows(), box_.most_rows_alike);
    const auto in_place = [&](std::int64_t j, std::int64_t begin, std::int64_t end) {
      return !fall_out && inside <= begin && end <= outside ? tile.lines.in_place(z, top + j, x + begin, x + end + halo) : nullptr;
    };
    const auto wanted = [&](std::int64_t row) { return row < tile.y + taps_.lead[1] + tile.height + taps_.size[1] - 1; };

    const RowRange fresh = new_rows(taps_, tile.y, y, rows);
    for (std::int64_t row = fresh.begin; row < fresh.end; ++row) {
      Sum* line = slot(row - top);
      const Sum* here = inside < outside && !fall_out ? tile.lines.around(z, row, x) : nullptr;
      if (here != nullptr) {
        if (inside > 0) tile.lines.stage_around(here, x, x + inside + halo, line);
        if (outside < tile.width) tile.lines.stage_around(here + outside, x + outside, x + tile.width + halo, line + outside);
      } else {
        tile.lines.stage(z, row, x, x + tile.width + halo, line);
      }
    }

    for (std::int64_t begin = 0; begin < tile.width;) {
      const std::int64_t limit = begin < inside ? inside : begin < outside ? outside : tile.width;
      const std::int64_t end = end_of_part(begin, limit, out[0]);
      const auto count = taps_.size[1] + rows - 1;
      bool all_in_place = true;
      for (std::int64_t j = 0; j < count; ++j) {
        const Sum* line = in_place(j, begin, end);
        all_in_place = all_in_place && line != nullptr;
        lines[j] = line != nullptr ? line : slot(j) + begin;
      }
      // From a cache line on: a vector across two would fetch both twice, since of rows above one another the first-level cache
      // keeps few.
      std::int64_t before = 0;
      if (all_in_place && sums_x && sums_y) {
        before = elements_behind_line(lines[0]);
        if (before > x + begin) before = 0;
        for (std::int64_t j = 0; j < count; ++j) lines[j] -= before;
      }
      std::array<Sum*, rows_at_once> between{};
      std::array<Sum*, rows_at_once> to{};
      for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        between[row] = sums + static_cast<std::int64_t>(row) * sums_pitch();
        to[row] = out[row] + begin;
      }
      if (sums_y) {
        Columns<Sum> down{.lines = lines,
                          .weight = weight_,
                          .out = sums_x ? between.data() : to.data(),
                          .taps = taps_.size[1],
                          .n = before + end - begin + halo,
                          .streams = streams && !sums_x,
                          .in_place = true};
        if (rows == rows_at_once) {
          for (int row = 0; row < rows; ++row) {
            const std::byte* next = wanted(top + count + row) ? tile.lines.near(z, top + count + row, x + begin) : nullptr;
            down.ahead[static_cast<std::size_t>(row)] = next != nullptr ? reinterpret_cast<const Sum*>(next) - before : sums;
          }
          box_.columns(down);
        } else {
          for (int row = 0; row < rows; ++row, ++down.lines, ++down.out) box_.column(down);
        }
      }
      for (std::size_t row = 0; sums_x && row < static_cast<std::size_t>(rows); ++row) {
        sum_x({.samples = sums_y ? between[row] + before : lines[row],
               .weight = sums_y ? 1 : weight_,
               .out = to[row],
               .n = end - begin,
               .streams = streams});
      }
      begin = end;
    }
  }

  /// Where the part of columns that begins at `begin` ends. None has less than a vector, since nothing behind rows of the image may
  /// be read; all but the first begin on a cache line of the output.
  static std::int64_t end_of_part(std::int64_t begin, std::int64_t limit, const Sum* out) {
    constexpr std::int64_t cache_line = line_elements<Sum>;
    const std::int64_t behind_line = elements_behind_line(out + begin);
    if (limit - begin <= 3 * cache_line) return limit;
    if (behind_line != 0) return begin + 2 * cache_line - behind_line;
    const std::int64_t end = std::min(limit, begin + low_part_samples);
    return end < limit && limit - end < cache_line ? end - cache_line : end;
  }
  /// Columns whose windows lie inside the image, from a cache line on, if they are many; else none.
  std::pair<std::int64_t, std::int64_t> inside_columns(const LineTile<Sum>& tile) const {
    constexpr std::int64_t cache_line = line_elements<Sum>;
    const std::int64_t x = tile.x + taps_.lead[2];
    const std::int64_t begin = x < 0 ? (cache_line - 1 - x) / cache_line * cache_line : 0;
    const std::int64_t behind = tile.lines.width() - x - (taps_.size[2] - 1);
    const std::int64_t end = behind < tile.width ? behind / cache_line * cache_line : tile.width;
    return end - begin >= 4 * cache_line ? std::pair{begin, end} : std::pair<std::int64_t, std::int64_t>{0, 0};
  }
  std::int64_t low_pitch(std::int64_t width) const { return line_pitch<Sum>(width + taps_.size[2] - 1); }
  std::int64_t sums_pitch() const { return line_pitch<Sum>(low_part_samples + taps_.size[2] - 1 + line_elements<Sum>); }

  /// A row of the image that lies there as it is, to be asked for while others are summed; else `otherwise`.
  const Sum* ahead(const LineTile<Sum>& tile, std::int64_t row, const Sum* otherwise) const {
    if (row >= tile.y + taps_.lead[1] + tile.height + taps_.size[1] - 1) return otherwise;
    const std::int64_t x = tile.x + taps_.lead[2];
    const std::int64_t z = tile.z + taps_.lead[0] + taps_.size[0] - 1;
    const Sum* line = tile.lines.in_place(z, row, std::max<std::int64_t>(x, 0), x + tile.width);
    return line != nullptr ? line : otherwise;
  }

  /// Sums one input row over z and x, a few samples at a time, which stay in the first-level cache from step to step. `lines`
  /// are those of all planes and three more.
  void sum_row(const LineTile<Sum>& tile, std::int64_t row, Sum* lines, Sum** pointers, Sum* target) const {
    const std::int64_t step = tile.lines.step();
    const std::int64_t part = part_width(tile.width, step);
    const std::int64_t wide = wide_pitch(tile.width, step);
    for (std::int64_t at = 0; at < tile.width; at += part) {
      const std::int64_t width = std::min(part, tile.width - at);
      const std::int64_t x = tile.x + at + taps_.lead[2];
      const std::int64_t x_end = x + width + taps_.size[2] - 1;
      // Steps read up to a vector behind a row.
      const auto sum_x = row_kernel(step);
      const std::int64_t behind = sum_x != nullptr ? 0 : (line_slack + step - 1) / step;
      const Sum* line = taps_.size[0] > 1 ? nullptr : tile.lines.in_place(tile.z + taps_.lead[0], row, x, x_end + behind);
      for (std::int64_t plane = 0; line == nullptr && plane < taps_.size[0]; ++plane) {
        pointers[plane] = lines + (plane + 3) * wide;
        tile.lines.stage(tile.z + taps_.lead[0] + plane, row, x, x_end, pointers[plane]);
      }
      if (line == nullptr) line = pointers[0];
      if (taps_.size[0] > 1) {
        kernels_.correlate_row({.lines = pointers,
                                .weights = weights_z_.of(1),
                                .planes = 1,
                                .taps_y = taps_.size[0],
                                .taps_x = 1,
                                .tap_stride = step,
                                .out = &lines,
                                .n = (x_end - x) * step});
        line = lines;
      }
      if (sum_x != nullptr) {
        sum_x({.samples = line, .weight = weight_, .out = target + at, .n = width, .streams = false});
        continue;
      }
      box_sum_.sum<Sum, Sum>(box_.steps, line, step, weight_, {lines + wide, lines + 2 * wide}, target + at * step, width * step);
    }
  }

  std::int64_t ring_rows() const { return taps_.size[1] + rows_at_once - 1; }
  /// Pixels of a row that are summed at a time; those beside them are summed again.
  std::int64_t part_width(std::int64_t width, std::int64_t step) const {
    constexpr std::int64_t cache_line = line_elements<Sum>;
    return std::min(width, std::max(part_samples / step, 4 * taps_.size[2]) / cache_line * cache_line + cache_line);
  }
  std::int64_t wide_pitch(std::int64_t width, std::int64_t step) const {
    return line_pitch<Sum>(box_sum_.length(part_width(width, step), 1) * step);
  }

  const Taps& taps_;
  const Kernels<Sum>& kernels_;
  const BoxKernels<Sum>& box_;
  BoxSum box_sum_;
  Sum weight_ = 1;
  ArrangedWeights<Sum> weights_z_;
};

}  // namespace

template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_box(const Taps& taps, double gain, const Kernels<Sum>& kernels) {
  return std::make_unique<Box<Sum>>(taps, gain, kernels);
}
template std::unique_ptr<const FilterMethod<float>> make_box(const Taps&, double, const Kernels<float>&);
template std::unique_ptr<const FilterMethod<double>> make_box(const Taps&, double, const Kernels<double>&);

}  // namespace halation::cpu_backend
