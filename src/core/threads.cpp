// threads.cpp: what is held while a process forks, and threads of a call's own.
#include "core/threads.h"

#include <pthread.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <system_error>
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

}  // namespace

int forks_before() noexcept { return forks.load(std::memory_order_relaxed); }

bool without_tbb() noexcept {
  if (lost_tbb.load(std::memory_order_relaxed)) return true;
  if (!has_used_tbb.load(std::memory_order_relaxed)) has_used_tbb = true;  // before it is
  return false;
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
  std::atomic<std::int64_t> next = 0;
  std::mutex one_error;
  std::exception_ptr error;
  const auto work = [&]() noexcept {
    try {
      for (std::int64_t block = next++; block < blocks; block = next++) body(block);
    } catch (...) {
      next = blocks;
      const std::lock_guard lock(one_error);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(arena_threads()));
  try {
    for (std::int64_t i = 1; i < std::min<std::int64_t>(blocks, arena_threads()); ++i)
      others.emplace_back(work);
  } catch (const std::system_error&) {  // no more are to be had: those that are do it all
  }
  work();
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace halation
