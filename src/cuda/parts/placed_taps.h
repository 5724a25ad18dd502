// placed_taps.h: the taps of a small filter set into K × K places, and views, as kernels get them that take a row for columns of elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/job.h"
#include "halation/view.h"

namespace halation::cuda_backend {

/// Where `size` places are centred that hold [lead, lead + taps): at 0 where that can be, for then loads and stores are aligned alike.
inline std::int64_t centre_of(std::int64_t lead, std::int64_t taps, int size) {
  const bool around_0 = -lead <= size / 2 && lead + taps - 1 <= size / 2;
  return around_0 ? 0 : lead + size / 2;
}

/// Weights of up to 9 × 9 places, by rows; places without a tap are 0.
using PlacedWeights = std::array<std::array<double, 9>, 9>;

/// A filter's taps, from a place on.
inline PlacedWeights placed(const Taps& taps, std::int64_t first_y, std::int64_t first_x) {
  PlacedWeights weights{};
  for (std::int64_t y = 0; y < taps.size[1]; ++y) {
    for (std::int64_t x = 0; x < taps.size[2]; ++x) {
      weights[static_cast<std::size_t>(first_y + y)][static_cast<std::size_t>(first_x + x)] =
          taps.weights[static_cast<std::size_t>(y * taps.size[2] + x)];
    }
  }
  return weights;
}

/// Sets the members of a kernel's arguments that say where pixels lie.
template <class Arguments>
void set_views(Arguments& job, const ConstView& in, const View& out) {
  job.in = in.data;
  job.out = out.data;
  job.in_row = in.strides.height;
  job.in_plane = in.strides.depth;
  job.in_batch = in.strides.batch;
  job.out_row = out.strides.height;
  job.out_plane = out.strides.depth;
  job.out_batch = out.strides.batch;
  job.out_pixel = out.pixel;
}

}  // namespace halation::cuda_backend
