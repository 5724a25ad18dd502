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

/// Four numbers as consecutive elements of type T in one store; `to` on a boundary of four elements.
template <class T>
__device__ __forceinline__ void store_four(std::byte* to, const float* value, Rounding rounding) {
  const auto integer = [&](int i) {
    // Saturating conversion; NaN gives 0, as `whole` has it.
    return rounding == Rounding::half_even ? __float2int_rn(value[i]) : __float2int_rz(value[i]);
  };
  const auto clamped = [&](int i) {
    constexpr int low = std::is_same_v<T, std::int16_t> ? -32768 : 0;
    constexpr int high = std::is_same_v<T, std::int16_t> ? 32767 : 65535;
    return static_cast<std::uint32_t>(min(max(integer(i), low), high)) & 0xffffU;
  };
  if constexpr (std::is_same_v<T, float>) {
    *reinterpret_cast<float4*>(to) = make_float4(value[0], value[1], value[2], value[3]);
  } else if constexpr (std::is_same_v<T, double>) {
    reinterpret_cast<double2*>(to)[0] = make_double2(value[0], value[1]);
    reinterpret_cast<double2*>(to)[1] = make_double2(value[2], value[3]);
  } else if constexpr (std::is_same_v<T, f16>) {
    const __half2 low = __floats2half2_rn(value[0], value[1]);
    const __half2 high = __floats2half2_rn(value[2], value[3]);
    *reinterpret_cast<uint2*>(to) = make_uint2(*reinterpret_cast<const unsigned*>(&low), *reinterpret_cast<const unsigned*>(&high));
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    std::uint32_t low = 0;
    std::uint32_t packed = 0;  // two conversions and a saturating pack become one instruction
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(low) : "r"(integer(3)), "r"(integer(2)));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(integer(1)), "r"(integer(0)), "r"(low));
    *reinterpret_cast<std::uint32_t*>(to) = packed;
  } else {
    *reinterpret_cast<uint2*>(to) = make_uint2(clamped(0) | clamped(1) << 16, clamped(2) | clamped(3) << 16);
  }
}

}  // namespace halation::cuda_backend
