// scaling.h: powers of two that bring numbers to where no product of theirs is too large or too small.
#pragma once

#include <algorithm>
#include <cmath>

namespace halation::cpu_backend {

/// The largest of which 2 to it and to its negative are normal numbers.
template <class T>
inline constexpr int largest_exponent = sizeof(T) == 4 ? 126 : 1022;

/// Exponents of numbers that are not far from 1.
template <class T>
inline constexpr int far_from_1 = sizeof(T) == 4 ? 30 : 300;

/// Of a largest magnitude: its exponent, or the nearest that `power_of_2` takes, where it is far from 1, else 0. Products of numbers that
/// are not far, of as many as memory holds, overflow nowhere, and what is lost below the least normal number is less than a rounding.
template <class T>
int exponent_far_from_1(double largest) {
  if (largest == 0) return 0;
  const int exponent = std::clamp(std::ilogb(largest), -largest_exponent<T>, largest_exponent<T>);
  return std::abs(exponent) > far_from_1<T> ? exponent : 0;
}

/// 2^exponent, or the nearest power that T holds.
template <class T>
T power_of_2(int exponent) {
  return static_cast<T>(std::ldexp(1.0, std::clamp(exponent, -largest_exponent<T>, largest_exponent<T>)));
}

}  // namespace halation::cpu_backend
