// direct.cpp: every tap of a 1D, 2D or 3D filter, or those that are not 0 where they are few, or no arithmetic where one tap copies: taps
// multiply-adds a sample. Rows are read where they lie; those that are no sums yet or reach over a border are staged in a ring, each once a
// tile and plane; in tiles of volumes that keep planes, each once a tile.
#include <algorithm>
#include <vector>

#include "cpu/float_lines/limits.h"
#include "cpu/float_lines/method.h"

namespace halation::cpu_backend {
namespace {

template <class Sum>
class Direct final : public FilterMethod<Sum> {
 public:
  Direct(const Taps& taps, double gain, const Kernels<Sum>& kernels, bool may_be_non_finite)
      : taps_(taps), kernels_(kernels), may_be_non_finite_(may_be_non_finite) {
    if (!sums_few_taps(taps)) {
      weights_ = ArrangedWeights<Sum>(taps.weights, gain, taps.size);
      return;
    }
    for (std::size_t i = 0; i < taps.weights.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const std::int64_t row = place / taps.size[2];
      const Tap tap{.plane = row / taps.size[1], .row = row % taps.size[1], .column = place % taps.size[2]};
      all_.add(tap, static_cast<Sum>(gain * taps.weights[i]));
      if (taps.weights[i] != 0) few_.add(tap, static_cast<Sum>(gain * taps.weights[i]));
    }
  }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    return scratch_bytes(ring_rows(), width, step);
  }
  bool keeps_planes() const override { return planes() > 1; }
  std::int64_t scratch_bytes_of_planes(std::int64_t width, std::int64_t height, std::int64_t step) const override {
    return scratch_bytes(height + taps_.size[1] - 1, width, step);
  }

  bool reads_in_place() const override { return true; }
  bool shifts_rows() const override { return !sums_few(); }

  void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const override {
    const std::int64_t step = tile.lines.step();
    const std::int64_t stride = pitch(tile.width, step);
    const std::int64_t staged_rows = tile.keeps_planes ? tile.height + taps_.size[1] - 1 : ring_rows();
    RowRing<Sum> ring(scratch, planes(), staged_rows, stride);
    ring.begin_at(tile.z, y - tile.y);
    const Pointers<Sum> pointers(scratch, planes(), taps_.size[1]);
    auto* tap_lines = scratch.take<const Sum*>(std::ssize(all_.taps));
    auto* finite = scratch.take<bool>(planes() * staged_rows);
    const std::int64_t top = y + taps_.lead[1];

    const InputRows<Sum> input(tile, taps_, sums_few() ? part_columns + line_slack : kernels_.side_columns);
    const std::int64_t first_plane = tile.keeps_planes && !tile.first_plane ? planes() - 1 : 0;
    const auto line_at = [&](std::int64_t plane, std::int64_t j) { return ring.source(ring.slot(plane, j)); };
    const RowRange fresh = new_rows(taps_, tile.y, y, rows);
    for (std::int64_t row = fresh.begin; row < fresh.end; ++row) {
      for (std::int64_t plane = first_plane; plane < planes(); ++plane) {
        const std::int64_t slot = ring.slot(plane, row - top);
        ring.source(slot) = input.stage(plane, row, ring.line(slot));
        if (asks_for_finite()) finite[slot] = input.all(ring.source(slot), kernels_.all_finite);
      }
    }
    Correlation<Sum> job{.lines = nullptr,
                         .weights = nullptr,
                         .planes = planes(),
                         .taps_y = taps_.size[1],
                         .taps_x = taps_.size[2],
                         .tap_stride = step,
                         .out = nullptr,
                         .n = tile.width * step,
                         .left = input.left(),
                         .right = input.right()};
    put_as(tile, y, rows, streams, job);
    const auto ahead_of = [&](std::int64_t plane, std::int64_t j) {
      return plane >= first_plane ? input.ahead(plane, top + j) : nullptr;
    };
    const auto is_finite = [&](std::int64_t plane, std::int64_t j) { return finite[ring.slot(plane, j)]; };
    if (sums_few()) {
      const bool few = !asks_for_finite() || all_lines(taps_.size[1] + rows - 1, is_finite);
      add_one_by_one(few ? few_ : all_, job, rows, pointers, tap_lines, out, line_at);
    } else {
      correlate(kernels_, job, weights_, rows, pointers, out, line_at, ahead_of);
    }
  }

 private:
  struct Tap {
    std::int64_t plane, row, column;
  };
  struct WeightedTaps {
    std::vector<Tap> taps;
    std::vector<Sum> weights;
    void add(const Tap& tap, Sum weight) {
      taps.push_back(tap);
      weights.push_back(weight);
    }
  };

