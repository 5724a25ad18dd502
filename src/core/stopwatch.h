// stopwatch.h: how long a piece of work takes, and how that is said.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

namespace halation {

/// Calls `work`, adds the seconds that it took to `sum`, also where it throws, and returns what it returned.
template <class Work>
decltype(auto) timed(double& sum, Work&& work) {
  struct Stopwatch {
    double& sum;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ~Stopwatch() { sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
  };
  const Stopwatch running{sum};
  return std::forward<Work>(work)();
}

/// "0.514 us", "153 us", "1.53 ms", "21.4 s", "5210 s": three digits, or all before the point.
inline std::string time_text(double seconds) {
  // A value that rounds to 1000 of one unit is 1 of the next.
  const auto [scale, unit] = seconds < 999.5e-6   ? std::pair(1e6, "us")
                             : seconds < 999.5e-3 ? std::pair(1e3, "ms")
                                                  : std::pair(1.0, "s");
  char text[64];
  std::snprintf(text, sizeof text, seconds < 999.5 ? "%.3g %s" : "%.0f %s", scale * seconds, unit);
  return text;
}

}  // namespace halation
