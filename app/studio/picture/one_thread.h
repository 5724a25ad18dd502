// one_thread.h: a thread that does one piece of work after the other, for whoever asks.
#pragma once

#include <algorithm>
#include <atomic>
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
  enum class Urgency { usual, urgent };
  /// Thrown by work that `gives_way`: it is done from its beginning once what is urgent has been.
  struct Later {};

  /// Does `work` once what others have asked for before is done, urgent work before other, and waits for it. What it throws comes out; so does
  /// what `check` throws as the work is handed in, while it waits (`look_again`) or as its turn comes.
  void run(std::function<void()> work, Check check = {}, Urgency urgency = Urgency::usual) {
    Task task{.work = std::move(work), .check = std::move(check), .urgency = urgency, .done = {}};
    std::future<void> done = task.done.get_future();
    add(std::move(task));
    done.get();
  }

  /// Called by work that is under way and not urgent, at places where it can stop. Throws `Later` where urgent work waits.
  void give_way() const {
    if (urgent_ > 0) throw Later{};
  }

  /// Work that waits and is no longer wanted ends now, so that whoever asked for it waits no more.
  void look_again() {
    std::vector<std::pair<Task, std::exception_ptr>> over;
    {
      const std::lock_guard<std::mutex> locked(lock_);
      for (auto task = tasks_.begin(); task != tasks_.end();) {
        const std::exception_ptr why = why_unwanted(*task);
        if (why) {
          if (task->urgency == Urgency::urgent) --urgent_;
          over.emplace_back(std::move(*task), why);
        }
        task = why ? tasks_.erase(task) : std::next(task);
      }
    }
    for (auto& [task, why] : over) task.done.set_exception(why);
  }

 private:
  struct Task {
    std::function<void()> work;
    Check check;
    Urgency urgency = Urgency::usual;
    std::promise<void> done;
  };

  /// Behind all that are as urgent. What made it unwanted may have looked (`look_again`) before it came: then it does not wait either.
  void add(Task task) {
    {
      const std::lock_guard<std::mutex> locked(lock_);
      if (const std::exception_ptr why = why_unwanted(task)) return task.done.set_exception(why);
      auto place = tasks_.end();
      if (task.urgency == Urgency::urgent) {
        ++urgent_;
        place = std::find_if(tasks_.begin(), tasks_.end(), [](const Task& each) { return each.urgency == Urgency::usual; });
      }
      tasks_.insert(place, std::move(task));
    }
    changed_.notify_one();
  }

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
        if (task.urgency == Urgency::urgent) --urgent_;
      }
      try {
        if (task.check) task.check();
        task.work();
        task.done.set_value();
      } catch (const Later&) {
        add(std::move(task));
      } catch (...) {
        task.done.set_exception(std::current_exception());
      }
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::atomic<int> urgent_{0};  // of them
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace halation::app
