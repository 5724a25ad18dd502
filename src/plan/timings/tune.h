// tune.h: what a method takes on this machine, timed once and remembered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/backend.h"

namespace halation {

/// The time of one run, or why there is none.
struct Timing {
  std::optional<double> seconds;
  std::string why_none;  ///< the sentence that memory was refused with
};

/// Whose times count: of this process and those before it that have shared theirs, or of this one alone.
enum class Timed { by_any, by_this_process };

/// The median time of a few runs of `job` with `taps`, which are complete, as its one filter: on packed
/// images of the job's shapes and pixels and of `layout`, filled with numbers. What has been timed before is
/// not timed again, what is timed is shared with processes to come (shared_timings.h); threads time one after
/// the other. Throws what `Backend::prepare` and `Runner::run` throw, but for `Error{out_of_memory}`.
Timing timing_of(const Job& job, const Taps& taps, Layout layout, const Backend& backend, Device device,
                 Timed timed = Timed::by_any);

/// The same where it is known, without timing.
std::optional<double> known_time(const Job& job, const Taps& taps, Layout layout, Device device);

/// The median time of a few runs of a job, as `timing_of` takes it, remembered by nobody. Throws what
/// `Backend::prepare`, `Runner::run` and `allocate` throw.
double time_run(const Job& job, Layout layout, const Backend& backend, Device device);

/// How many times the process has timed a method; those that were remembered do not count.
std::int64_t timings_taken();

}  // namespace halation
