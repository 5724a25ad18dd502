// runner.h: how runners for images that a kernel does not take are asked for.
#pragma once

#include <functional>
#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

using MakeRunner = std::function<std::unique_ptr<const Runner>()>;

}  // namespace halation::cuda_backend
