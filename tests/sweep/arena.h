// arena.h: memory with a view in it, arranged as a case asks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "job_case.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace halation::sweep {

inline constexpr std::byte poison{0xa5};

/// How a view arranged as asked lies in memory that begins on a 16-byte boundary, with room around it.
struct Place {
  std::int64_t bytes = 0;  // of the memory
  std::int64_t start = 0;  // of the view's first element
  Strides strides;

  Place(const Shape& shape, Pixel pixel, Layout layout, Arrangement arrangement) {
    const auto element = static_cast<std::int64_t>(bytes_of(pixel));
    Shape outer = shape;
    std::int64_t row_bytes = 0;
    const std::int64_t pixel_bytes = layout == Layout::planar ? element : element * shape.channels;
    switch (arrangement) {
      case Arrangement::pitched:
        row_bytes = (pixel_bytes * shape.width / 64 + 1) * 64 + element;
        break;
      case Arrangement::sub_rectangle:
        outer.width += 5;
        outer.height += 3;
        outer.depth += 1;
        break;
      case Arrangement::skipping:
        outer.width = outer.width * 2 + 1;
        break;
      case Arrangement::transposed:
        std::swap(outer.width, outer.height);
        break;
      default:
        break;
    }
    strides = strides_of(outer, pixel, layout, row_bytes);
    const std::int64_t margin = 64;
    const std::int64_t total =
        outer.batch * (layout == Layout::planar ? strides.channels * outer.channels : strides.batch);
    bytes = total + 2 * margin;
    start = margin;
    switch (arrangement) {
      case Arrangement::sub_rectangle:
        start += 2 * strides.width + strides.height + strides.depth;
        break;
      case Arrangement::upside_down:
        start += (shape.height - 1) * strides.height;
        strides.height = -strides.height;
        break;
      case Arrangement::mirrored:
        start += (shape.width - 1) * strides.width;
        strides.width = -strides.width;
        break;
      case Arrangement::skipping:
        start += strides.width;
        strides.width *= 2;
        break;
      case Arrangement::transposed:
        std::swap(strides.width, strides.height);
        break;
      case Arrangement::broadcast:
        strides.height = 0;
        break;
      default:
        break;
    }
  }
};

/// Memory with a view in it, arranged as asked, and room around it that must stay as it was.
struct Arena {
  std::vector<std::byte> bytes;
  std::vector<bool> used;  // which bytes belong to the view
  View view;

  Arena(const Shape& shape, Pixel pixel, Layout layout, Arrangement arrangement) {
    const Place place(shape, pixel, layout, arrangement);
    bytes.assign(static_cast<std::size_t>(place.bytes), poison);
    view = {bytes.data() + place.start, shape, place.strides, pixel, cpu()};
    const std::size_t element = bytes_of(pixel);
    used.assign(bytes.size(), false);
    for_each([&](std::byte* p) {
      for (std::size_t i = 0; i < element; ++i) used[static_cast<std::size_t>(p - bytes.data()) + i] = true;
    });
  }
  Arena(const Arena&) = delete;
  Arena(Arena&&) = default;

  template <class Visitor>
  void for_each(const Visitor& visit) const {
    const Shape& n = view.shape;
    const Strides& s = view.strides;
    for (std::int64_t b = 0; b < n.batch; ++b)
      for (std::int64_t z = 0; z < n.depth; ++z)
        for (std::int64_t y = 0; y < n.height; ++y)
          for (std::int64_t x = 0; x < n.width; ++x)
            for (std::int64_t c = 0; c < n.channels; ++c)
              visit(view.data + b * s.batch + z * s.depth + y * s.height + x * s.width + c * s.channels);
  }

  /// Tells AddressSanitizer that nobody may read before the first element or behind the last one, or that one may again.
  void forbid_surroundings([[maybe_unused]] bool forbidden) {
#if defined(__SANITIZE_ADDRESS__)
    const auto first = static_cast<std::size_t>(std::find(used.begin(), used.end(), true) - used.begin());
    const auto behind = static_cast<std::size_t>(used.rend() - std::find(used.rbegin(), used.rend(), true));
    const std::pair<const std::byte*, std::size_t> parts[] = {{bytes.data(), first}, {bytes.data() + behind, bytes.size() - behind}};
    for (const auto& [part, size] : parts) {
      if (forbidden) ASAN_POISON_MEMORY_REGION(part, size);
      else ASAN_UNPOISON_MEMORY_REGION(part, size);
    }
#endif
  }

  bool surroundings_intact() const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!used[i] && bytes[i] != poison) return false;
    }
    return true;
  }
};

}  // namespace halation::sweep
