// memory.h: host memory, aligned and refused with a sentence where the machine does not have it; images in
// any memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "halation/image.h"

namespace halation {

using Memory = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

/// `bytes` on a 64-byte boundary. Throws `Error{out_of_memory}`: "<what> needs 17.2 GB of memory, 12.0 GB are
/// available". The system would hand out more than it has and end the process later, so what is available is
/// asked first for large requests.
Memory allocate_host(std::size_t bytes, const std::string& what);

/// The image in memory that `allocate(bytes, what)` gives, `what` being "image 480x640x3 u8". Throws what
/// `Image` throws, and what `allocate` throws.
Image image_in(Device device, const Shape& shape, Pixel pixel, Layout layout, std::int64_t row_bytes,
               const std::function<Memory(std::size_t bytes, const std::string& what)>& allocate);

/// "17.2 GB".
std::string gigabytes(std::size_t bytes);

}  // namespace halation
