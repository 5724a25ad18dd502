// multirate.cpp: least squares for the taps at the lower rate, and the error that they leave, summed up in f64.
#include "plan/analysis/multirate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/integer_weights.h"

namespace halation {
namespace {

using Weights = std::vector<double>;

constexpr std::int64_t order = 4;  ///< of splines: boxes one over another
constexpr std::int64_t first_factor = 2;
constexpr std::int64_t last_factor = 32;
/// A filter of fewer taps for each step of the lower rate has nothing left to be filtered there.
constexpr std::int64_t fewest_taps = 6;

double sum_of(const Weights& weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

/// Of 4 (D − 1) + 1 weights that sum up to 1.
Weights spline(std::int64_t factor) {
  Weights all{1.0};
  for (std::int64_t box = 0; box < order; ++box) {
    Weights wider(all.size() + static_cast<std::size_t>(factor) - 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(factor); ++k) wider[i + k] += all[i] / static_cast<double>(factor);
    }
    all = std::move(wider);
  }
  return all;
}

/// What one tap alone makes of the input for each phase: sample n of phase p is that of in[qD + lead + n].
class Responses {
 public:
  explicit Responses(const MultirateAxis& axis)
      : factor_(axis.factor), length_(static_cast<std::int64_t>(axis.down.size()) + (axis.up_taps() - 1) * factor_),
        all_(static_cast<std::size_t>(factor_ * length_)) {
    for (std::int64_t p = 0; p < factor_; ++p) {
      for (std::int64_t s = 0; s < axis.up_taps(); ++s) {
        for (std::size_t i = 0; i < axis.down.size(); ++i)
          all_[static_cast<std::size_t>(p * length_ + s * factor_) + i] +=
              axis.up[static_cast<std::size_t>(p * axis.up_taps() + s)] * axis.down[i];
      }
    }
  }
  std::int64_t length() const { return length_; }
  const double* phase(std::int64_t p) const { return all_.data() + p * length_; }

 private:
  std::int64_t factor_, length_;
  Weights all_;
};

/// Solves a banded system whose entry (i, j) is band[|i − j|], positive definite, for several right sides. By Cholesky's factors.
class BandedSystem {
 public:
  BandedSystem(const Weights& band, std::size_t n) : width_(std::min(band.size(), n)), n_(n), rows_(n * width_) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t d = std::min(i, width_ - 1) + 1; d-- > 0;) {
        const std::size_t j = i - d;
        double sum = band[d];
        for (std::size_t k = i < width_ ? 0 : i - width_ + 1; k < j; ++k) sum -= at(i, i - k) * at(j, j - k);
        at(i, d) = d == 0 ? std::sqrt(sum) : sum / at(j, 0);
      }
    }
  }
  Weights solve(Weights right) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t d = 1; d < width_ && d <= i; ++d) right[i] -= at(i, d) * right[i - d];
      right[i] /= at(i, 0);
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t d = 1; d < width_ && i + d < n_; ++d) right[i] -= at(i + d, d) * right[i + d];
      right[i] /= at(i, 0);
    }
    return right;
  }

 private:
  double& at(std::size_t row, std::size_t d) { return rows_[row * width_ + d]; }
  double at(std::size_t row, std::size_t d) const { return rows_[row * width_ + d]; }

  std::size_t width_, n_;
  Weights rows_;
};

/// The taps of an axis that has all else.
Weights least_squares(const MultirateAxis& axis, const Responses& responses, const Weights& weights, std::int64_t lead, std::size_t taps) {
  const std::int64_t length = responses.length();
  Weights band;
  for (std::int64_t apart = 0; apart < length; apart += axis.factor) {
    double sum = 0;
    for (std::int64_t p = 0; p < axis.factor; ++p)
      sum += std::inner_product(responses.phase(p) + apart, responses.phase(p) + length, responses.phase(p), 0.0);
    band.push_back(sum);
  }
  Weights right(taps);
  const auto size = static_cast<std::int64_t>(weights.size());
  for (std::size_t t = 0; t < taps; ++t) {
    for (std::int64_t p = 0; p < axis.factor; ++p) {
      // Sample n of the response lies over weight n + first.
      const std::int64_t first = static_cast<std::int64_t>(t) * axis.factor + axis.lead - p - lead;
      const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, length);
      const std::int64_t end = std::clamp<std::int64_t>(size - first, begin, length);
      right[t] += std::inner_product(responses.phase(p) + begin, responses.phase(p) + end, weights.data() + first + begin, 0.0);
    }
  }
  const BandedSystem system(band, taps);
  Weights solved = system.solve(std::move(right));
  const Weights by_one = system.solve(Weights(taps, 1.0));
  const double more = (sum_of(weights) - sum_of(solved)) / sum_of(by_one);
  for (std::size_t t = 0; t < taps; ++t) solved[t] += more * by_one[t];
  return solved;
}

