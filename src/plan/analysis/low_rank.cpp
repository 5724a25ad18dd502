// low_rank.cpp: the few products of factors that a filter is the sum of.
#include "plan/analysis/low_rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/integer_weights.h"
#include "core/jacobi.h"

namespace halation {
namespace {

/// Columns and rows whose products sum up to a matrix.
struct Crosses {
  std::vector<Line> columns, rows;
};

/// As many as leave `tolerance` of Σ|w|; none where they are more than `most`.
std::optional<Crosses> crosses_of(std::size_t width, const std::vector<double>& weights, double tolerance, std::size_t most) {
  const double total = sum_of_magnitudes(weights);
  std::vector<double> rest = weights;
  Crosses crosses;
  while (sum_of_magnitudes(rest) > tolerance * total) {
    if (crosses.rows.size() == most) return std::nullopt;
    const auto largest = std::max_element(rest.begin(), rest.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    const auto at = static_cast<std::size_t>(largest - rest.begin());
    const double pivot = *largest;
    const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(at / width * width);
    Line row(begin, begin + static_cast<std::ptrdiff_t>(width)), column;
    for (std::size_t i = at % width; i < rest.size(); i += width) column.push_back(rest[i] / pivot);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= column[i / width] * row[i % width];
    crosses.columns.push_back(std::move(column));
    crosses.rows.push_back(std::move(row));
  }
  return crosses;
}

/// Makes rows orthonormal by Gram and Schmidt, twice, and the columns such that Σ column ⊗ row stays what it was.
void make_rows_orthonormal(Crosses& crosses) {
  for (std::size_t i = 0; i < crosses.rows.size(); ++i) {
    Line& row = crosses.rows[i];
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        const double part = product(crosses.rows[j], row);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] -= part * crosses.rows[j][k];
        for (std::size_t k = 0; k < crosses.columns[j].size(); ++k) crosses.columns[j][k] += part * crosses.columns[i][k];
      }
    }
    const double length = std::sqrt(product(row, row));
    if (length == 0) continue;
    for (double& value : row) value /= length;
    for (double& value : crosses.columns[i]) value *= length;
  }
}

}  // namespace

std::optional<LowRank> low_rank_of(std::int64_t columns, const std::vector<double>& weights, double tolerance, std::size_t most) {
  const double largest = largest_magnitude(weights);
  if (!(largest > 0)) return std::nullopt;
  const std::vector<double> near_1 = scaled(weights, 1 / largest);  // whose squares stay in range
  const auto width = static_cast<std::size_t>(columns);
  std::optional<Crosses> crosses = crosses_of(width, near_1, tolerance, most);
  if (!crosses) return std::nullopt;
  make_rows_orthonormal(*crosses);
  make_orthogonal(crosses->columns, &crosses->rows);
  std::vector<std::size_t> order(crosses->rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> squares;
  squares.reserve(order.size());
  for (const Line& column : crosses->columns) squares.push_back(product(column, column));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return squares[a] > squares[b]; });

  LowRank found;
  std::vector<double> rest = near_1;
  const double total = sum_of_magnitudes(near_1);
  for (const std::size_t i : order) {
    // Of σ · u ⊗ v half of σ goes to each, and what weights were divided by.
    const double root = std::sqrt(std::sqrt(squares[i]));
    if (root == 0) break;
    const double scale = std::sqrt(largest);
    Term term{scaled(crosses->columns[i], scale / root), scaled(crosses->rows[i], scale * root)};
    for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= term.y[k / width] * term.x[k % width] / largest;
    found.terms.push_back(std::move(term));
    found.residual = sum_of_magnitudes(rest) / total;
    if (found.residual <= tolerance) return found;
  }
  return std::nullopt;  // rounding leaves more than is allowed
}

}  // namespace halation
