// banded.h: a filter over bytes whose weights are whole numbers of 8 or 16 bits, so that sums of products round nothing; or one over floats whose
// weights and pixels are rounded to the 11 bits of half precision, with the exponents of f32 (tf32).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace halation {

/// A product of two factors as whole numbers of 16 bits, summed along x, then along y: with w = 256 · high(w) + low(w), both signed bytes,
///     v = round(Σ x[k] · in / 2^narrow),  |v| < 2^15,
///     out = round((256 · Σ high(y) · high(v) + Σ (low(y) · high(v) + high(y) · low(v))) / 2^shift + the job's offset).
/// What is left out, Σ low(y) · low(v) / 256, is part of `Banded::error`.
struct BandedFactors {
  std::vector<std::int32_t> y, x;
  int narrow = 0;
  int shift = 0;
};

/// The significant bits of a tf32.
constexpr int tf32_bits = 11;

/// The nearest number of so many.
inline double as_tf32(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, tf32_bits)), exponent - tf32_bits);
}

/// An output is  round(Σ weights[k] · x[k] · factor + offset), with the job's offset. Over floats the weights are those of `Taps`, rounded.
struct Banded {
  std::vector<std::int32_t> weights;  ///< as the filter's; none where it has factors alone
  int bytes = 1;                      ///< of a weight
  double scale = 1;                   ///< of the whole numbers over the weights, or over the weights times the job's scale
  bool has_scale = false;             ///< whether the job's scale is part of them
  double error = 0;                   ///< levels of the output that sums are off by at most, before they are rounded
  bool over_floats = false;           ///< weights and pixels as tf32, none of the above but `error`, which is over Σ|w| · max|x| then
  std::optional<BandedFactors> factors = {};  ///< where it is a product of them, the job's scale in y

  double factor(double job_scale) const { return (has_scale ? 1 : job_scale) / scale; }
};

}  // namespace halation
