// fold.cpp: filters that reach over an axis several times, as shorter ones of the same sums.
#include "plan/analysis/fold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/finite.h"

namespace halation {
namespace {

/// Multirate thins out filters that stay long; under `accuracy: fast` folds leave no longer ones.
constexpr std::int64_t longest_beside_multirate = 64;
/// Windows of equal weights are folded to no more taps.
constexpr std::int64_t longest_of_boxes = 8;

/// A line of weights, `stride` apart.
template <class Number>
struct Line {
  Number* first;
  std::int64_t stride;
  Number& operator[](std::int64_t i) const { return first[i * stride]; }
};

/// The classes of an axis's taps: those of one see the same pixel at every output. Each is kept as one tap, or as two.
class Classes {
 public:
  /// Of `taps` taps, the first at offset `first` from the output. `copies`: 1 or 2. `drops`: what lies outside adds nothing.
  Classes(const BorderTable& border, std::int64_t outputs, std::int64_t first, std::int64_t taps, std::int64_t copies, bool drops)
      : copies_(copies) {
    const std::int64_t n = border.size();
    if (n == 1 && border.mode() != Border::Mode::constant) {
      repeat(1, first, taps);  // one pixel, wherever a tap lies
      return;
    }
    switch (border.mode()) {
      case Border::Mode::wrap: repeat(n, first, taps); break;
      case Border::Mode::reflect: repeat(2 * n, first, taps); break;
      case Border::Mode::reflect101: repeat(2 * n - 2, first, taps); break;
      case Border::Mode::replicate: end(1 - outputs, n - 1, first, taps, false); break;
      case Border::Mode::constant: end(-outputs, n, first, taps, drops); break;
    }
  }

  std::int64_t low() const { return low_; }
  std::int64_t taps() const { return taps_; }

  /// Whether weights of one class differ in sign, 0 being a sign of its own.
  bool mix_signs(Line<const double> weights) const {
    constexpr int unseen = 2;
    std::vector<int> signs(static_cast<std::size_t>(taps_), unseen);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].first < 0) continue;
      const double w = weights[static_cast<std::int64_t>(i)];
      const int sign = (w > 0) - (w < 0);
      int& seen = signs[static_cast<std::size_t>(places_[i].first)];
      if (seen != unseen && seen != sign) return true;
      seen = sign;
    }
    return false;
  }

  /// Adds a line's weights up. Of two taps of a class one has those above 0 and the other those below; where there are none of either kind
  /// they share the sum, so that none of them is 0.
  void add_up(Line<const double> weights, Line<double> sums) const {
    struct Class {
      long double above = 0, below = 0;
      bool has_zeros = false;
    };
    std::vector<Class> classes(static_cast<std::size_t>(taps_));
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].first < 0) continue;
      const double w = weights[static_cast<std::int64_t>(i)];
      Class& own = classes[static_cast<std::size_t>(places_[i].first)];
      (w > 0 ? own.above : own.below) += w;
      own.has_zeros = own.has_zeros || w == 0;
    }
    for (const auto& [first, second] : places_) {
      if (first < 0) continue;
      const Class& own = classes[static_cast<std::size_t>(first)];
      if (first == second) {
        sums[first] = static_cast<double>(own.above + own.below);
      } else if (own.has_zeros || (own.above > 0 && own.below < 0)) {
        sums[first] = static_cast<double>(own.above);
        sums[second] = static_cast<double>(own.below);
      } else {
        sums[first] = sums[second] = static_cast<double>((own.above + own.below) / 2);
      }
    }
  }

 private:
  void repeat(std::int64_t period, std::int64_t first, std::int64_t taps) {
    low_ = -(period / 2);
    taps_ = copies_ * period;
    for (std::int64_t offset = first; offset < first + taps; ++offset) {
      const std::int64_t r = (offset - low_) % period;
      const std::int64_t place = r < 0 ? r + period : r;
      places_.emplace_back(place, place + (copies_ - 1) * period);
    }
  }

  /// Offsets up to `low` are a class, and those from `high` on.
  void end(std::int64_t low, std::int64_t high, std::int64_t first, std::int64_t taps, bool drops) {
    const std::int64_t last = first + taps - 1;
    const std::int64_t below = drops ? 0 : std::clamp<std::int64_t>(low - first + 1, 0, copies_);
    const std::int64_t above = drops ? 0 : std::clamp<std::int64_t>(last - std::max(high, low + 1) + 1, 0, copies_);
    const std::int64_t from = std::max(first, low + 1);
    const std::int64_t between = std::max<std::int64_t>(std::min(last, high - 1) - from + 1, 0);
    low_ = from - below;
    taps_ = below + between + above;
    for (std::int64_t offset = first; offset <= last; ++offset) {
      if (offset > low && offset < high) {
        places_.emplace_back(offset - low_, offset - low_);
      } else if (drops) {
        places_.emplace_back(-1, -1);
      } else if (offset <= low) {
        places_.emplace_back(0, below - 1);
      } else {
        places_.emplace_back(taps_ - above, taps_ - 1);
      }
    }
  }

  std::int64_t copies_ = 1;
  std::int64_t low_ = 0;
  std::int64_t taps_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> places_;  // of each tap; the same twice where its class is kept as one tap
};

