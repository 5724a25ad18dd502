// multirate.h: smooth filters at a lower rate.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter by multirate along y and x, by one factor along both.
extern const Family multirate;

}  // namespace halation::cuda_backend
