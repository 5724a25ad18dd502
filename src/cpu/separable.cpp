// separable.cpp: z ⊗ y ⊗ x in one pass over the tile: each input row is summed over z, then filtered along x into a ring of lines,
// and the ring is summed over y. taps_z + taps_y + taps_x multiply-adds a sample; no intermediate image.
#include <algorithm>
#include <vector>

#include "cpu/method.h"

namespace halation::cpu_backend {
namespace {

template <class Sum>
class Separable final : public FilterMethod<Sum> {
 public:
  Separable(const Taps& taps, double gain, const Kernels<Sum>& kernels) : taps_(taps), kernels_(kernels) {
    std::array<std::vector<double>, 3> factors = *taps.factors;
    // An axis of one tap is no pass: its weight joins the longest axis.
    std::size_t longest = 2;
    for (const std::size_t axis : {1U, 0U}) {
      if (taps.size[axis] > taps.size[longest]) longest = axis;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis == longest || taps.size[axis] > 1) continue;
      for (double& weight : factors[longest]) weight *= factors[axis][0];
    }
    for (double& weight : factors[longest]) weight *= gain;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      factors_[axis] = ArrangedWeights<Sum>(factors[axis], 1, axis == 2 ? Space{1, 1, taps.size[2]} : Space{1, taps.size[axis], 1});
    }
  }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    return Scratch::bytes<Sum>((taps_.size[0] + 1) * wide_pitch(width, step)) +
           Scratch::bytes<Sum>(ring_rows() * line_pitch<Sum>(width * step)) +
           Scratch::bytes<const Sum*>(pointers_needed());
  }

  void filter(const Tile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out,
              bool streams) const override {
    const std::int64_t step = tile.lines.step();
    const std::int64_t wide = wide_pitch(tile.width, step);
    const std::int64_t narrow = line_pitch<Sum>(tile.width * step);
    auto* staged = scratch.take<Sum>((taps_.size[0] + 1) * wide);
    auto* ring = scratch.take<Sum>(ring_rows() * narrow);
    auto* pointers = scratch.take<const Sum*>(pointers_needed());
    const std::int64_t top = tile.y + taps_.lead[1];
    const auto slot = [&](std::int64_t row) { return ring + (row - top) % ring_rows() * narrow; };

    const RowRange fresh = new_rows(taps_, tile.y, y, rows);
    for (std::int64_t row = fresh.begin; row < fresh.end; ++row) {
      Sum* target = taps_.size[1] > 1 ? slot(row) : out[row - fresh.begin];
      filter_row(tile, row, staged, wide, pointers, target);
    }
    if (taps_.size[1] == 1) return;
    Correlation<Sum> down = along(1, tile.width * step, step);
    down.streams = streams;
    correlate(kernels_, down, factors_[1], rows, pointers, out,
              [&](std::int64_t, std::int64_t j) { return slot(y + taps_.lead[1] + j); });
  }

 private:
  /// Sums one input row over z and x.
  void filter_row(const Tile<Sum>& tile, std::int64_t row, Sum* staged, std::int64_t wide, const Sum** pointers,
                  Sum* target) const {
    const std::int64_t step = tile.lines.step();
    const std::int64_t x = tile.x + taps_.lead[2];
    const std::int64_t width = tile.width + taps_.size[2] - 1;
    // A single weight is a sum along x, so that there is one pass at least.
    const bool sum_x = taps_.size[2] > 1 || (taps_.size[0] == 1 && taps_.size[1] == 1);
    const bool sum_z = taps_.size[0] > 1;
    for (std::int64_t plane = 0; plane < taps_.size[0]; ++plane) {
      Sum* line = sum_x || sum_z ? staged + plane * wide : target;
      tile.lines.stage(tile.z + taps_.lead[0] + plane, row, x, x + width, line);
    }
    const Sum* source = staged;
    if (sum_z) {
      Sum* sums = sum_x ? staged + taps_.size[0] * wide : target;
      correlate(kernels_, along(0, width * step, step), factors_[0], 1, pointers, &sums,
                [&](std::int64_t, std::int64_t j) { return staged + j * wide; });
      source = sums;
    }
    if (sum_x) {
      correlate(kernels_, along(2, tile.width * step, step), factors_[2], 1, pointers, &target,
                [&](std::int64_t, std::int64_t) { return source; });
    }
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

  std::int64_t ring_rows() const { return taps_.size[1] + rows_at_once - 1; }
  std::int64_t pointers_needed() const { return std::max(taps_.size[0], ring_rows()); }
  std::int64_t wide_pitch(std::int64_t width, std::int64_t step) const {
    return line_pitch<Sum>((width + taps_.size[2] - 1) * step);
  }

  const Taps& taps_;
  const Kernels<Sum>& kernels_;
  std::array<ArrangedWeights<Sum>, 3> factors_;  // z, y, x
};

}  // namespace

template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_separable(const Taps& taps, double gain, const Kernels<Sum>& kernels) {
  return std::make_unique<Separable<Sum>>(taps, gain, kernels);
}
template std::unique_ptr<const FilterMethod<float>> make_separable(const Taps&, double, const Kernels<float>&);
template std::unique_ptr<const FilterMethod<double>> make_separable(const Taps&, double, const Kernels<double>&);

}  // namespace halation::cpu_backend