/// Weights in row-major order.
struct Weights {
  Space size;
  std::vector<double> values;

  std::int64_t inside(std::size_t axis) const { return axis == 2 ? 1 : axis == 1 ? size[2] : size[1] * size[2]; }
  std::int64_t lines(std::size_t axis) const { return size[0] * size[1] * size[2] / size[axis]; }
  /// Where the i-th line along an axis begins.
  std::int64_t begin(std::size_t axis, std::int64_t i) const {
    const std::int64_t within = inside(axis);
    return i / within * within * size[axis] + i % within;
  }
};

/// Whether what lies outside along an axis adds nothing, whatever lies outside along the others.
bool outside_is_zero(const Job& job) {
  return std::all_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
    return border.mode() != Border::Mode::constant || border.constant() == 0;
  });
}

/// How the taps of an axis are kept; none where that does not make them clearly fewer. `weights`: lines along the axis, and which it is of them.
std::optional<Classes> classes_of(const Job& job, const Taps& place, std::size_t axis, const Weights& weights, std::size_t axis_of_weights) {
  const std::int64_t taps = place.size[axis];
  const Space outputs = job.out.space();
  if (2 * taps <= 3 * job.borders[axis].size()) return std::nullopt;  // as most filters: no class has two of them, or few do
  const auto by_copies = [&](std::int64_t copies) {
    return Classes(job.borders[axis], outputs[axis], place.lead[axis], taps, copies, outside_is_zero(job));
  };
  Classes classes = by_copies(1);
  if (may_be_non_finite(job)) {
    for (std::int64_t i = 0; i < weights.lines(axis_of_weights); ++i) {
      const Line<const double> line{weights.values.data() + weights.begin(axis_of_weights, i), weights.inside(axis_of_weights)};
      if (!classes.mix_signs(line)) continue;
      if (sums_are_whole(job, weights.values)) return std::nullopt;  // halves would make sums that are not
      classes = by_copies(2);
      break;
    }
  }
  if (classes.taps() < 1 || 4 * classes.taps() > 3 * taps) return std::nullopt;
  return classes;
}

Weights along(std::size_t axis, const Weights& weights, const Classes& classes) {
  Weights folded{weights.size, {}};
  folded.size[axis] = classes.taps();
  folded.values.resize(static_cast<std::size_t>(folded.size[0] * folded.size[1] * folded.size[2]));
  for (std::int64_t i = 0; i < weights.lines(axis); ++i) {
    classes.add_up({weights.values.data() + weights.begin(axis, i), weights.inside(axis)},
                   {folded.values.data() + folded.begin(axis, i), folded.inside(axis)});
  }
  return folded;
}

bool all_one(std::span<const double> weights) {
  return std::all_of(weights.begin(), weights.end(), [&](double w) { return w == weights.front(); });
}

