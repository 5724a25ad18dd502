// strips.h: how many strips a walk is cut into.
#pragma once

#include <algorithm>
#include <cstdint>

namespace halation::cuda_backend {

/// The length of strips of an axis of `extent` that end soonest, where each walks `more` places besides its own, there are `others` strips
/// beside each of them, and as many walk at a time as there are `places`.
inline int strip_length(std::int64_t extent, std::int64_t others, std::int64_t places, int more) {
  constexpr std::int64_t longest = 1 << 20;
  std::int64_t best = extent;
  std::int64_t least = 0;
  const std::int64_t fewest = (extent + longest - 1) / longest;
  // More strips than fill the places a few times end no sooner: what they walk besides grows.
  const std::int64_t most = std::min(extent, std::max(fewest, 8 * places / others + 1));
  for (std::int64_t strips = fewest; strips <= most; ++strips) {
    const std::int64_t length = (extent + strips - 1) / strips;
    const std::int64_t walked = ((others * strips + places - 1) / places) * (length + more);
    if (least != 0 && walked >= least) continue;
    best = length;
    least = walked;
  }
  return static_cast<int>(best);
}

}  // namespace halation::cuda_backend
