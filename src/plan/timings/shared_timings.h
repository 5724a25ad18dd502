// shared_timings.h: what processes on this machine have left in the file of timings, as this one found it.
#pragma once

#include <optional>
#include <string>

#include "halation/device.h"
#include "plan/timings/timings_file.h"

namespace halation {

/// What the file held when the process first asked; nothing where there is no file.
const Timings& found_timings();

/// What times on the device depend on (`identity_of`), asked once; empty where there is no such device.
std::string machine_of(Device device);

/// What a run by the key took on the machine that has the device, by what was found.
std::optional<double> found_time(const TimingKey& key, Device device);

/// Adds to the file for processes to come: `found_timings` stays. False where there is none, or it cannot be
/// written.
bool share(const Timings& more);

}  // namespace halation
