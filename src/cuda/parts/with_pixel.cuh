// with_pixel.cuh: the type of a pixel, looked at once outside of loops over elements.
#pragma once

#include <cstdint>

#include "cuda/device/runtime.h"
#include "halation/pixel.h"

namespace halation::cuda_backend {

/// Calls `visitor<T>()` for the pixel's type.
template <class Visitor>
__device__ __forceinline__ void with_pixel(Pixel pixel, const Visitor& visitor) {
  switch (pixel) {
    case Pixel::u8: visitor.template operator()<std::uint8_t>(); break;
    case Pixel::u16: visitor.template operator()<std::uint16_t>(); break;
    case Pixel::i16: visitor.template operator()<std::int16_t>(); break;
    case Pixel::f16: visitor.template operator()<f16>(); break;
    case Pixel::f32: visitor.template operator()<float>(); break;
    case Pixel::f64: visitor.template operator()<double>(); break;
  }
}

}  // namespace halation::cuda_backend
