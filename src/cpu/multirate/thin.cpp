// thin.cpp: rows are taken apart into phases, each a line of its own, so that sums at a lower rate are sums of lines.
#include "cpu/multirate/thin.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace halation::cpu_backend {
namespace {

constexpr std::int64_t most_factor = 32;

/// Pixel i · Factor + p of a row to pixel i of line p, or back, n of each. A count that the compiler knows makes vectors of it.
template <int Factor, bool back, class Row, class Line>
void share_out(Row* row, Line* lines, std::int64_t pitch, std::int64_t step, std::int64_t n) {
  const auto move = [](auto& a, auto& b) {
    if constexpr (back) a = b;
    else b = a;
  };
  if (step == 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (int p = 0; p < Factor; ++p) move(row[i * Factor + p], lines[p * pitch + i]);
    }
    return;
  }
  for (int p = 0; p < Factor; ++p) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t c = 0; c < step; ++c) move(row[(i * Factor + p) * step + c], lines[p * pitch + i * step + c]);
    }
  }
}

template <bool back, class Row, class Line>
void share_out(std::int64_t factor, Row* row, Line* lines, std::int64_t pitch, std::int64_t step, std::int64_t n) {
  switch (factor) {
    case 2: return share_out<2, back>(row, lines, pitch, step, n);
    case 4: return share_out<4, back>(row, lines, pitch, step, n);
    case 8: return share_out<8, back>(row, lines, pitch, step, n);
    case 16: return share_out<16, back>(row, lines, pitch, step, n);
    case 32: return share_out<32, back>(row, lines, pitch, step, n);
    default: throw std::logic_error("no such lower rate");
  }
}

}  // namespace

template <class Sum>
RateAxis<Sum>::RateAxis(const MultirateAxis& axis, double gain) : axis_(axis) {
  const auto rounded = [](const std::vector<double>& weights, double times) {
    std::vector<Sum> to;
    to.reserve(weights.size());
    for (const double weight : weights) to.push_back(static_cast<Sum>(times * weight));
    return to;
  };
  down_ = rounded(axis.down, 1);
  taps_ = rounded(axis.taps, gain);
  steps_ = (static_cast<std::int64_t>(axis.down.size()) + axis.factor - 1) / axis.factor;
  by_phase_.assign(static_cast<std::size_t>(steps_ * axis.factor), Sum(0));
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(down_.size()); ++i)
    by_phase_[static_cast<std::size_t>(i % axis.factor * steps_ + i / axis.factor)] = down_[static_cast<std::size_t>(i)];
  const std::vector<Sum> up = rounded(axis.up, 1);
  for (std::int64_t p = 0; p < axis.factor; ++p)
    up_.emplace_back(up.begin() + p * axis.up_taps(), up.begin() + (p + 1) * axis.up_taps());
}

template <class Sum>
std::int64_t RateAxis<Sum>::scratch_bytes(std::int64_t n, std::int64_t step) const {
  return axis_.factor == 1 ? 0 : Scratch::bytes<Sum>(axis_.factor * line_pitch<Sum>((n + steps_) * step));
}

template <class Sum>
void RateAxis<Sum>::thin(const Kernels<Sum>& kernels, const Sum* row, std::int64_t step, std::int64_t n, Sum* to, Scratch scratch) const {
  if (axis_.factor == 1) {
    std::copy_n(row, n * step, to);
    return;
  }
  const std::int64_t length = n + steps_ - 1;
  const std::int64_t pitch = line_pitch<Sum>((n + steps_) * step);
  auto* const phases = scratch.take<Sum>(axis_.factor * pitch);
  std::array<const Sum*, most_factor> lines{};
  for (std::int64_t p = 0; p < axis_.factor; ++p) {
    lines[static_cast<std::size_t>(p)] = phases + p * pitch;
  }
  share_out<false>(axis_.factor, row, phases, pitch, step, length);
  kernels.correlate_row({.lines = lines.data(),
                         .weights = by_phase_.data(),
                         .planes = 1,
                         .taps_y = axis_.factor,
                         .taps_x = steps_,
                         .tap_stride = step,
                         .out = &to,
                         .n = n * step});
}

template <class Sum>
void RateAxis<Sum>::fill(const Kernels<Sum>& kernels, const Sum* row, std::int64_t step, std::int64_t n, Sum* to, Scratch scratch) const {
  if (axis_.factor == 1) {
    std::copy_n(row, n * step, to);
    return;
  }
  const std::int64_t pitch = line_pitch<Sum>(n * step);
  auto* const phases = scratch.take<Sum>(axis_.factor * pitch);
  for (std::int64_t p = 0; p < axis_.factor; ++p) sum_along(kernels, up(p), row, step, phases + p * pitch, n * step);
  share_out<true>(axis_.factor, to, phases, pitch, step, n);
}

template class RateAxis<float>;
template class RateAxis<double>;

}  // namespace halation::cpu_backend
