// time_methods.cpp: filters timed by every method, and the rates that follow.
#include "plan/timings/time_methods.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/threads.h"
#include "halation/error.h"
#include "plan/backends.h"
#include "plan/choose.h"
#include "plan/timings/rates.h"
#include "plan/timings/shared_timings.h"
#include "plan/timings/tune.h"

namespace halation {
namespace {

constexpr double long_seconds = 1, hopeless = 10;

/// The choice by a method; none where it does not fit.
std::optional<Choice> choice_by(PlanSpec spec, Method method, const Backend& backend) {
  spec.options.method = method;
  try {
    return choose(check(spec), spec.options, backend, spec.device);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported && error.code() != ErrorCode::invalid_argument) throw;
    return std::nullopt;
  }
}

void time_one(const PlanSpec& spec, std::vector<TimedMethod>& timed) {
  const Backend& backend = backend_for(spec.device);
  (void)choose(check(spec), spec.options, backend,
               spec.device);  // what is wrong with the job is said of it, not of a method
  std::vector<Choice> choices;
  double least = std::numeric_limits<double>::infinity();
  for (const MethodRecord* const method : methods_of(backend)) {
    std::optional<Choice> choice = choice_by(spec, method->method, backend);
    if (!choice) continue;
    least = std::min(least, choice->reasons.front().seconds);
    choices.push_back(std::move(*choice));
  }
  for (const Choice& choice : choices) {
    const double expected = choice.reasons.front().seconds;
    if (expected > long_seconds && expected >= hopeless * least) continue;
    const Job& job = *choice.job;
    const Taps& taps = job.filters.front();
    const Timing timing = timing_of(job, taps, choice.layout, backend, spec.device, Timed::by_this_process);
    if (!timing.seconds) throw Error(ErrorCode::out_of_memory, timing.why_none);
    const Pixel pixels = rate_class(job);
    timed.push_back({choice.reasons.front().method->method, pixels,
                     expected / rates_of(spec.device).of(choice.reasons.front().method->method, pixels),
                     *timing.seconds});
  }
}

}  // namespace

std::vector<TimedMethod> time_methods(const PlanSpec& spec) {
  const HoldsForks held;
  std::vector<TimedMethod> timed;
  PlanSpec alone = spec;
  alone.combine = Combine::none;
  alone.options.method = Method::automatic;
  alone.options.tune = Tune::estimate;
  for (const Filter& filter : spec.filters) {
    alone.filters = {filter};
    time_one(alone, timed);
  }
  return timed;
}

std::vector<KnownRate> rates_from(std::span<const TimedMethod> timed, Device device) {
  std::map<std::pair<Pixel, Method>, std::vector<double>> factors;
  for (const TimedMethod& each : timed)
    factors[{each.pixels, each.method}].push_back(each.measured_seconds / each.expected_seconds);
  std::vector<KnownRate> rates;
  for (auto& [of, list] : factors) {
    const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), middle, list.end());
    rates.push_back({machine_of(device), of.second, of.first, std::clamp(*middle, least_rate, most_rate)});
  }
  return rates;
}

}  // namespace halation
