// analyse.cpp: separation of weights and derivation of error bounds.
#include "plan/analysis/analyse.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>

#include "core/convert.h"
#include "core/finite.h"
#include "core/integer_weights.h"

namespace halation {
namespace {

constexpr double largest_exact_integer = 0x1p53;

bool all_integers(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) {
    return w == std::trunc(w) && std::fabs(w) < largest_exact_integer;
  });
}

/// Divides integers by their greatest common divisor and returns it.
double make_primitive(std::vector<double>& line) {
  std::int64_t divisor = 0;
  for (const double w : line) divisor = std::gcd(divisor, static_cast<std::int64_t>(w));
  if (divisor == 0) return 1;
  for (double& w : line) w /= static_cast<double>(divisor);
  return static_cast<double>(divisor);
}

/// Magnitudes of more weights are not sorted, which would take longer than a millisecond, but bounded as if one
/// were all of their sum.
constexpr std::size_t most_sorted = 1 << 14;

/// The sums of the j largest magnitudes, j = 1 … as many as are not 0.
std::vector<double> largest_first_sums(const std::vector<double>& weights) {
  std::vector<double> sums;
  for (const double w : weights) {
    if (w != 0) sums.push_back(std::fabs(w));
  }
  if (sums.size() > most_sorted) {
    sums.assign(sums.size(), std::accumulate(sums.begin(), sums.end(), 0.0));
    return sums;
  }
  std::sort(sums.begin(), sums.end(), std::greater<>());
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  return sums;
}

/// Additions that the terms of a sum pass through.
struct Additions {
  double most = 0;  ///< any term
  double mean = 0;  ///< Σ|w|·(additions of its term) / Σ|w| at most
};

Additions additions_of(const std::vector<double>& largest_first) {
  if (largest_first.empty()) return {};
  return {static_cast<double>(largest_first.size()),
          std::accumulate(largest_first.begin(), largest_first.end(), 0.0) / largest_first.back()};
}

/// The least number of a float that is normal; 0 for integers, and for f16, which is widened.
double least_normal(Pixel pixel) {
  const Pixel part = part_of(pixel);
  return part == Pixel::f32 ? 0x1p-126 : part == Pixel::f64 ? 0x1p-1022 : 0;
}
double least_of_sums(const Job& job) { return least_normal(job.sum_f64 ? Pixel::f64 : Pixel::f32); }

/// How often the least normal number can be lost in products and sums that are taken as 0 for being smaller, counted as often as
/// later factors make it larger.
double losses(const Taps& taps) {
  const auto& k = taps.size;
  const auto product = static_cast<double>(k[0] * k[1] * k[2]);
  switch (taps.form) {
    case Form::dense:
      return 2 * product;
    case Form::factors: {
      double sum = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double later = 1;
        for (std::size_t other = 0; other < 3; ++other) {
          if (other != axis) later *= std::max(1.0, sum_of_magnitudes((*taps.factors)[other]));
        }
        sum += 2 * static_cast<double>(k[axis]) * later;
      }
      return sum;
    }
    case Form::box:
      return 3 * product + static_cast<double>(k[0] + k[1] + k[2]);
    case Form::terms:       // error_bound_of_low_rank
    case Form::matrices:    // error_bound_of_banded
    case Form::spectrum:    // error_bound_of_transforms
    case Form::lower_rate:  // error_bound_of_multirate
      break;
  }
  throw std::logic_error("a form of weights that another function has the bound for");
}

/// Half a unit in the last place of 1, of sums.
double unit_of(const Job& job) { return job.sum_f64 ? 0x1p-53 : 0x1p-24; }

/// Roundings that a product can pass through beside the additions: for the weight and its factors, the border's constant, scale and
/// offset, root and square; plain multiply-adds round twice a term.
constexpr double others = 12;

int sign_of(double value) { return (value > 0) - (value < 0); }

/// The largest power of 2 that is not above `value`; 0 for 0.
double binade(double value) { return std::ldexp(1.0, std::ilogb(value)); }

}  // namespace

