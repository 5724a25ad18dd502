// box.cpp: windows of equal weights over lines of floats. Each input row is weighed, summed over z and summed along x into a
// ring of lines, and the ring is summed over y: a low window's rows as often as outputs that are made at once share them; a
// high one's in blocks of as many rows as it has, so that a window is a suffix of one block and a prefix of the next and costs
// three additions whatever its height. Nothing is subtracted: NaN and infinity reach the windows that hold them alone, and no
// error stays behind.
#include <algorithm>
#include <vector>

#include "cpu/box_kernels.h"
#include "cpu/method.h"
#include "cpu/window.h"

namespace halation::cpu_backend {
namespace {

/// From so many rows on suffixes and prefixes of blocks take less time than sums of shared rows.
constexpr std::int64_t least_block = 24;
/// Samples of a row that are summed at a time, at least.
constexpr std::int64_t part_samples = 1000;

template <class Sum>
class Box final : public FilterMethod<Sum> {
 public:
  Box(const Taps& taps, double gain, const Kernels<Sum>& kernels)
      : taps_(taps), kernels_(kernels), box_(best_box_kernels<Sum>()), window_(taps.size[2]) {
    const auto& [z, y, x] = *taps.factors;
    const double weight = z[0] * y[0] * x[0] * gain;
    // A sum over z weighs already.
    weight_ = taps.size[0] > 1 ? 1 : static_cast<Sum>(weight);
    weights_z_ = ArrangedWeights<Sum>(std::vector<double>(static_cast<std::size_t>(taps.size[0]), weight), 1, {1, taps.size[0], 1});
  }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    return Scratch::bytes<Sum>((taps_.size[0] + 3) * wide_pitch(width, step)) +
           Scratch::bytes<Sum>((ring_rows() + 1) * line_pitch<Sum>(width * step)) +
           Scratch::bytes<Sum*>(std::max(taps_.size[0], ring_rows()));
  }

  void filter(const Tile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const override {
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

    if (taps_.size[1] < least_block) {
      const auto lines = static_cast<int>(taps_.size[1]) + rows - 1;
      for (int j = 0; j < lines; ++j) pointers[j] = slot(y + taps_.lead[1] + j);
      Columns<Sum> job{.lines = pointers, .out = out, .taps = taps_.size[1], .n = n, .streams = streams};
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
  /// A row of the image that lies there as it is, to be asked for while others are summed; else `otherwise`.
  const Sum* ahead(const Tile<Sum>& tile, std::int64_t row, const Sum* otherwise) const {
    if (row >= tile.y + taps_.lead[1] + tile.height + taps_.size[1] - 1) return otherwise;
    const std::int64_t x = tile.x + taps_.lead[2];
    const std::int64_t z = tile.z + taps_.lead[0] + taps_.size[0] - 1;
    const Sum* line = tile.lines.in_place(z, row, std::max<std::int64_t>(x, 0), x + tile.width);
    return line != nullptr ? line : otherwise;
  }

  /// Sums one input row over z and x, a few samples at a time, which stay in the first-level cache from step to step. `lines`
  /// are those of all planes and three more.
  void sum_row(const Tile<Sum>& tile, std::int64_t row, Sum* lines, Sum** pointers, Sum* target) const {
    const std::int64_t step = tile.lines.step();
    const std::int64_t part = part_width(tile.width, step);
    const std::int64_t wide = wide_pitch(tile.width, step);
    for (std::int64_t at = 0; at < tile.width; at += part) {
      const std::int64_t width = std::min(part, tile.width - at);
      const std::int64_t x = tile.x + at + taps_.lead[2];
      const std::int64_t x_end = x + width + taps_.size[2] - 1;
      for (std::int64_t plane = 0; plane < taps_.size[0]; ++plane) {
        pointers[plane] = lines + (plane + 3) * wide;
        tile.lines.stage(tile.z + taps_.lead[0] + plane, row, x, x_end, pointers[plane]);
      }
      const Sum* line = pointers[0];
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
      window_.sum<Sum, Sum>(box_.steps, line, step, weight_, {lines + wide, lines + 2 * wide}, target + at * step, width * step);
    }
  }

  std::int64_t ring_rows() const { return taps_.size[1] + rows_at_once - 1; }
  /// Pixels of a row that are summed at a time; those beside them are summed again.
  std::int64_t part_width(std::int64_t width, std::int64_t step) const {
    constexpr std::int64_t cache_line = 64 / sizeof(Sum);
    return std::min(width, std::max(part_samples / step, 4 * taps_.size[2]) / cache_line * cache_line + cache_line);
  }
  std::int64_t wide_pitch(std::int64_t width, std::int64_t step) const {
    return line_pitch<Sum>(window_.length(part_width(width, step), 1) * step);
  }

  const Taps& taps_;
  const Kernels<Sum>& kernels_;
  const BoxKernels<Sum>& box_;
  Window window_;
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
