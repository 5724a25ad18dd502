// number_rule.h: the numbers of arrays, and the one rule by which sums become such; the same on the CPU and, compiled by nvcc, on a GPU.
#pragma once

#include <halation/pixel.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#ifdef __CUDACC__
#define HALATION_HOST_DEVICE __host__ __device__
#else
#define HALATION_HOST_DEVICE
#endif

namespace halation::python {

/// Types of NumPy's, in the machine's byte order.
enum class Number : std::uint8_t { b1, u1, u2, u4, u8, i1, i2, i4, i8, f2, f4, f8 };

/// How a sum becomes an element: scale · sum / divisor + offset, farther from zero by `share` of itself (but for 1/1024 at most: sums
/// that rounding has put just below a whole number reach it), and then, of integers, rounded, wrapped or saturated.
struct NumberRule {
  double scale = 1;
  double divisor = 1;
  double offset = 0;
  double share = 0;
  bool truncate = false;  ///< towards zero; else half to even
  bool wrap = false;      ///< as x86-64 converts; else saturated
};

/// Calls `visitor` with a value of the C++ type that a number stands for; `bool` for truth.
template <class Visitor>
HALATION_HOST_DEVICE inline void visit(Number number, const Visitor& visitor) {
  switch (number) {
    case Number::b1: return visitor(bool{});
    case Number::u1: return visitor(std::uint8_t{});
    case Number::u2: return visitor(std::uint16_t{});
    case Number::u4: return visitor(std::uint32_t{});
    case Number::u8: return visitor(std::uint64_t{});
    case Number::i1: return visitor(std::int8_t{});
    case Number::i2: return visitor(std::int16_t{});
    case Number::i4: return visitor(std::int32_t{});
    case Number::i8: return visitor(std::int64_t{});
    case Number::f2: return visitor(f16{});
    case Number::f4: return visitor(float{});
    case Number::f8: return visitor(double{});
  }
}

/// By bits, which compilers make vectors of: exponent and fraction are moved and rescaled; infinity and NaN keep theirs.
HALATION_HOST_DEVICE inline double as_f64(f16 half) {
  const std::uint64_t bits = half.bits;
  const double magnitude = std::bit_cast<double>((bits & 0x7FFF) << 42) * 0x1p1008;
  const std::uint64_t beyond = (bits & 0x7C00) == 0x7C00 ? std::uint64_t{0x7FF} << 52 : 0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | beyond | (bits & 0x8000) << 48);
}

/// Rounded once, half to even, as the library rounds; by bits as well.
HALATION_HOST_DEVICE inline f16 as_f16(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const double magnitude = std::fabs(value);
  // Below 2^-14 halves lie 2^-24 apart: what is added rounds there. Else 42 bits of the fraction go.
  const auto small = std::bit_cast<std::uint64_t>(magnitude * 0x1p24 + 0x1p52) & 0x7FF;
  const std::uint64_t pattern = bits & ~(std::uint64_t{1} << 63);
  const std::uint64_t rounded = (pattern + ((std::uint64_t{1} << 41) - 1) + ((pattern >> 42) & 1)) >> 42;
  const std::uint64_t large = rounded - (std::uint64_t{1023 - 15} << 10);
  std::uint64_t half = magnitude < 0x1p-14 ? small : large;
  half = magnitude < 65520 ? half : 0x7C00;
  half = magnitude == magnitude ? half : 0x7E00;
  f16 made;
  made.bits = static_cast<std::uint16_t>(half | ((bits >> 48) & 0x8000));
  return made;
}

/// As x86-64 converts (and SciPy's filters with it): towards zero, then the lowest bits; beyond what the conversion's own
/// register holds, and for NaN, what that instruction gives.
template <class T>
HALATION_HOST_DEVICE inline T wrapped(double value) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (value >= 0x1p63) return value < 0x1p64 ? static_cast<std::uint64_t>(value) : 0;
    return value > -0x1p63 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : std::uint64_t{1} << 63;
  } else {
    using Register = std::conditional_t<sizeof(T) == 8 || std::is_same_v<T, std::uint32_t>, std::int64_t, std::int32_t>;
    constexpr double limit = sizeof(Register) == 8 ? 0x1p63 : 0x1p31;
    const bool held = (value > (sizeof(Register) == 8 ? -0x1p63 - 2048 : -0x1p31 - 1)) & (value < limit);
    const auto whole = static_cast<Register>(held ? value : 0.0);
    return static_cast<T>(held ? whole : std::numeric_limits<Register>::min());
  }
}

template <class T>
HALATION_HOST_DEVICE inline T saturated(double value) {
  constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double high = static_cast<double>(std::numeric_limits<T>::max());  // 2^63 and 2^64 for the widest, which no T holds
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

/// Farther from zero by a share of itself, but for 1/1024 at most.
HALATION_HOST_DEVICE inline double nudged(double value, double share) {
  constexpr double most = 0x1p-10;
  double by = value * share;
  by = by < -most ? -most : by;
  return value + (by > most ? most : by);
}

/// Half to even. By additions, which are vectors, where a call of the library would be one for each element.
HALATION_HOST_DEVICE inline double nearest_whole(double value) {
  constexpr double no_fraction = 0x1p52;  // f64 from here on are whole
  const double magnitude = std::fabs(value);
  const double whole = std::copysign((magnitude + no_fraction) - no_fraction, value);
  return magnitude < no_fraction ? whole : value;
}

/// What a sum becomes before it is rounded.
HALATION_HOST_DEVICE inline double value_of(const NumberRule& rule, double sum) {
  const bool plain = rule.scale == 1 && rule.divisor == 1 && rule.offset == 0;
  const double value = plain ? sum : rule.scale * sum / rule.divisor + rule.offset;
  return rule.share > 0 ? nudged(value, rule.share) : value;
}

/// A value as a number of its type: whole ones rounded and put into their range by the rule.
template <class T>
HALATION_HOST_DEVICE inline T number_from(const NumberRule& rule, double value) {
  if constexpr (std::is_same_v<T, f16>) {
    return as_f16(value);
  } else if constexpr (!std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    if (!rule.truncate) value = nearest_whole(value);
    return rule.wrap ? wrapped<T>(value) : saturated<T>(value);
  }
}

}  // namespace halation::python
