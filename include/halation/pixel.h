// pixel.h: the element types of images, and the 16-bit float that C++20 lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace halation {

/// The element type of an image. c64 and c128 are complex: a real and an imaginary part of f32 or of f64.
enum class Pixel : std::uint8_t { u8, u16, i16, f16, f32, f64, i8, u32, i32, u64, i64, c64, c128 };

/// Every pixel, in the order of the enumeration.
inline constexpr Pixel all_pixels[] = {Pixel::u8,  Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32,
                                       Pixel::f64, Pixel::i8,  Pixel::u32, Pixel::i32, Pixel::u64,
                                       Pixel::i64, Pixel::c64, Pixel::c128};

/// Those that kernels read and write where they lie, that files hold and colours have. Images of other
/// integers are filtered by way of images of f64, which takes two more passes over memory and 8 bytes of
/// workspace an element; sums of 64-bit integers are exact. Of complex images the real and the imaginary
/// parts are filtered one after the other.
inline constexpr Pixel native_pixels[] = {Pixel::u8,  Pixel::u16, Pixel::i16,
                                          Pixel::f16, Pixel::f32, Pixel::f64};
bool is_native(Pixel pixel);

/// Size of one element: 1, 2, 4, 8 or 16 bytes.
std::size_t bytes_of(Pixel pixel);

/// Its address is a multiple of so many bytes: its size, half of it where it is complex.
std::size_t alignment_of(Pixel pixel);

/// "u8", "f16", "c64" and so on, as in the enumeration.
std::string_view name_of(Pixel pixel);

/// The inverse of `name_of`. Throws `Error{invalid_argument}` naming the choices.
Pixel pixel_named(std::string_view name);

/// True for f16, f32, f64, c64 and c128: all that are no integers.
bool is_float(Pixel pixel);

/// True for c64 and c128.
bool is_complex(Pixel pixel);

/// Largest and smallest finite value that the pixel, or a part of it, can hold; of 64-bit integers as f64 has
/// them.
double largest(Pixel pixel);
double smallest(Pixel pixel);

/// How a sum becomes an integer; NaN becomes 0, but where integers wrap.
enum class Rounding { half_even, truncate };

/// What becomes of a rounded sum that an integer pixel cannot hold.
enum class Overflow {
  saturate,  ///< the nearest that it can
  wrap,  ///< its lowest bits, as x86-64 converts: beyond 2^31, or 2^63 for pixels of 32 and 64 bits, and for
         ///< NaN, what that instruction gives. By way of f64
};

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
