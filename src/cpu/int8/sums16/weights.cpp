// sums16_point.cpp: weights of three taps as numbers of 16 bits whose sums 16 bits hold, and the bound on what they leave out.
//
// Pixels are multiplied by fixed-point weights as numbers with `fraction` bits behind the point; each product is rounded to that.
#include "cpu/int8/sums16/weights.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/integer_weights.h"
#include "cpu/int8/sums32/weights.h"

namespace halation::cpu_backend {
namespace {

constexpr std::int64_t most_taps = 3;
constexpr int product_bits = 15;    // that a fixed-point product loses
constexpr int most_fraction = 7;    // of pixels: 255 · 2^7 < 2^15
constexpr double most_value = 32767;
constexpr double most_sum = 32700;  // beside what rounding adds
constexpr double most_weight = 32766;

SumRange times(const SumRange& weights, const SumRange& values) {
  return {weights.high * values.low + weights.low * values.high, weights.high * values.high + weights.low * values.low};
}

/// A pass over values within `range` that are multiples of 2^(zeros − fraction).
struct Values {
  SumRange range;
  int fraction = 0;
  int zeros = 0;
  double error = 0;
};

/// Taps that a filter lacks are zeros.
std::vector<double> padded(std::vector<double> weights, std::size_t count) {
  weights.resize(count);
  return weights;
}

void put(const std::vector<std::int32_t>& whole, Sums16Weights& to) {
  for (std::size_t i = 0; i < whole.size(); ++i) to.weights[i] = static_cast<std::int16_t>(whole[i]);
}

/// The finest fixed-point weights whose products with such values, shifted to the left by as many bits as are free, have at most
/// `most_fraction` bits behind the point; what becomes of the values.
std::optional<Values> multiply(const std::vector<double>& weights, const Values& values, int most_left, Sums16Weights& narrow) {
  const double largest = largest_magnitude(weights);
  if (largest == 0) return std::nullopt;
  const int finest = std::ilogb(most_weight / largest);
  const SumRange range = times(sum_range_of(weights), values.range);
  for (int fraction = most_fraction; fraction >= 0; --fraction) {
    // fraction = values.fraction + left + bits − product_bits
    const int bits = std::min(finest, fraction + product_bits - values.fraction);
    const int left = fraction + product_bits - values.fraction - bits;
    if (bits < 0 || left > most_left || std::ldexp(range.largest(), fraction) > most_sum) continue;
    const IntegerWeights whole = at_scale(weights, std::ldexp(1.0, bits));
    int zeros = most_fraction + product_bits;
    double rounding = 0;
    for (const std::int32_t w : whole.weights) {
      if (w == 0) continue;
      const int of_product = values.zeros + left + std::countr_zero(static_cast<std::uint32_t>(w)) - product_bits;
      zeros = std::min(zeros, std::max(0, of_product));
      if (of_product < 0) rounding += 0.5;
    }
    narrow = {.product = Sums16Product::fixed_point, .weights = {}, .left = left};
    put(whole.weights, narrow);
    const double of_integers = sum_of_magnitudes({whole.weights.begin(), whole.weights.end()}) / whole.scale;
    return Values{.range = range,
                  .fraction = fraction,
                  .zeros = zeros,
                  .error = values.error * of_integers + largest_sum(whole.differences, values.range) + std::ldexp(rounding, -fraction)};
  }
  return std::nullopt;
}

/// Sums with bits behind the point as pixels. Exact ones are rounded to even, others up.
std::optional<Sums16Finish> finish_of(const Job& job, const Values& sums) {
  Sums16Finish finish{.right = sums.fraction};
  const double offset = std::ldexp(job.offset, sums.fraction);
  double bias = offset;
  if (!is_integer(offset)) return std::nullopt;
  if (sums.fraction > 0 && job.rounding == Rounding::half_even) {
    bias += std::ldexp(0.5, sums.fraction);
    if (sums.error == 0) {
      if (job.offset != 0) return std::nullopt;
      finish.half_even = true;
      bias -= 1;
    }
  } else if (sums.fraction > 0 && job.out_pixel != Pixel::u8) {
    return std::nullopt;  // rounds down, not towards zero
  }
  if (job.rounding == Rounding::truncate && sums.error > 0) return std::nullopt;  // a level less where all pixels are alike
  if (std::fabs(bias) > most_value) return std::nullopt;
  // Sums that bias takes out of 16 bits saturate: of bytes to one, of others far below what they hold.
  const auto leaves = [&](double sum) { return std::fabs(std::ldexp(sum, sums.fraction) + bias) > most_value; };
  const bool saturates = sums.fraction == 0 || (job.out_pixel == Pixel::u8 && sums.fraction <= most_fraction);
  if (!saturates && (leaves(sums.range.low) || leaves(sums.range.high))) return std::nullopt;
  finish.bias = static_cast<std::int16_t>(bias);
  return finish;
}

std::optional<Sums16Point> checked(const Job& job, Sums16Point point, const Values& sums) {
  const auto finish = finish_of(job, sums);
  if (!finish || sums.error > most_fixed_error) return std::nullopt;
  point.finish = *finish;
  point.error = sums.error;
  return point;
}

bool are_integers(const std::vector<double>& weights) { return std::all_of(weights.begin(), weights.end(), is_integer); }

/// Those of Sobel's factors need no multiplication.
Sums16Product product_of(const std::vector<double>& weights) {
  if (weights == std::vector<double>{1, 2, 1}) return Sums16Product::smoothing;
  if (weights == std::vector<double>{-1, 0, 1}) return Sums16Product::rise;
  if (weights == std::vector<double>{1, 0, -1}) return Sums16Product::fall;
  return Sums16Product::whole;
}

/// Weights that are whole numbers, or are so times 2^bits for the least number of bits up to `most_bits`, over whole values.
std::optional<Values> multiply_exactly(const std::vector<double>& weights, const Values& values, int most_bits, Sums16Weights& narrow) {
  int bits = 0;
  while (bits < most_bits && !are_integers(scaled(weights, std::ldexp(1.0, bits)))) ++bits;
  const std::vector<double> whole = scaled(weights, std::ldexp(1.0, bits));
  const SumRange range = times(sum_range_of(weights), values.range);
  const int fraction = values.fraction + bits;
  const double most = fraction > 0 ? most_sum : most_value;
  if (!are_integers(whole) || largest_magnitude(whole) > most_value || std::ldexp(range.largest(), fraction) > most) return std::nullopt;
  narrow = {.product = product_of(whole), .weights = {}, .left = 0};
  put(std::vector<std::int32_t>(whole.begin(), whole.end()), narrow);
  return Values{.range = range, .fraction = fraction};
}

constexpr Values pixels{.range = {0, most_byte}};

std::optional<Sums16Point> by_factors(const Job& job, const std::vector<double>& y, const std::vector<double>& x) {
  Sums16Point point{.by_columns = true};
  if (const auto columns = multiply_exactly(y, pixels, most_fraction, point.columns)) {
    if (const auto sums = multiply_exactly(x, *columns, most_fraction - columns->fraction, point.row)) {
      if (const auto exact = checked(job, point, *sums)) return exact;
    }
  }
  const auto columns = multiply(y, pixels, most_fraction, point.columns);
  if (!columns) return std::nullopt;
  const auto sums = multiply(x, *columns, 0, point.row);
  return sums ? checked(job, point, *sums) : std::nullopt;
}

std::optional<Sums16Point> by_weights(const Job& job, const std::vector<double>& weights) {
  Sums16Point point;
  if (const auto sums = multiply_exactly(weights, pixels, 0, point.columns)) return checked(job, point, *sums);
  const auto sums = multiply(weights, pixels, most_fraction, point.columns);
  return sums ? checked(job, point, *sums) : std::nullopt;
}

/// Three times three equal weights: the sum of pixels, times one factor.
std::optional<Sums16Point> by_window(const Job& job, const Taps& taps) {
  if (taps.size[1] != most_taps || taps.size[2] != most_taps || job.out_pixel != Pixel::u8) return std::nullopt;
  const auto& [z, y, x] = *taps.factors;
  const auto multiplier = find_multiplier(z[0] * y[0] * x[0] * job.scale, job.offset, job.rounding,
                                          most_taps * most_taps * static_cast<std::int64_t>(most_byte));
  if (!multiplier) return std::nullopt;
  Sums16Point point{.by_columns = true};
  point.columns.product = point.row.product = Sums16Product::none;
  point.finish.multiplier = *multiplier;
  return point;
}

}  // namespace

std::optional<Sums16Point> sums16_point(const Job& job, const Taps& taps) {
  if (!allows_fixed_point(job) || taps.size[0] != 1 || taps.size[1] > most_taps || taps.size[2] > most_taps) return std::nullopt;
  const auto scaled_to_three = [&](const std::vector<double>& weights, double scale) { return padded(scaled(weights, scale), most_taps); };
  if (taps.form == Form::box) return by_window(job, taps);
  if (taps.form == Form::factors) {
    const auto& [z, y, x] = *taps.factors;
    return by_factors(job, scaled_to_three(y, z[0]), scaled_to_three(x, job.scale));
  }
  if (taps.form != Form::dense) return std::nullopt;
  if (taps.size[1] == 1) return by_factors(job, {1, 0, 0}, scaled_to_three(taps.weights, job.scale));
  if (taps.size[2] == 1) return by_factors(job, scaled_to_three(taps.weights, job.scale), {1, 0, 0});
  std::vector<double> weights(most_taps * most_taps);
  for (std::int64_t row = 0; row < taps.size[1]; ++row) {
    for (std::int64_t column = 0; column < taps.size[2]; ++column) {
      weights[static_cast<std::size_t>(row * most_taps + column)] =
          taps.weights[static_cast<std::size_t>(row * taps.size[2] + column)] * job.scale;
    }
  }
  return by_weights(job, weights);
}

}  // namespace halation::cpu_backend
