// lap.h: how long a piece of work takes.
#pragma once

#include <chrono>
#include <utility>

namespace halation {

/// Calls `work`, adds the seconds that it took to `sum`, also where it throws, and returns what it returned.
template <class Work>
decltype(auto) timed(double& sum, Work&& work) {
  struct Lap {
    double& sum;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ~Lap() { sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
  };
  const Lap lap{sum};
  return std::forward<Work>(work)();
}

}  // namespace halation
