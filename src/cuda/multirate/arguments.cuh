// arguments.cuh: what the launches of a filter at a lower rate get, by value, and how blocks are cut.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "cuda/parts/pixels.cuh"
#include "halation/view.h"

namespace halation::cuda_backend {

inline constexpr int multirate_most_factor = 32;
inline constexpr int multirate_most_taps = 512;  ///< at the lower rate
inline constexpr int multirate_steps = 4;        ///< of the lower rate that `down` and `up` cover

/// How blocks walk down images, each thread four columns side by side.
template <int Factor>
struct MultirateBlock {
  static constexpr int threads = Factor >= 16 ? 256 : 128;
  static constexpr int columns = 4 * threads;
  static constexpr int groups = columns / Factor;                ///< of as many columns as become one
  static constexpr int made = groups - (multirate_steps - 1);    ///< columns at the lower rate
  static constexpr int groups_a_thread = Factor < 4 ? 4 / Factor : 1;
  static constexpr int threads_a_group = Factor < 4 ? 1 : Factor / 4;
};

/// Samples at the lower rate: planes of rows.
struct LowRate {
  float* data = nullptr;
  std::int64_t pitch = 0;  ///< samples from row to row
  std::int64_t plane = 0;  ///< from plane to plane
  int rows = 0;
  int columns = 0;
};

/// Which plane of an image a block is for, and where in it: strips follow one another down a plane, blocks across a strip.
struct MultiratePlaces {
  Divisor across, strips, channels, depth;
  int strip = 0;  ///< steps of the lower rate
};

struct ThinArguments {
  const std::byte* in = nullptr;
  Strides strides = {};
  DeviceBorder y, x;
  int lead_y = 0;
  int lead_x = 0;
  MultiratePlaces places;
  LowRate out;
  float down[multirate_steps * multirate_most_factor] = {};  ///< 0 behind its last weight
};

struct FillArguments {
  LowRate in;
  std::byte* out = nullptr;
  Strides strides = {};
  int height = 0;
  int width = 0;
  MultiratePlaces places;
  float offset = 0;
  Rounding rounding = Rounding::half_even;
  float up[multirate_steps * multirate_most_factor] = {};  ///< phase by phase
};

/// One axis at the lower rate.
struct LowFilterArguments {
  LowRate in, out;
  Divisor across, down;
  int taps = 0;
  float weights[multirate_most_taps] = {};
};

using ThinKernel = void (*)(ThinArguments);
using FillKernel = void (*)(FillArguments);

/// By log2 of the factor less 1.
template <class In>
ThinKernel thin_kernel(int index);
template <class Out>
FillKernel fill_kernel(int index);

struct MultiratePlace {
  int block, strip, channel, z, batch;
};

__device__ __forceinline__ MultiratePlace multirate_place(const MultiratePlaces& places) {
  const auto split = [](std::uint32_t& rest, const Divisor& by) {
    const std::uint32_t quotient = by.quotient(rest);
    const auto remainder = static_cast<int>(rest - quotient * by.by);
    rest = quotient;
    return remainder;
  };
  std::uint32_t rest = blockIdx.x;
  MultiratePlace place{};
  place.block = split(rest, places.across);
  place.strip = split(rest, places.strips);
  place.channel = split(rest, places.channels);
  place.z = split(rest, places.depth);
  place.batch = static_cast<int>(rest);
  return place;
}

__device__ __forceinline__ std::int64_t plane_of(const MultiratePlace& place, const MultiratePlaces& places) {
  return (static_cast<std::int64_t>(place.batch) * places.depth.by + place.z) * places.channels.by + place.channel;
}

}  // namespace halation::cuda_backend
