// occupancy.h: how many blocks of a kernel a multiprocessor holds at once, and what stops one more.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_description.h"

namespace halation::model {

/// What a multiprocessor runs out of.
enum class Resource { registers, shared_memory, threads, blocks };
inline constexpr std::array<Resource, 4> all_resources = {Resource::registers, Resource::shared_memory,
                                                          Resource::threads, Resource::blocks};

/// "registers", "shared memory", "threads", "blocks".
std::string_view name_of(Resource resource);

/// One kernel as it is launched.
struct BlockNeeds {
  int registers_per_thread = 0;
  int threads_per_block = 1;
  std::int64_t shared_bytes_per_block = 0;  ///< static and dynamic
};

/// What one multiprocessor holds of it.
struct Occupancy {
  int blocks = 0;
  int threads = 0;
  int warps = 0;
  double fraction = 0;                           ///< warps ÷ the most that the multiprocessor holds
  std::array<std::int64_t, 4> blocks_allowed{};  ///< by each resource alone, in the order of `Resource`
  std::vector<Resource> limits;                  ///< those that allow no more than `blocks`
  std::int64_t threads_by_registers = 0;         ///< threads that registers alone would allow

  /// "registers", "registers and threads"; "registers: one block alone is too large" where blocks is 0.
  std::string limited_by() const;
};

/// With R registers a thread, warps = ⌈threads ÷ 32⌉ and all sizes those of the device:
///     threads        ⌊max warps ÷ warps⌋
///     blocks         max blocks
///     registers      ⌊4 w ÷ warps⌋ where each of the multiprocessor's 4 parts holds the registers of
///                    w = ⌊registers ÷ 4 ÷ u⌋ warps, with u = R · 32 rounded up to the unit of allocation;
///                    a block's own limit counts warps rounded up to a multiple of 4.
///                    Without a unit: ⌊registers ÷ (R · threads)⌋, as the course counts
///     shared memory  ⌊shared memory ÷ (bytes + what the driver reserves, rounded up to the unit)⌋
///
/// A block that exceeds a limit of its own (threads, registers, shared memory) gets 0 from that resource.
/// This is what cudaOccupancyMaxActiveBlocksPerMultiprocessor answers, with the largest part of L1 given to
/// shared memory. Source: cuda_occupancy.h of the CUDA toolkit; CUDA C++ Programming Guide, "Hardware
/// Multithreading". Throws `Error{invalid_argument}` for negative needs and fewer than 1 thread.
Occupancy occupancy(const DeviceDescription& device, const BlockNeeds& needs);

}  // namespace halation::model
