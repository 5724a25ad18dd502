// fixed_point.cpp: the largest whole numbers of 16 bits that stand for weights, and the bound on what they leave out.
#include "cpu/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace halation::cpu_backend {
namespace {

constexpr double most_error = 1.0 / 16;
constexpr double most_pixel = 255;
constexpr double most_weight = 32767;
/// Room for what rounds a sum.
constexpr double most_sum = 0x1p31 - 0x1p24;
constexpr double most_result = 0x1p30;

/// What a sum of weights and values lies between, values from 0 to 1.
struct Range {
  double low = 0;
  double high = 0;
  double largest() const { return std::max(high, -low); }
};

Range range_of(const std::vector<double>& weights) {
  Range range;
  for (const double w : weights) (w < 0 ? range.low : range.high) += w;
  return range;
}

double magnitudes(const std::vector<double>& weights) {
  const Range range = range_of(weights);
  return range.high - range.low;
}

/// The largest |Σ d · v| for any values within the range.
double largest_sum(const std::vector<double>& differences, const Range& values) {
  const Range d = range_of(differences);
  return std::max(d.high * values.high + d.low * values.low, -(d.low * values.high + d.high * values.low));
}

/// Weights times a scale, rounded so that their sum is rounded as well: images of one value stay such.
std::vector<std::int32_t> rounded(const std::vector<double>& weights, double scale) {
  std::vector<std::int32_t> whole;
  std::vector<double> left;
  for (const double w : weights) {
    whole.push_back(static_cast<std::int32_t>(std::nearbyint(w * scale)));
    left.push_back(w * scale - whole.back());
  }
  const auto missing = static_cast<std::int64_t>(std::nearbyint(std::accumulate(left.begin(), left.end(), 0.0)));
  if (missing == 0) return whole;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double sign = missing < 0 ? -1 : 1;
  const auto most = order.begin() + static_cast<std::ptrdiff_t>(std::abs(missing));
  std::partial_sort(order.begin(), most, order.end(), [&](std::size_t a, std::size_t b) {
    return left[a] != left[b] ? sign * left[a] > sign * left[b] : a < b;
  });
  for (auto next = order.begin(); next != most; ++next) whole[*next] += missing < 0 ? -1 : 1;
  return whole;
}

/// Weights as whole numbers over `scale`.
struct Whole {
  std::vector<std::int32_t> weights;
  double scale = 1;
  std::vector<double> differences;  ///< of the whole numbers over the scale from the weights
};

Whole at_scale(const std::vector<double>& weights, double scale) {
  Whole whole{rounded(weights, scale), scale, {}};
  for (std::size_t i = 0; i < weights.size(); ++i) whole.differences.push_back(whole.weights[i] / scale - weights[i]);
  return whole;
}

bool is_whole(double value) { return value == std::nearbyint(value); }

/// The finest numbers of 16 bits whose sums with values up to `most_value` stay within 32 bits; weights that are whole as they
/// are.
Whole to_whole(const std::vector<double>& weights, double most_value, bool powers_of_two) {
  double largest = 0;
  for (const double w : weights) largest = std::max(largest, std::fabs(w));
  // One more for what `rounded` adds, and for each weight that it rounds up.
  const auto count = static_cast<double>(weights.size());
  const double scale = std::min((most_weight - 1) / largest, (most_sum / most_value - count) / magnitudes(weights));
  const bool whole = std::all_of(weights.begin(), weights.end(), is_whole);
  if (largest == 0 || (whole && scale >= 1)) return at_scale(weights, 1);
  return at_scale(weights, powers_of_two ? std::exp2(std::floor(std::log2(scale))) : scale);
}

/// Whether results stay where they can be rounded as whole numbers.
bool fits(const Job& job, double sum_of_magnitudes) {
  return std::fabs(job.scale) * sum_of_magnitudes * most_pixel + std::fabs(job.offset) < most_result;
}

std::optional<FixedPoint> by_weights(const Job& job, const std::vector<double>& weights) {
  if (!fits(job, magnitudes(weights))) return std::nullopt;
  const Whole whole = to_whole(weights, most_pixel, true);
  FixedPoint fixed;
  fixed.whole = whole.weights;
  fixed.factor = job.scale / whole.scale;
  fixed.error = std::fabs(job.scale) * largest_sum(whole.differences, {0, most_pixel});
  return fixed;
}

std::optional<FixedPoint> by_factors(const Job& job, const std::vector<double>& weights_y, const std::vector<double>& weights_x) {
  if (!fits(job, magnitudes(weights_y) * magnitudes(weights_x))) return std::nullopt;
  const Whole y = to_whole(weights_y, most_pixel, true);
  FixedPoint fixed;
  fixed.by_columns = true;
  fixed.whole_y = y.weights;
  const Range of_weights = range_of(weights_y);
  const Range columns{of_weights.low * most_pixel, of_weights.high * most_pixel};
  while (std::ldexp(columns.largest() * y.scale, -fixed.shift) > most_weight - 1) ++fixed.shift;
  const double column_scale = std::ldexp(y.scale, -fixed.shift);
  const double column_error = largest_sum(y.differences, {0, most_pixel}) + (fixed.shift > 0 ? 0.5 / column_scale : 0);
  const auto error = [&](const Whole& x) {
    const double of_whole = magnitudes(std::vector<double>(x.weights.begin(), x.weights.end())) / x.scale;
    return std::fabs(job.scale) * (column_error * of_whole + largest_sum(x.differences, columns));
  };
  Whole x = to_whole(weights_x, most_weight, true);
  if (error(x) > 0) {  // finer, where the scale need not keep sums exact
    Whole finer = to_whole(weights_x, most_weight, false);
    if (error(finer) < error(x)) x = std::move(finer);
  }
  fixed.whole = x.weights;
  fixed.factor = job.scale / (column_scale * x.scale);
  fixed.error = error(x);
  return fixed;
}

}  // namespace

bool allows_fixed_point(const Job& job) {
  if (job.in_pixel != Pixel::u8 || (job.out_pixel != Pixel::u8 && job.out_pixel != Pixel::i16)) return false;
  if (job.sum_f64 || job.combine != Combine::none) return false;
  return std::all_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
    const double value = border.constant();
    return border.mode() != Border::Mode::constant || (is_whole(value) && value >= 0 && value <= most_pixel);
  });
}

std::optional<FixedPoint> fixed_point(const Job& job, const Taps& taps, Method method) {
  if (!allows_fixed_point(job)) return std::nullopt;
  std::optional<FixedPoint> fixed;
  if (method == Method::separable && taps.size[0] == 1) {
    std::vector<double> weights_y = (*taps.factors)[1];
    for (double& w : weights_y) w *= (*taps.factors)[0].front();
    fixed = by_factors(job, weights_y, (*taps.factors)[2]);
  } else if (method == Method::direct && taps.size[0] == 1 && taps.size[1] == 1) {
    fixed = by_factors(job, {1.0}, taps.weights);
  } else if (method == Method::direct && taps.size[0] == 1 && taps.size[2] == 1) {
    fixed = by_factors(job, taps.weights, {1.0});
  } else if (method == Method::direct) {
    fixed = by_weights(job, taps.weights);
  }
  if (fixed && fixed->error > most_error) return std::nullopt;
  return fixed;
}

}  // namespace halation::cpu_backend
