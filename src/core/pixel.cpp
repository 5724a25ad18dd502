// pixel.cpp: sizes and ranges of elements, and binary16.
#include "halation/pixel.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/convert.h"

namespace halation {

std::size_t bytes_of(Pixel pixel) { return (is_complex(pixel) ? 2 : 1) * alignment_of(pixel); }

std::size_t alignment_of(Pixel pixel) {
  return visit_number(part_of(pixel), [](auto element) { return sizeof(element); });
}

bool is_native(Pixel pixel) { return pixel <= Pixel::f64; }
bool is_float(Pixel pixel) {
  return pixel == Pixel::f16 || pixel == Pixel::f32 || pixel == Pixel::f64 || is_complex(pixel);
}
bool is_complex(Pixel pixel) { return pixel == Pixel::c64 || pixel == Pixel::c128; }

namespace {
constexpr double largest_f16 = 65504;
}  // namespace

double largest(Pixel pixel) {
  return visit_number(part_of(pixel), [](auto element) -> double {
    using T = decltype(element);
    if constexpr (std::is_same_v<T, f16>)
      return largest_f16;
    else
      return static_cast<double>(std::numeric_limits<T>::max());
  });
}

double smallest(Pixel pixel) {
  return visit_number(part_of(pixel), [](auto element) -> double {
    using T = decltype(element);
    if constexpr (std::is_same_v<T, f16>)
      return -largest_f16;
    else
      return static_cast<double>(std::numeric_limits<T>::lowest());
  });
}

std::string numpy_name(Pixel pixel) {
  const char* const kind = is_complex(pixel)     ? "complex"
                           : is_float(pixel)     ? "float"
                           : smallest(pixel) < 0 ? "int"
                                                 : "uint";
  return kind + std::to_string(8 * bytes_of(pixel));
}

f16::f16(double value) {
  const auto in = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((in >> 48) & 0x8000);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) {
    bits = static_cast<std::uint16_t>(sign | 0x7e00);
  } else if (magnitude >= 65520) {  // half way from the largest number to the next power of two, or beyond
    bits = static_cast<std::uint16_t>(sign | 0x7c00);
  } else if (magnitude < 0x1p-14) {  // subnormal: the bits count units of 2^-24; 1024 of them carry into the exponent
    bits = static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24)));
  } else {
    int exponent = 0;
    const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
    const auto mantissa = static_cast<int>(std::nearbyint(fraction * 2048));  // in [1024, 2048]; 2048 carries
    bits = static_cast<std::uint16_t>(sign | (((exponent + 13) << 10) + mantissa));
  }
}

f16::operator double() const {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = mantissa * 0x1p-24;
  } else {
    magnitude = std::ldexp(1024 + mantissa, exponent - 25);
  }
  return (bits & 0x8000) ? -magnitude : magnitude;
}

f16::operator float() const { return static_cast<float>(static_cast<double>(*this)); }

}  // namespace halation
