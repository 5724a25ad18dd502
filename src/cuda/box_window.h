// box_window.h: a window of equal weights along one axis, cut into what the kernels of box_bulk.cuh sum, and how many
// strips of rows they walk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cuda/device.h"
#include "cuda/runtime.h"

namespace halation::cuda_backend {

/// Numbers that a group has, and outputs that share a middle.
constexpr int box_group = 8;

/// A window along one axis.
struct BoxWindow {
  int taps = 1;
  int groups = 0;  // g
  int rest = 0;    // r

  BoxWindow() = default;
  explicit BoxWindow(int count)
      : taps(count),
        groups(count > box_group ? (count - 1) / box_group - 1 : 0),
        rest(count > box_group ? (count - 1) % box_group : 0) {}
  __host__ __device__ bool has_middle() const { return taps > box_group; }
};

/// What a device has.
struct BoxPlaces {
  int multiprocessors = 1;
  int shared_bytes = 0;  // of a multiprocessor
  std::size_t shared_limit = 0;
};

inline BoxPlaces box_places_of(Device device) {
  BoxPlaces places;
  HALATION_CUDA_CHECK(
      cudaDeviceGetAttribute(&places.multiprocessors, cudaDevAttrMultiProcessorCount, device.index));
  HALATION_CUDA_CHECK(cudaDeviceGetAttribute(&places.shared_bytes,
                                             cudaDevAttrMaxSharedMemoryPerMultiprocessor, device.index));
  places.shared_limit = shared_memory_limit(device);
  return places;
}

constexpr int rounded_up(int count, int unit) { return (count + unit - 1) / unit * unit; }

/// The number of strips that ends soonest, as `rounds` of all blocks, as many at a time as there are `places`:
/// rows that a place walks.
inline std::int64_t rows_walked(std::int64_t height, std::int64_t others, std::int64_t places, int taps, std::int64_t& strips) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  constexpr int longest_strip = 1 << 20;
  const std::int64_t fewest = (height + longest_strip - 1) / longest_strip;
  const std::int64_t first_round = std::max<std::int64_t>(1, (others * fewest + places - 1) / places);
  for (std::int64_t rounds = first_round; rounds < first_round + 8; ++rounds) {
    const std::int64_t many = std::clamp<std::int64_t>(rounds * places / others, fewest,
                                                       std::max<std::int64_t>(fewest, height / box_group));
    const std::int64_t strip = (height + many - 1) / many;
    const std::int64_t walked = ((others * many + places - 1) / places) *
                                (rounded_up(static_cast<int>(strip), box_group) + taps - 1 + box_group);
    if (walked >= least) continue;
    least = walked;
    strips = many;
  }
  return least;
}

}  // namespace halation::cuda_backend
