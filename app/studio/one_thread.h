// one_thread.h: a thread that does one piece of work after the other, for whoever asks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

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

  /// Does `work` once what others have asked for before is done, and waits for it. What it throws comes out.
  void run(std::function<void()> work) {
    std::packaged_task<void()> task(std::move(work));
    std::future<void> done = task.get_future();
    {
      const std::lock_guard<std::mutex> locked(lock_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    done.get();
  }

 private:
  void work_on() {
    for (;;) {
      std::packaged_task<void()> task;
      {
        std::unique_lock<std::mutex> locked(lock_);
        changed_.wait(locked, [this] { return ends_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace halation::app
