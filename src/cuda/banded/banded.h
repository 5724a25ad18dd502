// banded.h: filters by tensor cores, over bytes, and at accuracy fast over floats.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter over u8 along y and x whose weights stand for whole numbers of 8 or 16 bits (core/banded.h), as products of banded matrices.
extern const Family banded;
/// One filter over u8 that is a product of factors along y and x, which stand for whole numbers of 16 bits: both passes in one kernel.
extern const Family banded_passes;
/// One filter over f32 or f16 along y and x whose weights and pixels are rounded to tf32; any rows.
extern const Family banded_floats;

}  // namespace halation::cuda_backend
