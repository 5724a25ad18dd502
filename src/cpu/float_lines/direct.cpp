// direct.cpp: every tap of a 1D, 2D or 3D filter, or no arithmetic where one tap copies: taps multiply-adds a sample. Rows are read where they lie; those that are no
// sums yet or reach over a border are staged in a ring, each once a tile and plane; in tiles of volumes that keep planes, each
// once a tile.
#include <algorithm>
#include <vector>

#include "cpu/float_lines/method.h"

namespace halation::cpu_backend {
namespace {

template <class Sum>
class Direct final : public FilterMethod<Sum> {
 public:
  Direct(const Taps& taps, double gain, const Kernels<Sum>& kernels)
      : taps_(taps), kernels_(kernels), weights_(taps.weights, gain, taps.size) {}

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    return scratch_bytes(ring_rows(), width, step);
  }
  bool keeps_planes() const override { return planes() > 1; }
  std::int64_t scratch_bytes_of_planes(std::int64_t width, std::int64_t height, std::int64_t step) const override {
    return scratch_bytes(height + taps_.size[1] - 1, width, step);
  }

  bool reads_in_place() const override { return true; }

  void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const override {
    const std::int64_t step = tile.lines.step();
    const std::int64_t stride = pitch(tile.width, step);
    const std::int64_t staged_rows = tile.keeps_planes ? tile.height + taps_.size[1] - 1 : ring_rows();
    auto* ring = scratch.take<Sum>(planes() * staged_rows * stride);
    const Pointers<Sum> pointers(scratch, planes(), taps_.size[1]);
    // Rows count from the first one that output row y needs; their slots follow one another around the ring.
    const std::int64_t top = y + taps_.lead[1];
    const std::int64_t first_slot = (y - tile.y) % staged_rows;
    const auto slot = [&](std::int64_t plane, std::int64_t j) {
      const std::int64_t place = first_slot + j < staged_rows ? first_slot + j : first_slot + j - staged_rows;
      const std::int64_t staged_plane = planes() == 1 ? 0 : (tile.z + plane) % planes();
      return ring + (staged_plane * staged_rows + place) * stride;
    };

    const InputRows<Sum> input(tile, taps_);
    const std::int64_t first_plane = tile.keeps_planes && !tile.first_plane ? planes() - 1 : 0;
    const RowRange fresh = new_rows(taps_, tile.y, y, rows);
    for (std::int64_t row = fresh.begin; row < fresh.end; ++row) {
      for (std::int64_t plane = first_plane; plane < planes(); ++plane) {
        if (input.in_place(plane, row) == nullptr) input.stage(plane, row, slot(plane, row - top));
      }
    }
    const Correlation<Sum> job{.lines = nullptr,
                               .weights = nullptr,
                               .planes = planes(),
                               .taps_y = taps_.size[1],
                               .taps_x = taps_.size[2],
                               .tap_stride = step,
                               .out = nullptr,
                               .n = tile.width * step,
                               .streams = streams};
    const auto line_at = [&](std::int64_t plane, std::int64_t j) -> const Sum* {
      const Sum* line = input.in_place(plane, top + j);
      return line != nullptr ? line : slot(plane, j);
    };
    const auto ahead_of = [&](std::int64_t plane, std::int64_t j) {
      return plane >= first_plane ? input.ahead(plane, top + j) : nullptr;
    };
    correlate(kernels_, job, weights_, rows, pointers, out, line_at, ahead_of);
  }

 private:
  std::int64_t scratch_bytes(std::int64_t staged_rows, std::int64_t width, std::int64_t step) const {
    return Scratch::bytes<Sum>(planes() * staged_rows * pitch(width, step)) + Pointers<Sum>::bytes(planes(), taps_.size[1]);
  }
  std::int64_t planes() const { return taps_.size[0]; }
  std::int64_t ring_rows() const { return taps_.size[1] + rows_at_once - 1; }
  std::int64_t pitch(std::int64_t width, std::int64_t step) const {
    return line_pitch<Sum>((width + taps_.size[2] - 1) * step);
  }

  const Taps& taps_;
  const Kernels<Sum>& kernels_;
  ArrangedWeights<Sum> weights_;
};

/// One tap of weight 1: pixels as they are, bit by bit.
template <class Sum>
class Copy final : public FilterMethod<Sum> {
 public:
  explicit Copy(const Taps& taps) : taps_(taps) {}

  std::int64_t scratch_bytes(std::int64_t, std::int64_t) const override { return 0; }

  void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch, Sum* const* out, bool) const override {
    const InputRows<Sum> input(tile, taps_);
    for (int row = 0; row < rows; ++row) input.stage(0, y + taps_.lead[1] + row, out[row]);
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
std::unique_ptr<const FilterMethod<Sum>> make_direct(const Taps& taps, double gain, const Kernels<Sum>& kernels) {
  return std::make_unique<Direct<Sum>>(taps, gain, kernels);
}
template std::unique_ptr<const FilterMethod<float>> make_direct(const Taps&, double, const Kernels<float>&);
template std::unique_ptr<const FilterMethod<double>> make_direct(const Taps&, double, const Kernels<double>&);

}  // namespace halation::cpu_backend
