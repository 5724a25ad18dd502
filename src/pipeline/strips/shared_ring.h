// shared_ring.h: items on their way through a device, which threads carry to and from its buffers block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "pipeline/strips/ring.h"

namespace halation {

/// What becomes of item 0, 1, 2, … The item's buffers are those of slot item mod slots. `read` and `write` are called by several threads
/// at once, the others by the caller's alone.
struct SharedStages {
  std::int64_t items = 0;
  std::int64_t read_blocks = 0;   ///< that filling a slot is cut into; 0: there is nothing to read
  std::int64_t write_blocks = 0;
  std::function<void(std::int64_t item, std::int64_t block)> read = {};
  std::function<void(std::int64_t item)> compute = {};      ///< queues the work on the device
  std::function<bool(std::int64_t item)> is_computed = {};  ///< does not wait
  std::function<void(std::int64_t item, std::int64_t block)> write = {};
  std::function<void(std::int64_t item)> finish = {};  ///< after all blocks have been written, item after item
};

/// Runs all stages: the caller's thread sees to the device, and up to `threads`, it among them, take whatever block is to be carried next.
/// Between two blocks no thread sleeps, so that a block costs no more than its bytes. For runs that fill and empty memory, where
/// `run_ring` would wait for threads to wake as long as for their work. What a stage throws comes out once the other threads have ended;
/// of several the first. Of reading and writing the times are shares of one thread.
RingTimes run_shared_ring(std::size_t slots, int threads, const SharedStages& stages);

}  // namespace halation
