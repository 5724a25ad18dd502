// backends.h: the backends of this build.
#pragma once

#include <string>

#include "core/backend.h"
#include "core/queue.h"

namespace halation {

/// The backend that computes on `device`. Throws `Error{unsupported}` where this build has none for it.
const Backend& backend_for(Device device);

/// What times on the device depend on, on one line: the CPU, the GPU and its driver. Empty where there is no
/// such device.
std::string identity_of(Device device);

/// Devices with memory of their own; null where this build knows none.
const DeviceMemory* device_memory();

/// The same for a device that has such memory. Throws `Error{unsupported}` where this build has no backend for it.
const DeviceMemory& memory_of(Device device);

/// Streams of such devices; null where this build knows none.
const Queues* device_queues();

}  // namespace halation
