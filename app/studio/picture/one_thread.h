// one_thread.h: a thread that does one piece of work after the other, for whoever asks.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace halation::app {

/// Plans keep scratch for each thread that runs them: one thread for all who ask keeps one.
class OneThread {
 public:
  OneThread() : thread_([this] { work_on(); }) {}
  ~OneThread() {
    {
      const std::lock_guard<std::mutex> locked(lock_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

  /// Throws what says that the work is no longer wanted.
  using Check = std::function<void()>;

  /// Does `work` once what others have asked for before is done, and waits for it. What it throws comes out; so does what `check` throws
  /// while the work waits (`look_again`) or as its turn comes.
  void run(std::function<void()> work, Check check = {}) {
    Task task{.work = std::move(work), .check = std::move(check), .done = {}};
    std::future<void> done = task.done.get_future();
    {
      const std::lock_guard<std::mutex> locked(lock_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    done.get();
  }

  /// Work that waits and is no longer wanted ends now, so that whoever asked for it waits no more.
  void look_again() {
    std::vector<std::pair<Task, std::exception_ptr>> over;
    {
      const std::lock_guard<std::mutex> locked(lock_);
      for (auto task = tasks_.begin(); task != tasks_.end();) {
        const std::exception_ptr why = why_unwanted(*task);
        if (why) over.emplace_back(std::move(*task), why);
        task = why ? tasks_.erase(task) : std::next(task);
      }
    }
    for (auto& [task, why] : over) task.done.set_exception(why);
  }

 private:
  struct Task {
    std::function<void()> work;
    Check check;
    std::promise<void> done;
  };

  static std::exception_ptr why_unwanted(const Task& task) {
    try {
      if (task.check) task.check();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  void work_on() {
    for (;;) {
      Task task;
      {
        std::unique_lock<std::mutex> locked(lock_);
        changed_.wait(locked, [this] { return ends_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      try {
        if (task.check) task.check();
        task.work();
        task.done.set_value();
      } catch (...) {
        task.done.set_exception(std::current_exception());
      }
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace halation::app
