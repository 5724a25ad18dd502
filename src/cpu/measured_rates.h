// measured_rates.h: what pieces of work take from what whole jobs took.
#pragma once

#include <span>
#include <string>

#include "core/backend.h"
#include "cpu/rates.h"

namespace halation::cpu_backend {

/// Lines of figures (`with`, rates.h) of the pieces that these offers are made of, all together: near the
/// measured times, and near what they were where little was measured. `by_threads`: what a job takes for
/// which one thread takes so many seconds.
std::string rates_from_times(std::span<const TimedOffer> offers,
                             double (*by_threads)(const Job&, double seconds, const Rates&));

}  // namespace halation::cpu_backend
