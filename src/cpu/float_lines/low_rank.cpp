// low_rank.cpp: a sum of products y ⊗ x in one pass over the tile: for each term a few output rows are summed over y; along x the lines of
// all terms are summed at once, as the rows of a filter are: R · (taps_y + taps_x) multiply-adds a sample for R terms; no intermediate image.
#include <array>
#include <cstddef>
#include <vector>

#include "cpu/float_lines/method.h"

namespace halation::cpu_backend {
namespace {

template <class Sum>
class LowRank final : public FilterMethod<Sum> {
 public:
  LowRank(const Taps& taps, double gain, const Kernels<Sum>& kernels) : taps_(taps), kernels_(kernels) {
    std::vector<double> across;
    for (const Term& term : taps.terms) {
      down_.emplace_back(term.y, 1, Space{1, taps.size[1], 1});
      across.insert(across.end(), term.x.begin(), term.x.end());
    }
    across_ = ArrangedWeights<Sum>(across, gain, {1, terms(), taps.size[2]});
  }

  bool reads_in_place() const override { return true; }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const override {
    return RowRing<Sum>::bytes(1, ring_rows(), pitch(width, step)) + Scratch::bytes<Sum>(terms() * rows_at_once * pitch(width, step)) +
           Pointers<Sum>::bytes(1, most_lines());
  }

  bool shifts_rows() const override { return true; }

  void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const override {
    const std::int64_t step = tile.lines.step();
    const std::int64_t stride = pitch(tile.width, step);
    RowRing<Sum> ring(scratch, 1, ring_rows(), stride);
    ring.begin_at(0, y - tile.y);
    auto* const sums_y = scratch.take<Sum>(terms() * rows_at_once * stride);  // a term's rows follow those of the one before
    const Pointers<Sum> pointers(scratch, 1, most_lines());

    const InputRows<Sum> input(tile, taps_, kernels_.side_columns);
    const RowRange fresh = new_rows(taps_, tile.y, y, rows);
    for (std::int64_t row = fresh.begin; row < fresh.end; ++row) {
      const std::int64_t slot = ring.slot(0, row - y - taps_.lead[1]);
      ring.source(slot) = input.stage(0, row, ring.line(slot));
    }
    const auto line_at = [&](std::int64_t, std::int64_t j) { return ring.source(ring.slot(0, j)); };
    const auto ahead_of = [&](std::int64_t, std::int64_t j) { return input.ahead(0, y + taps_.lead[1] + j); };
    const Correlation<Sum> down{.lines = nullptr,
                                .weights = nullptr,
                                .planes = 1,
                                .taps_y = taps_.size[1],
                                .taps_x = 1,
                                .tap_stride = step,
                                .out = nullptr,
                                .n = (tile.width + taps_.size[2] - 1) * step,
                                .left = input.left(),
                                .right = input.right()};
    for (std::int64_t term = 0; term < terms(); ++term) {
      std::array<Sum*, rows_at_once> to{};
      for (int row = 0; row < rows; ++row) to[static_cast<std::size_t>(row)] = sums_y + (term * rows_at_once + row) * stride;
      correlate(kernels_, down, down_[static_cast<std::size_t>(term)], rows, pointers, to.data(), line_at, ahead_of);
    }
    Correlation<Sum> across{.lines = nullptr,
                                  .weights = nullptr,
                                  .planes = 1,
                                  .taps_y = terms(),
                                  .taps_x = taps_.size[2],
                                  .tap_stride = step,
                                  .out = nullptr,
                                  .n = tile.width * step};
    for (int row = 0; row < rows; ++row) {
      put_as(tile, y + row, 1, streams, across);
      correlate(kernels_, across, across_, 1, pointers, out + row,
                [&](std::int64_t, std::int64_t term) { return sums_y + (term * rows_at_once + row) * stride; });
    }
  }

 private:
  std::int64_t terms() const { return static_cast<std::int64_t>(taps_.terms.size()); }
  std::int64_t ring_rows() const { return taps_.size[1] + rows_at_once - 1; }
  std::int64_t most_lines() const { return std::max(taps_.size[1], terms()); }
  std::int64_t pitch(std::int64_t width, std::int64_t step) const { return line_pitch<Sum>((width + taps_.size[2] - 1) * step); }

  const Taps& taps_;
  const Kernels<Sum>& kernels_;
  std::vector<ArrangedWeights<Sum>> down_;  // of each term
  ArrangedWeights<Sum> across_;             // of all, a term a row
};

}  // namespace

template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_low_rank(const Taps& taps, double gain, const Kernels<Sum>& kernels) {
  return std::make_unique<LowRank<Sum>>(taps, gain, kernels);
}
template std::unique_ptr<const FilterMethod<float>> make_low_rank(const Taps&, double, const Kernels<float>&);
template std::unique_ptr<const FilterMethod<double>> make_low_rank(const Taps&, double, const Kernels<double>&);

}  // namespace halation::cpu_backend
