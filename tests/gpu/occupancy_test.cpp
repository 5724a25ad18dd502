// occupancy_test.cpp: the model's occupancy against CUDA's, for every kernel of the ladder on this GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ladder/ladder.h"
#include "model/occupancy.h"

namespace halation {
namespace {

void require(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

/// The present GPU. What the runtime does not tell, the units of allocation, follows from the compute
/// capability.
model::DeviceDescription present() {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0));
  return {.name = "present",
          .model = properties.name,
          .title = properties.name,
          .multiprocessors = properties.multiProcessorCount,
          .warp_size = properties.warpSize,
          .max_threads = properties.maxThreadsPerMultiProcessor,
          .max_threads_per_block = properties.maxThreadsPerBlock,
          .max_blocks = properties.maxBlocksPerMultiProcessor,
          .registers = properties.regsPerMultiprocessor,
          .max_registers_per_block = properties.regsPerBlock,
          .shared_memory = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor),
          .max_shared_memory_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin),
          .reserved_shared_memory_per_block = static_cast<std::int64_t>(properties.reservedSharedMemPerBlock),
          .shared_memory_allocation_unit = properties.major >= 8 ? 128 : 256};
}

/// Weights of 1, with factors, over a small image: occupancy does not depend on them.
ladder::Problem problem_of(const ladder::Rung& rung, int radius) {
  ladder::Problem problem;
  problem.dims = rung.dims;
  problem.radius = radius;
  problem.width = 64;
  if (rung.dims >= 2) problem.height = 64;
  if (rung.dims >= 3) problem.depth = 64;
  const std::size_t side = 2 * static_cast<std::size_t>(radius) + 1;
  std::size_t taps = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const bool filtered = axis >= 3 - rung.dims;
    problem.factors[static_cast<std::size_t>(axis)].assign(filtered ? side : 1, 1.0F);
    if (filtered) taps *= side;
  }
  problem.weights.assign(taps, 1.0F);
  return problem;
}

/// Compares the model with CUDA for one kernel as launched, and with other blocks and more shared memory.
void compare(const model::DeviceDescription& device, const ladder::KernelLaunch& launch,
             const std::string& what) {
  cudaFuncAttributes attributes{};
  require(cudaFuncGetAttributes(&attributes, launch.kernel));
  const int reachable = static_cast<int>(device.max_shared_memory_per_block -
                                         static_cast<std::int64_t>(attributes.sharedSizeBytes));
  require(cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, reachable));

  const auto compare_at = [&](int threads, std::size_t dynamic_bytes) {
    int expected = 0;
    require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&expected, launch.kernel, threads, dynamic_bytes));
    const model::Occupancy found = model::occupancy(
        device,
        {.registers_per_thread = attributes.numRegs,
         .threads_per_block = threads,
         .shared_bytes_per_block = static_cast<std::int64_t>(attributes.sharedSizeBytes + dynamic_bytes)});
    EXPECT_EQ(found.blocks, expected)
        << what << ": " << attributes.numRegs << " registers, " << threads << " threads, "
        << attributes.sharedSizeBytes << " + " << dynamic_bytes << " bytes";
  };
  compare_at(launch.threads_per_block, launch.dynamic_shared_bytes);
  for (int threads = 1; threads <= attributes.maxThreadsPerBlock; threads += 31)
    compare_at(threads, launch.dynamic_shared_bytes);
  for (int bytes = 0; bytes <= reachable; bytes += 1009)
    compare_at(launch.threads_per_block, static_cast<std::size_t>(bytes));

  require(cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(launch.dynamic_shared_bytes)));
}

TEST(Occupancy, IsThatOfCudaForEveryRung) {
  const model::DeviceDescription device = present();
  int kernels = 0;
  for (const int dims : {1, 2, 3}) {
    for (const ladder::Rung& rung : ladder::rungs(dims)) {
      if (rung.place != ladder::Rung::Place::gpu) continue;
      for (const int radius : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, rung.most_radius}) {
        if (radius > rung.most_radius) continue;
        const auto run = rung.gpu(problem_of(rung, radius));
        for (const ladder::KernelLaunch& launch : run->launches()) {
          compare(
              device, launch,
              std::string(rung.name) + " " + std::to_string(dims) + "D, radius " + std::to_string(radius));
          ++kernels;
        }
      }
    }
  }
  EXPECT_GT(kernels, 0);
}

TEST(Occupancy, BuiltInDescriptionIsWhatTheDriverSays) {
  const model::DeviceDescription driver = present();
  for (const model::DeviceDescription& known : model::built_in_devices()) {
    // "NVIDIA A100-SXM4-80GB" is an A100; cut-down namesakes have fewer multiprocessors.
    if (driver.model.find(known.model) == std::string::npos ||
        driver.multiprocessors != known.multiprocessors)
      continue;
    EXPECT_EQ(known.max_threads, driver.max_threads);
    EXPECT_EQ(known.max_threads_per_block, driver.max_threads_per_block);
    EXPECT_EQ(known.max_blocks, driver.max_blocks);
    EXPECT_EQ(known.registers, driver.registers);
    EXPECT_EQ(known.max_registers_per_block, driver.max_registers_per_block);
    EXPECT_EQ(known.shared_memory, driver.shared_memory);
    EXPECT_EQ(known.max_shared_memory_per_block, driver.max_shared_memory_per_block);
    EXPECT_EQ(known.reserved_shared_memory_per_block, driver.reserved_shared_memory_per_block);
    return;
  }
  GTEST_SKIP() << "no built-in description of " << driver.model;
}

}  // namespace
}  // namespace halation
