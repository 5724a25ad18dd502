// rank.cpp: the numerical rank of 2D weights: into how few separable filters they can be split.
#include "model/rank.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/jacobi.h"

namespace halation::model {
std::vector<double> singular_values(std::int64_t rows, std::int64_t columns,
                                    const std::vector<double>& weights) {
  // A matrix and its transpose share singular values: take the fewer, longer lines. Weights near 1 keep
  // squares in range.
  const double largest = std::accumulate(weights.begin(), weights.end(), 0.0,
                                         [](double most, double w) { return std::max(most, std::fabs(w)); });
  const bool by_rows = rows <= columns;
  std::vector<Line> lines(static_cast<std::size_t>(std::min(rows, columns)));
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x) {
      const double w = weights[static_cast<std::size_t>(y * columns + x)];
      lines[static_cast<std::size_t>(by_rows ? y : x)].push_back(largest > 0 ? w / largest : 0);
    }
  }
  make_orthogonal(lines);
  std::vector<double> values;
  values.reserve(lines.size());
  for (const Line& line : lines) values.push_back(largest * std::sqrt(product(line, line)));
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

int numerical_rank(const std::vector<double>& singular_values, double tolerance) {
  if (singular_values.empty()) return 0;
  const double least = tolerance * singular_values.front();
  return static_cast<int>(std::count_if(singular_values.begin(), singular_values.end(),
                                        [least](double value) { return value > least; }));
}

}  // namespace halation::model
