// ring.h: items that pass stages side by side, a bounded number of them at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace halation {

/// What becomes of item 0, 1, 2, … The item's buffers are those of slot item mod `slots`.
struct RingStages {
  /// Fills the slot; false where there is no such item, which ends the run.
  std::function<bool(std::int64_t item)> read;
  std::function<void(std::int64_t item)> compute;
  std::function<void(std::int64_t item)> write;
};

/// Seconds that each stage worked, and that it waited for another one.
struct RingTimes {
  struct Stage {
    double busy = 0;
    double waiting = 0;
  };
  Stage read = {}, compute = {}, write = {};
  std::int64_t items = 0;
};

/// Runs each stage in a thread of its own, `compute` in the caller's, item after item: an item is computed once it has been read, written
/// once it has been computed, and read once the item `slots` before it has been written. With one slot, or where
/// no more threads can be started, stages follow each other in the caller's thread. What a stage throws comes out once the others have ended; of several the first.
RingTimes run_ring(std::size_t slots, const RingStages& stages);

}  // namespace halation
