// memory.h: host memory: aligned, refused with a sentence where the machine does not have it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace halation {

using Memory = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

/// `bytes` on a 64-byte boundary. Throws `Error{out_of_memory}`: "<what> needs 17.2 GB of memory, 12.0 GB are available". The system
/// would hand out more than it has and end the process later, so what is available is asked first for large requests.
Memory allocate_host(std::size_t bytes, const std::string& what);

}  // namespace halation
