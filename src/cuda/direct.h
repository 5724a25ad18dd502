// direct.h: the method direct on a GPU.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// Magnitudes are of so many filters at most.
constexpr int most_filters_together = 8;

/// Any job whose filters are dense. The device must be the present one.
std::unique_ptr<const Runner> make_direct(std::shared_ptr<const Job> job, Device device);

}  // namespace halation::cuda_backend
