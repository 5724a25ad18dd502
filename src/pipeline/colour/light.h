// light.h: pixels become light by sRGB, and light pixels, without a power for each.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/convert.h"
#include "halation/convolve.h"
#include "pipeline/colour/power.h"
#include "pipeline/colour/srgb.h"

namespace halation {

/// What light and encoded values may be off by, as a share of themselves, where they become f32 or f16; with integers and f64 nothing is.
inline constexpr double light_error = 0x1p-34;

/// `srgb_decode` and `srgb_encode`, off by at most `light_error` of the result.
class QuickLight {
 public:
  double decode(double encoded) const {
    const double v = std::abs(encoded);
    if (!(v > 0.04045 && v < most)) return srgb_decode(encoded);
    return std::copysign(power_of_encoded_((v + 0.055) * (1 / 1.055)), encoded);
  }
  double encode(double light) const {
    const double v = std::abs(light);
    if (!(v > 0.0031308 && v < most)) return srgb_encode(light);
    return std::copysign(1.055 * power_of_light_(v) - 0.055, light);
  }

 private:
  static constexpr double most = 0x1p400;  // beyond it, and for NaN, powers are `std::pow`'s

  Power power_of_encoded_{2.4}, power_of_light_{1 / 2.4};
};
/// The one of the process.
const QuickLight& quick_light();

/// How light becomes pixels: to_element(scale · unit · srgb_encode(light) + offset).
struct Encoding {
  double unit = 1;
  double scale = 1;
  double offset = 0;
  Rounding rounding = Rounding::half_even;
};

/// The formula as it stands.
template <class T>
T exactly_encoded(double light, const Encoding& by) {
  return to_element<T>(by.scale * (by.unit * srgb_encode(light)) + by.offset, by.rounding);
}

/// Equal to `exactly_encoded` for integers; floats as by `QuickLight`.
template <class T>
T quickly_encoded(double light, const Encoding& by, const QuickLight& quick_light) {
  const double encoded = by.scale * (by.unit * quick_light.encode(light));
  const double quick = encoded + by.offset;
  if constexpr (std::is_integral_v<T>) {
    // Where the two ends of what it may be round to one number, that is it.
    const double slack = light_error * std::abs(encoded) + 0x1p-50 * std::abs(by.offset);
    const T low = to_element<T>(quick - slack, by.rounding);
    const bool is_even = by.rounding == Rounding::half_even;
    const bool is_below_next = quick + slack < low + (is_even ? 0.5 : 1.0) && (is_even || low >= 0);
    return is_below_next || low == to_element<T>(quick + slack, by.rounding) ? low : exactly_encoded<T>(light, by);
  } else {
    return to_element<T>(quick, by.rounding);
  }
}

/// `exactly_encoded` of light in f32 for bytes, by a table over the upper 16 bits of the light: all light of an entry becomes one level, or
/// one more from a threshold on.
class ByteTable {
 public:
  explicit ByteTable(const Encoding& by);

  std::uint8_t operator()(float light) const {
    const std::uint32_t at = (std::bit_cast<std::uint32_t>(light) >> shift) - first;
    if (at < entries && table_[at].level != unsure) return static_cast<std::uint8_t>(table_[at].level + (light >= table_[at].next ? 1 : 0));
    return quickly_encoded<std::uint8_t>(light, by_, *quick_light_);
  }

 private:
  static constexpr int shift = 16;
  static constexpr std::uint32_t first = std::bit_cast<std::uint32_t>(0x1p-14F) >> shift;
  static constexpr std::uint32_t entries = (std::bit_cast<std::uint32_t>(4.0F) >> shift) - first;
  static constexpr std::int32_t unsure = -1;
  struct Entry {
    float next = std::numeric_limits<float>::infinity();
    std::int32_t level = unsure;
  };

  Encoding by_;
  const QuickLight* quick_light_ = &quick_light();
  std::array<Entry, entries> table_{};
};

}  // namespace halation
