// device_description.cpp: the GPUs that the model knows, a row each.
#include "model/device_description.h"

#include <algorithm>

#include "core/nearest.h"

namespace halation::model {
namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

/// What the limits of one compute capability are; chips of it differ in size and speed alone.
struct Capability {
  std::string_view version;
  int max_threads, max_blocks;
  std::int64_t shared_kib, shared_per_block_kib, reserved_shared;
  int shared_unit;
  int fma_lanes, fma_lanes_f64;
};

constexpr Capability volta{"7.0", 2048, 32, 96, 96, 0, 256, 64, 32};
constexpr Capability turing{"7.5", 1024, 16, 64, 64, 0, 256, 64, 2};
constexpr Capability ampere{"8.0", 2048, 32, 164, 163, 1024, 128, 64, 32};
constexpr Capability ampere_consumer{"8.6", 1536, 16, 100, 99, 1024, 128, 128, 2};
constexpr Capability ada{"8.9", 1536, 24, 100, 99, 1024, 128, 128, 2};
constexpr Capability hopper{"9.0", 2048, 32, 228, 227, 1024, 128, 128, 64};

struct Chip {
  std::string_view name, model, title;
  int multiprocessors;
  double clock_ghz, memory_gb_per_second;
  std::int64_t l2_mib;
};

DeviceDescription described(const Chip& chip, const Capability& capability) {
  return {.name = std::string(chip.name),
          .model = std::string(chip.model),
          .title = std::string(chip.title) + ", compute capability " + std::string(capability.version),
          .multiprocessors = chip.multiprocessors,
          .max_threads = capability.max_threads,
          .max_threads_per_block = 1024,
          .max_blocks = capability.max_blocks,
          .registers = 65536,
          .max_registers_per_block = 65536,
          .shared_memory = capability.shared_kib * kib,
          .max_shared_memory_per_block = capability.shared_per_block_kib * kib,
          .reserved_shared_memory_per_block = capability.reserved_shared,
          .shared_memory_allocation_unit = capability.shared_unit,
          .clock_hz = chip.clock_ghz * 1e9,
          .fma_lanes = capability.fma_lanes,
          .fma_lanes_f64 = capability.fma_lanes_f64,
          .memory_bytes_per_second = chip.memory_gb_per_second * 1e9,
          .l2_bytes = chip.l2_mib * mib};
}

DeviceDescription course() {
  return {.name = "course",
          .model = "course",
          .title = "the course's example, counted exactly",
          .multiprocessors = 1,
          .max_threads = 1024,
          .max_threads_per_block = 512,
          .max_blocks = 8,
          .registers = 16384,
          .max_registers_per_block = 16384,
          .register_allocation_unit = 0,
          .warp_allocation_granularity = 1,
          .shared_memory = 32 * kib,
          .max_shared_memory_per_block = 32 * kib};
}

DeviceDescription h200() {
  DeviceDescription device = described({"h200", "H200", "NVIDIA H200 SXM", 132, 1.98, 4800, 60}, hopper);
  device.measured_copy_bytes_per_second = 4.1e12;
  device.measured_operations_per_second = 64.6e12;
  return device;
}

}  // namespace

double DeviceDescription::bytes_per_second() const {
  return measured_copy_bytes_per_second > 0 ? measured_copy_bytes_per_second : memory_bytes_per_second;
}

double DeviceDescription::operations_per_second(bool f64) const {
  if (!f64 && measured_operations_per_second > 0) return measured_operations_per_second;
  return 2.0 * (f64 ? fma_lanes_f64 : fma_lanes) * multiprocessors * clock_hz;
}

std::span<const DeviceDescription> built_in_devices() {
  static const DeviceDescription devices[] = {
      course(),
      described({"t4", "T4", "NVIDIA T4", 40, 1.59, 320, 4}, turing),
      described({"v100", "V100", "NVIDIA V100 SXM2", 80, 1.53, 900, 6}, volta),
      described({"rtx3090", "RTX 3090", "NVIDIA GeForce RTX 3090", 82, 1.695, 936, 6}, ampere_consumer),
      described({"a100", "A100", "NVIDIA A100 SXM4 80 GB", 108, 1.41, 2039, 40}, ampere),
      described({"rtx4090", "RTX 4090", "NVIDIA GeForce RTX 4090", 128, 2.52, 1008, 72}, ada),
      described({"h100", "H100", "NVIDIA H100 SXM5", 132, 1.98, 3350, 50}, hopper),
      h200(),
  };
  return devices;
}

const DeviceDescription& device_described(std::string_view name) {
  const auto devices = built_in_devices();
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const DeviceDescription& device) { return device.name == name; });
  if (found != devices.end()) return *found;
  std::vector<std::string> choices;
  for (const DeviceDescription& device : devices) choices.push_back(device.name);
  refuse_unknown("GPU", name, choices);
}

}  // namespace halation::model
