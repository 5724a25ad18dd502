// whole_images.h: the direct method for many small images, several of them to a block.
#pragma once

#include "cuda/families.h"

namespace halation::cuda_backend {

/// One filter of at most 7×7 taps along y and x, sums in f32, elements of a row side by side, images of up to 8,192 elements.
extern const Family whole_images;

}  // namespace halation::cuda_backend
