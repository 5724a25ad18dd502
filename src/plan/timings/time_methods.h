// time_methods.h: filters timed by every method, and the rates that follow.
#pragma once

#include <span>
#include <vector>

#include "plan/timings/timings_file.h"

namespace halation {

/// A method of one filter, and what it takes.
struct TimedMethod {
  Method method = Method::automatic;
  Pixel pixels = Pixel::u8;     ///< their class (rates.h)
  double expected_seconds = 0;  ///< by the library's figures alone
  double measured_seconds = 0;
};

/// Times the filters of `spec` one by one, each by all methods that fit, but for those that should take more
/// than a second and ten times as long as another. What earlier processes have timed does not count; what is
/// timed is shared with those to come. Throws what `Plan` throws, and `Error{out_of_memory}`.
std::vector<TimedMethod> time_methods(const PlanSpec& spec);

/// The median of measured over expected, for each method and class that was timed, within `least_rate` and
/// `most_rate`.
std::vector<KnownRate> rates_from(std::span<const TimedMethod> timed, Device device);

}  // namespace halation
