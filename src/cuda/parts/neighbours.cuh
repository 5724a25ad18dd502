// neighbours.cuh: the elements that a thread needs of one row, as raw words from memory and as numbers in registers; and back, by fours.
//
// A thread owns V consecutive elements (columns; interleaved channels are neighbouring columns) that fill whole words of 16 bytes, and
// needs H more on either side. AllWarps words are loaded; conversion happens where an element is used, by its place, which is a constant
// in unrolled code. Conversions avoid the integer-to-float unit, which runs at a quarter of the rate: an integer below 2^16 put into
// the mantissa of 2^23 is 2^23 more than itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/device/runtime.h"
#include "halation/pixel.h"

namespace halation::cuda_backend {

/// The element at byte `at` of a word, as a number; `at` must be a constant after unrolling.
template <class T>
__device__ __forceinline__ float number_in(std::uint32_t bits, int at) {
  constexpr std::uint32_t exponent = 0x4B000000U;  // of 2^23
  if constexpr (sizeof(T) == 4) {
    return __uint_as_float(bits);
  } else if constexpr (sizeof(T) == 1) {
    // Half of them by the integer-to-float unit, in one instruction: it has the time for it.
    if (at == 0) return static_cast<float>(bits & 0xffU);
    if (at == 3) return static_cast<float>(bits >> 24);
    return __uint_as_float(__byte_perm(bits, exponent, 0x7440 + at)) - 8388608.0F;
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    if (at == 0) return static_cast<float>(bits & 0xffffU);
    return __uint_as_float(__byte_perm(bits, exponent, 0x7432)) - 8388608.0F;
  } else if constexpr (std::is_same_v<T, std::int16_t>) {
    return __uint_as_float(__byte_perm(bits ^ 0x80008000U, exponent, at == 0 ? 0x7410 : 0x7432)) - 8421376.0F;
  } else {
    const __half2 pair = *reinterpret_cast<const __half2*>(&bits);
    return at == 0 ? __low2float(pair) : __high2float(pair);
  }
}

/// Raw elements [−H, V + H) around a thread's first column.
template <class T, int V, int H>
struct Neighbours {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
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
  /// From such an address in shared memory.
  __device__ __forceinline__ void take(unsigned at) {
    pieces<halo_words>(at - 4 * halo_words, 0);
    pieces<middle_words>(at, halo_words);
    pieces<halo_words>(at + 4 * middle_words, halo_words + middle_words);
  }
  /// From the address of any element in shared memory; a word behind them is read as well.
  __device__ __forceinline__ void take_from_any(unsigned at) {
    const unsigned first = (at & ~3U) - 4 * halo_words;
    if constexpr (size == 4) {
#pragma unroll
      for (int i = 0; i < words; ++i) word[i] = shared_word(first + 4 * i);
    } else {
      const unsigned shift = 8 * (at & 3U);
      std::uint32_t low = shared_word(first);
#pragma unroll
      for (int i = 0; i < words; ++i) {
        const std::uint32_t high = shared_word(first + 4 * i + 4);
        word[i] = __funnelshift_r(low, high, shift);
        low = high;
      }
    }
  }

  /// Element i of [−H, V + H), as a number. `i` must be a constant after unrolling.
  __device__ __forceinline__ Sum operator[](int i) const {
    const int byte = (i + reach) * size;
    const std::uint32_t bits = word[byte / 4];
    if constexpr (sizeof(T) == 8) return __hiloint2double(static_cast<int>(word[byte / 4 + 1]), static_cast<int>(bits));
    else return number_in<T>(bits, byte % 4);
  }

 private:
  static __device__ __forceinline__ std::uint32_t shared_word([[maybe_unused]] unsigned at) {
    std::uint32_t bits = 0;
#if defined(__CUDA_ARCH__)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(bits) : "r"(at) : "memory");
#endif
    return bits;
  }
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
  template <int Count>
  __device__ __forceinline__ void pieces([[maybe_unused]] unsigned at, [[maybe_unused]] int first) {
#if defined(__CUDA_ARCH__)
    if constexpr (Count == 1) {
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word[first]) : "r"(at) : "memory");
    } else if constexpr (Count == 2) {
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(word[first]), "=r"(word[first + 1]) : "r"(at) : "memory");
    } else {
#pragma unroll
      for (int i = 0; i < Count; i += 4) {
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[first + i]), "=r"(word[first + i + 1]), "=r"(word[first + i + 2]), "=r"(word[first + i + 3])
                     : "r"(at + 4 * i)
                     : "memory");
      }
    }
