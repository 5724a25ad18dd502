// power.h: one power of many numbers, by tables.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace halation {

/// x^p for positive normal x and 0 < p <= 2.4.
///
/// x = m · 2^e with m in [1, 2). m^p is a Taylor polynomial around the middle of the one of 128 equal parts of [1, 2) that holds m;
/// (2^e)^p stands in a table.
class Power {
 public:
  /// Results are off by at most so much of themselves.
  static constexpr double error = 0x1p-36;

  explicit Power(double p) {
    for (std::uint64_t part = 0; part < parts; ++part) {
      const double middle = middle_of(one | part << part_shift);
      double coefficient = std::pow(middle, p);
      for (std::size_t i = 0; i < terms; ++i) {
        terms_[part][i] = coefficient;
        coefficient *= (p - static_cast<double>(i)) / (static_cast<double>(i + 1) * middle);
      }
    }
    for (std::size_t e = 0; e < scales_.size(); ++e) scales_[e] = std::exp2(p * (static_cast<double>(e) - 1023));
  }

  double operator()(double x) const {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t mantissa = bits % (std::uint64_t{1} << mantissa_bits) | one;
    const std::array<double, terms>& term = terms_[(bits >> part_shift) % parts];
    const double t = std::bit_cast<double>(mantissa) - middle_of(mantissa);
    return ((term[0] + term[1] * t) + (term[2] + term[3] * t) * (t * t)) * scales_[bits >> mantissa_bits];
  }

 private:
  static constexpr int mantissa_bits = 52;
  static constexpr std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
  static constexpr int part_bits = 7;
  static constexpr std::uint64_t parts = std::uint64_t{1} << part_bits;
  static constexpr int part_shift = mantissa_bits - part_bits;
  static constexpr std::size_t terms = 4;

  /// The middle of the part that holds a number of [1, 2).
  static double middle_of(std::uint64_t bits) {
    constexpr std::uint64_t half = std::uint64_t{1} << (part_shift - 1);
    return std::bit_cast<double>((bits & ~(2 * half - 1)) | half);
  }

  std::array<std::array<double, terms>, parts> terms_{};
  std::array<double, 2047> scales_{};  // by biased exponent
};

}  // namespace halation
