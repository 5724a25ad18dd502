// memory.cpp: host memory, aligned and refused with a sentence where the machine does not have it; images in
// any memory.
#include "core/memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "core/free_memory.h"
#include "halation/error.h"

namespace halation {
namespace {

constexpr std::size_t alignment_bytes = 64;
constexpr std::size_t worth_asking_bytes = std::size_t{64}
                                           << 20;  // less is there, and asking takes longer than filling it

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> limit_bytes = unlimited;
std::atomic<std::size_t> held_bytes = 0;

/// Counts `bytes` as held.
void take(std::size_t bytes, const std::string& what) {
  const std::size_t before = held_bytes.fetch_add(bytes);
  const std::size_t most = limit_bytes;
  if (before <= most && bytes <= most - before) return;
  held_bytes -= bytes;
  refuse_memory(what, static_cast<double>(bytes), static_cast<double>(most - std::min(most, before)));
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

std::size_t available_host_bytes() {
  const std::size_t most = limit_bytes;
  return std::min(free_memory_bytes(), most - std::min<std::size_t>(most, held_bytes));
}

void limit_host_memory(std::size_t bytes) { limit_bytes = bytes; }

void check_host_memory(double bytes, const std::string& what, double most_bytes) {
  if (most_bytes > 0 && bytes > most_bytes) refuse_memory(what, bytes, most_bytes);
  if (bytes < worth_asking_bytes && limit_bytes == unlimited) return;
  const auto available = static_cast<double>(available_host_bytes());
  if (bytes > available) refuse_memory(what, bytes, available);
}

Memory allocate_host(std::size_t bytes, const std::string& what) {
  if (bytes >= worth_asking_bytes) check_host_memory(static_cast<double>(bytes), what);
  // aligned_alloc wants a multiple of the alignment, and something to give back for 0 bytes.
  const std::size_t rounded = (bytes + alignment_bytes) / alignment_bytes * alignment_bytes;
  take(rounded, what);
  auto* data = static_cast<std::byte*>(std::aligned_alloc(alignment_bytes, rounded));
  if (data == nullptr) {
    held_bytes -= rounded;
    throw Error(ErrorCode::out_of_memory, what + " needs " + size_in_words(static_cast<double>(bytes)) +
                                              " of memory, which the system refused");
  }
  prefer_huge_pages(data, rounded);
  return {data, [rounded](std::byte* p) {
            std::free(p);
            held_bytes -= rounded;
          }};
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

void refuse_memory(const std::string& what, double bytes, double available, const std::string& where) {
  std::string needed, there;
  for (int decimals = 1; decimals <= 6 && needed == there; ++decimals) {
    needed = size_in_words(bytes, decimals);
    there = size_in_words(available, decimals);
  }
  throw Error(ErrorCode::out_of_memory, what + " needs " + needed + " of memory" + where + ", " + there + " are available");
}

std::string size_in_words(double bytes, int decimals) {
  if (bytes < 1e3) return std::to_string(static_cast<int>(bytes)) + " bytes";
  const auto [unit, name] = bytes >= 1e9   ? std::pair(1e9, "GB")
                            : bytes >= 1e6 ? std::pair(1e6, "MB")
                                           : std::pair(1e3, "kB");
  char text[48];
  if (bytes < 1e18) {
    std::snprintf(text, sizeof text, "%.*f %s", decimals, bytes / unit, name);
  } else {
    std::snprintf(text, sizeof text, "%.2g %s", bytes / unit, name);
  }
  return text;
}

}  // namespace halation