#endif
  }
};

/// Whether numbers lose what lies behind their point on the way to integers. They do so before they are stored, which rounds half to even.
__device__ __forceinline__ bool truncates(Pixel pixel, Rounding rounding) {
  return rounding == Rounding::truncate && pixel != Pixel::f16 && pixel != Pixel::f32 && pixel != Pixel::f64;
}

template <int Count>
__device__ __forceinline__ void truncate(float (&values)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) values[i] = truncf(values[i]);
}

/// Four numbers as consecutive elements of type T, by words. Integers are rounded half to even; NaN gives 0, as in `integer` of pixels.cuh.
template <class T>
__device__ __forceinline__ void words_of(const float* value, std::uint32_t* word) {
  if constexpr (std::is_same_v<T, float>) {
#pragma unroll
    for (int i = 0; i < 4; ++i) word[i] = __float_as_uint(value[i]);
  } else if constexpr (std::is_same_v<T, double>) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      word[2 * i] = static_cast<std::uint32_t>(__double2loint(static_cast<double>(value[i])));
      word[2 * i + 1] = static_cast<std::uint32_t>(__double2hiint(static_cast<double>(value[i])));
    }
  } else if constexpr (std::is_same_v<T, f16>) {
    const __half2 low = __floats2half2_rn(value[0], value[1]);
    const __half2 high = __floats2half2_rn(value[2], value[3]);
    word[0] = *reinterpret_cast<const std::uint32_t*>(&low);
    word[1] = *reinterpret_cast<const std::uint32_t*>(&high);
  } else if constexpr (sizeof(T) == 2) {
    // An addition to 2^23 (1.5 · 2^23 where there are negative ones) rounds, and leaves the integer in the low half.
    constexpr bool has_sign = std::is_same_v<T, std::int16_t>;
    std::uint32_t integer[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float number = has_sign && value[i] != value[i] ? 0.0F : value[i];  // the larger of NaN and 0 is 0
      const float fits = fminf(fmaxf(number, has_sign ? -32768.0F : 0.0F), has_sign ? 32767.0F : 65535.0F);
      integer[i] = __float_as_uint(fits + (has_sign ? 12582912.0F : 8388608.0F));
    }
    word[0] = __byte_perm(integer[0], integer[1], 0x5410);
    word[1] = __byte_perm(integer[2], integer[3], 0x5410);
  } else {
#if defined(__CUDA_ARCH__)
    // Two conversions and a saturating pack become one instruction.
    int integer[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) integer[i] = __float2int_rn(value[i]);
    std::uint32_t high = 0;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(high) : "r"(integer[3]), "r"(integer[2]));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(word[0]) : "r"(integer[1]), "r"(integer[0]), "r"(high));
#endif
  }
}

/// Numbers as consecutive elements of type T, in stores as wide as they can be; `to` lies on a boundary of the widest.
template <class T, int Count>
__device__ __forceinline__ void store_rounded(std::byte* to, const float* value) {
  constexpr int words = Count * static_cast<int>(sizeof(T)) / 4;
  std::uint32_t word[words];
#pragma unroll
  for (int i = 0; i < Count; i += 4) words_of<T>(value + i, word + i * static_cast<int>(sizeof(T)) / 4);
  if constexpr (words == 1) {
    *reinterpret_cast<std::uint32_t*>(to) = word[0];
  } else if constexpr (words == 2) {
    *reinterpret_cast<uint2*>(to) = make_uint2(word[0], word[1]);
  } else {
#pragma unroll
    for (int i = 0; i < words; i += 4) *reinterpret_cast<uint4*>(to + 4 * i) = make_uint4(word[i], word[i + 1], word[i + 2], word[i + 3]);
  }
}

/// G runs, 32 · Count elements from one to the next.
template <class T, int G, int Count>
__device__ __forceinline__ void store_runs(std::byte* to, const float (&value)[G][Count]) {
  constexpr int apart = 32 * Count * static_cast<int>(sizeof(T));
#pragma unroll
  for (int g = 0; g < G; ++g) store_rounded<T, Count>(to + g * apart, value[g]);
}

/// Four of them, truncated where `rounding` asks for it.
template <class T>
__device__ __forceinline__ void store_four(std::byte* to, float (&value)[4], Rounding rounding) {
  if (std::is_integral_v<T> && rounding == Rounding::truncate) truncate(value);
  store_rounded<T, 4>(to, value);
}

}  // namespace halation::cuda_backend
