// channels_apart.h: jobs over images whose channels lie apart.
#pragma once

#include <utility>

#include "core/job.h"

namespace halation {

/// A job whose channels are filtered one by one, as what it is then: images of one channel. Without the filters, which a request has
/// beside it.
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
            .sum_f64 = job.sum_f64,
            .threads = job.threads};
  for (Shape* shape : {&apart.in, &apart.out}) shape->batch *= std::exchange(shape->channels, 1);
  return apart;
}

}  // namespace halation
