// jacobi.cpp: lines turned, two at a time, until they are orthogonal.
#include "core/jacobi.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace halation {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Far more than the 5 to 10 that Jacobi's method needs.
constexpr int most_sweeps = 60;

struct Turn {
  double cosine = 1, sine = 0;
};

void turn(Line& a, Line& b, const Turn& by) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    a[i] = by.cosine * x - by.sine * y;
    b[i] = by.sine * x + by.cosine * y;
  }
}

/// What makes a and b orthogonal, in the plane they span; none where they are so already, to rounding, or where their product is at most
/// `negligible`.
Turn turn_of(const Line& a, const Line& b, double negligible) {
  const double ab = product(a, b);
  if (std::fabs(ab) <= negligible) return {};
  const double aa = product(a, a), bb = product(b, b);
  if (std::fabs(ab) <= epsilon * std::sqrt(aa) * std::sqrt(bb)) return {};
  const double slope = (bb - aa) / (2 * ab);
  const double tangent = std::copysign(1.0, slope) / (std::fabs(slope) + std::hypot(1.0, slope));
  const double cosine = 1 / std::hypot(1.0, tangent);
  return {cosine, cosine * tangent};
}

}  // namespace

double product(const Line& a, const Line& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void make_orthogonal(std::vector<Line>& lines, std::vector<Line>* beside) {
  // What rounding leaves of lines that depend on others would otherwise be turned again and again.
  double squares = 0;
  for (const Line& line : lines) squares += product(line, line);
  const double negligible = epsilon * epsilon * squares;
  bool turned = true;
  for (int sweep = 0; sweep < most_sweeps && turned; ++sweep) {
    turned = false;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      for (std::size_t j = i + 1; j < lines.size(); ++j) {
        const Turn by = turn_of(lines[i], lines[j], negligible);
        if (by.sine == 0) continue;
        turn(lines[i], lines[j], by);
        if (beside != nullptr) turn((*beside)[i], (*beside)[j], by);
        turned = true;
      }
    }
  }
}

}  // namespace halation
