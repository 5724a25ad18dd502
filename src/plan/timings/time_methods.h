// time_methods.h: filters timed by every method, or by every family of kernels.
#pragma once

#include <vector>

#include "core/backend.h"
#include "halation/plan.h"

namespace halation {

/// Times each filter of a spec by itself by every method that fits, but those that should take more than a
/// second and ten times as long as another, so that plans to come with `Tune::measure` know. Throws what
/// `Plan` throws, and `Error{out_of_memory}`.
void time_methods(const PlanSpec& spec);

/// What every family took that does the spec's one filter by some method, but for the hopeless. Throws the
/// same.
std::vector<TimedOffer> time_offers(const PlanSpec& spec);

}  // namespace halation