std::optional<Separation> separate(const Space& size, const std::vector<double>& weights) {
  const auto magnitude = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  const auto largest = std::max_element(weights.begin(), weights.end(), magnitude);
  if (largest == weights.end() || *largest == 0) return std::nullopt;
  if (std::max({size[0], size[1], size[2]}) == std::ssize(weights)) {  // one line is the product of itself and 1
    Separation line;
    for (std::size_t axis = 0; axis < 3; ++axis) line.factors[axis] = size[axis] == std::ssize(weights) ? weights : std::vector<double>{1};
    // One weight is the factor of one axis.
    if (weights.size() == 1) line.factors[0] = line.factors[1] = {1};
    return line;
  }

  // The lines through the largest weight p: w = z ⊗ y ⊗ x would make them p·z/z₀, p·y/y₀ and p·x/x₀.
  const std::int64_t at = largest - weights.begin();
  const Space stride{size[1] * size[2], size[2], 1};
  FactorArray lines;
  std::array<double, 3> divisor{1, 1, 1};
  const bool integers = all_integers(weights);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (size[axis] == 1) {
      lines[axis] = {1};
      continue;
    }
    const std::int64_t start = at - at / stride[axis] % size[axis] * stride[axis];
    for (std::int64_t i = 0; i < size[axis]; ++i) {
      lines[axis].push_back(weights[static_cast<std::size_t>(start + i * stride[axis])]);
    }
    if (integers) divisor[axis] = make_primitive(lines[axis]);
  }
  // Scale one factor so that the product has p at its place. With primitive integer lines the scale of a true product is an integer.
  double product = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    product *= lines[axis][static_cast<std::size_t>(at / stride[axis] % size[axis])];
  }
  const double scale = *largest / product;
  const auto longest = static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
  for (double& w : lines[longest]) w *= scale;

  Separation found{.factors = std::move(lines)};
  double total = 0;
  const double* weight = weights.data();
  for (const double z : found.factors[0]) {
    for (const double y : found.factors[1]) {
      for (const double x : found.factors[2]) {
        const double w = *weight++;
        const double off = std::fabs(w - z * y * x);
        const int sign = sign_of(z) * sign_of(y) * sign_of(x);  // also where the product is too small for a double
        found.keeps_faint = found.keeps_faint && sign_of(w) == sign && off <= 0x1p-10 * std::fabs(w) + 0x1p-1022;
        found.difference += off;
        total += std::fabs(w);
      }
    }
  }
  found.residual = found.difference / total;
  return found;
}

FactorArray balanced(FactorArray factors) {
  const auto longest = std::max_element(factors.begin(), factors.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  double gain = 1;
  const auto is_gain = [&](const auto& factor) { return &factor != &*longest && factor.size() == 1; };
  for (const auto& factor : factors) gain *= is_gain(factor) ? factor.front() : 1;
  if (gain != 1 && std::isnormal(gain)) {
    for (double& w : *longest) w *= gain;
    for (auto& factor : factors) {
      if (is_gain(factor)) factor.front() = 1;
    }
  }
  std::array<double, 3> sums{};
  std::transform(factors.begin(), factors.end(), sums.begin(), sum_of_magnitudes);
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  const bool is_mixed = *least < 1 && *most > 1;
  if (!is_mixed || *least == 0 || !std::isfinite(sums[0] * sums[1] * sums[2])) return factors;
  // The others sum up to 1 each, and the largest has all there is.
  const auto carrier = static_cast<std::size_t>(most - sums.begin());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis == carrier) continue;
    for (double& w : factors[axis]) w /= sums[axis];
    for (double& w : factors[carrier]) w *= sums[axis];
  }
  return factors;
}

FactorArray balanced_for(const Job& job, FactorArray factors) {
  constexpr double far = 0x1p40;
  const bool are_near_1 = std::all_of(factors.begin(), factors.end(), [](const auto& factor) {
    const double sum = sum_of_magnitudes(factor);
    return sum > 1 / far && sum < far;
  });
  return are_near_1 && !may_be_non_finite(job) ? factors : balanced(std::move(factors));
}

