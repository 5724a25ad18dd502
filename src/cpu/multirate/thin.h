// thin.h: rows of samples to a lower rate, and back to full rate, by the loops that all sums of lines go through.
#pragma once

#include <cstdint>
#include <vector>

#include "core/multirate.h"
#include "cpu/parts/kernels.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// Σ weight[j] · lines[j] over n samples.
template <class Sum>
void sum_lines(const Kernels<Sum>& kernels, const std::vector<Sum>& weights, const Sum* const* lines, Sum* out, std::int64_t n, bool streams = false) {
  kernels.correlate_row({.lines = lines,
                         .weights = weights.data(),
                         .planes = 1,
                         .taps_y = static_cast<std::int64_t>(weights.size()),
                         .taps_x = 1,
                         .tap_stride = 1,
                         .out = &out,
                         .n = n,
                         .streams = streams});
}

/// The same of one line, taps `step` samples apart.
template <class Sum>
void sum_along(const Kernels<Sum>& kernels, const std::vector<Sum>& weights, const Sum* line, std::int64_t step, Sum* out, std::int64_t n) {
  kernels.correlate_row({.lines = &line,
                         .weights = weights.data(),
                         .planes = 1,
                         .taps_y = 1,
                         .taps_x = static_cast<std::int64_t>(weights.size()),
                         .tap_stride = step,
                         .out = &out,
                         .n = n});
}

/// An axis of a filter in the sums' precision, along rows of `step` samples a pixel.
template <class Sum>
class RateAxis {
 public:
  RateAxis() = default;
  RateAxis(const MultirateAxis& axis, double gain);

  const MultirateAxis& axis() const { return axis_; }
  std::int64_t factor() const { return axis_.factor; }
  const std::vector<Sum>& down() const { return down_; }
  const std::vector<Sum>& taps() const { return taps_; }
  /// Of phase p.
  const std::vector<Sum>& up(std::int64_t p) const { return up_[static_cast<std::size_t>(p)]; }

  /// Pixels of a row that `thin` reads for n, of which the last few meet no weight; they must be numbers all the same.
  std::int64_t read_for(std::int64_t n) const { return axis_.factor == 1 ? n : (n + steps_ - 1) * axis_.factor; }
  /// n pixels at the lower rate, of a row that begins at the first one's first sample. `row` is read one vector past its end.
  void thin(const Kernels<Sum>& kernels, const Sum* row, std::int64_t step, std::int64_t n, Sum* to, Scratch scratch) const;
  /// `factor` times n pixels at full rate.
  void fill(const Kernels<Sum>& kernels, const Sum* row, std::int64_t step, std::int64_t n, Sum* to, Scratch scratch) const;
  /// Scratch of either, for n pixels at the lower rate.
  std::int64_t scratch_bytes(std::int64_t n, std::int64_t step) const;

 private:
  MultirateAxis axis_;
  std::int64_t steps_ = 1;  ///< of the lower rate that `down` covers
  std::vector<Sum> down_, taps_;
  std::vector<Sum> by_phase_;  ///< `down`, of each phase its weights
  std::vector<std::vector<Sum>> up_;
};

}  // namespace halation::cpu_backend
