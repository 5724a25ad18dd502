// past_caches.cpp: copies whose results lie in memory, not in a processor's caches.
#include "pipeline/strips/past_caches.h"

#include <hwy/cache_control.h>

#include <cstdint>

#include "core/past_caches.h"

namespace halation {

void copy_past_caches(const ConstView& from, const View& to) {
  const Shape& shape = from.shape;
  const auto pixel = static_cast<std::int64_t>(bytes_of(from.pixel)) * shape.channels;
  const auto is_packed = [&](const Strides& strides) {
    return strides.width == pixel && (shape.channels == 1 || strides.channels == static_cast<std::int64_t>(bytes_of(from.pixel)));
  };
  if (from.shape != to.shape || from.pixel != to.pixel || shape.batch != 1 || !is_packed(from.strides) || !is_packed(to.strides))
    return copy(from, to);
  for (std::int64_t z = 0; z < shape.depth; ++z) {
    for (std::int64_t y = 0; y < shape.height; ++y) {
      copy_past_caches(from.data + z * from.strides.depth + y * from.strides.height,
                       to.data + z * to.strides.depth + y * to.strides.height, pixel * shape.width);
    }
  }
  hwy::FlushStream();  // before others read
}

}  // namespace halation
