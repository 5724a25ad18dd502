// elements.h: elements as numbers, and numbers as elements: the one rule, on the CPU and on a GPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "halation/pixel.h"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HALATION_ON_GPU_TOO __host__ __device__
#else
#define HALATION_ON_GPU_TOO
#endif

namespace halation {

/// An integer of 64 bits as high · 2^32 + low, 0 ≤ low < 2^32: two numbers whose products with integers up to
/// 2^21 have exact sums in f64.
struct Halves {
  double high, low;
};

template <class T>
HALATION_ON_GPU_TOO inline Halves halves_of(T value) {
  static_assert(sizeof(T) == 8);
  return {static_cast<double>(value >> 32), static_cast<double>(static_cast<std::uint32_t>(value))};
}

/// Half to even.
HALATION_ON_GPU_TOO inline double nearest_integer(double value) {
  constexpr double no_fraction = 0x1p52;  // numbers from here on are integers
  const double magnitude = std::fabs(value);
  const double whole = std::copysign((magnitude + no_fraction) - no_fraction, value);
  return magnitude < no_fraction ? whole : value;
}

/// The integer part as the nearest of T. No branch that a loop of vectors could not take.
template <class T>
HALATION_ON_GPU_TOO inline T saturated(double value) {
  constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double high =
      static_cast<double>(std::numeric_limits<T>::max());  // 2^63 and 2^64 of the widest, which no T holds
  value = value == value ? value : 0;
  if constexpr (sizeof(T) < 8) {
    using Register = std::conditional_t<std::is_same_v<T, std::uint32_t>, std::int64_t, std::int32_t>;
    value = value < low ? low : value;
    return static_cast<T>(static_cast<Register>(value > high ? high : value));
  } else {
    if (value <= low) return std::numeric_limits<T>::min();
    if (value >= high) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  }
}

/// The integer part as the lowest bits of what x86-64 converts it to (cvttsd2si, of 32 or of 64 bits).
template <class T>
HALATION_ON_GPU_TOO inline T wrapped(double value) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (value >= 0x1p63) return value < 0x1p64 ? static_cast<std::uint64_t>(value) : 0;
    if (value > -0x1p63) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return std::uint64_t{1} << 63;
  } else {
    using Register = std::conditional_t<sizeof(T) == 8 || std::is_same_v<T, std::uint32_t>, std::int64_t, std::int32_t>;
    constexpr double limit = sizeof(Register) == 8 ? 0x1p63 : 0x1p31;
    constexpr double below =
        sizeof(Register) == 8 ? -0x1p63 - 2048 : -0x1p31 - 1;  // the nearest that is cut off to less
    const bool is_held = (value > below) & (value < limit);
    const auto integer = static_cast<Register>(is_held ? value : 0.0);
    return static_cast<T>(is_held ? integer : std::numeric_limits<Register>::min());
  }
}

/// What a number becomes in an image.
struct ElementRule {
  double scale = 1;
  double offset = 0;
  Rounding rounding = Rounding::half_even;
  Overflow overflow = Overflow::saturate;
  bool has_fractions = false;  ///< weights are no integers, and so their sums are rounded
};

/// Rounds to an integer, and puts that into the range of T.
template <class T>
HALATION_ON_GPU_TOO inline T integer_of(double value, Rounding rounding, Overflow overflow) {
  if (rounding == Rounding::half_even) value = nearest_integer(value);
  return overflow == Overflow::wrap ? wrapped<T>(value) : saturated<T>(value);
}

/// Farther from zero by 2^-44 of itself, and by 2^-16 at most: an integer that rounding in f64 has put just
/// nearer to zero, as sums of weights that sum to 1 but for rounding are, is truncated to itself.
HALATION_ON_GPU_TOO inline double before_truncation(double value) {
  constexpr double most = 0x1p-16;
  double by = value * 0x1p-44;
  by = by < -most ? -most : by;
  return value + (by > most ? most : by);
}

/// What integers are truncated or rounded of.
HALATION_ON_GPU_TOO inline double value_of(double sum, const ElementRule& rule) {
  const double value = rule.scale * sum + rule.offset;
  return rule.rounding == Rounding::truncate && rule.has_fractions ? before_truncation(value) : value;
}

template <class T>
HALATION_ON_GPU_TOO inline T element_of(double sum, const ElementRule& rule) {
  if constexpr (std::is_integral_v<T>) {
    return integer_of<T>(value_of(sum, rule), rule.rounding, rule.overflow);
  } else {
    return static_cast<T>(rule.scale * sum + rule.offset);
  }
}

/// Holds any sum of 64-bit integers and weights up to 2^21.
__extension__ using WideSum = __int128;

HALATION_ON_GPU_TOO inline WideSum sum_of(const Halves& sums) {
  return static_cast<WideSum>(static_cast<std::int64_t>(sums.high)) * (std::int64_t{1} << 32) +
         static_cast<std::int64_t>(sums.low);
}

/// The offset is an integer, and of integers the scale is 1.
template <class T>
HALATION_ON_GPU_TOO inline T element_of(WideSum sum, const ElementRule& rule) {
  if constexpr (!std::is_integral_v<T>) {
    return static_cast<T>(rule.scale * static_cast<double>(sum) + rule.offset);
  } else {
    const WideSum value = sum + static_cast<std::int64_t>(rule.offset);
    if (rule.overflow == Overflow::wrap) return static_cast<T>(value);
    constexpr WideSum above = static_cast<WideSum>(1) << std::numeric_limits<T>::digits;
    constexpr WideSum low = std::is_signed_v<T> ? -above : 0, high = above - 1;
    return static_cast<T>(value < low ? low : value > high ? high : value);
  }
}

}  // namespace halation
