// banded.h: filters over bytes by tensor cores.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter over u8 along y and x whose weights stand for whole numbers of 8 or 16 bits (core/banded.h), as products of banded matrices.
extern const Family banded;
/// One filter over u8 that is a product of factors along y and x, which stand for whole numbers of 16 bits: both passes in one kernel.
extern const Family banded_passes;

}  // namespace halation::cuda_backend
