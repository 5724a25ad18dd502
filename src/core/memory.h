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

/// Throws `Error{out_of_memory}` where `bytes`, of whatever kind, are more than could be had or than
/// `most_bytes`, unless that is 0:
/// "<what> needs 17.2 GB of memory, 12.0 GB are available".
void check_host_memory(double bytes, const std::string& what, double most_bytes = 0);

/// What the system has free, and no more than the limit leaves.
std::size_t available_host_bytes();

/// From now on all that `allocate_host` has given and not got back is at most `bytes`. For programs, on
/// behalf of their users.
void limit_host_memory(std::size_t bytes);

/// The image in memory that `allocate(bytes, what)` gives, `what` being "image 480x640x3 u8". Throws what
/// `Image` throws, and what `allocate` throws.
Image image_in(Device device, const Shape& shape, Pixel pixel, Layout layout, std::int64_t row_bytes,
               const std::function<Memory(std::size_t bytes, const std::string& what)>& allocate);

/// "17.2 GB", "36.0 MB", "12.3 kB", "200 bytes".
std::string size_in_words(double bytes, int decimals = 1);

/// Throws `Error{out_of_memory}`: "workspace needs 530.5 MB of memory, 209.7 MB are available", both with as many decimals as tell them
/// apart; `where` is " of cuda:0" for a device's.
[[noreturn]] void refuse_memory(const std::string& what, double bytes, double available, const std::string& where = "");

}  // namespace halation
