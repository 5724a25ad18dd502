// columns.h: views and filters as kernels get them that take a row for columns of elements, in whole pieces of 16 bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/job.h"
#include "halation/image.h"

namespace halation::cuda_backend {

/// Where `size` places are centred that hold [lead, lead + taps): at 0 where that can be, for then loads and stores are aligned alike.
inline std::int64_t centre_of(std::int64_t lead, std::int64_t taps, int size) {
  const bool around_0 = -lead <= size / 2 && lead + taps - 1 <= size / 2;
  return around_0 ? 0 : lead + size / 2;
}

/// Weights of up to 7 × 7 places, by rows; places without a tap are 0.
using PlacedWeights = std::array<std::array<double, 7>, 7>;

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

/// A job's rows as columns of elements: interleaved channels beside each other, or one channel.
struct Columns {
  int channels_in_row = 1;
  int channels_apart = 1;
};

/// None where elements are not side by side.
inline std::optional<Columns> columns_of(const ConstView& in, const ConstView& out) {
  const auto arranged = [](const ConstView& view, std::int64_t channels) {
    const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
    return (view.shape.width == 1 || view.strides.width == element * channels) && (channels == 1 || view.strides.channels == element);
  };
  const std::int64_t channels = in.shape.channels;
  if (channels <= 4 && arranged(in, channels) && arranged(out, channels)) return Columns{static_cast<int>(channels), 1};
  if (arranged(in, 1) && arranged(out, 1)) return Columns{1, static_cast<int>(channels)};
  return {};
}

/// Whether every row begins on such a boundary.
inline bool is_aligned(const ConstView& view, std::int64_t boundary) {
  const auto multiple = [&](std::int64_t bytes) { return bytes % boundary == 0; };
  const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
  return multiple(reinterpret_cast<std::intptr_t>(view.data)) && (view.shape.height == 1 || multiple(view.strides.height)) &&
         (view.shape.depth == 1 || multiple(view.strides.depth)) && (view.shape.batch == 1 || multiple(view.strides.batch)) &&
         (view.shape.channels == 1 || view.strides.channels == element || multiple(view.strides.channels));
}

/// Whether columns can be loaded 16 bytes at a time, and what they give stored in pieces as wide, or narrower where it fills fewer.
inline bool is_aligned_alike(const ConstView& in, const ConstView& out) {
  const auto given = static_cast<std::int64_t>(16 / bytes_of(in.pixel) * bytes_of(out.pixel));
  return is_aligned(in, 16) && is_aligned(out, std::min<std::int64_t>(16, given));
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
