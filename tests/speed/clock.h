// clock.h: the least time of many repeats, which is what a call takes when nothing else has the core.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace halation {

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(_GLIBCXX_DEBUG)
inline constexpr bool is_measurable = true;
#else
inline constexpr bool is_measurable = false;
#endif

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The least mean of several calls, of as many readings as a quarter of a second has, five at least.
template <class Work>
double least_seconds(const Work& work, int calls = 1) {
  constexpr int least_readings = 5;
  constexpr int most_readings = 400;
  constexpr double most_seconds = 0.25;
  double least = std::numeric_limits<double>::infinity();
  double total = 0;
  for (int reading = 0; reading < most_readings && (reading < least_readings || total < most_seconds); ++reading) {
    const double seconds = seconds_of([&] {
      for (int i = 0; i < calls; ++i) work();
    });
    total += seconds;
    least = std::min(least, seconds / calls);
  }
  return least;
}

}  // namespace halation
