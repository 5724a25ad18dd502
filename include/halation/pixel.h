// pixel.h: the element types of images, and the 16-bit float that C++20 lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace halation {

/// The element type of an image.
enum class Pixel : std::uint8_t { u8, u16, i16, f16, f32, f64 };

/// Every pixel, in the order of the enumeration.
inline constexpr Pixel all_pixels[] = {Pixel::u8,  Pixel::u16, Pixel::i16,
                                       Pixel::f16, Pixel::f32, Pixel::f64};

/// Size of one element: 1, 2, 4 or 8 bytes.
std::size_t bytes_of(Pixel pixel);

/// "u8", "u16", "i16", "f16", "f32" or "f64".
std::string_view name_of(Pixel pixel);

/// The inverse of `name_of`. Throws `Error{invalid_argument}` naming the choices.
Pixel pixel_named(std::string_view name);

/// True for f16, f32 and f64.
bool is_float(Pixel pixel);

/// Largest and smallest finite value that the pixel can hold.
double largest(Pixel pixel);
double smallest(Pixel pixel);

/// How a sum becomes an integer; integers saturate either way, and NaN becomes 0.
enum class Rounding { half_even, truncate };

/// An IEEE 754 binary16 number in storage; arithmetic happens in `float` or `double`.
struct f16 {
  std::uint16_t bits = 0;

  f16() = default;
  /// Rounds once, half to even; overflow gives infinity; NaN stays NaN.
  explicit f16(double value);
  explicit operator double() const;
  explicit operator float() const;
};
static_assert(sizeof(f16) == 2);

}  // namespace halation
