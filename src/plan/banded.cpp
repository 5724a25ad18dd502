// banded.cpp: weights as whole numbers of 8 or 16 bits.
#include "plan/banded.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/integer_weights.h"

namespace halation {
namespace {

/// What the parts of a weight hold, each a signed byte: w = 256 · high + low.
struct Limits {
  int bytes;
  double low, high;
};
constexpr Limits limits[] = {{1, -128, 127}, {2, -32896, 32639}};

/// Sums stay within 32 bits, with room for what rounds them.
constexpr double most_sum = 0x1p31 - 0x1p24;
/// Weights beyond this share of the largest power of 2 are none: 2^20 as elsewhere.
constexpr double finest = 0x1p20;

bool can_be_summed(const Job& job, const std::vector<double>& weights) {
  if (job.in_pixel != Pixel::u8 || job.sum_f64 || weights.empty()) return false;
  const bool constants_fit = std::all_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
    const double value = border.constant();
    return border.mode() != Border::Mode::constant || (is_integer(value) && value >= 0 && value <= most_byte);
  });
  return constants_fit && largest_magnitude(weights) > 0;
}

/// The power of 2 by which all weights become whole; 0 where there is none.
double power_to_whole(const std::vector<double>& weights) {
  double power = 1;
  for (const double w : weights) {
    while (!is_integer(w * power)) {
      power *= 2;
      if (power > finest) return 0;
    }
  }
  return power;
}

std::optional<Banded> as_they_are(const std::vector<double>& weights) {
  const double power = power_to_whole(weights);
  if (power == 0 || power * sum_of_magnitudes(weights) * most_byte > most_sum) return std::nullopt;
  const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
  for (const Limits& limit : limits) {
    if (*low * power < limit.low || *high * power > limit.high) continue;
    Banded banded{.weights = {}, .bytes = limit.bytes, .scale = power};
    banded.weights.reserve(weights.size());
    for (const double w : weights) banded.weights.push_back(static_cast<std::int32_t>(w * power));
    return banded;
  }
  return std::nullopt;
}

std::optional<Banded> rounded(const std::vector<double>& weights) {
  const double largest = largest_magnitude(weights);
  const double magnitudes = sum_of_magnitudes(weights);
  for (const Limits& limit : limits) {
    // One less for what `at_scale` adds, and for each weight that it rounds up.
    const auto count = static_cast<double>(weights.size());
    const double scale = std::min((limit.high - 1) / largest, (most_sum / most_byte - count) / magnitudes);
    if (!(scale > 0) || !std::isfinite(scale)) return std::nullopt;
    // By a power of 2 sums become outputs by a shift.
    for (const double each : {std::exp2(std::floor(std::log2(scale))), scale}) {
      IntegerWeights whole = at_scale(weights, each);
      const double error = largest_sum(whole.differences, {0, most_byte});
      if (error <= most_fixed_error)
        return Banded{.weights = std::move(whole.weights), .bytes = limit.bytes, .scale = each, .has_scale = true, .error = error};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Banded> banded_of(const Job& job, const std::vector<double>& weights) {
  if (!can_be_summed(job, weights)) return std::nullopt;
  if (std::optional<Banded> whole = as_they_are(weights)) return whole;
  const bool may_round = !is_float(job.out_pixel) && job.combine == Combine::none && job.rounding == Rounding::half_even;
  if (!may_round || job.scale == 0) return std::nullopt;
  return rounded(scaled(weights, job.scale));
}

}  // namespace halation
