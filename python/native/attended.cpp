// attended.cpp: long work beside the interpreter: in a thread of its own, while the caller's calls back and answers signals.
#include "attended.h"

#include <chrono>
#include <thread>

namespace halation::python {

void Attended::run(const std::function<void()>& work) {
  std::exception_ptr thrown;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  });
  {
    WithoutGil released;
    attend(released);
    worker.join();
  }
  if (raised_) std::rethrow_exception(raised_);
  if (thrown) std::rethrow_exception(thrown);
}

/// Until the work is over.
void Attended::attend(WithoutGil& released) {
  constexpr std::chrono::milliseconds patience(100);
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    changed_.wait_for(lock, patience, [&] { return is_over_ || has_news_; });
    if (is_over_) return;
    const bool has_news = has_news_;
    const std::int64_t done = done_, all = all_;
    lock.unlock();
    if (!raised_) released.with_gil([&] { answer(has_news, done, all); });
    lock.lock();
    is_stopped_ = raised_ != nullptr;
    if (has_news) has_news_ = false;
    changed_.notify_all();
  }
}

void Attended::answer(bool has_news, std::int64_t done, std::int64_t all) {
  try {
    if (has_news) progress_(done, all);
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  } catch (const std::exception&) {  // and no more: what ends the thread is none of these
    raised_ = std::current_exception();
  }
}

void Attended::tell(std::int64_t done, std::int64_t all) {
  if (progress_.is_none()) return check();
  std::unique_lock lock(mutex_);
  if (is_stopped_) throw Stopped();
  done_ = done;
  all_ = all;
  has_news_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !has_news_; });
  if (is_stopped_) throw Stopped();
}

void Attended::check() {
  const std::scoped_lock lock(mutex_);
  if (is_stopped_) throw Stopped();
}

}  // namespace halation::python
