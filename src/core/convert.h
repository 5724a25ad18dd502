// convert.h: the one rule by which a sum becomes an element, and how an element is read as a number.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "core/elements.h"
#include "core/pixel_table.h"

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

#define HALATION_VISIT(pixel, type) \
  case Pixel::pixel:                \
    return visitor(std::type_identity_t<type>{});

/// Calls `visitor` with a value-initialised object of the C++ type that a native pixel stands for.
template <class Visitor>
decltype(auto) visit_pixel(Pixel pixel, Visitor&& visitor) {
  switch (pixel) {
    HALATION_NATIVE_PIXELS(HALATION_VISIT)
    default:
      throw std::logic_error("visit_pixel: not a native pixel");
  }
}

/// The same of any pixel that is not complex.
template <class Visitor>
decltype(auto) visit_number(Pixel pixel, Visitor&& visitor) {
  switch (pixel) {
    HALATION_OTHER_PIXELS(HALATION_VISIT)
    default:
      return visit_pixel(pixel, std::forward<Visitor>(visitor));
  }
}
#undef HALATION_VISIT

/// The pixel of the parts of a complex one; another is its own.
inline Pixel part_of(Pixel pixel) {
  return pixel == Pixel::c64 ? Pixel::f32 : pixel == Pixel::c128 ? Pixel::f64 : pixel;
}

/// What NumPy calls it: "uint8", "float32", "complex64".
std::string numpy_name(Pixel pixel);

/// Whether an integer may be none that f64 has.
inline bool is_wide(Pixel pixel) { return pixel == Pixel::u64 || pixel == Pixel::i64; }

/// Whether an element can be that number.
inline bool is_element(double value, Pixel pixel) {
  return visit_number(part_of(pixel), [&](auto like) {
    return static_cast<double>(to_element<decltype(like)>(value, Rounding::half_even)) == value;
  });
}

}  // namespace halation