/// Whether a window of equal weights would be left with as many taps that it should rather stay one.
bool stays_box(const Space& folded) {
  return *std::max_element(folded.begin(), folded.end()) > longest_of_boxes;
}

/// A filter of the same sums, and the place of its taps.
struct Folded {
  Filter filter;
  Taps place;
};

std::vector<double> in_order(std::vector<double> weights, bool flipped) {
  if (flipped) std::reverse(weights.begin(), weights.end());
  return weights;
}

std::optional<Folded> folded_factors(const Job& job, const Taps& place, const Filter& filter, bool flipped, std::int64_t longest) {
  Taps to = place;
  std::array<std::vector<double>, 3> factors;
  bool is_box = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto given = filter.factors()->axes()[axis];
    Weights weights{{1, 1, std::ssize(given)}, in_order({given.begin(), given.end()}, flipped)};
    is_box = is_box && all_one(given);
    if (const auto classes = classes_of(job, place, axis, weights, 2); classes && classes->taps() <= longest) {
      weights = along(2, weights, *classes);
      to.size[axis] = classes->taps();
      to.lead[axis] = classes->low();
    }
    factors[axis] = std::move(weights.values);
  }
  if (to.size == place.size || (is_box && stays_box(to.size))) return std::nullopt;
  return Folded{Filter::separable({.z = std::move(factors[0]), .y = std::move(factors[1]), .x = std::move(factors[2])}), to};
}

std::optional<Folded> folded_weights(const Job& job, const Taps& place, const Filter& filter, bool flipped, std::int64_t longest) {
  Taps to = place;
  Weights weights{place.size, in_order(filter.weights(), flipped)};
  const bool is_box = all_one(weights.values);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (const auto classes = classes_of(job, place, axis, weights, axis); classes && classes->taps() <= longest) {
      weights = along(axis, weights, *classes);
      to.size[axis] = classes->taps();
      to.lead[axis] = classes->low();
    }
  }
  if (to.size == place.size || (is_box && stays_box(to.size))) return std::nullopt;
  return Folded{Filter::dense({to.size[0], to.size[1], to.size[2]}, std::move(weights.values)), to};
}

/// As many additions as taps at most, whichever weights they add up; those of integers round nothing.
double rounded_by_folding(const Filter& filter) {
  double magnitudes = 1, taps = 0;
  bool are_integers = true;
  const auto count = [&](std::span<const double> weights) {
    double sum = 0;
    for (const double weight : weights) sum += std::fabs(weight);
    magnitudes *= sum;
    taps += static_cast<double>(weights.size());
    are_integers = are_integers && std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::nearbyint(w); });
  };
  if (filter.factors()) {
    for (const auto& factor : filter.factors()->axes()) count(factor);
  } else {
    count(filter.weights());
  }
  return are_integers ? 0 : taps * 0x1p-53 * magnitudes;
}

}  // namespace

std::vector<double> fold(CheckedJob& checked, const Options& options) {
  std::vector<double> errors(checked.filters.size(), 0.0);
  Job& job = checked.job;
  if (job.out.space() != job.in.space()) return errors;  // full outputs are larger than the filter
  const std::int64_t longest = options.accuracy == Accuracy::fast ? longest_beside_multirate : std::int64_t{1} << 62;
  bool any = false;
  for (std::size_t i = 0; i < job.filters.size(); ++i) {
    const Taps& place = job.filters[i];
    const Space n = job.in.space();
    if (place.size[0] <= n[0] && place.size[1] <= n[1] && place.size[2] <= n[2]) continue;
    Filter& filter = checked.filters[i];
    auto folded = filter.factors() ? folded_factors(job, place, filter, checked.flipped[i], longest)
                                   : folded_weights(job, place, filter, checked.flipped[i], longest);
    if (!folded) continue;
    errors[i] = rounded_by_folding(filter);
    filter = folded->filter.with_name(filter.name());
    checked.flipped[i] = false;
    job.filters[i] = folded->place;
    any = true;
  }
  if (any) cover_reads(job);
  return errors;
}

}  // namespace halation