double error_of(const MultirateAxis& axis, const Responses& responses, const Weights& weights, std::int64_t lead) {
  const std::int64_t length = responses.length();
  const auto taps = static_cast<std::int64_t>(axis.taps.size());
  const auto size = static_cast<std::int64_t>(weights.size());
  double most = 0;
  for (std::int64_t p = 0; p < axis.factor; ++p) {
    // Both over in[qD + axis.lead + n] for output qD + p; the filter's weight there is n − shift.
    const std::int64_t shift = p + lead - axis.lead;
    const std::int64_t low = std::min<std::int64_t>(0, shift);
    const std::int64_t high = std::max((taps - 1) * axis.factor + length, shift + size);
    Weights difference(static_cast<std::size_t>(high - low));
    for (std::int64_t t = 0; t < taps; ++t) {
      double* const to = difference.data() + t * axis.factor - low;
      for (std::int64_t n = 0; n < length; ++n) to[n] += axis.taps[static_cast<std::size_t>(t)] * responses.phase(p)[n];
    }
    for (std::int64_t k = 0; k < size; ++k) difference[static_cast<std::size_t>(k + shift - low)] -= weights[static_cast<std::size_t>(k)];
    most = std::max(most, sum_of_magnitudes(difference));
  }
  return most;
}

MultirateAxis by_factor(const Weights& weights, std::int64_t lead, std::int64_t factor) {
  MultirateAxis axis;
  axis.factor = factor;
  axis.down = spline(factor);
  axis.up.assign(static_cast<std::size_t>(order * factor), 0.0);
  // Phase p takes every D-th weight from p on, the last first.
  for (std::size_t n = 0; n < axis.down.size(); ++n) {
    const std::size_t p = n % static_cast<std::size_t>(factor);
    const std::size_t s = order - 1 - n / static_cast<std::size_t>(factor);
    axis.up[p * order + s] = static_cast<double>(factor) * axis.down[n];
  }
  // The middle of a tap's response lies 3 D behind where it begins. One tap more than would cover the filter, to either side.
  const auto half = (static_cast<std::int64_t>(weights.size()) - 1) / 2;
  const std::int64_t beside = (half + factor - 1) / factor + 1;
  axis.lead = lead + half - beside * factor - 3 * factor;
  const Responses responses(axis);
  axis.taps = least_squares(axis, responses, weights, lead, static_cast<std::size_t>(2 * beside + 1));
  axis.error = error_of(axis, responses, weights, lead);
  return axis;
}

}  // namespace

MultirateAxis multirate_axis(const Weights& weights, std::int64_t lead, double tolerance) {
  MultirateAxis best;
  best.lead = lead;
  best.taps = weights;
  const double most = tolerance * sum_of_magnitudes(weights);
  for (std::int64_t factor = first_factor; factor <= last_factor; factor *= 2) {
    if (static_cast<std::int64_t>(weights.size()) < fewest_taps * factor) break;
    MultirateAxis axis = by_factor(weights, lead, factor);
    if (!(axis.error <= most)) break;
    best = std::move(axis);
  }
  return best;
}

std::optional<Multirate> multirate_of(const Taps& place, const FactorArray& factors) {
  constexpr double share = 0.499;  // for either axis: what remains is for their product
  Multirate found;
  double magnitudes = 1;
  double with_errors = 1;
  found.magnitudes = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double of_factor = sum_of_magnitudes(factors[axis]);
    magnitudes *= of_factor;
    if (axis == 0) {
      with_errors *= of_factor;
      found.magnitudes *= of_factor;
      continue;
    }
    MultirateAxis& along = found.axes[axis - 1];
    along = multirate_axis(factors[axis], place.lead[axis], share * fast_tolerance);
    with_errors *= of_factor + along.error;
    found.magnitudes *= sum_of_magnitudes(along.taps);
  }
  if (found.axes[0].factor * found.axes[1].factor == 1) return std::nullopt;
  found.error = with_errors - magnitudes;
  return found;
}

}  // namespace halation
