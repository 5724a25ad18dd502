// threads.h: work in threads: oneTBB's, but in children of a fork, which oneTBB does not survive.
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
#include <functional>

namespace halation {

/// How many forks lie between the start of the program and this process; stays the same while it runs.
int forks_before() noexcept;

/// Whether oneTBB may not be called: the process was forked from one that had used it.
bool without_tbb() noexcept;

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

/// What `in_threads` does without oneTBB.
void in_own_threads(std::int64_t blocks, const std::function<void(std::int64_t)>& body);

/// Calls body(block) for each block in [0, blocks), several at once: in the caller's oneTBB arena, or in
/// threads that are started for this call and end with it. What a call throws comes out, once all threads are
/// done.
template <class Body>
void in_threads(std::int64_t blocks, const Body& body) {
  if (without_tbb()) return in_own_threads(blocks, body);
  // The counter orders what comes before the blocks, what they do and what comes after them, as oneTBB does: so a thread sanitizer, which
  // does not see into oneTBB, knows the order too.
  struct Passage {
    std::atomic<std::int64_t>& passed;
    explicit Passage(std::atomic<std::int64_t>& all) : passed(all) { ++passed; }
    ~Passage() { ++passed; }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;
  };
  std::atomic<std::int64_t> passed;
  passed.store(0, std::memory_order_release);
  const auto ordered = [&](std::int64_t block) {
    const Passage passage(passed);
    body(block);
  };
  tbb::parallel_for(std::int64_t{0}, blocks, ordered, tbb::simple_partitioner());
  (void)passed.load(std::memory_order_acquire);
}

/// Calls work(), in which a thread that waits for others takes up none of the tasks that do not come from it, as oneTBB's threads do
/// otherwise: for work that others wait for.
template <class Work>
void isolated(const Work& work) {
  if (without_tbb()) return work();
  tbb::this_task_arena::isolate(work);
}

}  // namespace halation
