// weights.cpp: integers and reals, dense and products of factors, equal ones, bells.
#include "weights.h"

#include <algorithm>
#include <cmath>

namespace halation::sweep {
namespace {

std::vector<double> integer_line(Random& random, std::int64_t n) {
  std::vector<double> line;
  for (std::int64_t i = 0; i < n; ++i) line.push_back(static_cast<double>(below(random, 7)) - 3);
  if (line[0] == 0) line[0] = 1;
  return line;
}

std::vector<double> bell(Random& random, std::int64_t n) {
  std::vector<double> line;
  const double centre = uniform(random, 0, static_cast<double>(n));
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double t = (static_cast<double>(i) - centre) / (0.3 * static_cast<double>(n) + 0.5);
    line.push_back(std::exp(-t * t));
    total += line.back();
  }
  for (double& w : line) w /= total;
  return line;
}

std::vector<double> gaussian_line(std::int64_t n) {
  std::vector<double> line;
  const double centre = static_cast<double>(n - 1) / 2;
  const double sigma = std::max(centre, 1.0) / 4;
  double total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double t = (static_cast<double>(i) - centre) / sigma;
    line.push_back(std::exp(-t * t / 2));
    total += line.back();
  }
  for (double& w : line) w /= total;
  return line;
}

}  // namespace

Filter make_filter_of(std::size_t kind, const FilterSize& size, Random& random) {
  if (kind == smooth_kind) {
    return Filter::separable({.z = gaussian_line(size.depth), .y = gaussian_line(size.height), .x = gaussian_line(size.width)});
  }
  if (kind == low_rank_kind) {
    const std::vector<double> plane = filter_of_rank(2 + below(random, 3), {.height = size.height, .width = size.width}, random).weights();
    std::vector<double> weights;
    for (const double z : bell(random, size.depth)) {
      for (const double w : plane) weights.push_back(z * w);
    }
    return Filter::dense(size, std::move(weights));
  }
  if (has_equal_weights(kind)) {
    const auto equal = [&](std::int64_t n) {
      const double whole = static_cast<double>(below(random, 3)) - 1;  // −1, 0 or 1; 0 stands for 2
      const double weight = kind == first_equal_kind ? (whole == 0 ? 2 : whole) : uniform(random, -1.5, 1.5) / static_cast<double>(n);
      return std::vector<double>(static_cast<std::size_t>(n), weight);
    };
    return Filter::separable({.z = equal(size.depth), .y = equal(size.height), .x = equal(size.width)});
  }
  if (kind == faint_kind) {
    std::vector<double> weights;
    if (below(random, 2) == 0) {
      const auto line = [&](std::int64_t n) { return integer_line(random, n); };
      weights = Filter::separable({.z = line(size.depth), .y = line(size.height), .x = line(size.width)}).weights();
    } else {
      weights.resize(static_cast<std::size_t>(size.taps()));
      for (std::size_t i = below(random, 3); i < 3; ++i) weights[below(random, weights.size())] = uniform(random, -1, 1);
    }
    const double faint = std::pow(10, below(random, 4) == 0 ? -60 : uniform(random, -30, -8));
    for (double& w : weights) w += faint * uniform(random, -1, 1);
    return Filter::dense(size, std::move(weights));
  }
  const auto line = [&](std::int64_t n) { return kind == 6 || kind == 3 ? integer_line(random, n) : bell(random, n); };
  if (kind >= 3 && kind <= 5) {  // 3 integer factors, 4 real factors, 5 a dense product of real factors
    const Filter product = Filter::separable({.z = line(size.depth), .y = line(size.height), .x = line(size.width)});
    return kind == 5 ? Filter::dense(size, product.weights()) : product;
  }
  if (kind == 6) {  // a dense product of integer factors
    return Filter::dense(size, Filter::separable({.z = line(size.depth), .y = line(size.height), .x = line(size.width)}).weights());
  }
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size.taps(); ++i) {
    if (kind == 0) weights.push_back(static_cast<double>(below(random, 9)) - 4);  // integers, zeros among them
    if (kind == 1) weights.push_back(uniform(random, 0, 2.0 / static_cast<double>(size.taps())));
    if (kind == 2) weights.push_back(uniform(random, -1, 1));
  }
  return Filter::dense(size, weights);
}

Filter filter_of_rank(std::size_t rank, const FilterSize& size, Random& random) {
  std::vector<double> weights(static_cast<std::size_t>(size.taps()));
  for (std::size_t term = 0; term < rank; ++term) {
    const double part = uniform(random, -1, 1) / static_cast<double>(rank);
    const Filter product = Filter::separable({.y = bell(random, size.height), .x = bell(random, size.width)});
    const std::vector<double> of_term = product.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += part * of_term[i];
  }
  return Filter::dense(size, std::move(weights));
}

}  // namespace halation::sweep
