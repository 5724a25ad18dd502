// ring_test.cpp: items pass stages in order, a bounded number at a time, and what a stage throws comes out.
#include "pipeline/strips/ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace halation {
namespace {

class Ring : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Slots, Ring, testing::Values(1, 2, 3, 5));

TEST_P(Ring, PassesEachItemThroughAllStagesInOrderAndInItsSlot) {
  const std::size_t slots = GetParam();
  constexpr std::int64_t count = 200;
  std::vector<std::int64_t> slot(slots, -1);
  std::vector<std::int64_t> written;
  std::atomic<std::int64_t> under_way{0};
  const RingTimes times = run_ring(slots, {.read =
                                               [&](std::int64_t item) {
                                                 if (item == count) return false;
                                                 EXPECT_LE(++under_way, static_cast<std::int64_t>(slots));
                                                 slot[static_cast<std::size_t>(item) % slots] = item;
                                                 return true;
                                               },
                                           .compute = [&](std::int64_t item) { slot[static_cast<std::size_t>(item) % slots] *= 10; },
                                           .write =
                                               [&](std::int64_t item) {
                                                 written.push_back(slot[static_cast<std::size_t>(item) % slots]);
                                                 --under_way;
                                               }});
  ASSERT_EQ(written.size(), count);
  for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(written[static_cast<std::size_t>(i)], 10 * i);
  EXPECT_EQ(times.items, count);
}

TEST_P(Ring, HasNothingToDoWithoutItems) {
  const auto never = [](std::int64_t) { FAIL(); };
  EXPECT_EQ(run_ring(GetParam(), {.read = [](std::int64_t) { return false; }, .compute = never, .write = never}).items, 0);
}

TEST_P(Ring, ThrowsWhatAStageThrows) {
  for (int stage = 0; stage < 3; ++stage) {
    const auto work = [&](int which, std::int64_t item) {
      if (which == stage && item == 7) throw std::runtime_error("stage " + std::to_string(stage));
    };
    std::int64_t written = 0;
    try {
      run_ring(GetParam(), {.read =
                                [&](std::int64_t item) {
                                  work(0, item);
                                  return item < 100;
                                },
                            .compute = [&](std::int64_t item) { work(1, item); },
                            .write =
                                [&](std::int64_t item) {
                                  work(2, item);
                                  ++written;
                                }});
      FAIL() << "stage " << stage << " threw nothing";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "stage " + std::to_string(stage));
    }
    EXPECT_LE(written, 7);
  }
}

}  // namespace
}  // namespace halation
