// known_figures.h: figures that `halation tune` has left for a device.
#pragma once

#include "core/backend.h"

namespace halation {

/// Has the backend expect by what was measured on this machine, where something was: at the first call for a
/// device, before any offers are asked for. Others read the file once a process.
void use_known_figures(const Backend& backend, Device device);

}  // namespace halation
