// srgb.h: the transfer function of sRGB, IEC 61966-2-1, between encoded values and light.
#pragma once

#include <cmath>

namespace halation {

/// Light in [0, 1] of an encoded value in [0, 1]. Goes on beyond 1 by the same formula, and below 0 mirrored:
/// f(-v) = -f(v).
inline double srgb_decode(double encoded) {
  const double v = std::abs(encoded);
  return std::copysign(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4), encoded);
}

/// The inverse of `srgb_decode`.
inline double srgb_encode(double light) {
  const double v = std::abs(light);
  return std::copysign(v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055, light);
}

}  // namespace halation
