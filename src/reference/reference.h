// reference.h: the oracle, a backend like the others.
#pragma once

#include "core/backend.h"

namespace halation::reference_backend {

const Backend& backend();

}  // namespace halation::reference_backend
