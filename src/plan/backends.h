// backends.h: the backends of this build.
#pragma once

#include "core/backend.h"

namespace halation {

/// The backend that computes on `device`. Throws `Error{unsupported}` where this build has none for it.
const Backend& backend_for(Device device);

/// Devices with memory of their own; null where this build knows none.
const DeviceMemory* device_memory();

/// The same for a device that has such memory. Throws `Error{unsupported}` where this build has no backend for it.
const DeviceMemory& memory_of(Device device);

}  // namespace halation
