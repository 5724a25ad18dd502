// time_methods.cpp: filters timed by every method, or by every family of kernels.
#include "plan/timings/time_methods.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/channels_apart.h"
#include "core/threads.h"
#include "halation/error.h"
#include "plan/backends.h"
#include "plan/choose.h"
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

/// By each method that fits.
std::vector<Choice> choices_of(const PlanSpec& spec, const Backend& backend) {
  (void)choose(check(spec), spec.options, backend,
               spec.device);  // what is wrong with the job is said of it, not of a method
  std::vector<Choice> choices;
  for (const MethodRecord* const method : methods_of(backend)) {
    if (std::optional<Choice> choice = choice_by(spec, method->method, backend))
      choices.push_back(std::move(*choice));
  }
  return choices;
}

bool is_hopeless(double expected, double least) {
  return expected > long_seconds && expected >= hopeless * least;
}

/// A spec of one of its filters.
PlanSpec by_itself(const PlanSpec& spec, const Filter& filter) {
  PlanSpec one = spec;
  one.filters = {filter};
  one.combine = Combine::none;
  one.options.method = Method::automatic;
  one.options.tune = Tune::estimate;
  return one;
}

}  // namespace

void time_methods(const PlanSpec& spec) {
  const HoldsForks held;
  const Backend& backend = backend_for(spec.device);
  for (const Filter& filter : spec.filters) {
    const std::vector<Choice> choices = choices_of(by_itself(spec, filter), backend);
    double least = std::numeric_limits<double>::infinity();
    for (const Choice& choice : choices) least = std::min(least, choice.reasons.front().seconds);
    for (const Choice& choice : choices) {
      if (is_hopeless(choice.reasons.front().seconds, least)) continue;
      const Job& job = *choice.job;
      const Timing timing =
          timing_of(job, job.filters.front(), choice.layout, backend, spec.device, Timed::by_this_process);
      if (!timing.seconds) throw Error(ErrorCode::out_of_memory, timing.why_none);
    }
  }
}

std::vector<TimedOffer> time_offers(const PlanSpec& spec) {
  const HoldsForks held;
  const Backend& backend = backend_for(spec.device);
  std::vector<TimedOffer> timed;
  for (const Choice& choice : choices_of(by_itself(spec, spec.filters.front()), backend)) {
    const Job& job = *choice.job;
    const std::vector<Offer> offers = backend.offers(
        choice.layout == Layout::planar ? with_channels_apart(job) : job, job.filters, spec.device);
    const double least = best_of(offers).seconds;
    for (const Offer& offer : offers) {
      if (offer.why_not != nullptr || is_hopeless(offer.seconds, least)) continue;
      Job one = job;
      one.family = offer.family;
      const double seconds = time_run(one, choice.layout, backend, spec.device);
      const auto lying = [&](const Shape& shape, Pixel pixel) {
        return View{nullptr, shape, strides_of(shape, pixel, choice.layout), pixel, spec.device};
      };
      timed.push_back({.job = choice.job,
                       .in = lying(job.in, job.in_pixel),
                       .out = lying(job.out, job.out_pixel),
                       .family = offer.family,
                       .seconds = seconds});
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (const TimedOffer& each : timed) least = std::min(least, each.seconds);
  for (TimedOffer& each : timed) each.weight = least / each.seconds;
  return timed;
}

}  // namespace halation
