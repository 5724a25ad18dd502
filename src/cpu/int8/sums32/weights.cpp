// weights.cpp: the largest whole numbers of 16 bits that stand for weights, and the bound on what they leave out.
#include "cpu/int8/sums32/weights.h"

#include <algorithm>
#include <cmath>

#include "core/integer_weights.h"

namespace halation::cpu_backend {
namespace {

constexpr double most_weight = 32767;
/// Room for what rounds a sum.
constexpr double most_bias = 0x1p24;
constexpr double most_sum = 0x1p31 - most_bias;
constexpr double most_result = 0x1p30;

/// The finest numbers of 16 bits whose sums with values up to `most_value` stay within 32 bits; weights that are whole as they
/// are.
IntegerWeights to_integers(const std::vector<double>& weights, double most_value, bool powers_of_two) {
  const double largest = largest_magnitude(weights);
  // One more for what `rounded` adds, and for each weight that it rounds up.
  const auto count = static_cast<double>(weights.size());
  const double scale = std::min((most_weight - 1) / largest, (most_sum / most_value - count) / sum_of_magnitudes(weights));
  const bool whole = std::all_of(weights.begin(), weights.end(), is_integer);
  if (largest == 0 || (whole && scale >= 1)) return at_scale(weights, 1);
  return at_scale(weights, powers_of_two ? std::exp2(std::floor(std::log2(scale))) : scale);
}

/// Whether results stay where they can be rounded as whole numbers.
bool fits(const Job& job, double sum_of_weights) {
  return std::fabs(job.scale) * sum_of_weights * most_byte + std::fabs(job.offset) < most_result;
}

/// Finishes sums by a shift where the factor is a power of two and nothing is lost by it: ties go up, not to even, so sums are
/// either off anyway or whole as they are.
void finish_by_shift(const Job& job, FixedPoint& fixed) {
  int exponent = 0;
  if (std::frexp(fixed.factor, &exponent) != 0.5 || exponent > 1) return;
  const int shift = 1 - exponent;
  const double offset = std::ldexp(job.offset, shift);
  if (shift == 0 ? !is_integer(offset) : fixed.error == 0 || job.rounding != Rounding::half_even) return;
  const double bias = std::nearbyint(offset) + (shift > 0 ? std::ldexp(0.5, shift) : 0);
  if (std::fabs(bias) > most_bias) return;
  fixed.final_shift = shift;
  fixed.bias = static_cast<std::int32_t>(bias);
  fixed.error += std::ldexp(std::fabs(std::nearbyint(offset) - offset), -shift);
}

std::optional<FixedPoint> by_weights(const Job& job, const std::vector<double>& weights) {
  if (!fits(job, sum_of_magnitudes(weights))) return std::nullopt;
  const IntegerWeights whole = to_integers(weights, most_byte, true);
  FixedPoint fixed;
  fixed.whole = whole.weights;
  fixed.factor = job.scale / whole.scale;
  fixed.error = std::fabs(job.scale) * largest_sum(whole.differences, {0, most_byte});
  if (fixed.error > 0) {  // where sums are off anyway the scale may as well be part of the weights
    const IntegerWeights of_scale = to_integers(scaled(weights, job.scale), most_byte, true);
    fixed.whole = of_scale.weights;
    fixed.factor = 1 / of_scale.scale;
    fixed.error = largest_sum(of_scale.differences, {0, most_byte});
  }
  finish_by_shift(job, fixed);
  return fixed;
}

std::optional<FixedPoint> by_factors(const Job& job, const std::vector<double>& weights_y, const std::vector<double>& weights_x) {
  if (!fits(job, sum_of_magnitudes(weights_y) * sum_of_magnitudes(weights_x))) return std::nullopt;
  const IntegerWeights y = to_integers(weights_y, most_byte, true);
  FixedPoint fixed;
  fixed.by_columns = true;
  fixed.integer_y = y.weights;
  const SumRange of_weights = sum_range_of(weights_y);
  const SumRange columns{of_weights.low * most_byte, of_weights.high * most_byte};
  while (std::ldexp(columns.largest() * y.scale, -fixed.shift) > most_weight - 1) ++fixed.shift;
  const double column_scale = std::ldexp(y.scale, -fixed.shift);
  const double column_error = largest_sum(y.differences, {0, most_byte}) + (fixed.shift > 0 ? 0.5 / column_scale : 0);
  const auto take = [&](const IntegerWeights& x, double scale) {
    const double of_integers = sum_of_magnitudes(std::vector<double>(x.weights.begin(), x.weights.end())) / x.scale;
    fixed.whole = x.weights;
    fixed.factor = scale / (column_scale * x.scale);
    fixed.error = std::fabs(scale) * (column_error * of_integers + largest_sum(x.differences, columns));
  };
  take(to_integers(weights_x, most_weight, true), job.scale);
  if (fixed.error > 0) take(to_integers(scaled(weights_x, job.scale), most_weight, true), 1);
  finish_by_shift(job, fixed);
  if (fixed.error > most_fixed_error) {  // finer, where no shift has to finish sums
    fixed.final_shift.reset();
    take(to_integers(weights_x, most_weight, false), job.scale);
  }
  return fixed;
}

}  // namespace

bool allows_fixed_point(const Job& job) {
  if (job.in_pixel != Pixel::u8 || (job.out_pixel != Pixel::u8 && job.out_pixel != Pixel::i16)) return false;
  if (job.sum_f64 || job.combine != Combine::none) return false;
  return std::all_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
    const double value = border.constant();
    return border.mode() != Border::Mode::constant || (is_integer(value) && value >= 0 && value <= most_byte);
  });
}

std::optional<FixedPoint> fixed_point(const Job& job, const Taps& taps) {
  if (!allows_fixed_point(job)) return std::nullopt;
  std::optional<FixedPoint> fixed;
  if (taps.form == Form::factors && taps.size[0] == 1) {
    std::vector<double> weights_y = (*taps.factors)[1];
    for (double& w : weights_y) w *= (*taps.factors)[0].front();
    fixed = by_factors(job, weights_y, (*taps.factors)[2]);
  } else if (taps.form == Form::dense && taps.size[0] == 1 && taps.size[1] == 1) {
    fixed = by_factors(job, {1.0}, taps.weights);
  } else if (taps.form == Form::dense && taps.size[0] == 1 && taps.size[2] == 1) {
    fixed = by_factors(job, taps.weights, {1.0});
  } else if (taps.form == Form::dense) {
    fixed = by_weights(job, taps.weights);
  }
  // What is truncated must not be off: where all pixels are alike, sums are whole numbers or just below them.
  if (fixed && fixed->error > (job.rounding == Rounding::truncate ? 0 : most_fixed_error)) return std::nullopt;
  return fixed;
}

}  // namespace halation::cpu_backend
