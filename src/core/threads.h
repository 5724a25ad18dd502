// threads.h: work in threads: oneTBB's, but where oneTBB has none: in children of a fork, and where they could not be started.
//
// Memory, or a limit on threads, may be too little for oneTBB's. It starts them when there is work, from its own threads too, where a
// failure ends the process; so all of them are started before the first work, and where that fails none of oneTBB is used.
//
// A fork copies the calling thread alone. What other threads held at that moment stays held in the child for
// ever: oneTBB's locks, a static table that was being made, a mutex of the library's own. So forks wait for
// what is short (`HoldsForks`), and children of a process that has used oneTBB call it no more: they start
// threads of their own for each call.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>

#include "core/float_state.h"

namespace halation {

/// How many forks lie between the start of the program and this process; stays the same while it runs.
int forks_before() noexcept;

/// Whether oneTBB may not be called: the process was forked from one that had used it, or its threads could not be started.
bool without_tbb() noexcept;

/// Starts all threads that oneTBB may use in this process, unless they have been; false where that fails, and then `without_tbb` holds
/// from here on.
bool start_tbb_threads() noexcept;

/// Threads that a call may use: those of the caller's oneTBB arena; without oneTBB as many as the machine has
/// for this process.
int arena_threads();

/// While one lives no other thread forks, and what it does is never found half done by a child. For what
/// takes locks or makes static tables; it may be held more than once by a thread, which must not fork
/// meanwhile.
class HoldsForks {
 public:
  HoldsForks();
  ~HoldsForks();
  HoldsForks(const HoldsForks&) = delete;
  HoldsForks& operator=(const HoldsForks&) = delete;
};

/// Blocks of a call, each of which is done once, by the thread that takes it.
class Blocks {
 public:
  explicit Blocks(std::int64_t count) : count_(count) {
    next_.store(0, std::memory_order_release);
    done_.store(0, std::memory_order_release);
  }

  /// Does one that nobody has taken; false where there is none. What body(block) throws is kept, and no more blocks are taken.
  template <class Body>
  bool do_next(const Body& body) noexcept {
    const std::int64_t block = next_++;
    if (block >= count_) return false;
    try {
      body(block);
    } catch (...) {
      next_ = count_;
      if (!has_failed_.exchange(true)) error_ = std::current_exception();
    }
    ++done_;
    return true;
  }

  /// Once all threads are done: throws what a block threw. The counters order what comes before the blocks, what they do and what comes
  /// after, as oneTBB does: so a thread sanitizer, which does not see into oneTBB, knows the order too.
  void finish() const {
    (void)done_.load(std::memory_order_acquire);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const std::int64_t count_;
  std::atomic<std::int64_t> next_, done_;
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr error_;
};

/// What `in_threads` does without oneTBB.
void in_own_threads(std::int64_t blocks, const std::function<void(std::int64_t)>& body);

/// Calls body(block) for each block in [0, blocks), several at once: in the caller's oneTBB arena, or in threads that are started for this
/// call and end with it, as many as can be. What a call throws comes out, once all threads are done.
template <class Body>
void in_threads(std::int64_t blocks, const Body& body) {
  if (without_tbb() || !start_tbb_threads()) return in_own_threads(blocks, body);
  const KeepsFloatState callers;
  Blocks all(blocks);
  try {
    tbb::parallel_for(
        std::int64_t{0}, blocks, [&](std::int64_t) { all.do_next(body); }, tbb::simple_partitioner());
  } catch (...) {  // of oneTBB itself, which has no memory for more tasks, and whose threads are done with those that there were
    while (all.do_next(body)) continue;
  }
  all.finish();
}

/// What work() gives, in which a thread that waits for others takes up none of the tasks that do not come from it, as oneTBB's threads do
/// otherwise: for work that others wait for.
template <class Work>
auto isolated(const Work& work) {
  // A thread's first entry into oneTBB while others attach to it waits for them, and they for it, to no end.
  if (without_tbb() || !start_tbb_threads()) return work();
  return tbb::this_task_arena::isolate(work);
}

}  // namespace halation
