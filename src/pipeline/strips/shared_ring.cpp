// shared_ring.cpp: items on their way through a device, which threads carry to and from its buffers block by block.
#include "pipeline/strips/shared_ring.h"

#include <hwy/cache_control.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/stopwatch.h"
#include "core/threads.h"
#include "halation/error.h"

namespace halation {
namespace {

/// For a moment; lets other threads run, if there are any that wait for a processor.
void wait_awake() {
  for (int i = 0; i < 16; ++i) hwy::Pause();
  std::this_thread::yield();
}

/// A lock that is held for some instructions only: who waits for it stays awake.
class ShortLock {
 public:
  void lock() {
    while (held_.test_and_set(std::memory_order_acquire)) {
      while (held_.test(std::memory_order_relaxed)) wait_awake();
    }
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_;
};

class SharedRing {
 public:
  SharedRing(std::size_t slots, const SharedStages& stages)
      : stages_(stages), slots_(static_cast<std::int64_t>(slots)), read_(slots), written_(slots) {
    if (stages.read_blocks == 0) reading_.item = stages.items;
    if (stages.write_blocks == 0) writing_.item = stages.items;
  }

  /// What the caller's thread does.
  void serve() {
    while (!has_ended()) {
      if (!see_to_device() && !carry()) wait_awake();
    }
  }
  /// What the others do. They sleep where there is nothing to carry for longer than strips are under way.
  void help() {
    constexpr std::chrono::milliseconds patience(1);
    for (;;) {
      const std::uint64_t seen = changes_.load(std::memory_order_acquire);  // first: the end is a change as well
      if (has_ended()) return;
      if (carry()) continue;
      const auto until = std::chrono::steady_clock::now() + patience;
      while (changes_.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < until) wait_awake();
      changes_.wait(seen, std::memory_order_acquire);
    }
  }
  /// Does all of `work`; the first error ends all threads.
  template <class Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard guard(lock_);
      if (error_ == nullptr) error_ = std::current_exception();
      has_failed_ = true;
      tell_others();
    }
  }
  /// Of all threads together. Throws what ended them.
  const RingTimes& times() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
    return times_;
  }

 private:
  struct Block {
    std::int64_t item = 0, block = 0;
  };
  struct Task {
    bool is_read = false;
    Block block;
  };

  /// That there are blocks to carry, or the end.
  void tell_others() {
    ++changes_;
    changes_.notify_all();
  }
  std::size_t slot(std::int64_t item) const { return static_cast<std::size_t>(item % slots_); }
  bool has_ended() const { return has_failed_ || finished_ == stages_.items; }

  /// Finishes, queues or asks for an item; false where there is nothing of it to do.
  bool see_to_device() {
    if (finished_ < computed_ && blocks_done(written_, finished_) == stages_.write_blocks) {
      const std::int64_t item = finished_;
      isolated([&] { stages_.finish(item); });
      const std::lock_guard guard(lock_);
      read_[slot(item)] = written_[slot(item)] = 0;
      ++finished_;
      tell_others();
      return true;
    }
    if (queued_ < stages_.items && queued_ < finished_ + slots_ && blocks_done(read_, queued_) == stages_.read_blocks) {
      timed(times_.compute.busy, [&] { stages_.compute(queued_); });
      ++queued_;
      return true;
    }
    if (computed_ == queued_ || !stages_.is_computed(computed_)) return false;
    ++computed_;
    tell_others();
    return true;
  }
  std::int64_t blocks_done(const std::vector<std::int64_t>& blocks, std::int64_t item) {
    const std::lock_guard guard(lock_);
    return blocks[slot(item)];
  }

  /// Reads or writes a block; false where none is to be had.
  bool carry() {
    const std::optional<Task> task = next_block();
    if (!task) return false;
    const std::int64_t item = task->block.item, block = task->block.block;
    double seconds = 0;
    timed(seconds, [&] { (task->is_read ? stages_.read : stages_.write)(item, block); });
    const std::lock_guard guard(lock_);
    ++(task->is_read ? read_ : written_)[slot(item)];
    (task->is_read ? times_.read : times_.write).busy += seconds;
    return true;
  }
  std::optional<Task> next_block() {
    const auto hand_out = [](Block& next, std::int64_t blocks) {
      const Block given = next;
      if (++next.block == blocks) next = {.item = next.item + 1, .block = 0};
      return given;
    };
    const std::lock_guard guard(lock_);
    if (writing_.item < computed_) return Task{.is_read = false, .block = hand_out(writing_, stages_.write_blocks)};
    if (reading_.item < stages_.items && reading_.item < finished_ + slots_)
      return Task{.is_read = true, .block = hand_out(reading_, stages_.read_blocks)};
    return {};
  }

  const SharedStages& stages_;
  const std::int64_t slots_;
  ShortLock lock_;
  std::vector<std::int64_t> read_, written_;  // blocks of each slot's item that are done
  Block reading_, writing_;                   // which are given out next
  std::int64_t queued_ = 0;                   // items; of these three only the caller's thread writes any
  std::atomic<std::int64_t> computed_ = 0, finished_ = 0;
  std::atomic<std::uint64_t> changes_ = 0;  // how often there have come to be blocks
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr error_;
  RingTimes times_;
};

}  // namespace

RingTimes run_shared_ring(std::size_t slots, int threads, const SharedStages& stages) {
  SharedRing ring(slots, stages);
  const std::thread::id caller = std::this_thread::get_id();
  bool serves = false;
  std::atomic<int> helpers = 0;
  // A thread that waits elsewhere, of whatever others wait for, must not come to help here until all is done.
  isolated([&] {
    in_threads(threads, [&](std::int64_t) {
      if (std::this_thread::get_id() != caller) {
        ++helpers;
        return ring.guarded([&] { ring.help(); });
      }
      if (std::exchange(serves, true)) return;  // below, on this thread's stack, it does
      ring.guarded([&] { ring.serve(); });
    });
  });
  if (!serves) throw Error(ErrorCode::invalid_argument, "the run has been cancelled by the tasks that it is part of");
  RingTimes times = ring.times();
  times.items = stages.items;
  times.read.busy /= 1 + helpers;
  times.write.busy /= 1 + helpers;
  return times;
}

}  // namespace halation
