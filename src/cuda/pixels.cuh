// pixels.cuh: elements in device memory to numbers and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/runtime.h"
#include "halation/pixel.h"
#include "halation/plan.h"

namespace halation::cuda_backend {

template <class T, class Sum>
__device__ __forceinline__ Sum load(const std::byte* from) {
  if constexpr (std::is_same_v<T, f16>) {
    return static_cast<Sum>(__half2float(*reinterpret_cast<const __half*>(from)));
  } else {
    return static_cast<Sum>(*reinterpret_cast<const T*>(from));
  }
}

/// As `to_element` of core/convert.h.
template <class T, class Sum>
__device__ __forceinline__ T whole(Sum value, Rounding rounding) {
  if (value != value) return 0;
  const Sum rounded = rounding == Rounding::half_even ? rint(value) : trunc(value);
  constexpr Sum low = std::is_same_v<T, std::int16_t> ? -32768 : 0;
  constexpr Sum high = std::is_same_v<T, std::int16_t> ? 32767 : std::is_same_v<T, std::uint16_t> ? 65535 : 255;
  return static_cast<T>(rounded < low ? low : rounded > high ? high : rounded);
}

template <class Sum>
__device__ __forceinline__ void store(std::byte* to, Sum value, Pixel pixel, Rounding rounding) {
  switch (pixel) {
    case Pixel::u8: *reinterpret_cast<std::uint8_t*>(to) = whole<std::uint8_t>(value, rounding); break;
    case Pixel::u16: *reinterpret_cast<std::uint16_t*>(to) = whole<std::uint16_t>(value, rounding); break;
    case Pixel::i16: *reinterpret_cast<std::int16_t*>(to) = whole<std::int16_t>(value, rounding); break;
    case Pixel::f16:
      if constexpr (std::is_same_v<Sum, double>) {
        *reinterpret_cast<__half*>(to) = __double2half(value);
      } else {
        *reinterpret_cast<__half*>(to) = __float2half(value);
      }
      break;
    case Pixel::f32: *reinterpret_cast<float*>(to) = static_cast<float>(value); break;
    case Pixel::f64: *reinterpret_cast<double*>(to) = static_cast<double>(value); break;
  }
}

}  // namespace halation::cuda_backend
