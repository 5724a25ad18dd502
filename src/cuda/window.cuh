// window.cuh: the elements that a thread needs of one row, as raw words from memory and as numbers in registers; and back, by fours.
//
// A thread owns V consecutive elements (columns; interleaved channels are neighbouring columns) that fill whole words of 16 bytes, and
// needs H more on either side. Whole words are loaded; conversion happens where an element is used, by its place, which is a constant
// in unrolled code. Conversions avoid the integer-to-float unit, which runs at a quarter of the rate: an integer below 2^16 put into
// the mantissa of 2^23 is 2^23 more than itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/runtime.h"
#include "halation/pixel.h"
#include "halation/plan.h"

namespace halation::cuda_backend {

/// Raw elements [−H, V + H) around a thread's first column.
template <class T, int V, int H>
struct Window {
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr int middle_words = V * size / 4;
  /// Halos are loaded in whole pieces of 4, 8 or 16 bytes, or several of 16.
  static constexpr int halo_bytes = H * size;
  static constexpr int halo_words = halo_bytes == 0 ? 0 : halo_bytes <= 4 ? 1 : halo_bytes <= 8 ? 2 : (halo_bytes + 15) / 16 * 4;
  static constexpr int words = halo_words + middle_words + halo_words;
  /// Elements that `load` brings before the first and after the last column.
  static constexpr int reach = halo_words * 4 / size;
  static_assert(V * size % 16 == 0);

  std::uint32_t word[words];

  /// From the address of the thread's first column, on a 16-byte boundary.
  __device__ __forceinline__ void load(const std::byte* at) {
    pieces<halo_words>(at - 4 * halo_words, 0);
    pieces<middle_words>(at, halo_words);
    pieces<halo_words>(at + 4 * middle_words, halo_words + middle_words);
  }

  /// Element i of [−H, V + H), as a float. `i` must be a constant after unrolling.
  __device__ __forceinline__ float operator[](int i) const {
    const int byte = (i + reach) * size;
    const std::uint32_t bits = word[byte / 4];
    constexpr std::uint32_t exponent = 0x4B000000U;  // of 2^23
    if constexpr (sizeof(T) == 4) {
      return __uint_as_float(bits);
    } else if constexpr (sizeof(T) == 1) {
      return __uint_as_float(__byte_perm(bits, exponent, 0x7440 + byte % 4)) - 8388608.0F;
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
      return __uint_as_float(__byte_perm(bits, exponent, byte % 4 == 0 ? 0x7410 : 0x7432)) - 8388608.0F;
    } else if constexpr (std::is_same_v<T, std::int16_t>) {
      return __uint_as_float(__byte_perm(bits ^ 0x80008000U, exponent, byte % 4 == 0 ? 0x7410 : 0x7432)) - 8421376.0F;
    } else {
      const __half2 pair = *reinterpret_cast<const __half2*>(&bits);
      return byte % 4 == 0 ? __low2float(pair) : __high2float(pair);
    }
  }

 private:
  template <int Count>
  __device__ __forceinline__ void pieces(const std::byte* at, int first) {
    if constexpr (Count == 1) {
      word[first] = __ldg(reinterpret_cast<const unsigned*>(at));
    } else if constexpr (Count == 2) {
      const uint2 two = __ldg(reinterpret_cast<const uint2*>(at));
      word[first] = two.x;
      word[first + 1] = two.y;
    } else {
#pragma unroll
      for (int i = 0; i < Count; i += 4) {
        const uint4 four = __ldg(reinterpret_cast<const uint4*>(at + 4 * i));
        word[first + i] = four.x;
        word[first + i + 1] = four.y;
        word[first + i + 2] = four.z;
        word[first + i + 3] = four.w;
      }
    }
  }
};

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
    std::uint32_t packed = 0;
#if defined(__CUDA_ARCH__)
    std::uint32_t low = 0;  // two conversions and a saturating pack become one instruction
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(low) : "r"(integer(3)), "r"(integer(2)));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(integer(1)), "r"(integer(0)), "r"(low));
#else
    for (int i = 0; i < 4; ++i) packed |= static_cast<std::uint32_t>(min(max(integer(i), 0), 255)) << 8 * i;
#endif
    *reinterpret_cast<std::uint32_t*>(to) = packed;
  } else {
    *reinterpret_cast<uint2*>(to) = make_uint2(clamped(0) | clamped(1) << 16, clamped(2) | clamped(3) << 16);
  }
}

}  // namespace halation::cuda_backend
