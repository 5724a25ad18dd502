// non_finite.h: what NaN and infinities in a tile make of its outputs, beside transforms, which see zeros in their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/job.h"
#include "cpu/fft/lengths.h"

namespace halation::cpu_backend {

/// What a sample is, and what an output gets of infinite products: both signs make a NaN.
namespace mark {
inline constexpr std::uint8_t none = 0, positive = 1, negative = 2, nan = 3;
}

/// The signs of a filter's weights, row by row and backwards.
class WeightSigns {
 public:
  WeightSigns(const Taps& taps, const TapBox& box);

  /// Bytes that `mark_outputs` needs for a tile of so many samples.
  static std::int64_t scratch_bytes(std::int64_t samples) { return samples; }

  std::size_t constant_bytes() const { return signs_.size(); }

  /// outputs[z][y][x] = what the filter's box over the marks of `input` samples makes: NaN where one of the box is; else of its
  /// infinities what IEEE's sums are, a weight of 0 among them making NaN. Cost: a few passes over the tile, and the taps over a vector's
  /// bytes for each infinity.
  void mark_outputs(const std::uint8_t* marks, const Space& input, const Space& output, std::uint8_t* outputs, std::uint8_t* scratch) const;

 private:
  Space size_;
  Space begin_;                      ///< of the filter, in the box
  std::vector<std::uint8_t> signs_;  ///< what +∞ times the weight makes
};

}  // namespace halation::cpu_backend
