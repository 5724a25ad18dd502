// shared_ring_test.cpp: threads that carry items to a device and back do each block once, in time, and what a stage throws comes out.
#include "pipeline/strips/shared_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "core/threads.h"

namespace halation {
namespace {

/// A device whose work is done after it has been asked for some times.
class SharedRing : public testing::TestWithParam<std::tuple<int, int, std::int64_t, std::int64_t>> {
 protected:
  static constexpr std::int64_t count = 60;
  std::size_t slots() const { return static_cast<std::size_t>(std::get<0>(GetParam())); }
  int threads() const { return std::get<1>(GetParam()); }
  std::int64_t reads() const { return std::get<2>(GetParam()); }
  std::int64_t writes() const { return std::get<3>(GetParam()); }
  std::size_t slot_of(std::int64_t item) const { return static_cast<std::size_t>(item) % slots(); }
};
INSTANTIATE_TEST_SUITE_P(Any, SharedRing,
                         testing::Combine(testing::Values(1, 2, 4), testing::Values(1, 2, 7), testing::Values(0, 1, 5), testing::Values(0, 1, 3)));

TEST_P(SharedRing, DoesEachBlockOnceAndStagesAfterEachOther) {
  struct Slot {
    std::atomic<std::int64_t> item = -1, read = 0, written = 0;
    std::atomic<bool> queued = false, computed = false;
    int asked = 0;
  };
  std::vector<Slot> slot(slots());
  std::atomic<int> at_device = 0;
  std::vector<std::int64_t> finished;
  SharedStages stages{.items = count, .read_blocks = reads(), .write_blocks = writes()};
  stages.read = [&](std::int64_t item, std::int64_t block) {
    EXPECT_LT(block, reads());
    EXPECT_FALSE(slot[slot_of(item)].queued);
    ++slot[slot_of(item)].read;
  };
  stages.compute = [&](std::int64_t item) {
    EXPECT_EQ(++at_device, 1);
    Slot& at = slot[slot_of(item)];
    EXPECT_EQ(at.read, reads());
    EXPECT_FALSE(at.queued);
    at.item = item;
    at.queued = true;
    --at_device;
  };
  stages.is_computed = [&](std::int64_t item) {
    EXPECT_EQ(++at_device, 1);
    Slot& at = slot[slot_of(item)];
    EXPECT_EQ(at.item, item);
    at.computed = ++at.asked > 2;
    --at_device;
    return at.computed.load();
  };
  stages.write = [&](std::int64_t item, std::int64_t block) {
    EXPECT_LT(block, writes());
    EXPECT_EQ(slot[slot_of(item)].item, item);
    EXPECT_TRUE(slot[slot_of(item)].computed);
    ++slot[slot_of(item)].written;
  };
  stages.finish = [&](std::int64_t item) {
    Slot& at = slot[slot_of(item)];
    EXPECT_EQ(at.written, writes());
    at.read = at.written = at.asked = 0;
    at.queued = at.computed = false;
    finished.push_back(item);
  };
  EXPECT_EQ(run_shared_ring(slots(), threads(), stages).items, count);
  ASSERT_EQ(finished.size(), count);
  for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(finished[static_cast<std::size_t>(i)], i);
}

TEST_P(SharedRing, MayFinishByThreadsOfItsOwnWithinOthersTasks) {
  // Rings side by side in one arena, in whose last stage threads are waited for: none may take up what belongs to another ring.
  std::atomic<std::int64_t> finished = 0;
  in_threads(4, [&](std::int64_t) {
    SharedStages stages{.items = 12, .read_blocks = reads(), .write_blocks = writes()};
    stages.read = stages.write = [](std::int64_t, std::int64_t) {};
    stages.compute = [](std::int64_t) {};
    stages.is_computed = [](std::int64_t) { return true; };
    stages.finish = [&](std::int64_t) {
      in_threads(8, [&](std::int64_t) { in_threads(4, [](std::int64_t) {}); });
      ++finished;
    };
    run_shared_ring(slots(), threads(), stages);
  });
  EXPECT_EQ(finished, 4 * 12);
}

TEST_P(SharedRing, ThrowsWhatAStageThrows) {
  for (const std::string failing : {"read", "compute", "ask", "write", "finish"}) {
    if ((failing == "read" && reads() == 0) || (failing == "write" && writes() == 0)) continue;
    const auto work = [&](const char* which, std::int64_t item) {
      if (which == failing && item == 7) throw std::runtime_error(failing);
    };
    std::atomic<std::int64_t> finished = 0;
    SharedStages stages{.items = count, .read_blocks = reads(), .write_blocks = writes()};
    stages.read = [&](std::int64_t item, std::int64_t) { work("read", item); };
    stages.compute = [&](std::int64_t item) { work("compute", item); };
    stages.is_computed = [&](std::int64_t item) { return work("ask", item), true; };
    stages.write = [&](std::int64_t item, std::int64_t) { work("write", item); };
    stages.finish = [&](std::int64_t item) {
      work("finish", item);
      ++finished;
    };
    try {
      run_shared_ring(slots(), threads(), stages);
      ADD_FAILURE() << failing;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), failing);
    }
    EXPECT_LE(finished, 7);
  }
}

TEST_P(SharedRing, HasNothingToDoWithoutItems) {
  const auto never = [](std::int64_t) { FAIL(); };
  const auto never_a_block = [](std::int64_t, std::int64_t) { FAIL(); };
  EXPECT_EQ(run_shared_ring(slots(), threads(),
                            {.read_blocks = reads(),
                             .write_blocks = writes(),
                             .read = never_a_block,
                             .compute = never,
                             .is_computed = [](std::int64_t) { return true; },
                             .write = never_a_block,
                             .finish = never})
                .items,
            0);
}

}  // namespace
}  // namespace halation