void keep_infinities(Taps& taps, const Job& job) {
  if (!may_be_non_finite(job) || job.scale == 0) return;
  // Kernels may multiply the weights by the scale, and a box's by one another. Weights are raised to 2^-26 at most, beside which no sum of
  // as many overflows.
  constexpr double least_scale = 0x1p-100;
  const double least_weight = least_of_sums(job) / std::clamp(std::fabs(job.scale), least_scale, 1.0);
  const auto raise = [least_weight](std::vector<double>& weights) {
    for (double& w : weights) {
      if (w != 0 && std::fabs(w) < least_weight) w = std::copysign(least_weight, w);
    }
  };
  raise(taps.weights);
  if (!taps.factors) return;
  FactorArray& factors = *taps.factors;
  if (taps.form != Form::box) {
    std::for_each(factors.begin(), factors.end(), raise);
    return;
  }
  const std::array<double, 3> weights{factors[0].front(), factors[1].front(), factors[2].front()};
  const bool is_zero = std::find(weights.begin(), weights.end(), 0) != weights.end();
  if (is_zero || std::fabs(weights[0] * weights[1] * weights[2]) >= least_weight) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::fill(factors[axis].begin(), factors[axis].end(), std::copysign(std::cbrt(least_weight), weights[axis]));
  }
}

bool all_equal(const FactorArray& factors) {
  return std::all_of(factors.begin(), factors.end(), [](const std::vector<double>& factor) {
    return std::all_of(factor.begin(), factor.end(), [&](double w) { return w == factor.front(); });
  });
}

double separable_tolerance(bool sum_f64) { return sum_f64 ? 0x1p-51 : 0x1p-24; }

std::optional<double> largest_input(const Job& job) {
  if (is_float(job.in_pixel)) return std::nullopt;
  return largest_integer(job);
}

bool sums_are_exact(const Taps& taps, double sum_of_magnitudes, const Job& job) {
  const auto whole = [](double value) { return value == std::nearbyint(value); };
  const auto all_whole = [&](const std::vector<double>& values) { return std::all_of(values.begin(), values.end(), whole); };
  const std::optional<double> most = largest_input(job);
  if (!most || !all_whole(taps.weights)) return false;
  if (taps.factors && !std::all_of(taps.factors->begin(), taps.factors->end(), all_whole)) return false;
  for (const BorderTable& border : job.borders) {
    if (!whole(border.constant())) return false;
  }
  return sum_of_magnitudes * *most <= (job.sum_f64 ? 0x1p53 : 0x1p24);
}

ErrorBound error_bound(const Taps& taps, double magnitudes, double residual, const Job& job) {
  const double u = unit_of(job);
  const double least = least_of_sums(job);
  // A scale may be part of the weights, which may be whole no longer.
  const bool exact = job.scale_is_exact() && sums_are_exact(taps, magnitudes, job);
  if (exact && job.combine == Combine::none && job.scale == 1 && job.offset == 0) return {0, 0, 0};
  std::vector<double> sums;  // of the largest first, of a direct filter
  Additions additions;
  if (!exact && taps.form == Form::dense) {
    sums = largest_first_sums(taps.weights);
    additions = additions_of(sums);
  } else if (!exact) {
    for (const auto& factor : *taps.factors) {
      const Additions axis = additions_of(largest_first_sums(factor));
      additions.most += axis.most;
      additions.mean += axis.mean;
    }
  }
  const double growth = 1 / (1 - std::min(0.5, (additions.most + others) * u));
  const double size = std::fabs(job.scale);
  const double lost = magnitudes > 0 ? losses(taps) : 0;
  const double of_lost = std::max(1.0, size) * lost * least;  // the scale may be part of the weights
  const double taken_as_0 = std::max(1.0, size) * least_normal(job.in_pixel) * magnitudes + of_lost + 2 * least + least_normal(job.out_pixel);
  ErrorBound bound{size * magnitudes * ((additions.mean + others) * u * growth + residual) + of_lost, 4 * u * std::fabs(job.offset) + taken_as_0};
  const std::optional<double> most = largest_input(job);
  if (sums.empty() || !most || job.sum_f64) return bound;
  // The scale may be part of the weights or follow the sum.
  double halves = 0;
  for (const double sum : sums) {
    halves += std::max(size * binade(sum * *most * growth), binade(size * sum * *most * growth));
  }
  bound.most = size * magnitudes * *most * (others * u * growth + residual) + halves * u * growth;
  return bound;
}

