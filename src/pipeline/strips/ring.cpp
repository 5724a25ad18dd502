// ring.cpp: items that pass stages side by side, a bounded number of them at a time.
#include "pipeline/strips/ring.h"

#include <algorithm>
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

}  // namespace

RingTimes run_ring(std::size_t slots, const RingStages& stages) {
  Progress progress(std::max<std::size_t>(slots, 1));
  RingTimes times;
  // Each waits for its item, works on it and says so; false where there is none, or a stage has failed.
  const auto read = [&](std::int64_t item) {
    if (!timed(times.read.waiting, [&] { return progress.may_read(item); })) return false;
    const bool is_there = timed(times.read.busy, [&] { return stages.read(item); });
    is_there ? progress.has_read(item) : progress.ends_at(item);
    return is_there;
  };
  const auto compute = [&](std::int64_t item) {
    if (!timed(times.compute.waiting, [&] { return progress.may_compute(item); })) return false;
    timed(times.compute.busy, [&] { stages.compute(item); });
    progress.has_computed(item);
    return true;
  };
  const auto write = [&](std::int64_t item) {
    if (!timed(times.write.waiting, [&] { return progress.may_write(item); })) return false;
    timed(times.write.busy, [&] { stages.write(item); });
    progress.has_written(item);
    return true;
  };
  const auto run = [&](const auto& work) {
    try {
      for (std::int64_t item = 0; work(item);) ++item;
    } catch (...) {
      progress.fail(std::current_exception());
    }
  };
  const auto started = [&](const auto& work) -> std::thread {
    if (slots <= 1) return {};
    try {
      return std::thread([&] { run(work); });
    } catch (...) {  // no more are to be had: the caller's does it
      return {};
    }
  };
  std::thread reader = started(read), writer = started(write);
  const bool reads = !reader.joinable(), writes = !writer.joinable();
  run([&](std::int64_t item) { return (!reads || read(item)) && compute(item) && (!writes || write(item)); });
  if (!reads) reader.join();
  if (!writes) writer.join();
  progress.rethrow();
  times.items = progress.items();
  return times;
}

}  // namespace halation
