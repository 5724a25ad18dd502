// convert.h: pixels of any type as f32, for kernels whose rows the copy engine brings.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cuda_backend {

/// Gives u8, u16, i16 and f16 pixels of any strides as f32 in rows that begin on 16-byte boundaries and have room for whole fours
/// of pixels.
std::unique_ptr<const Runner> make_convert(Device device);

}  // namespace halation::cuda_backend
