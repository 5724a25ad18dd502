// placed_taps.h: the taps of a small filter set into K × K places, and views, as kernels get them that take a row for columns of elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/finite.h"
#include "core/job.h"
#include "halation/view.h"

namespace halation::cuda_backend {

/// Where `size` places are centred that hold [lead, lead + taps): at 0 where that can be, for then loads and stores are aligned alike.
inline std::int64_t centre_of(std::int64_t lead, std::int64_t taps, int size) {
  const bool around_0 = -lead <= size / 2 && lead + taps - 1 <= size / 2;
  return around_0 ? 0 : lead + size / 2;
}

/// The K of 3, 5 and 7 into whose K × K places the taps of a job's filter along y and x are set; 0 where there is none. Where samples or what
/// lies outside may not be finite, there must be as many taps: others would spread NaN and infinities.
inline int places_for(const Job& job) {
  const Taps& taps = job.filters.front();
  const std::int64_t longest = std::max(taps.size[1], taps.size[2]);
  if (taps.size[0] != 1 || longest > 7) return 0;
  const int size = longest <= 3 ? 3 : longest <= 5 ? 5 : 7;
  return may_be_non_finite(job) && (taps.size[1] != size || taps.size[2] != size) ? 0 : size;
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

/// Whether all rows begin on boundaries of so many bytes, or are `shift` bytes from such; and planes of channels, where they do not lie beside
/// each other.
template <class AnyView>
bool rows_begin_on(const AnyView& view, std::int64_t boundary, bool beside, std::int64_t shift = 0) {
  const auto multiple = [&](std::int64_t extent, std::int64_t bytes) { return extent == 1 || bytes % boundary == 0; };
  return (reinterpret_cast<std::intptr_t>(view.data) + shift) % boundary == 0 && multiple(view.shape.height, view.strides.height) &&
         multiple(view.shape.depth, view.strides.depth) && multiple(view.shape.batch, view.strides.batch) &&
         (beside || multiple(view.shape.channels, view.strides.channels));
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
