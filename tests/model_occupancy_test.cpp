// model_occupancy_test.cpp: occupancy against the course's figures, known values and filling warp by warp.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "message_of.h"
#include "model/occupancy.h"

namespace halation::model {
namespace {

Occupancy in_course(int registers_per_thread, int threads_per_block) {
  return occupancy(device_described("course"), {registers_per_thread, threads_per_block, 0});
}

TEST(Occupancy, FiguresOfTheCourse) {
  EXPECT_EQ(in_course(35, 256).threads_by_registers, 468);
  EXPECT_EQ(in_course(35, 512).blocks, 0);
  EXPECT_EQ(in_course(35, 512).limited_by(), "registers: one block alone is too large");
  EXPECT_EQ(in_course(35, 256).blocks, 1);
  EXPECT_EQ(in_course(35, 256).limited_by(), "registers");
  EXPECT_EQ(in_course(35, 128).blocks, 3);
  EXPECT_EQ(in_course(35, 128).threads, 384);
  EXPECT_EQ(in_course(17, 256).blocks, 3);
  EXPECT_EQ(in_course(16, 256).blocks, 4);
  EXPECT_EQ(in_course(16, 256).limited_by(), "registers and threads");
  EXPECT_DOUBLE_EQ(in_course(16, 256).fraction, 1);
}

TEST(Occupancy, KnownValues) {
  struct Known {
    const char* device;
    int registers, threads;
    std::int64_t shared;
    int blocks;
    const char* limit;
  };
  const Known all[] = {
      {"h200", 32, 256, 0, 8, "registers and threads"},
      {"h200", 33, 256, 0, 6, "registers"},  // 1,056 registers a warp become 1,280: 12 warps a quarter
      {"h200", 64, 256, 0, 4, "registers"},
      {"h200", 255, 256, 0, 1, "registers"},
      {"h200", 16, 32, 0, 32, "blocks"},
      {"h200", 16, 1024, 0, 2, "threads"},
      {"h200", 16, 256, 232448, 1, "shared memory"},  // 227 KiB, the most that one block gets
      {"h200", 16, 256, 232449, 0, "shared memory: one block alone is too large"},
      {"h200", 16, 256, 115712, 2, "shared memory"},  // 113 KiB and 1 KiB reserved, twice
      {"h200", 16, 1025, 0, 0, "threads: one block alone is too large"},
      {"h200", 256, 32, 0, 0, "registers: one block alone is too large"},
      {"h200", 65, 1024, 0, 0, "registers: one block alone is too large"},
      {"h200", 64, 1024, 0, 1, "registers"},
      {"t4", 64, 256, 0, 4, "registers and threads"},
      {"t4", 32, 64, 0, 16, "threads and blocks"},
      {"rtx3090", 40, 256, 0, 6, "registers and threads"},
      {"rtx4090", 16, 32, 0, 24, "blocks"},
      {"a100", 16, 256, 83968 - 1024, 2, "shared memory"},
  };
  for (const Known& known : all) {
    const Occupancy found =
        occupancy(device_described(known.device), {known.registers, known.threads, known.shared});
    EXPECT_EQ(found.blocks, known.blocks) << known.device << " " << known.registers << " " << known.threads;
    EXPECT_EQ(found.limited_by(), known.limit)
        << known.device << " " << known.registers << " " << known.threads;
  }
}

/// A multiprocessor that takes blocks one at a time for as long as every warp finds registers in some part of
/// it.
int blocks_by_filling(const DeviceDescription& device, const BlockNeeds& needs) {
  int warps = 0;
  while (warps * device.warp_size < needs.threads_per_block) ++warps;
  std::int64_t shared_bytes = needs.shared_bytes_per_block + device.reserved_shared_memory_per_block;
  while (shared_bytes % device.shared_memory_allocation_unit != 0) ++shared_bytes;
  std::int64_t warp_registers = std::int64_t{needs.registers_per_thread} * device.warp_size;
  while (warp_registers % device.register_allocation_unit != 0) ++warp_registers;

  std::vector<std::int64_t> free_registers(static_cast<std::size_t>(device.warp_allocation_granularity),
                                           device.registers / device.warp_allocation_granularity);
  std::int64_t free_shared = device.shared_memory;
  int free_warps = device.max_warps(), blocks = 0;
  for (; blocks < device.max_blocks && free_warps >= warps && free_shared >= shared_bytes; ++blocks) {
    for (int warp = 0; warp < warps; ++warp) {
      auto& most = *std::max_element(free_registers.begin(), free_registers.end());
      if (most < warp_registers) return blocks;
      most -= warp_registers;
    }
    free_warps -= warps;
    free_shared -= shared_bytes;
  }
  return blocks;
}

RC_GTEST_PROP(OccupancyProperties, EqualsAMultiprocessorFilledWarpByWarp, ()) {
  const auto devices = built_in_devices().subspan(1);  // without the course's
  const DeviceDescription& device = devices[*rc::gen::inRange<std::size_t>(0, devices.size())];
  BlockNeeds needs{.registers_per_thread = *rc::gen::inRange(0, 256),
                   .threads_per_block = *rc::gen::inRange(1, 1025)};
  needs.shared_bytes_per_block = *rc::gen::inRange<std::int64_t>(0, device.max_shared_memory_per_block + 1);
  // Blocks that the limits of a single block refuse are left to KnownValues.
  const std::int64_t warps_up = (std::int64_t{needs.threads_per_block} + 127) / 128 * 4;
  RC_PRE(warps_up * ((needs.registers_per_thread * 32 + 255) / 256 * 256) <= device.max_registers_per_block);

  const Occupancy found = occupancy(device, needs);
  RC_ASSERT(found.blocks == blocks_by_filling(device, needs));
  RC_ASSERT(found.threads == found.blocks * needs.threads_per_block);
  RC_ASSERT(found.warps == found.blocks * ((needs.threads_per_block + 31) / 32));
  RC_ASSERT(found.fraction <= 1.0);
  RC_ASSERT(!found.limits.empty());
}

RC_GTEST_PROP(OccupancyProperties, TheCourseCountsExactly, ()) {
  const int registers = *rc::gen::inRange(1, 129), threads = *rc::gen::inRange(1, 513);
  int blocks = 0;  // warps may be part full, and threads are then counted by whole warps
  while (blocks < 8 && (blocks + 1) * registers * threads <= 16384 &&
         (blocks + 1) * ((threads + 31) / 32) <= 32)
    ++blocks;
  RC_ASSERT(in_course(registers, threads).blocks == blocks);
}

TEST(Occupancy, RefusesNeedsThatMeanNothing) {
  const char* const sentence = "occupancy: registers and shared memory must be >= 0, threads >= 1";
  EXPECT_EQ(message_of([] { in_course(-1, 32); }), sentence);
  EXPECT_EQ(message_of([] { in_course(8, 0); }), sentence);
  EXPECT_EQ(message_of([] { occupancy(device_described("t4"), {8, 32, -1}); }), sentence);
}

}  // namespace
}  // namespace halation::model
