// shared_timings.h: what processes on this machine have left in the file of timings, as this one found it.
#pragma once

#include <optional>
#include <string>

#include "core/backend.h"
#include "halation/device.h"
#include "plan/timings/timings_file.h"

namespace halation {

/// What the file held when the process first asked; nothing where there is no file.
const Timings& found_timings();

/// What times on the device depend on (`identity_of`), asked once; empty where there is no such device.
std::string machine_of(Device device);

/// What a run by the key took on the machine that has the device, by what was found.
std::optional<double> found_time(const TimingKey& key, Device device);

/// Has the backend expect by what was measured on this machine, where something was: at the first call for a
/// device, before any offers are asked for. Others read the file once a process.
void use_known_figures(const Backend& backend, Device device);

/// Adds to the file for processes to come: `found_timings` stays. False where there is none, or it cannot be
/// written.
bool share(const Timings& more);

}  // namespace halation
