// packed.cpp: what strides tell of packed images.
#include "cpu/packed.h"

#include <algorithm>

#include "core/channels_apart.h"

namespace halation::cpu_backend {

bool has_channels_inside(const ConstView& in, std::span<const View> outs) {
  if (in.shape.channels == 1) return true;
  return channels_are_inside(in) && std::all_of(outs.begin(), outs.end(), [](const View& out) { return channels_are_inside(out); });
}

bool is_packed(const ConstView& view, std::int64_t step) {
  const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
  std::int64_t next = element * step;
  if (step > 1 && view.strides.channels != element) return false;
  const auto follows = [&next](std::int64_t n, std::int64_t stride) {
    const bool packed = n == 1 || stride == next;
    next *= n;
    return packed;
  };
  return follows(view.shape.width, view.strides.width) && follows(view.shape.height, view.strides.height) &&
         follows(view.shape.depth, view.strides.depth) && follows(view.shape.batch, view.strides.batch);
}

Packed packed_of(const ConstView& in, std::span<const View> outs) {
  const std::int64_t channels = in.shape.channels;
  const bool together = has_channels_inside(in, outs);
  const auto packed = [&](const auto& view) { return together ? is_packed(view, channels) : is_packed(view.channel(0), 1); };
  return {packed(in), std::all_of(outs.begin(), outs.end(), packed)};
}

}  // namespace halation::cpu_backend
