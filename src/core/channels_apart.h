// channels_apart.h: images whose channels lie apart, and jobs over them.
#pragma once

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
            .family = job.family};
  for (Shape* shape : {&apart.in, &apart.out}) shape->batch *= std::exchange(shape->channels, 1);
  return apart;
}

}  // namespace halation
