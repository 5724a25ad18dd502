// compare.h: one case run on the reference and on the device under test, and compared as the documentation promises.
#pragma once

#include <optional>
#include <string>

#include "job_case.h"

namespace halation::sweep {

/// Runs the case on `device` and returns what is wrong, or nothing. Outputs are poisoned before and their surroundings watched.
std::optional<std::string> find_fault(const JobCase& job_case, Device device);

}  // namespace halation::sweep
