// weights.cpp: what is special about a filter's weights, and what each method could make of it.
#include "model/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "model/rank.h"

namespace halation::model {
namespace {

constexpr double same = 0x1p-40;

/// Whether weights mirrored along one axis are `sign` times themselves; `stride` is the axis's step in the
/// row-major list.
bool mirrors(const std::vector<double>& weights, std::int64_t extent, std::int64_t stride, double sign,
             double largest) {
  const auto count = static_cast<std::int64_t>(weights.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t k = i / stride % extent;
    const std::int64_t mirrored = i + (extent - 1 - 2 * k) * stride;
    const double difference =
        weights[static_cast<std::size_t>(mirrored)] - sign * weights[static_cast<std::size_t>(i)];
    if (std::fabs(difference) > same * largest) return false;
  }
  return true;
}

double largest_of(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0,
                         [](double most, double w) { return std::max(most, std::fabs(w)); });
}

Symmetry symmetry_of(const std::vector<double>& weights, std::int64_t extent, std::int64_t stride) {
  const double largest = largest_of(weights);
  if (mirrors(weights, extent, stride, 1, largest)) return Symmetry::even;
  return mirrors(weights, extent, stride, -1, largest) ? Symmetry::odd : Symmetry::none;
}

bool all_integers(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::trunc(w); });
}

bool all_equal(const std::vector<double>& weights) {
  const double largest = largest_of(weights);
  return largest > 0 && std::all_of(weights.begin(), weights.end(), [&](double w) {
           return std::fabs(w - weights.front()) <= same * largest;
         });
}

void add_facts_of_factors(WeightFacts& facts, const Factors& factors) {
  facts.integers = facts.equal = facts.separable = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::span<const double> row = factors.axes()[axis];
    const std::vector<double> factor(row.begin(), row.end());
    facts.symmetry[axis] = symmetry_of(factor, static_cast<std::int64_t>(factor.size()), 1);
    facts.integers = facts.integers && all_integers(factor);
    facts.equal = facts.equal && all_equal(factor);
  }
}

void add_facts_of_dense(WeightFacts& facts, const std::vector<double>& weights) {
  const auto extents = facts.size.space();
  std::int64_t stride = 1;
  for (std::size_t axis = 3; axis-- > 0;) {
    facts.symmetry[axis] = symmetry_of(weights, extents[axis], stride);
    stride *= extents[axis];
  }
  facts.integers = all_integers(weights);
  facts.equal = all_equal(weights);
}

}  // namespace

std::string_view name_of(Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::none:
      return "none";
    case Symmetry::even:
      return "even";
    case Symmetry::odd:
      return "odd";
  }
  throw std::logic_error("no such symmetry");
}

WeightFacts facts_of(const Filter& filter,
                     bool (*is_separable)(const FilterSize& size, const std::vector<double>& weights)) {
  WeightFacts facts;
  facts.size = filter.size();
  facts.sum = filter.sum();
  if (filter.factors()) {
    add_facts_of_factors(facts, *filter.factors());
    if (facts.size.depth == 1) facts.rank = 1;
    return facts;
  }
  const std::vector<double> weights = filter.weights();
  add_facts_of_dense(facts, weights);
  facts.separable = is_separable(facts.size, weights);
  if (facts.size.depth > 1) return facts;
  if (facts.separable) {
    facts.rank = 1;
  } else if (std::min(facts.size.height, facts.size.width) <= most_ranked) {
    facts.rank =
        numerical_rank(singular_values(facts.size.height, facts.size.width, weights), rank_tolerance);
  }
  return facts;
}

std::vector<MethodWork> possible_methods(const WeightFacts& facts) {
  double sum_of_taps = 0;
  int axes = 0;
  for (const std::int64_t taps : facts.size.space()) {
    if (taps == 1) continue;
    sum_of_taps += static_cast<double>(taps);
    ++axes;
  }
  std::vector<MethodWork> methods{{Method::direct, 2.0 * static_cast<double>(facts.size.taps())}};
  if (facts.separable && axes > 1) methods.push_back({Method::separable, 2 * sum_of_taps});
  const std::int64_t shorter = std::min(facts.size.height, facts.size.width);
  if (facts.rank && *facts.rank > 1 && 2 * std::int64_t{*facts.rank} < shorter)
    methods.push_back({Method::low_rank, 2.0 * *facts.rank * sum_of_taps});
  if (facts.equal && axes > 0) methods.push_back({Method::box, 2.0 * axes + 1});
  return methods;
}

}  // namespace halation::model
