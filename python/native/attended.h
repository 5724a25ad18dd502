// attended.h: long work beside the interpreter: in a thread of its own, while the caller's calls back and answers signals.
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

#include "gil.h"

namespace halation::python {

namespace nb = nanobind;

/// The calling thread is where Python's handlers of signals run and where callers expect their functions to be called, with their context
/// variables; so the work leaves it free. It looks for signals ten times a second and whenever the work tells how far it is.
class Attended {
 public:
  /// `progress`: a function of (done, all), or None.
  explicit Attended(nb::object progress) : progress_(std::move(progress)) {}

  /// Runs `work`, with the interpreter's lock released. What `progress` or a handler of signals raises ends the work at its next `tell` or
  /// `check`, and comes out once it has ended, as does what the work throws.
  void run(const std::function<void()>& work);

  /// In the work's threads: has `progress` called and waits for it. Throws where it raised, and all that `check` throws.
  void tell(std::int64_t done, std::int64_t all);
  /// Throws where the work is to end.
  void check();

 private:
  /// What `tell` and `check` throw; the caller gets what was raised instead.
  struct Stopped {};

  void attend(WithoutGil& released);
  void answer(bool has_news, std::int64_t done, std::int64_t all);

  nb::object progress_;
  std::exception_ptr raised_;  // by Python; the calling thread's
  std::mutex mutex_;           // guards what follows
  std::condition_variable changed_;
  std::int64_t done_ = 0, all_ = 0;
  bool has_news_ = false;
  bool is_stopped_ = false;
  bool is_over_ = false;
};

}  // namespace halation::python
