// extents.h: how many of this are in so much of that: what costs are counted from.
#pragma once

#include <cstdint>

#include "core/job.h"
#include "cuda/row_layout.h"

namespace halation::cuda_backend {

constexpr std::int64_t divide_up(std::int64_t count, std::int64_t by) { return (count + by - 1) / by; }

/// Channels that lie side by side in rows of that layout, in input and output; 1 where they are apart.
inline std::int64_t channels_beside(const Job& job, RowLayout rows) {
  const int channels = channels_in_row(rows, job.in.channels);
  return channels > 0 ? channels : 1;
}

}  // namespace halation::cuda_backend
