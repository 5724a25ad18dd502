// windows.h: what the samples under a filter's box have among them, for all boxes of a tile at once, as bits of bytes.
#pragma once

#include <cstdint>

#include "core/job.h"
#include "cpu/fft/lengths.h"

namespace halation::cpu_backend {

/// A byte for each sample of a tile: what it is, and what the samples of a window that begins there have among them.
namespace mark {
/// Of a sample. `gone` are those that no output may have among its own: NaN, and what an earlier transform has taken.
inline constexpr std::uint8_t zero = 0, weak = 1, strong = 2, gone = 3, positive_infinity = 4, negative_infinity = 5;
inline constexpr std::uint8_t sample_bits = 7;
/// Of a window. Numbers that are not 0 are weak or strong.
inline constexpr std::uint8_t has_number = 8, has_strong = 16, has_gone = 32, has_positive_infinity = 64, has_negative_infinity = 128;
inline constexpr std::uint8_t has_infinity = has_positive_infinity | has_negative_infinity;
}  // namespace mark

/// The windows of one filter, in the box of all filters.
class Windows {
 public:
  Windows(const Taps& taps, const TapBox& box) : size_(taps.size) {
    for (std::size_t axis = 0; axis < 3; ++axis) begin_[axis] = taps.lead[axis] - box.lead[axis];
  }

  const Space& size() const { return size_; }
  const Space& begin() const { return begin_; }

  /// `marks` of `input` samples get what windows have; what those of another filter had goes. Windows that reach past an end of the tile
  /// are left half done. Cost: a few passes over bytes, 2 log2(taps) of them along each axis.
  void spread(std::uint8_t* marks, const Space& input) const;

  /// The windows of the outputs from (z, y, x) on, side by side.
  std::uint8_t* of_outputs(std::uint8_t* marks, const Space& input, const Space& at) const {
    return marks + ((at[0] + begin_[0]) * input[1] + at[1] + begin_[1]) * input[2] + at[2] + begin_[2];
  }

 private:
  Space size_, begin_{};
};

}  // namespace halation::cpu_backend
