// compare.h: one case run on a device, and compared with the reference as the documentation promises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coverage.h"

namespace halation::sweep {

/// Runs the case on `device` and returns what is wrong, or nothing. Outputs are poisoned before and their surroundings watched. Counts how
/// it was computed where asked to.
std::optional<std::string> find_fault(const JobCase& job_case, Device device, Coverage* coverage = nullptr);

/// What one run of a case gave: for telling whether a change has changed which kernels run, or a bit of what they give.
struct Outcome {
  std::string explain;         ///< the plan's last line, and its methods; of cases that are refused, the error
  std::uint64_t checksum = 0;  ///< over all outputs
};
Outcome outcome_of(const JobCase& job_case, Device device);

}  // namespace halation::sweep
