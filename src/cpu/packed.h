// packed.h: whether the samples of images lie one after another, so that a family may read and write them where they lie.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "halation/view.h"

namespace halation::cpu_backend {

/// Of the images of a run.
struct Packed {
  bool in = true;
  bool out = true;

  std::size_t index() const { return (in ? 0U : 1U) + (out ? 0U : 2U); }
};
/// All that there are, each at its index.
inline constexpr std::array<Packed, 4> all_packed{{{true, true}, {false, true}, {true, false}, {false, false}}};

/// Whether there is one channel, or those of each pixel lie nearer to each other than pixels do, be they packed or not: then axis by
/// axis filters them together, else one by one, as do other families where pixels do not follow one another.
bool has_channels_inside(const ConstView& in, std::span<const View> outs);

/// Whether the elements of a view lie one after another, `step` samples a pixel.
bool is_packed(const ConstView& view, std::int64_t step);

/// Whether the input is packed, and whether all outputs are; of channels that are filtered one by one, whether each is.
Packed packed_of(const ConstView& in, std::span<const View> outs);

}  // namespace halation::cpu_backend
