// backends.h: the backends of this build.
#pragma once

#include "core/backend.h"

namespace halation {

/// The backend that computes on `device`. Throws `Error{unsupported}` where this build has none for it.
const Backend& backend_for(Device device);

}  // namespace halation
