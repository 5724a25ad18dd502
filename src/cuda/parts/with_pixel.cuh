// with_pixel.cuh: the type of a pixel, looked at once outside of loops over elements.
#pragma once

#include <cstdint>

#include "cuda/device/runtime.h"
#include "halation/pixel.h"

namespace halation::cuda_backend {

/// body(element) with an element of the pixel's type.
template <class Body>
__device__ __forceinline__ void with_pixel(Pixel pixel, const Body& body) {
  switch (pixel) {
    case Pixel::u8: body(std::uint8_t{}); break;
    case Pixel::u16: body(std::uint16_t{}); break;
    case Pixel::i16: body(std::int16_t{}); break;
    case Pixel::f16: body(f16{}); break;
    case Pixel::f32: body(float{}); break;
    case Pixel::f64: body(double{}); break;
    default:
      break;
  }
}

}  // namespace halation::cuda_backend
