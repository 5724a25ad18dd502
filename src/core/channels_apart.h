// channels_apart.h: images whose channels lie apart, and jobs over them; where rows start.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/job.h"
#include "halation/view.h"

namespace halation {

/// Whether the channels of each pixel lie nearer to each other than pixels do.
template <class AnyView>
bool channels_are_inside(const AnyView& view) {
  return std::abs(view.strides.channels) <= std::abs(view.strides.width);
}

/// A job whose channels are filtered one by one, as what it is then: images of one channel. Without its filters.
inline Job with_channels_apart(const Job& job) {
  Job apart{.in = job.in,
            .out = job.out,
            .in_pixel = job.in_pixel,
            .out_pixel = job.out_pixel,
            .filters = {},
            .combine = job.combine,
            .borders = job.borders,
            .scale = job.scale,
            .offset = job.offset,
            .rounding = job.rounding,
            .overflow = job.overflow,
            .sum_f64 = job.sum_f64,
            .accuracy = job.accuracy,
            .threads = job.threads,
            .in_alignment = job.in_alignment,
            .out_alignment = job.out_alignment,
            .family = job.family};
  for (Shape* shape : {&apart.in, &apart.out}) shape->batch *= std::exchange(shape->channels, 1);
  return apart;
}

/// The bytes on whose multiples all rows start, a power of two, at most 16; `of_channels`: also those of each
/// channel.
inline int alignment_of(const ConstView& view, bool of_channels) {
  constexpr std::uintptr_t most = 16;
  std::uintptr_t places = most | reinterpret_cast<std::uintptr_t>(view.data);
  const auto add = [&](std::int64_t extent, std::int64_t stride) {
    if (extent > 1) places |= static_cast<std::uintptr_t>(stride);
  };
  add(view.shape.height, view.strides.height);
  add(view.shape.depth, view.strides.depth);
  add(view.shape.batch, view.strides.batch);
  if (of_channels) add(view.shape.channels, view.strides.channels);
  return static_cast<int>(places & (~places + 1));
}
inline int alignment_of(const ConstView& view) { return alignment_of(view, !channels_are_inside(view)); }

}  // namespace halation
