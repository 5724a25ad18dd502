// convert.h: the one rule by which a sum becomes an element, and how an element is read as a number.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/elements.h"
#include "halation/pixel.h"

namespace halation {

/// Rounds and saturates `value` to T. Integers: half to even or towards zero, then clamped; NaN becomes 0. Floats: one
/// rounding, overflow to infinity.
template <class T>
T to_element(double value, Rounding rounding) {
  if constexpr (std::is_integral_v<T>) {
    return integer_of<T>(value, rounding, Overflow::saturate);
  } else {
    return static_cast<T>(value);
  }
}

/// Calls `visitor` with a value-initialised object of the C++ type that a native pixel stands for.
template <class Visitor>
decltype(auto) visit_pixel(Pixel pixel, Visitor&& visitor) {
  switch (pixel) {
    case Pixel::u8: return visitor(std::uint8_t{});
    case Pixel::u16: return visitor(std::uint16_t{});
    case Pixel::i16: return visitor(std::int16_t{});
    case Pixel::f16: return visitor(f16{});
    case Pixel::f32: return visitor(float{});
    case Pixel::f64: return visitor(double{});
    default:
      throw std::logic_error("visit_pixel: not a native pixel");
  }
}

/// The same of any pixel that is not complex.
template <class Visitor>
decltype(auto) visit_number(Pixel pixel, Visitor&& visitor) {
  switch (pixel) {
    case Pixel::i8:
      return visitor(std::int8_t{});
    case Pixel::u32:
      return visitor(std::uint32_t{});
    case Pixel::i32:
      return visitor(std::int32_t{});
    case Pixel::u64:
      return visitor(std::uint64_t{});
    case Pixel::i64:
      return visitor(std::int64_t{});
    default:
      return visit_pixel(pixel, std::forward<Visitor>(visitor));
  }
}

/// The pixel of the parts of a complex one; another is its own.
inline Pixel part_of(Pixel pixel) {
  return pixel == Pixel::c64 ? Pixel::f32 : pixel == Pixel::c128 ? Pixel::f64 : pixel;
}

/// Whether an integer may be none that f64 has.
inline bool is_wide(Pixel pixel) { return pixel == Pixel::u64 || pixel == Pixel::i64; }

/// Whether an element can be that number.
inline bool is_element(double value, Pixel pixel) {
  return visit_number(part_of(pixel), [&](auto like) {
    return static_cast<double>(to_element<decltype(like)>(value, Rounding::half_even)) == value;
  });
}

}  // namespace halation
