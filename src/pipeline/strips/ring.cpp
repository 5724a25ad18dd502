// ring.cpp: items that pass stages side by side, a bounded number of them at a time.
#include "pipeline/strips/ring.h"

#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "core/stopwatch.h"

namespace halation {
namespace {

/// How far the stages have come, and what stops them.
class Progress {
 public:
  explicit Progress(std::size_t slots) : slots_(static_cast<std::int64_t>(slots)) {}

  // Each waits until the item may be worked on; false where it never will.
  bool may_read(std::int64_t item) {
    return wait(item, [&] { return item < written_ + slots_; });
  }
  bool may_compute(std::int64_t item) {
    return wait(item, [&] { return item < read_; });
  }
  bool may_write(std::int64_t item) {
    return wait(item, [&] { return item < computed_; });
  }

  void has_read(std::int64_t item) { set([&] { read_ = item + 1; }); }
  void has_computed(std::int64_t item) { set([&] { computed_ = item + 1; }); }
  void has_written(std::int64_t item) { set([&] { written_ = item + 1; }); }
  void ends_at(std::int64_t item) { set([&] { end_ = item; }); }
  void fail(std::exception_ptr error) {
    set([&] {
      if (error_ == nullptr) error_ = std::move(error);
    });
  }

  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }
  std::int64_t items() const { return written_; }

 private:
  template <class Ready>
  bool wait(std::int64_t item, const Ready& ready) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ != nullptr || item >= end_ || ready(); });
    return error_ == nullptr && item < end_;
  }
  template <class Change>
  void set(const Change& change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::int64_t slots_;
  std::int64_t read_ = 0, computed_ = 0, written_ = 0;
  std::int64_t end_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr error_;
};

RingTimes run_in_turn(const RingStages& stages) {
  RingTimes times;
  for (;; ++times.items) {
    if (!timed(times.read.busy, [&] { return stages.read(times.items); })) return times;
    timed(times.compute.busy, [&] { stages.compute(times.items); });
    timed(times.write.busy, [&] { stages.write(times.items); });
  }
}

}  // namespace

RingTimes run_ring(std::size_t slots, const RingStages& stages) {
  if (slots <= 1) return run_in_turn(stages);
  Progress progress(slots);
  RingTimes times;

  // Waits for each item, works on it and says so, until there is none or a stage has failed.
  const auto run = [&](RingTimes::Stage& spent, auto&& may, auto&& work) {
    try {
      for (std::int64_t item = 0;; ++item) {
        if (!timed(spent.waiting, [&] { return may(item); })) return;
        if (!timed(spent.busy, [&] { return work(item); })) return;
      }
    } catch (...) {
      progress.fail(std::current_exception());
    }
  };
  std::thread reader([&] {
    run(
        times.read, [&](std::int64_t item) { return progress.may_read(item); },
        [&](std::int64_t item) {
          const bool is_there = stages.read(item);
          is_there ? progress.has_read(item) : progress.ends_at(item);
          return is_there;
        });
  });
  std::thread writer;
  try {
    writer = std::thread([&] {
      run(
          times.write, [&](std::int64_t item) { return progress.may_write(item); },
          [&](std::int64_t item) {
            stages.write(item);
            progress.has_written(item);
            return true;
          });
    });
    run(
        times.compute, [&](std::int64_t item) { return progress.may_compute(item); },
        [&](std::int64_t item) {
          stages.compute(item);
          progress.has_computed(item);
          return true;
        });
  } catch (...) {  // no thread could be started
    progress.fail(std::current_exception());
  }
  reader.join();
  if (writer.joinable()) writer.join();
  progress.rethrow();
  times.items = progress.items();
  return times;
}

}  // namespace halation
