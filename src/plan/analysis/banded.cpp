// banded.cpp: weights as whole numbers of 8 or 16 bits, and as tf32.
#include "plan/analysis/banded.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/convert.h"
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

/// Whether sums may be off by `most_fixed_error` before they are rounded.
bool may_round(const Job& job) {
  return !is_float(job.out_pixel) && job.combine == Combine::none && job.rounding == Rounding::half_even && job.scale != 0;
}

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
  if (!may_round(job)) return std::nullopt;
  return rounded(scaled(weights, job.scale));
}

std::optional<FoundFactors> banded_factors_of(const Job& job, const std::vector<double>& y, const std::vector<double>& x, double residual) {
  if (!can_be_summed(job, x) || !can_be_summed(job, y) || !may_round(job)) return std::nullopt;
  constexpr double largest = limits[1].high - 1;  // of weights, one less for what rounds them
  constexpr double largest_across = 32512;        // of sums along x, with room for what they are off by, and for 128
  const std::vector<double> down = scaled(y, job.scale);
  FoundFactors found;
  // Sums along x fill 16 bits, weights nearly so: by the most steps of 2 that both allow.
  const SumRange across = sum_range_of(x);
  const double full = largest_across / (most_byte * across.largest());  // units of such sums for 1
  const double most_narrow = std::floor(std::log2(largest / largest_magnitude(x) / full));
  if (!(most_narrow >= 0)) return std::nullopt;  // a tap outweighs what sums hold
  found.factors.narrow = static_cast<int>(std::min(most_narrow, 15.0));
  IntegerWeights whole_x = at_scale(x, std::ldexp(full, found.factors.narrow));
  // An output is a sum along y over 2^shift.
  const double most_shift = std::floor(std::log2(full * largest / largest_magnitude(down))) - 8;
  if (!(most_shift >= 1)) return std::nullopt;
  found.factors.shift = static_cast<int>(std::min(most_shift, 22.0));
  const double scale_y = std::ldexp(1 / full, found.factors.shift + 8);
  IntegerWeights whole_y = at_scale(down, scale_y);
  double low = 0;
  for (const std::int32_t w : whole_y.weights) low += std::abs(static_cast<std::int8_t>(w));
  const double magnitudes = sum_of_magnitudes(down);
  constexpr double largest_low = 128;
  found.levels = largest_sum(whole_x.differences, {0, most_byte}) * magnitudes +
                 0.5 / full * (magnitudes + static_cast<double>(y.size()) / scale_y) +
                 largest_sum(whole_y.differences, {most_byte * across.low, most_byte * across.high}) +
                 std::ldexp(low * largest_low, -8 - found.factors.shift) + residual * magnitudes * sum_of_magnitudes(x) * most_byte;
  const double largest_total = (sum_of_magnitudes(down) * scale_y + static_cast<double>(y.size())) * (largest_across + 128) / 256;
  if (!(found.levels <= most_fixed_error) || largest_total > most_sum) return std::nullopt;
  found.factors.x = std::move(whole_x.weights);
  found.factors.y = std::move(whole_y.weights);
  return found;
}

std::optional<Banded> banded_over_floats(const Job& job, const Space& size, const std::vector<double>& weights) {
  constexpr double half_a_unit = 0x1p-11;  // in the last place of 1, of tf32
  constexpr double most_error = 0x1p-10;
  constexpr double least = 0x1p-64, most = 0x1p64;  // of weights: far from the ends of f32
  const double largest = largest_magnitude(weights);
  if (job.accuracy != Accuracy::fast || job.sum_f64 || !(largest >= least && largest <= most)) return std::nullopt;
  const auto is_held = [](const BorderTable& border) {
    return border.mode() != Border::Mode::constant || is_element(border.constant(), Pixel::f16);
  };
  if (job.in_pixel == Pixel::f16 && !std::all_of(job.borders.begin(), job.borders.end(), is_held)) return std::nullopt;
  double left = 0;
  for (const double w : weights) left += std::fabs(w - as_tf32(w));
  const double of_weights = left / sum_of_magnitudes(weights);
  const double of_pixels = job.in_pixel == Pixel::f16 ? 0 : half_a_unit;
  // An instruction adds 16 products to a sum, all cut off at 2^-23 of the largest of them at most, and so is what becomes of them (M. Fasi and
  // others, Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7, 2021).
  constexpr double of_instruction = 18 * 0x1p-23;
  const std::int64_t instructions = size[1] * ((size[2] + 30) / 16);
  constexpr double of_small_weights = 0x1p-39;  // too small for halves beside the largest
  const double of_sums = static_cast<double>(instructions) * of_instruction + static_cast<double>(weights.size()) * of_small_weights;
  const double error = of_pixels + (of_weights + of_sums) * (1 + half_a_unit);
  if (error > most_error) return std::nullopt;
  return Banded{.weights = {}, .error = error, .over_floats = true};
}

}  // namespace halation
