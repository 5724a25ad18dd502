// threads.cpp: what is held while a process forks, and threads of a call's own.
#include "core/threads.h"

#include <pthread.h>
#include <sys/mman.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace halation {
namespace {

/// Held by forks alone, or shared by all that they wait for. Who waits to fork holds the turn, so that no
/// others come before.
struct Gate {
  std::mutex turn;
  std::shared_mutex held;
};
constinit Gate gate;
thread_local int holds = 0;

constinit std::atomic<int> forks = 0;
constinit std::atomic<bool> has_used_tbb = false;
constinit std::atomic<bool> lost_tbb = false;
constinit std::atomic<std::size_t> started_threads = 1;  // of oneTBB, with the caller's
constinit std::mutex starting;
constinit std::atomic<tbb::task_scheduler_handle*> threads_stay = nullptr;  // to the end of the process

extern "C" {
void halation_before_fork() {
  gate.turn.lock();
  gate.held.lock();
}
void halation_after_fork_in_parent() {
  gate.held.unlock();
  gate.turn.unlock();
}
void halation_after_fork_in_child() {
  std::construct_at(&gate);  // threads that waited for it are gone, and still counted in it
  ++forks;
  if (has_used_tbb) lost_tbb = true;
}
}

[[maybe_unused]] const int registered =
    pthread_atfork(halation_before_fork, halation_after_fork_in_parent, halation_after_fork_in_child);

/// Throws where the system would not give so many threads their stacks, and some memory to begin with: a thread that has begun without it
/// ends the process.
void check_room_for(std::size_t threads, std::size_t stack_bytes) {
  constexpr std::size_t first_bytes = std::size_t{256} << 10;  // variables of a thread, and what oneTBB keeps of it
  const std::size_t bytes = threads * (stack_bytes + first_bytes);
  void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  munmap(room, bytes);
}

/// Of threads that are started without saying it.
std::size_t usual_stack_bytes() {
  std::size_t bytes = 0;
  pthread_attr_t usual;
  pthread_attr_init(&usual);
  pthread_attr_getstacksize(&usual, &bytes);
  pthread_attr_destroy(&usual);
  return bytes;
}

}  // namespace

int forks_before() noexcept { return forks.load(std::memory_order_relaxed); }

bool without_tbb() noexcept {
  if (lost_tbb.load(std::memory_order_relaxed)) return true;
  if (!has_used_tbb.load(std::memory_order_relaxed)) has_used_tbb = true;  // before it is
  return false;
}

bool start_tbb_threads() noexcept {
  const std::size_t most = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  if (most <= started_threads.load(std::memory_order_acquire)) return true;
  const std::scoped_lock one_at_a_time(starting);
  if (lost_tbb) return false;
  if (most <= started_threads) return true;
  // Work for one thread in each arena, which keeps it until all have been started: so each is started from here.
  static constinit std::atomic<bool> may_end = false;
  may_end = false;
  try {
    if (threads_stay == nullptr) threads_stay = new tbb::task_scheduler_handle(tbb::attach{});
    check_room_for(most - 1, tbb::global_control::active_value(tbb::global_control::thread_stack_size));
    std::deque<tbb::task_arena> arenas;
    for (std::size_t thread = 1; thread < most; ++thread) {
      arenas.emplace_back(1, 0).enqueue([] { may_end.wait(false); });
    }
    started_threads = most;
  } catch (...) {
    lost_tbb = true;
  }
  may_end = true;
  may_end.notify_all();
  return !lost_tbb;
}

int arena_threads() {
  if (!without_tbb()) return tbb::this_task_arena::max_concurrency();
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

HoldsForks::HoldsForks() {
  if (holds++ > 0) return;  // who waits to fork would wait for this thread, and this thread for the turn
  const std::lock_guard turn(gate.turn);
  gate.held.lock_shared();
}

HoldsForks::~HoldsForks() {
  if (--holds == 0) gate.held.unlock_shared();
}

void in_own_threads(std::int64_t blocks, const std::function<void(std::int64_t)>& body) {
  Blocks all(blocks);
  const auto work = [&] {
    while (all.do_next(body)) continue;
  };
  std::vector<std::thread> others;
  try {
    for (std::int64_t i = 1; i < std::min<std::int64_t>(blocks, arena_threads()); ++i) {
      check_room_for(1, usual_stack_bytes());
      others.emplace_back(work);
    }
  } catch (...) {  // no more are to be had: those that are do it all
  }
  work();
  for (std::thread& other : others) other.join();
  all.finish();
}

}  // namespace halation
