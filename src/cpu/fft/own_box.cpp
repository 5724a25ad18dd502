// own_box.cpp: how much of a tile an output needs in its box.
#include "cpu/fft/own_box.h"

#include <algorithm>
#include <cmath>

#include "core/own_box.h"
#include "core/transform.h"
#include "cpu/fft/scaling.h"

namespace halation::cpu_backend {
namespace {

/// What f32 rounds of Σx² is less than this share: a tile passes, and a sample is strong, by as much more.
constexpr double rounded_share = 1.0 / 64;

}  // namespace

template <class Sum>
bool TileFacts<Sum>::squares_are_right(double samples) const {
  // Those that vanish are less than the least normal number each.
  return std::isfinite(squares) && squares * rounded_share >= samples * static_cast<double>(std::numeric_limits<Sum>::min());
}

template <class Sum>
bool TileFacts<Sum>::is_moderate(double samples) const {
  // Squares of the largest lie between the mean and the sum.
  constexpr int far = 2 * far_from_1<Sum>;
  return squares <= std::ldexp(1.0, far) && squares >= std::ldexp(samples, 2 - far);
}

template <class Sum>
bool TileFacts<Sum>::passes(double samples) const {
  return has_blocks() && squares_are_right(samples) &&
         static_cast<double>(least_block) * samples * (own_box_factor * own_box_factor) >= squares * (1 + 2 * rounded_share);
}

template <class Sum>
Sum TileFacts<Sum>::outliers_from(double samples) const {
  const double least = static_cast<double>(least_block) / (1 + 2 * rounded_share);
  const bool is_right = least * rounded_share >= samples * static_cast<double>(std::numeric_limits<Sum>::min());
  return is_right ? std::max(static_cast<Sum>(own_box_factor * std::sqrt(least)), least_outlier<Sum>) : least_outlier<Sum>;
}

template <class Sum>
Sum strong_from(double squares, double scale, double samples) {
  const double least = std::sqrt(squares * (1 + 2 * rounded_share) / samples) / own_box_factor / scale;
  return std::max(static_cast<Sum>(least), std::numeric_limits<Sum>::min());
}

template struct TileFacts<float>;
template struct TileFacts<double>;
template float strong_from(double, double, double);
template double strong_from(double, double, double);

}  // namespace halation::cpu_backend
