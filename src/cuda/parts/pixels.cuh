// pixels.cuh: elements in device memory to numbers and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/device/runtime.h"
#include "cuda/parts/with_pixel.cuh"
#include "halation/pixel.h"

namespace halation::cuda_backend {

__device__ __forceinline__ int element_bytes(Pixel pixel) {
  return pixel == Pixel::u8 ? 1 : pixel == Pixel::f64 ? 8 : pixel == Pixel::f32 ? 4 : 2;
}

/// A sum of squares and one more, for `root_of` only: where squares overflow or vanish it is the root's negative.
template <class Sum>
__device__ __forceinline__ Sum add_square(Sum total, Sum number) {
  constexpr Sum least = sizeof(Sum) == 8 ? static_cast<Sum>(1e-290) : static_cast<Sum>(1e-30), most = sizeof(Sum) == 8 ? static_cast<Sum>(1e308) : static_cast<Sum>(3e38);
  const Sum sum = total + number * number;
  if (total >= 0 && ((sum >= least && sum <= most) || (total == 0 && number == 0))) return sum;
  if (total != total || number != number) return total + number;
  return -hypot(total < 0 ? -total : sqrt(total), number);
}
template <class Sum>
__device__ __forceinline__ Sum root_of(Sum total) {
  return total < 0 ? -total : sqrt(total);
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

/// An element's bits, as they lie in memory; of 8 bytes where sums are in f64.
template <class Sum>
using Bits = std::conditional_t<std::is_same_v<Sum, double>, std::uint64_t, std::uint32_t>;

/// Loads an element's bits where they are `wanted`: by a predicate, since branches would make each load wait for the one before.
template <int Bytes, class Bits>
__device__ __forceinline__ void load_bits([[maybe_unused]] Bits& to, [[maybe_unused]] const std::byte* from, [[maybe_unused]] bool wanted) {
#if defined(__CUDA_ARCH__)
  const int is_wanted = wanted ? 1 : 0;
  if constexpr (Bytes == 8) {
    asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b64 %0, 0; @p ld.global.nc.u64 %0, [%1]; }" : "=l"(to) : "l"(from), "r"(is_wanted));
  } else {
    std::uint32_t bits = 0;
    if constexpr (Bytes == 1) {
      asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b32 %0, 0; @p ld.global.nc.u8 %0, [%1]; }" : "=r"(bits) : "l"(from), "r"(is_wanted));
    } else if constexpr (Bytes == 2) {
      asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b32 %0, 0; @p ld.global.nc.u16 %0, [%1]; }" : "=r"(bits) : "l"(from), "r"(is_wanted));
    } else {
      asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.b32 %0, 0; @p ld.global.nc.u32 %0, [%1]; }" : "=r"(bits) : "l"(from), "r"(is_wanted));
    }
    to = bits;
  }
#elif defined(__HIP_DEVICE_COMPILE__)
  using Word = std::conditional_t<Bytes == 1, std::uint8_t,
                                  std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;
  if (wanted) to = *reinterpret_cast<const Word*>(from);
#endif
}

/// An element's bits.
template <int Bytes, class Sum>
__device__ __forceinline__ Bits<Sum> load_plain(const std::byte* from) {
  if constexpr (Bytes == 1) return __ldg(reinterpret_cast<const std::uint8_t*>(from));
  else if constexpr (Bytes == 2) return __ldg(reinterpret_cast<const std::uint16_t*>(from));
  else if constexpr (Bytes == 4) return __ldg(reinterpret_cast<const std::uint32_t*>(from));
  else return __ldg(reinterpret_cast<const unsigned long long*>(from));
}

template <class In, class Sum>
__device__ __forceinline__ Sum number_of(Bits<Sum> bits) {
  if constexpr (std::is_same_v<In, f16>) return static_cast<Sum>(__half2float(__ushort_as_half(static_cast<unsigned short>(bits))));
  else if constexpr (std::is_same_v<In, float>) return static_cast<Sum>(__uint_as_float(static_cast<unsigned>(bits)));
  else if constexpr (std::is_same_v<In, double>) return __longlong_as_double(static_cast<long long>(bits));
  else return static_cast<Sum>(static_cast<In>(bits));
}

/// body(element) with an element of the type of `pixel`, one of `Bytes` bytes: asked once outside of loops over elements.
template <int Bytes, class Body>
__device__ __forceinline__ void with_element([[maybe_unused]] Pixel pixel, const Body& body) {
  if constexpr (Bytes == 1) body(std::uint8_t{});
  else if constexpr (Bytes == 4) body(float{});
  else if constexpr (Bytes == 8) body(double{});
  else if (pixel == Pixel::u16) body(std::uint16_t{});
  else if (pixel == Pixel::i16) body(std::int16_t{});
  else body(f16{});
}

/// body<Bytes>() for the bytes of an element; 8 where sums are in f64 alone.
template <class Sum, class Body>
__device__ __forceinline__ void with_bytes(int bytes, const Body& body) {
  if (bytes == 1) body.template operator()<1>();
  else if (bytes == 2) body.template operator()<2>();
  else if (bytes == 4) body.template operator()<4>();
  else if constexpr (std::is_same_v<Sum, double>) body.template operator()<8>();
}

__device__ __forceinline__ int to_nearest(float x) { return __float2int_rn(x); }
__device__ __forceinline__ int to_nearest(double x) { return __double2int_rn(x); }
__device__ __forceinline__ int towards_zero(float x) { return __float2int_rz(x); }
__device__ __forceinline__ int towards_zero(double x) { return __double2int_rz(x); }

/// As `to_element` of core/convert.h: the limits are whole, so that they may be kept before rounding as well as after.
template <class T, class Sum>
__device__ __forceinline__ T integer(Sum value, Rounding rounding) {
  constexpr Sum low = std::is_same_v<T, std::int16_t> ? -32768 : 0;
  constexpr Sum high = std::is_same_v<T, std::int16_t> ? 32767 : std::is_same_v<T, std::uint16_t> ? 65535 : 255;
  if (low != 0 && value != value) value = 0;  // what is no number becomes 0, which `max` makes of it otherwise
  const Sum kept = min(max(value, low), high);
  return static_cast<T>(rounding == Rounding::half_even ? to_nearest(kept) : towards_zero(kept));
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
  with_pixel(pixel, [&](auto element) { store_as<decltype(element)>(to, value, rounding); });
}

}  // namespace halation::cuda_backend
