// narrow_rows.h: the direct method over images and volumes of narrow rows.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter of dense weights over rows of at most 64 elements, side by side; any pixels, borders and extents.
extern const Family narrow_rows;

}  // namespace halation::cuda_backend
