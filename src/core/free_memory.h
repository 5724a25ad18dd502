// free_memory.h: how much memory the system would still hand out.
#pragma once

#include <cstddef>

namespace halation {

/// The least of what the machine, the control groups of this process (containers) and its limit on address
/// space have left; the largest number where the system does not say. Cost: some 50 µs.
std::size_t free_memory_bytes();

}  // namespace halation
