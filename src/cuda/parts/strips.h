// strips.h: how many pieces there are, and how many strips a walk is cut into.
#pragma once

#include <algorithm>
#include <cstdint>

namespace halation::cuda_backend {

constexpr std::int64_t divide_up(std::int64_t count, std::int64_t by) { return (count + by - 1) / by; }

/// Strips of an axis: how long they are, and how much a place walks until all are done.
struct Strips {
  std::int64_t length = 0;
  std::int64_t walked = 0;
};

/// Those of an axis of `extent` that end soonest, of whole `unit`s, where each walks `more` besides its own, there are `others`
/// strips beside each of them, and as many walk at a time as there are `places`: for each number of rounds as many as it has places
/// for.
inline Strips strips_of(std::int64_t extent, std::int64_t others, std::int64_t places, std::int64_t more, std::int64_t unit = 1) {
  constexpr std::int64_t longest = 1 << 20;
  constexpr std::int64_t most_rounds = 64;
  const std::int64_t fewest = (extent + longest - 1) / longest;
  const std::int64_t most = std::max(fewest, extent / unit);
  const std::int64_t first = std::max<std::int64_t>(1, (others * fewest + places - 1) / places);
  Strips best;
  for (std::int64_t rounds = first; rounds < first + most_rounds; ++rounds) {
    const std::int64_t strips = std::clamp(rounds * places / others, fewest, most);
    // More strips end no sooner than all that they walk, shared out evenly.
    if (best.length != 0 && others * (extent + strips * more) / places >= best.walked) break;
    const std::int64_t length = ((extent + strips - 1) / strips + unit - 1) / unit * unit;
    const std::int64_t walked = (others * strips + places - 1) / places * (length + more);
    if (best.length == 0 || walked < best.walked) best = {length, walked};
  }
  return best;
}

}  // namespace halation::cuda_backend
