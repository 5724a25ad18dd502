// with_pixel.cuh: the type of a pixel, looked at once outside of loops over elements.
#pragma once

#include "core/pixel_table.h"
#include "cuda/device/runtime.h"

namespace halation::cuda_backend {

#define HALATION_WITH(pixel, type) \
  case Pixel::pixel:               \
    body(type{});                  \
    break;

/// body(element) with an element of the pixel's type, which is a native one.
template <class Body>
__device__ __forceinline__ void with_pixel(Pixel pixel, const Body& body) {
  switch (pixel) {
    HALATION_NATIVE_PIXELS(HALATION_WITH)
    default:
      break;
  }
}

/// The same beside sums in f32, which no f64 is made of.
template <class Body>
__device__ __forceinline__ void with_f32_pixel(Pixel pixel, const Body& body) {
  switch (pixel) {
    HALATION_F32_PIXELS(HALATION_WITH)
    default:
      break;
  }
}
#undef HALATION_WITH

}  // namespace halation::cuda_backend
