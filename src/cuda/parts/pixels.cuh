// pixels.cuh: elements in device memory to numbers and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/device/runtime.h"
#include "halation/pixel.h"
#include "halation/plan.h"

namespace halation::cuda_backend {

__device__ __forceinline__ int element_bytes(Pixel pixel) {
  return pixel == Pixel::u8 ? 1 : pixel == Pixel::f64 ? 8 : pixel == Pixel::f32 ? 4 : 2;
}

template <class T, class Sum>
__device__ __forceinline__ Sum load(const std::byte* from) {
  if constexpr (std::is_same_v<T, f16>) {
    return static_cast<Sum>(__half2float(*reinterpret_cast<const __half*>(from)));
  } else {
    return static_cast<Sum>(*reinterpret_cast<const T*>(from));
  }
}

/// As `load`, from memory that nothing writes while the kernel runs: such loads may be moved before stores.
template <class T, class Sum>
__device__ __forceinline__ Sum load_constant(const std::byte* from) {
  if constexpr (std::is_same_v<T, f16>) {
    return static_cast<Sum>(__half2float(__ldg(reinterpret_cast<const __half*>(from))));
  } else {
    return static_cast<Sum>(__ldg(reinterpret_cast<const T*>(from)));
  }
}

/// As `to_element` of core/convert.h.
template <class T, class Sum>
__device__ __forceinline__ T integer(Sum value, Rounding rounding) {
  if (value != value) return 0;
  const Sum rounded = rounding == Rounding::half_even ? rint(value) : trunc(value);
  constexpr Sum low = std::is_same_v<T, std::int16_t> ? -32768 : 0;
  constexpr Sum high = std::is_same_v<T, std::int16_t> ? 32767 : std::is_same_v<T, std::uint16_t> ? 65535 : 255;
  return static_cast<T>(rounded < low ? low : rounded > high ? high : rounded);
}

/// One number as an element of type T.
template <class T, class Sum>
__device__ __forceinline__ void store_as(std::byte* to, Sum value, Rounding rounding) {
  if constexpr (std::is_same_v<T, f16>) {
    if constexpr (std::is_same_v<Sum, double>) {
      *reinterpret_cast<__half*>(to) = __double2half(value);
    } else {
      *reinterpret_cast<__half*>(to) = __float2half(value);
    }
  } else if constexpr (std::is_integral_v<T>) {
    *reinterpret_cast<T*>(to) = integer<T>(value, rounding);
  } else {
    *reinterpret_cast<T*>(to) = static_cast<T>(value);
  }
}

template <class Sum>
__device__ __forceinline__ void store(std::byte* to, Sum value, Pixel pixel, Rounding rounding) {
  switch (pixel) {
    case Pixel::u8: store_as<std::uint8_t>(to, value, rounding); break;
    case Pixel::u16: store_as<std::uint16_t>(to, value, rounding); break;
    case Pixel::i16: store_as<std::int16_t>(to, value, rounding); break;
    case Pixel::f16: store_as<f16>(to, value, rounding); break;
    case Pixel::f32: store_as<float>(to, value, rounding); break;
    case Pixel::f64: store_as<double>(to, value, rounding); break;
  }
}

}  // namespace halation::cuda_backend
