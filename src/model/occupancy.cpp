// occupancy.cpp: how many blocks of a kernel a multiprocessor holds at once, and what stops one more.
#include "model/occupancy.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "halation/error.h"

namespace halation::model {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int32_t>::max();

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

/// Registers that one warp takes, where they are allocated by warps.
std::int64_t registers_per_warp(const DeviceDescription& device, const BlockNeeds& needs) {
  return rounded_up(std::int64_t{needs.registers_per_thread} * device.warp_size,
                    device.register_allocation_unit);
}

/// Warps whose registers a multiprocessor has, where they are allocated by warps.
std::int64_t warps_by_registers(const DeviceDescription& device, const BlockNeeds& needs) {
  const int parts = device.warp_allocation_granularity;
  return device.registers / parts / registers_per_warp(device, needs) * parts;
}

std::int64_t threads_by_registers(const DeviceDescription& device, const BlockNeeds& needs) {
  if (needs.registers_per_thread == 0) return no_limit;
  if (device.register_allocation_unit == 0) return device.registers / needs.registers_per_thread;
  return warps_by_registers(device, needs) * device.warp_size;
}

std::int64_t blocks_by_registers(const DeviceDescription& device, const BlockNeeds& needs,
                                 std::int64_t warps) {
  if (needs.registers_per_thread == 0) return no_limit;
  if (needs.registers_per_thread > device.max_registers_per_thread) return 0;
  if (device.register_allocation_unit == 0)
    return device.registers / (std::int64_t{needs.registers_per_thread} * needs.threads_per_block);
  const std::int64_t of_block =
      registers_per_warp(device, needs) * rounded_up(warps, device.warp_allocation_granularity);
  return of_block > device.max_registers_per_block ? 0 : warps_by_registers(device, needs) / warps;
}

std::int64_t blocks_by_shared_memory(const DeviceDescription& device, const BlockNeeds& needs) {
  const std::int64_t reserved = device.reserved_shared_memory_per_block;
  const std::int64_t of_block =
      rounded_up(needs.shared_bytes_per_block + reserved, device.shared_memory_allocation_unit);
  if (of_block > device.max_shared_memory_per_block + reserved) return 0;
  return of_block == 0 ? no_limit : device.shared_memory / of_block;
}

}  // namespace

std::string_view name_of(Resource resource) {
  switch (resource) {
    case Resource::registers:
      return "registers";
    case Resource::shared_memory:
      return "shared memory";
    case Resource::threads:
      return "threads";
    case Resource::blocks:
      return "blocks";
  }
  throw std::logic_error("no such resource");
}

std::string Occupancy::limited_by() const {
  std::string text;
  for (const Resource resource : limits)
    text += (text.empty() ? "" : " and ") + std::string(name_of(resource));
  return blocks == 0 ? text + ": one block alone is too large" : text;
}

Occupancy occupancy(const DeviceDescription& device, const BlockNeeds& needs) {
  if (needs.registers_per_thread < 0 || needs.shared_bytes_per_block < 0 || needs.threads_per_block < 1)
    throw Error{ErrorCode::invalid_argument,
                "occupancy: registers and shared memory must be >= 0, threads >= 1"};
  const std::int64_t warps = rounded_up(needs.threads_per_block, device.warp_size) / device.warp_size;
  Occupancy result;
  result.blocks_allowed = {
      blocks_by_registers(device, needs, warps), blocks_by_shared_memory(device, needs),
      needs.threads_per_block > device.max_threads_per_block ? 0 : device.max_warps() / warps,
      device.max_blocks};
  const std::int64_t blocks = *std::min_element(result.blocks_allowed.begin(), result.blocks_allowed.end());
  for (const Resource resource : all_resources) {
    if (result.blocks_allowed[static_cast<std::size_t>(resource)] == blocks)
      result.limits.push_back(resource);
  }
  result.blocks = static_cast<int>(blocks);
  result.threads = result.blocks * needs.threads_per_block;
  result.warps = static_cast<int>(blocks * warps);
  result.fraction = static_cast<double>(result.warps) / device.max_warps();
  result.threads_by_registers = threads_by_registers(device, needs);
  return result;
}

}  // namespace halation::model
