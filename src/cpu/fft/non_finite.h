// non_finite.h: what NaN and infinities in a tile make of its outputs, beside transforms, which see zeros in their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/job.h"
#include "cpu/fft/lengths.h"

namespace halation::cpu_backend {

/// What a sample is, and what an output gets of infinite products: both signs make a NaN. One byte has both.
namespace mark {
inline constexpr std::uint8_t none = 0, positive = 1, negative = 2, nan = 3;
inline constexpr int output_shift = 4;
inline std::uint8_t of_output(std::uint8_t byte) { return static_cast<std::uint8_t>(byte >> output_shift); }
}  // namespace mark

/// The signs of a filter's weights, row by row and backwards.
class WeightSigns {
 public:
  WeightSigns(const Taps& taps, const TapBox& box);

  std::size_t constant_bytes() const { return signs_.size(); }

  /// `marks`, a byte for each of `input` samples, gets those of the `output` that begins where it does, beside the samples': what the
  /// filter's box over the samples makes. NaN where one of the box is; else of its infinities what IEEE's sums are, a weight of 0 among
  /// them making NaN. Marks of another filter's outputs go. Cost: a few passes over the tile, and the taps over a vector's bytes for each
  /// infinity.
  void mark_outputs(std::uint8_t* marks, const Space& input, const Space& output) const;

 private:
  Space size_;
  Space begin_;                      ///< of the filter, in the box
  std::vector<std::uint8_t> signs_;  ///< what +∞ times the weight makes
};

}  // namespace halation::cpu_backend
