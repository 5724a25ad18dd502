// rank.cpp: the numerical rank of 2D weights: into how few separable filters they can be split.
#include "model/rank.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace halation::model {
namespace {

using Line = std::vector<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Far more than the 5 to 10 that Jacobi's method needs.
constexpr int most_sweeps = 60;

double product(const Line& a, const Line& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Turns a and b, in the plane they span, until they are orthogonal. False where they were so already, to
/// rounding, or where their product is at most `negligible`.
bool make_orthogonal(Line& a, Line& b, double negligible) {
  const double ab = product(a, b);
  if (std::fabs(ab) <= negligible) return false;
  const double aa = product(a, a), bb = product(b, b);
  if (std::fabs(ab) <= epsilon * std::sqrt(aa) * std::sqrt(bb)) return false;
  const double slope = (bb - aa) / (2 * ab);
  const double tangent = std::copysign(1.0, slope) / (std::fabs(slope) + std::hypot(1.0, slope));
  const double cosine = 1 / std::hypot(1.0, tangent), sine = cosine * tangent;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    a[i] = cosine * x - sine * y;
    b[i] = sine * x + cosine * y;
  }
  return true;
}

}  // namespace

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
  // What rounding leaves of lines that depend on others would otherwise be turned again and again.
  double squares = 0;
  for (const Line& line : lines) squares += product(line, line);
  const double negligible = epsilon * epsilon * squares;
  bool turned = true;
  for (int sweep = 0; sweep < most_sweeps && turned; ++sweep) {
    turned = false;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      for (std::size_t j = i + 1; j < lines.size(); ++j)
        turned |= make_orthogonal(lines[i], lines[j], negligible);
    }
  }
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
