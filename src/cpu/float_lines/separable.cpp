// separable.cpp: z ⊗ y ⊗ x in one pass over the tile: input rows are summed over z, a few output rows of those over y, and these
// along x: taps_z + taps_y + taps_x multiply-adds a sample; no intermediate image.
//
// y comes before x, though it then has the halo's columns to sum as well: it reads rows where they lie in the image, several
// output rows sharing each, and x finds its lines in the first-level cache, where loads across cache lines cost least.
#include <algorithm>
#include <vector>

#include "cpu/float_lines/method.h"

namespace halation::cpu_backend {
namespace {

template <class Sum>
class Separable final : public FilterMethod<Sum> {
 public:
  /// `channels`: those that mostly lie side by side.
  Separable(const Taps& taps, double gain, const Kernels<Sum>& kernels, std::int64_t channels) : taps_(taps), kernels_(kernels) {
    std::array<std::vector<double>, 3> factors = *taps.factors;
    // An axis of one tap is no pass: its weight joins the longest axis.
    std::size_t longest = 2;
    for (const std::size_t axis : {1U, 0U}) {
      if (taps.size[axis] > taps.size[longest]) longest = axis;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis == longest || taps.size[axis] > 1) continue;
      for (double& weight : factors[longest]) weight *= factors[axis][0];
      factors[axis][0] = 1;
    }
    for (double& weight : factors[longest]) weight *= gain;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Space size = axis == 2 ? Space{1, 1, taps.size[2]} : Space{1, taps.size[axis], 1};
      factors_[axis] = ArrangedWeights<Sum>(factors[axis], size, kernels, axis == 2 ? channels : 1);
    }
  }

  bool reads_in_place() const override { return true; }
  bool shifts_rows() const override { return true; }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    return RowRing<Sum>::bytes(1, ring_rows(), pitch(width, step)) +
           Scratch::bytes<Sum>((taps_.size[0] + rows_at_once) * pitch(width, step)) + Pointers<Sum>::bytes(1, most_lines());
  }

  void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const override {
    const std::int64_t step = tile.lines.step();
    const std::int64_t stride = pitch(tile.width, step);
    RowRing<Sum> ring(scratch, 1, ring_rows(), stride);
    ring.begin_at(0, y - tile.y);
    Sum* const planes = scratch.take<Sum>((taps_.size[0] + rows_at_once) * stride);
    Sum* const sums_y = planes + taps_.size[0] * stride;
    const Pointers<Sum> pointers(scratch, 1, most_lines());

    const InputRows<Sum> input(tile, taps_, kernels_.side_columns);
    const RowRange fresh = new_rows(taps_, tile.y, y, rows);
    for (std::int64_t row = fresh.begin; row < fresh.end; ++row) {
      const std::int64_t slot = ring.slot(0, row - y - taps_.lead[1]);
      if (sums_z()) {
        sum_over_z(input, row, (tile.width + taps_.size[2] - 1) * step, planes, stride, pointers, ring.line(slot));
        ring.source(slot) = ring.line(slot);
      } else {
        ring.source(slot) = input.stage(0, row, ring.line(slot));
      }
    }
    const auto line_at = [&](std::int64_t, std::int64_t j) { return ring.source(ring.slot(0, j)); };
    const auto ahead_of = [&](std::int64_t, std::int64_t j) { return sums_z() ? nullptr : input.ahead(0, y + taps_.lead[1] + j); };
    // A single weight is a sum along x, so that there is one pass at least.
    const bool sums_y_first = taps_.size[1] > 1;
    const bool sums_x = taps_.size[2] > 1 || !sums_y_first;
    // From a cache line on: a vector across two would fetch both twice, since of rows above one another the first-level cache keeps few.
    std::int64_t before = 0;
    if (sums_y_first && sums_x) {
      before = elements_behind_line(line_at(0, 0).line);
      if (input.left() == 0 && before > (tile.x + taps_.lead[2]) * step) before = 0;
    }
    if (sums_y_first) {
      std::array<Sum*, rows_at_once> between{};
      for (int row = 0; row < rows; ++row) between[static_cast<std::size_t>(row)] = sums_y + row * stride;
      Correlation<Sum> down = along(1, before + (tile.width + taps_.size[2] - 1) * step, step);
      if (!sums_z()) {
        down.left = input.left() > 0 ? before + input.left() : 0;
        down.right = input.right();
      }
      if (!sums_x) put_as(tile, y, rows, streams, down);
      const auto line_before = [&](std::int64_t plane, std::int64_t j) -> LineSource<Sum> {
        const LineSource<Sum> source = line_at(plane, j);
        return {source.line - before, source.side - before};
      };
      correlate(kernels_, down, factors_[1], rows, pointers, sums_x ? between.data() : out, line_before, ahead_of);
    }
    if (!sums_x) return;
    Correlation<Sum> across = along(2, tile.width * step, step);
    put_as(tile, y, rows, streams, across);
    if (!sums_y_first) {
      if (!sums_z()) {
        across.left = input.left();
        across.right = input.right();
      }
      return correlate(kernels_, across, factors_[2], rows, pointers, out, line_at, ahead_of);
    }
    correlate(kernels_, across, factors_[2], rows, pointers, out,
              [&](std::int64_t, std::int64_t j) { return sums_y + j * stride + before; });
  }

 private:
  /// Sums one input row over z.
  void sum_over_z(const InputRows<Sum>& input, std::int64_t row, std::int64_t n, Sum* planes, std::int64_t stride,
                  const Pointers<Sum>& pointers, Sum* to) const {
    const auto line_at = [&](std::int64_t, std::int64_t plane) { return input.stage(plane, row, planes + plane * stride); };
    // Only the last plane is new to the cache.
    const auto ahead_of = [&](std::int64_t, std::int64_t plane) { return input.ahead(plane, row); };
    Correlation<Sum> through = along(0, n, 1);
    through.left = input.left();
    through.right = input.right();
    correlate(kernels_, through, factors_[0], 1, pointers, &to, line_at, ahead_of);
  }

  /// The sum along one axis: along x taps stand `step` samples apart in one line, otherwise each in a line of its own.
  Correlation<Sum> along(std::size_t axis, std::int64_t n, std::int64_t step) const {
    return {.lines = nullptr,
            .weights = nullptr,
            .planes = 1,
            .taps_y = axis == 2 ? 1 : taps_.size[axis],
            .taps_x = axis == 2 ? taps_.size[axis] : 1,
            .tap_stride = step,
            .out = nullptr,
            .n = n};
  }

  bool sums_z() const { return taps_.size[0] > 1; }
  std::int64_t ring_rows() const { return taps_.size[1] + rows_at_once - 1; }
  std::int64_t most_lines() const { return std::max(taps_.size[0], taps_.size[1]); }
  std::int64_t pitch(std::int64_t width, std::int64_t step) const {
    return line_pitch<Sum>((width + taps_.size[2] - 1) * step + line_elements<Sum>);
  }

  const Taps& taps_;
  const Kernels<Sum>& kernels_;
  std::array<ArrangedWeights<Sum>, 3> factors_;  // z, y, x
};

}  // namespace

template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_separable(const Taps& taps, double gain, const Kernels<Sum>& kernels, std::int64_t channels) {
  return std::make_unique<Separable<Sum>>(taps, gain, kernels, channels);
}
template std::unique_ptr<const FilterMethod<float>> make_separable(const Taps&, double, const Kernels<float>&, std::int64_t);
template std::unique_ptr<const FilterMethod<double>> make_separable(const Taps&, double, const Kernels<double>&, std::int64_t);

}  // namespace halation::cpu_backend
