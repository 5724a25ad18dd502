// join.cpp: linear filters of a chain that are one filter.
//
// An image mirrored at its borders stays so under weights that are symmetric along each axis, and a periodic one stays periodic under any:
// then filtering the second time sees beyond the border what the first has made of it. Under other borders it does not.
#include "pipeline/chain/join.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace halation {
namespace {

/// Weights as those of a correlation: out[p] = Σ w[k] · in[p + k − lead].
struct Correlation {
  std::array<std::int64_t, 3> size;
  std::array<std::int64_t, 3> lead;
  std::vector<double> weights;  // row-major; empty where there are factors
  std::optional<std::array<std::vector<double>, 3>> factors;
};

Correlation correlation_of(const Filter& filter, Operation operation) {
  const bool flip = operation == Operation::convolution && !filter.is_correlation();
  const FilterSize size = filter.size();
  const Anchor anchor = filter.anchor();
  Correlation all{.size = size.space(), .lead = {anchor.z, anchor.y, anchor.x}, .weights = {}, .factors = {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (flip) all.lead[axis] = all.size[axis] - 1 - all.lead[axis];
  }
  if (filter.factors()) {
    all.factors.emplace();
    const auto given = filter.factors()->axes();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<double>& factor = (*all.factors)[axis];
      factor.assign(given[axis].begin(), given[axis].end());
      if (flip) std::reverse(factor.begin(), factor.end());
    }
  } else {
    all.weights = filter.weights();
    if (flip) std::reverse(all.weights.begin(), all.weights.end());
  }
  return all;
}

std::vector<double> dense(const Correlation& filter) {
  if (!filter.factors) return filter.weights;
  std::vector<double> weights;
  for (const double z : (*filter.factors)[0]) {
    for (const double y : (*filter.factors)[1]) {
      for (const double x : (*filter.factors)[2]) weights.push_back(z * y * x);
    }
  }
  return weights;
}

bool is_symmetric(const Correlation& filter) {
  const auto [depth, height, width] = filter.size;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (filter.size[axis] != 2 * filter.lead[axis] + 1) return false;
  }
  if (filter.factors) {
    return std::all_of(filter.factors->begin(), filter.factors->end(),
                       [](const std::vector<double>& factor) { return std::equal(factor.begin(), factor.end(), factor.rbegin()); });
  }
  const auto at = [&, height = height, width = width](std::int64_t z, std::int64_t y, std::int64_t x) {
    return filter.weights[static_cast<std::size_t>((z * height + y) * width + x)];
  };
  for (std::int64_t z = 0; z < depth; ++z) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const double weight = at(z, y, x);
        if (weight != at(depth - 1 - z, y, x) || weight != at(z, height - 1 - y, x) || weight != at(z, y, width - 1 - x)) return false;
      }
    }
  }
  return true;
}

bool keeps_borders(const Correlation& first, const Options& options) {
  if (options.extent == Extent::valid) return true;
  if (options.extent == Extent::full) return false;
  const auto borders = options.border.axes();
  const auto is = [&](auto... modes) {
    return std::all_of(borders.begin(), borders.end(), [&](const Border& border) { return ((border.mode == modes) || ...); });
  };
  if (is(Border::Mode::wrap)) return true;
  return is(Border::Mode::wrap, Border::Mode::reflect, Border::Mode::reflect101) && is_symmetric(first);
}

std::vector<double> convolved(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> sums(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) sums[i + j] += a[i] * b[j];
  }
  return sums;
}

constexpr double most_weights = 1 << 16;     ///< larger ones are quicker one after the other
constexpr double most_products = 1 << 24;    ///< to compute them

}  // namespace

std::optional<Filter> joined(const FilterSet& first, const FilterSet& second, const Options& options) {
  if (first.filters.size() != 1 || second.filters.size() != 1 || first.combine != Combine::none || second.combine != Combine::none)
    return {};
  const Correlation a = correlation_of(first.filters[0], options.operation);
  const Correlation b = correlation_of(second.filters[0], options.operation);
  if (!keeps_borders(a, options)) return {};
  const Anchor anchor{.z = a.lead[0] + b.lead[0], .y = a.lead[1] + b.lead[1], .x = a.lead[2] + b.lead[2]};
  if (a.factors && b.factors) {
    std::array<std::vector<double>, 3> factors;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      factors[axis] = convolved((*a.factors)[axis], (*b.factors)[axis]);
      if (factors[axis] == std::vector{1.0}) factors[axis].clear();  // no axis of the filter
    }
    if (factors[0].empty() && factors[1].empty() && factors[2].empty()) factors[2] = {1.0};
    return Filter::separable({.z = factors[0], .y = factors[1], .x = factors[2]}).with_anchor(anchor).as_correlation();
  }
  FilterSize size;
  size.depth = a.size[0] + b.size[0] - 1;
  size.height = a.size[1] + b.size[1] - 1;
  size.width = a.size[2] + b.size[2] - 1;
  const double products = static_cast<double>(first.filters[0].size().taps()) * static_cast<double>(second.filters[0].size().taps());
  if (static_cast<double>(size.depth) * static_cast<double>(size.height) * static_cast<double>(size.width) > most_weights ||
      products > most_products)
    return {};
  const std::vector<double> of_a = dense(a);
  const std::vector<double> of_b = dense(b);
  std::vector<double> sums(static_cast<std::size_t>(size.taps()), 0.0);
  const auto index = [](const auto& extents, std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<std::size_t>((z * extents[1] + y) * extents[2] + x);
  };
  const std::array<std::int64_t, 3> whole = size.space();
  for (std::int64_t z = 0; z < a.size[0]; ++z) {
    for (std::int64_t y = 0; y < a.size[1]; ++y) {
      for (std::int64_t x = 0; x < a.size[2]; ++x) {
        const double weight = of_a[index(a.size, z, y, x)];
        for (std::int64_t dz = 0; dz < b.size[0]; ++dz) {
          for (std::int64_t dy = 0; dy < b.size[1]; ++dy) {
            for (std::int64_t dx = 0; dx < b.size[2]; ++dx)
              sums[index(whole, z + dz, y + dy, x + dx)] += weight * of_b[index(b.size, dz, dy, dx)];
          }
        }
      }
    }
  }
  return Filter::dense(size, std::move(sums)).with_anchor(anchor).as_correlation();
}

}  // namespace halation
