// device_description.h: what the model knows of a GPU, and the GPUs that it knows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halation::model {

/// One GPU in numbers. Memory sizes in bytes, registers of 32 bits.
struct DeviceDescription {
  std::string name;   ///< "h200", as the program takes it
  std::string model;  ///< "H200", as drivers print it
  std::string title;  ///< in full
  int multiprocessors = 0;
  int warp_size = 32;

  int max_threads = 0;  ///< resident on a multiprocessor
  int max_threads_per_block = 0;
  int max_blocks = 0;  ///< resident on a multiprocessor
  int max_registers_per_thread = 255;

  std::int64_t registers = 0;  ///< of a multiprocessor
  std::int64_t max_registers_per_block = 0;
  int register_allocation_unit = 256;   ///< of a warp's registers; 0: allocated exactly, thread by thread
  int warp_allocation_granularity = 4;  ///< parts of a multiprocessor, each with its share of the registers

  std::int64_t shared_memory = 0;                ///< of a multiprocessor
  std::int64_t max_shared_memory_per_block = 0;  ///< after opting in to more than 48 KiB
  std::int64_t reserved_shared_memory_per_block = 0;
  int shared_memory_allocation_unit = 1;

  double clock_hz = 0;  ///< boost
  int fma_lanes = 0;    ///< f32 multiply-adds a clock and multiprocessor
  int fma_lanes_f64 = 0;
  double memory_bytes_per_second = 0;  ///< of the data sheet; 0 where a description serves occupancy alone
  std::int64_t l2_bytes = 0;
  double measured_copy_bytes_per_second = 0;  ///< read + write of a large device copy; 0: not measured
  double measured_operations_per_second = 0;  ///< in f32 multiply-adds, 2 each; 0: not measured

  int max_warps() const { return max_threads / warp_size; }
  /// What memory and arithmetic can do: as measured, else as the data sheet has it. Operations count 2 a
  /// multiply-add.
  double bytes_per_second() const;
  double operations_per_second(bool f64 = false) const;
};

/// The course's example, T4, V100, RTX 3090, A100, RTX 4090, H100, H200.
///
/// Sources: limits and units per multiprocessor from the CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability", and the rules in CUDA's cuda_occupancy.h; clocks, bandwidths and
/// multiprocessors from the vendor's data sheets and architecture white papers; the H200's measured figures
/// from this project's own runs. The course's example has 16,384 registers, counted exactly, 1,024 threads
/// and blocks of at most 512, as its lecture states them, 32 KiB of shared memory and, from compute
/// capability 1.x, 8 blocks.
std::span<const DeviceDescription> built_in_devices();

/// Throws `Error{invalid_argument}` naming all of them.
const DeviceDescription& device_described(std::string_view name);

}  // namespace halation::model
