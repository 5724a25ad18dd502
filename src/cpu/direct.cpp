// direct.cpp: every tap of a 1D, 2D or 3D filter: taps multiply-adds a sample. Rows are read where they lie; those that are no sums
// yet or reach over a border are staged in a ring, each once a tile and plane.
#include <algorithm>
#include <vector>

#include "cpu/method.h"

namespace halation::cpu_backend {
namespace {

template <class Sum>
class Direct final : public FilterMethod<Sum> {
 public:
  Direct(const Taps& taps, double gain, const Kernels<Sum>& kernels)
      : taps_(taps), kernels_(kernels), weights_(taps.weights, gain, taps.size) {}

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    return Scratch::bytes<Sum>(planes() * ring_rows() * pitch(width, step)) +
           Scratch::bytes<const Sum*>(planes() * ring_rows());
  }

  bool reads_in_place() const override { return true; }

  void filter(const Tile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const override {
    const std::int64_t step = tile.lines.step();
    const std::int64_t stride = pitch(tile.width, step);
    auto* ring = scratch.take<Sum>(planes() * ring_rows() * stride);
    auto* pointers = scratch.take<const Sum*>(planes() * ring_rows());
    const std::int64_t top = tile.y + taps_.lead[1];
    const auto slot = [&](std::int64_t plane, std::int64_t row) {
      return ring + (plane * ring_rows() + (row - top) % ring_rows()) * stride;
    };

    const InputRows<Sum> input(tile, taps_);
    const RowRange fresh = new_rows(taps_, tile.y, y, rows);
    for (std::int64_t row = fresh.begin; row < fresh.end; ++row) {
      for (std::int64_t plane = 0; plane < planes(); ++plane) {
        if (input.in_place(plane, row) == nullptr) input.stage(plane, row, slot(plane, row));
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
                               .ahead_bytes = input.ahead_bytes(y),
                               .streams = streams};
    correlate(kernels_, job, weights_, rows, pointers, out, [&](std::int64_t plane, std::int64_t j) -> const Sum* {
      const std::int64_t row = y + taps_.lead[1] + j;
      const Sum* line = input.in_place(plane, row);
      return line != nullptr ? line : slot(plane, row);
    });
  }

 private:
  std::int64_t planes() const { return taps_.size[0]; }
  std::int64_t ring_rows() const { return taps_.size[1] + rows_at_once - 1; }
  std::int64_t pitch(std::int64_t width, std::int64_t step) const {
    return line_pitch<Sum>((width + taps_.size[2] - 1) * step);
  }

  const Taps& taps_;
  const Kernels<Sum>& kernels_;
  ArrangedWeights<Sum> weights_;
};

}  // namespace

template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_direct(const Taps& taps, double gain, const Kernels<Sum>& kernels) {
  return std::make_unique<Direct<Sum>>(taps, gain, kernels);
}
template std::unique_ptr<const FilterMethod<float>> make_direct(const Taps&, double, const Kernels<float>&);
template std::unique_ptr<const FilterMethod<double>> make_direct(const Taps&, double, const Kernels<double>&);

}  // namespace halation::cpu_backend