  bool sums_few() const { return !all_.taps.empty(); }
  /// A tap of 0 makes NaN of numbers that are not finite, so lines that have such are summed by all taps: one by one too, or which lines a
  /// tile has would show in the last bits of the others.
  bool asks_for_finite() const { return may_be_non_finite_ && sums_few(); }

  template <class Is>
  bool all_lines(std::int64_t lines, const Is& is) const {
    for (std::int64_t plane = 0; plane < planes(); ++plane) {
      for (std::int64_t j = 0; j < lines; ++j) {
        if (!is(plane, j)) return false;
      }
    }
    return true;
  }

  /// Each tap as a line of its own, row by row, some columns at a time: what rows share of the lines stays in the first-level cache.
  template <class LineAt>
  void add_one_by_one(const WeightedTaps& weighted, const Correlation<Sum>& of_all, int rows, const Pointers<Sum>& all, const Sum** lines,
                      Sum* const* out, const LineAt& line_at) const {
    const std::int64_t of_plane = taps_.size[1] + rows - 1;
    for (std::int64_t plane = 0; plane < planes(); ++plane) {
      for (std::int64_t j = 0; j < of_plane; ++j) {
        const LineSource<Sum> source = line_at(plane, j);
        all.lines[plane * of_plane + j] = source.line;
        all.sides[plane * of_plane + j] = source.side;
      }
    }
    Correlation<Sum> job = of_all;
    job.planes = 1;
    job.taps_y = std::ssize(weighted.taps);
    job.taps_x = 1;
    job.lines = lines;
    job.left = job.right = 0;
    job.weights = weighted.weights.data();
    for (std::int64_t at = 0; at < of_all.n; at += job.n) {
      const std::int64_t left = of_all.n - at;
      job.n = left < part_columns + line_slack ? left : part_columns;  // of less than a vector kernels would read behind rows
      const Sum* const* from = at < of_all.left || job.n > left - of_all.right ? all.sides : all.lines;
      for (int row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < weighted.taps.size(); ++i) {
          const Tap& tap = weighted.taps[i];
          lines[i] = from[tap.plane * of_plane + row + tap.row] + tap.column * job.tap_stride + at;
        }
        Sum* const to = out[row] + at;
        job.out = &to;
        job.streams = of_all.streams && reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
        kernels_.correlate_row(job);
      }
    }
  }

  std::int64_t scratch_bytes(std::int64_t staged_rows, std::int64_t width, std::int64_t step) const {
    return RowRing<Sum>::bytes(planes(), staged_rows, pitch(width, step)) + Pointers<Sum>::bytes(planes(), taps_.size[1]) +
           Scratch::bytes<const Sum*>(std::ssize(all_.taps)) + Scratch::bytes<bool>(planes() * staged_rows);
  }
  static constexpr std::int64_t part_columns = 1024 / sizeof(Sum);  ///< of taps that are added one by one
  std::int64_t planes() const { return taps_.size[0]; }
  std::int64_t ring_rows() const { return taps_.size[1] + rows_at_once - 1; }
  std::int64_t pitch(std::int64_t width, std::int64_t step) const {
    return line_pitch<Sum>((width + taps_.size[2] - 1) * step);
  }

  const Taps& taps_;
  const Kernels<Sum>& kernels_;
  ArrangedWeights<Sum> weights_;  ///< where not few taps are summed
  bool may_be_non_finite_;
  WeightedTaps few_, all_;  ///< those that are not 0, where only those are summed, and all
};

/// One tap of weight 1: pixels as they are, bit by bit.
template <class Sum>
class Copy final : public FilterMethod<Sum> {
 public:
  explicit Copy(const Taps& taps) : taps_(taps) {}

  std::int64_t scratch_bytes(std::int64_t, std::int64_t) const override { return 0; }

  void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch, Sum* const* out, bool) const override {
    const InputRows<Sum> input(tile, taps_);
    for (int row = 0; row < rows; ++row) input.stage_all(0, y + taps_.lead[1] + row, out[row]);
  }

 private:
  const Taps& taps_;
};

}  // namespace

template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_copy(const Taps& taps) {
  return std::make_unique<Copy<Sum>>(taps);
}
template std::unique_ptr<const FilterMethod<float>> make_copy(const Taps&);
template std::unique_ptr<const FilterMethod<double>> make_copy(const Taps&);

template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_direct(const Taps& taps, double gain, const Kernels<Sum>& kernels, bool may_be_non_finite) {
  return std::make_unique<Direct<Sum>>(taps, gain, kernels, may_be_non_finite);
}
template std::unique_ptr<const FilterMethod<float>> make_direct(const Taps&, double, const Kernels<float>&, bool);
template std::unique_ptr<const FilterMethod<double>> make_direct(const Taps&, double, const Kernels<double>&, bool);

}  // namespace halation::cpu_backend
