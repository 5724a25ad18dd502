// fft.h: what transforms of a job round.
#pragma once

#include "core/job.h"
#include "core/transform.h"

namespace halation::cpu_backend {

/// Of the tiles that its filters are transformed in, all together.
TransformFacts facts_of_transforms(const Job& job);

}  // namespace halation::cpu_backend
