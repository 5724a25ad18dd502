// fuzz_files.cpp: any bytes as an image file: an Error, or pages that are what the interface promises.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "halation/error.h"
#include "halation/io.h"

using namespace halation;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// A file in memory with a path of its own.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("fuzz", 0)) {
    require(descriptor_ >= 0 && write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

void check(const Page& page) {
  const ConstView view = page.image;
  require(view.data != nullptr && view.shape.batch == 1 && view.shape.elements() > 0);
  require(!page.alpha || view.shape.channels > 1);
  page.image.clone();  // reads every pixel, where a sanitizer sees those that are not the image's
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  const auto layout = static_cast<ArrayLayout>(size % 6);
  try {
    const std::vector<Page> pages = read_pages(file.path(), layout);
    require(!pages.empty());
    for (const Page& page : pages) check(page);
  } catch (const Error&) {  // the answer to bytes that are no image
  }
  return 0;
}
