// memory.cpp: host memory, aligned and refused with a sentence where the machine does not have it; images in
// any memory.
#include "core/memory.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "halation/error.h"

namespace halation {
namespace {

constexpr std::size_t alignment_bytes = 64;

/// Bytes that the system could still hand out; the largest number where it does not say.
std::size_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    if (word == "MemAvailable:") {
      std::size_t kibibytes = 0;
      if (file >> kibibytes) return kibibytes * 1024;
    }
  }
  return std::numeric_limits<std::size_t>::max();
}

/// Asks for pages of 2 MiB where the system has them: filling fresh memory then takes a third of the time.
/// Nothing rests on the answer.
void prefer_huge_pages([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t page_bytes = std::size_t{2} << 20;
  const std::size_t before = (page_bytes - reinterpret_cast<std::uintptr_t>(data) % page_bytes) % page_bytes;
  if (bytes < before + page_bytes) return;
  (void)madvise(data + before, (bytes - before) / page_bytes * page_bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace

Memory allocate_host(std::size_t bytes, const std::string& what) {
  constexpr std::size_t worth_asking = std::size_t{64} << 20;
  if (bytes >= worth_asking) {
    const std::size_t available = available_bytes();
    if (bytes > available) {
      throw Error(ErrorCode::out_of_memory, what + " needs " + gigabytes(bytes) + " of memory, " +
                                                gigabytes(available) + " are available");
    }
  }
  // aligned_alloc wants a multiple of the alignment, and something to give back for 0 bytes.
  const std::size_t rounded = (bytes + alignment_bytes) / alignment_bytes * alignment_bytes;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(alignment_bytes, rounded));
  if (data == nullptr) {
    throw Error(ErrorCode::out_of_memory,
                what + " needs " + gigabytes(bytes) + " of memory, which the system refused");
  }
  prefer_huge_pages(data, rounded);
  return {data, [](std::byte* p) { std::free(p); }};
}

Image image_in(Device device, const Shape& shape, Pixel pixel, Layout layout, std::int64_t row_bytes,
               const std::function<Memory(std::size_t, const std::string&)>& allocate) {
  for (const std::int64_t extent : {shape.batch, shape.depth, shape.height, shape.width, shape.channels}) {
    if (extent < 1)
      throw Error(ErrorCode::invalid_argument, "image extents must be at least 1, got " + to_string(shape));
  }
  View view{nullptr, shape, strides_of(shape, pixel, layout, row_bytes), pixel,
            device};  // of at most 63 bits' bytes
  Memory memory = allocate(static_cast<std::size_t>(shape.batch * view.strides.batch),
                           "image " + to_string(shape) + " " + std::string(name_of(pixel)));
  view.data = memory.get();
  std::function<void(std::byte*)> release = std::move(memory.get_deleter());
  (void)memory.release();
  return Image(view, std::move(release));
}

std::string gigabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(bytes) / 1e9);
  return text;
}

}  // namespace halation
