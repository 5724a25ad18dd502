// prefault.cpp: host memory that is there before a device writes it.
#include "plan/prefault.h"

#include <algorithm>
#include <cstdint>

#include "core/threads.h"

namespace halation {

void prefault(std::span<std::byte> memory) {
  constexpr std::size_t page_bytes = 4096;  // the smallest of any system
  constexpr std::size_t part_bytes = std::size_t{2}
                                     << 20;  // a huge page, which two threads would fetch one after the other
  if (memory.size() <= part_bytes) return;   // threads would cost more than they save
  const auto prefault_part = [&](std::int64_t index) {
    const auto part = static_cast<std::size_t>(index);
    const std::size_t end = std::min(memory.size(), (part + 1) * part_bytes);
    for (std::size_t at = part * part_bytes; at < end; at += page_bytes) memory[at] = std::byte{};
  };
  in_threads(static_cast<std::int64_t>((memory.size() + part_bytes - 1) / part_bytes), prefault_part);
  memory.back() = std::byte{};  // steps of a page from an address within one may leave out the last
}

Image prefaulted_image(const Shape& shape, Pixel pixel) {
  Image image(shape, pixel);
  prefault({image.view().data, static_cast<std::size_t>(shape.elements()) * bytes_of(pixel)});
  return image;
}

}  // namespace halation