ErrorBound error_bound_of_transforms(const Taps& taps, double magnitudes, double residual, const TransformFacts& facts, const Job& job) {
  const double size = std::fabs(job.scale);
  const std::optional<double> most = largest_input(job);
  double of_sums = transform_error(taps.weights, facts, job.sum_f64);
  if (facts.axis_samples > 0) of_sums = std::max(of_sums, transform_error_by_axes(*taps.factors, facts, job.sum_f64) + residual * magnitudes);
  if (sums_are_whole(job, taps.weights)) {
    const bool none = sums_are_exact(taps, magnitudes, job) && of_sums * *most < 0.5;
    if (none && job.combine == Combine::none && job.scale == 1 && job.offset == 0) return {0, 0, 0};
    of_sums *= none ? 0 : 2;
  }
  const double u = unit_of(job);
  const double most_scale = std::max(1.0, size);
  const double taken_as_0 = most_scale * (least_normal(job.in_pixel) * magnitudes + 4 * least_of_sums(job)) + least_normal(job.out_pixel);
  const double of_raised = most_scale * static_cast<double>(taps.weights.size()) * least_of_sums(job);  // keep_infinities
  return {.relative = size * (of_sums + magnitudes * others * u) + of_raised, .absolute = 4 * u * std::fabs(job.offset) + taken_as_0};
}

ErrorBound error_bound_of_banded(const Banded& banded, double magnitudes, const Job& job) {
  const double u = unit_of(job);
  if (banded.over_floats) {
    const double size = std::fabs(job.scale);
    return {.relative = size * magnitudes * others * u,
            .absolute = 4 * u * std::fabs(job.offset) + std::max(1.0, size) * 2 * least_normal(job.in_pixel) * magnitudes + 4 * 0x1p-126 +
                        least_normal(job.out_pixel),
            .approximation = size * magnitudes * banded.error};
  }
  const bool as_they_are = banded.scale == 1 && !banded.has_scale && job.scale == 1 && job.offset == 0;
  if (as_they_are && job.combine == Combine::none && magnitudes * *largest_input(job) <= 0x1p24) return {0, 0, 0};
  return {.relative = std::fabs(job.scale) * magnitudes * others * u,
          .absolute = 4 * u * std::fabs(job.offset) + banded.error + 2 * 0x1p-126 + least_normal(job.out_pixel)};
}

ErrorBound error_bound_of_low_rank(const Taps& taps, double magnitudes, double residual, const Job& job) {
  const double u = unit_of(job);
  const double least = least_of_sums(job);
  const double size = std::fabs(job.scale);
  const auto additions = static_cast<double>(taps.size[1]) + static_cast<double>(taps.size[2]) * static_cast<double>(taps.terms.size());
  const double growth = 1 / (1 - std::min(0.5, (additions + others) * u));
  double of_terms = 0, lost = 0;
  for (const Term& term : taps.terms) {
    const double across = sum_of_magnitudes(term.x);
    of_terms += sum_of_magnitudes(term.y) * across;
    lost += 2 * additions * std::max(1.0, across);
  }
  const double taken_as_0 = std::max(1.0, size) * (least_normal(job.in_pixel) * of_terms + lost * least) + 2 * least + least_normal(job.out_pixel);
  return {.relative = size * (of_terms * (additions + others) * u * growth + residual * magnitudes + lost * least),
          .absolute = 4 * u * std::fabs(job.offset) + taken_as_0};
}

ErrorBound error_bound_of_multirate(const Taps& taps, const Job& job) {
  const Multirate& rates = *taps.multirate;
  const double u = unit_of(job);
  const double least = least_of_sums(job);
  auto additions = static_cast<double>((*taps.factors)[0].size());
  for (const MultirateAxis& axis : rates.axes)
    additions += static_cast<double>(axis.down.size() + axis.taps.size()) + static_cast<double>(axis.up_taps());
  const double growth = 1 / (1 - std::min(0.5, (additions + others) * u));
  const double size = std::fabs(job.scale);
  const double magnitudes = rates.magnitudes;
  double later = 1;  // what may become of a number that is lost on the way
  for (const auto& factor : *taps.factors) later *= std::max(1.0, 2 * sum_of_magnitudes(factor));
  const double lost = 2 * additions * std::max(later, magnitudes);
  const double taken_as_0 = std::max(1.0, size) * (least_normal(job.in_pixel) * magnitudes + lost * least) + 2 * least +
                            least_normal(job.out_pixel);
  return {.relative = size * (magnitudes * (additions + others) * u * growth + lost * least),
          .absolute = 4 * u * std::fabs(job.offset) + taken_as_0,
          .approximation = size * rates.error};
}

}  // namespace halation
