// past_caches.cpp: copies whose results lie in memory, not in a processor's caches.
#include "pipeline/strips/past_caches.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace halation {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<std::uint8_t> vector;

void stream_row(const std::byte* from, std::byte* to, std::size_t bytes) {
  const std::size_t lanes = hn::Lanes(vector);
  const auto* source = reinterpret_cast<const std::uint8_t*>(from);
  auto* target = reinterpret_cast<std::uint8_t*>(to);
  std::size_t i = std::min(bytes, (lanes - reinterpret_cast<std::uintptr_t>(to) % lanes) % lanes);  // to a vector's boundary
  std::memcpy(target, source, i);
  for (; i + lanes <= bytes; i += lanes) hn::Stream(hn::LoadU(vector, source + i), vector, target + i);
  std::memcpy(target + i, source + i, bytes - i);
}

}  // namespace

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
      stream_row(from.data + z * from.strides.depth + y * from.strides.height, to.data + z * to.strides.depth + y * to.strides.height,
                 static_cast<std::size_t>(pixel * shape.width));
    }
  }
  hwy::FlushStream();  // before others read
}

}  // namespace halation
HWY_AFTER_NAMESPACE();
