// convert.h: the one rule by which a sum becomes an element, and how an element is read as a number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "halation/pixel.h"

namespace halation {

/// Rounds and saturates `value` to T. Integers: half to even or towards zero, then clamped; NaN becomes 0. Floats: one
/// rounding, overflow to infinity.
template <class T>
T to_element(double value, Rounding rounding) {
  if constexpr (std::is_integral_v<T>) {
    if (std::isnan(value)) return 0;
    const double whole = rounding == Rounding::half_even ? std::nearbyint(value) : std::trunc(value);
    constexpr double low = std::numeric_limits<T>::min();
    constexpr double high = std::numeric_limits<T>::max();
    return static_cast<T>(std::clamp(whole, low, high));
  } else {
    return static_cast<T>(value);
  }
}

/// Calls `visitor` with a value-initialised object of the C++ type that `pixel` stands for.
template <class Visitor>
decltype(auto) visit_pixel(Pixel pixel, Visitor&& visitor) {
  switch (pixel) {
    case Pixel::u8: return visitor(std::uint8_t{});
    case Pixel::u16: return visitor(std::uint16_t{});
    case Pixel::i16: return visitor(std::int16_t{});
    case Pixel::f16: return visitor(f16{});
    case Pixel::f32: return visitor(float{});
    case Pixel::f64: return visitor(double{});
  }
  throw std::logic_error("visit_pixel: not a pixel");
}

/// Whether an element can be that number.
inline bool is_element(double value, Pixel pixel) {
  return visit_pixel(pixel, [&](auto like) { return static_cast<double>(to_element<decltype(like)>(value, Rounding::half_even)) == value; });
}

}  // namespace halation
