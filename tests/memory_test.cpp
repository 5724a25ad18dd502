// memory_test.cpp: images in memory of any source, and memory that is there before a device writes it.
#include "core/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "halation/error.h"
#include "message_of.h"
#include "plan/prefault.h"

namespace halation {
namespace {

TEST(Memory, ImagesAskForTheirBytesAndGiveThemBack) {
  std::size_t asked = 0;
  std::string named;
  int released = 0;
  {
    const Image image =
        image_in(cuda(3), {.height = 3, .width = 5, .channels = 2}, Pixel::u16, Layout::planar, 16,
                 [&](std::size_t bytes, const std::string& what) {
                   asked = bytes;
                   named = what;
                   return Memory(static_cast<std::byte*>(std::malloc(bytes)), [&](std::byte* p) {
                     ++released;
                     std::free(p);
                   });
                 });
    EXPECT_EQ(image.device(), cuda(3));
    EXPECT_EQ(image.view().strides.height, 16);
    EXPECT_EQ(image.view().strides.channels, 48);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(asked, 96U);
  EXPECT_EQ(named, "image 3x5x2 u16");
  EXPECT_EQ(released, 1);
}

TEST(Memory, ImagesThatMeanNothingAskForNone) {
  int asked = 0;
  const auto make = [&](const Shape& shape, std::int64_t row_bytes) {
    return message_of([&] {
      (void)image_in(cpu(), shape, Pixel::f32, Layout::interleaved, row_bytes,
                     [&](std::size_t, const std::string&) {
                       ++asked;
                       return Memory();
                     });
    });
  };
  EXPECT_EQ(make({.height = -1, .width = 5}, 0), "image extents must be at least 1, got -1x5");
  EXPECT_EQ(make({.height = 2, .width = 5}, 19), "row pitch must be at least 20 bytes for image 2x5, got 19");
  EXPECT_EQ(make({.height = std::int64_t{1} << 40, .width = std::int64_t{1} << 40}, 0),
            "image 1099511627776x1099511627776 has more elements than 63 bits count");
  EXPECT_EQ(asked, 0);
}

TEST(Memory, IsWrittenInWords) {
  EXPECT_EQ(size_in_words(17'179'869'184.0), "17.2 GB");
  EXPECT_EQ(size_in_words(1e9), "1.0 GB");
  EXPECT_EQ(size_in_words(530.5e6), "530.5 MB");
  EXPECT_EQ(size_in_words(36e6), "36.0 MB");
  EXPECT_EQ(size_in_words(209'700), "209.7 kB");
  EXPECT_EQ(size_in_words(999), "999 bytes");
  EXPECT_EQ(size_in_words(0), "0 bytes");
  EXPECT_EQ(size_in_words(1e38), "1e+29 GB");
}

TEST(Memory, NumbersThatDifferReadDifferently) {
  const auto refused = [](double bytes, double available) { return message_of([&] { refuse_memory("it", bytes, available); }); };
  EXPECT_EQ(refused(149e6, 105e6), "it needs 149.0 MB of memory, 105.0 MB are available");
  EXPECT_EQ(refused(1.27e9, 1.26e9), "it needs 1.27 GB of memory, 1.26 GB are available");
  EXPECT_EQ(refused(209'715'264, 209'715'200), "it needs 209.7153 MB of memory, 209.7152 MB are available");
  EXPECT_EQ(refused(2e9, 1.9999e9), "it needs 2.0000 GB of memory, 1.9999 GB are available");
}

TEST(Memory, LimitsCountWhatIsHeld) {
  const std::size_t most = std::size_t{1} << 20;
  const Memory before = allocate_host(100, "before");
  limit_host_memory(most);
  EXPECT_LE(available_host_bytes(), most - 100);
  {
    const Memory half = allocate_host(most / 2, "half");
    EXPECT_EQ(message_of([&] { (void)allocate_host(most / 2, "the rest"); }).substr(0, 43),
              "the rest needs 524.4 kB of memory, 524.1 kB");
    EXPECT_EQ(message_of([&] { check_host_memory(most / 2.0, "the rest"); }).substr(0, 9), "the rest ");
  }
  EXPECT_EQ(message_of([&] { (void)allocate_host(most / 2, "again"); }), "no error");
  limit_host_memory(std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(message_of([&] { (void)allocate_host(2 * most, "more"); }), "no error");
}

#if defined(__linux__)
/// How many pages of `memory` the system has handed out.
std::size_t pages_present(std::span<const std::byte> memory, std::size_t page_bytes) {
  std::vector<unsigned char> present((memory.size() + page_bytes - 1) / page_bytes);
  EXPECT_EQ(mincore(const_cast<std::byte*>(memory.data()), memory.size(), present.data()), 0);
  std::size_t count = 0;
  for (const unsigned char page : present) count += page & 1U;
  return count;
}

TEST(Prefault, BringsEveryPageOfLargeMemoryAndNoneBeyond) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = (std::size_t{9} << 20) / page_bytes + 1;  // no whole number of parts
  void* fresh =
      mmap(nullptr, (pages + 2) * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fresh, MAP_FAILED);
  ASSERT_EQ(madvise(fresh, (pages + 2) * page_bytes, MADV_NOHUGEPAGE), 0);  // huge ones would reach beyond
  const std::span<std::byte> all(static_cast<std::byte*>(fresh), (pages + 2) * page_bytes);
  EXPECT_EQ(pages_present(all, page_bytes), 0U);
  // From within a page to within another: pages + 1 are met by it.
  prefault(all.subspan(page_bytes - 64, pages * page_bytes));
  EXPECT_EQ(pages_present(all, page_bytes), pages + 1);
  EXPECT_EQ(pages_present(all.first(page_bytes), page_bytes), 1U);
  EXPECT_EQ(pages_present(all.last(page_bytes), page_bytes), 0U);
  munmap(fresh, all.size());
}
#endif

TEST(Prefault, LeavesMemoryBesideItAlone) {
  std::vector<std::byte> bytes(std::size_t{8} << 20, std::byte{7});
  prefault(std::span(bytes).subspan(1, bytes.size() - 2));
  EXPECT_EQ(bytes.front(), std::byte{7});
  EXPECT_EQ(bytes.back(), std::byte{7});
  const Image image = prefaulted_image({.height = 1024, .width = 1024, .channels = 3}, Pixel::f32);
  EXPECT_EQ(image.view().strides, strides_of(image.shape(), Pixel::f32));
}

}  // namespace
}  // namespace halation
