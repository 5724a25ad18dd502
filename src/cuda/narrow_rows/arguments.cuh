// arguments.cuh: what launches over narrow rows get, and how their blocks cut images.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "halation/view.h"

namespace halation::cuda_backend {

constexpr int narrow_threads = 256;
template <class Sum>
constexpr int narrow_blocks = sizeof(Sum) == 8 ? 2 : 4;  // that a multiprocessor must hold
constexpr int narrow_own = 8;            // outputs of a thread, one below the other
constexpr int most_narrow_elements = 64;  // of a row
constexpr int most_narrow_taps = 1024;

/// The fewest numbers to leave free behind 8 rows of shared memory so that the lanes of a warp, `elements`
/// side by side and then 8 rows further down, read from different banks: without, rows of 4 read from each
/// bank eight times.
template <class Sum>
constexpr int narrow_gap(int pitch, int elements) {
  constexpr int banks = 128 / sizeof(Sum);
  const auto are_apart = [&](int gap) {
    std::uint32_t taken = 0;
    for (int lane = 0; lane < banks; ++lane) {
      const int bank = (lane / elements * (narrow_own * pitch + gap) + lane % elements) % banks;
      if ((taken >> bank & 1U) != 0) return false;
      taken |= 1U << bank;
    }
    return true;
  };
  int gap = 0;
  while (!are_apart(gap)) ++gap;  // ends where a lane's bank is its number
  return gap;
}

/// What a launch gets by value.
template <class Sum>
struct NarrowArguments {
  const std::byte* in;
  std::byte* out;
  Strides in_strides;
  Strides out_strides;
  DeviceBorder borders[3];  // z, y, x
  double scale;
  double offset;
  Pixel in_pixel;
  Pixel out_pixel;
  Rounding rounding;
  int channels;             // side by side in a row
  int in_elements;          // of a row
  int out_elements;
  int out_width;
  std::int64_t out_height;
  int pitch;                // numbers from one staged row to the next: a pixel more than a row where it may be the constant
  int rows;                 // of outputs of a block
  int in_gap, out_gap;  // numbers left free behind each 8 rows of the tile, and of the sums on their way out
  bool in_flat;             // rows of the input follow one another, as staged ones do
  bool out_flat;            // and those of the output
  int size[3];
  std::int64_t lead[3];
  Divisor by_in_elements;
  Divisor by_in_group;  // 8 rows
  Divisor by_out_elements;
  Divisor by_out_group;
  Divisor by_channels;
  Divisor blocks;           // of a plane
  Divisor depth;
  Divisor batch;            // what is left are channels that lie apart
  const Sum* weights;
};

template <class Sum>
using NarrowKernel = void (*)(NarrowArguments<Sum>);

/// The kernel for filters of so many rows of weights: 1, 3, 5, 7, or any (0).
template <class Sum>
NarrowKernel<Sum> narrow_kernel_of(int height);

}  // namespace halation::cuda_backend
