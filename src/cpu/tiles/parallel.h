// parallel.h: tasks over threads, each worker with scratch of its own.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/float_state.h"
#include "core/threads.h"

namespace halation::cpu_backend {

/// Calls body(worker, task) for each task in [0, tasks). At most `workers` run at once, in the caller's oneTBB arena; each worker
/// takes the next task when it is done with one, in the floating-point state that halation computes in (FloatState). One worker
/// runs in the caller's thread and does not touch oneTBB.
template <class Body>
void parallel(int workers, std::int64_t tasks, const Body& body) {
  if (workers <= 1 || tasks <= 1) {
    const FloatState state;
    for (std::int64_t task = 0; task < tasks; ++task) body(0, task);
    return;
  }
  std::atomic<std::int64_t> next = 0;
  in_threads(workers, [&](std::int64_t worker) {
    const FloatState state;
    for (std::int64_t task = next++; task < tasks; task = next++) body(static_cast<int>(worker), task);
  });
}

}  // namespace halation::cpu_backend
