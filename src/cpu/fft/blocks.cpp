// blocks.cpp: how long blocks are, and where they begin.
#include "cpu/fft/blocks.h"

#include <algorithm>

namespace halation::cpu_backend {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Blocks::Blocks(const Job& job, const Lengths& lengths, bool are_needed)
    : input_(lengths.input()), folded_(lengths.folded), rows_(2 * lengths.rows), columns_(lengths.columns), extents_(job.in.space()) {
  if (!are_needed) return;
  const Space out = job.out.space();
  const bool zeros_outside = std::all_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
    return border.mode() != Border::Mode::constant || border.constant() == 0;
  });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Of intervals no longer than this, one behind the other, a filter's extent holds one whole.
    const auto half = [&](const Taps& taps) { return (taps.size[axis] + 1) / 2; };
    most_[axis] = half(job.filters.front());
    for (const Taps& taps : job.filters) most_[axis] = std::min(most_[axis], half(taps));
    inside_[axis] = zeros_outside && job.borders[axis].mode() == Border::Mode::constant &&
                    std::all_of(job.filters.begin(), job.filters.end(), [&](const Taps& taps) {
                      const std::int64_t of_first = taps.lead[axis] + taps.size[axis];
                      const std::int64_t of_last = extents_[axis] - (out[axis] - 1 + taps.lead[axis]);
                      return std::min(of_first, of_last) >= most_[axis];
                    });
  }
  most_[1] = std::min(most_[1], most_rows_together);
  most_[0] = std::min(most_[0], most_rows_together / most_[1]);
  if (folded_) rows_of_a_block_ = std::min(most_rows_together, most_[2] / (2 * columns_));
}

BlockedAxes Blocks::of_tile(const Space& at, const Space& needed) const {
  BlockedAxes axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    BlockedAxis& found = axes[axis];
    found = {.low = 0, .high = needed[axis], .end = input_[axis]};
    if (inside_[axis]) {
      found.low = std::clamp<std::int64_t>(-at[axis], 0, needed[axis]);
      found.high = std::clamp<std::int64_t>(extents_[axis] - at[axis], found.low, needed[axis]);
    }
    found.blocks = std::max<std::int64_t>(1, divide_up(found.high - found.low, most_[axis]));
  }
  return axes;
}

std::int64_t Blocks::groups(const Space& needed) const {
  return folded_ ? folded_groups() : (divide_up(needed[0], most_[0]) + 2) * (divide_up(needed[1], most_[1]) + 2);
}

}  // namespace halation::cpu_backend
