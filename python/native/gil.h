// gil.h: work without the interpreter's lock (the GIL), in threads that may still run when the interpreter ends.
//
// Before 3.14 CPython ends a thread that asks for the lock then by pthread_exit, which unwinds its stack as an exception does that nobody
// may catch: the process aborts where it meets a frame that lets nothing through, and the memory goes under work that still uses it. Here
// such a thread waits for the end of the process instead, as it does in CPython from 3.14 on.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace halation::python {

/// Calls what may run code of the interpreter, which may end the thread: pthread_exit comes no further than here.
template <class Call>
decltype(auto) in_interpreter(const Call& call) {
#ifdef __GLIBCXX__
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
#else  // pthread_exit unwinds nothing
  return call();
#endif
}

/// The thread is without the lock while one lives.
class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  ~WithoutGil() { take_back(); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

  /// Has the lock again for one call.
  template <class Call>
  void with_gil(const Call& call) {
    const Held held(*this);
    in_interpreter(call);
  }

 private:
  struct Held {
    explicit Held(WithoutGil& outer) : outer(outer) { outer.take_back(); }
    ~Held() { outer.thread_ = PyEval_SaveThread(); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    WithoutGil& outer;
  };

  void take_back() noexcept {
    in_interpreter([this] { PyEval_RestoreThread(thread_); });
  }

  PyThreadState* thread_;
};

}  // namespace halation::python
