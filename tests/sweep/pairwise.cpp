// pairwise.cpp: few points in which every pair of values of two axes occurs.
#include <array>
#include <set>
#include <vector>

#include "job_case.h"

namespace halation::sweep {

std::vector<Point> pairwise_points() {
  // All pairs not seen yet; each new point takes one of them, and of a few random completions the one that meets most of the rest.
  using Pair = std::array<std::uint8_t, 4>;  // axis, value, axis, value
  std::set<Pair> missing;
  for (std::uint8_t a = 0; a < axis_count; ++a) {
    for (std::uint8_t b = static_cast<std::uint8_t>(a + 1); b < axis_count; ++b) {
      for (std::size_t i = 0; i < value_count(a); ++i) {
        for (std::size_t j = 0; j < value_count(b); ++j) missing.insert({a, static_cast<std::uint8_t>(i), b, static_cast<std::uint8_t>(j)});
      }
    }
  }
  const auto pairs_met = [&](const Point& point, bool remove) {
    int met = 0;
    for (std::uint8_t a = 0; a < axis_count; ++a) {
      for (std::uint8_t b = static_cast<std::uint8_t>(a + 1); b < axis_count; ++b) {
        const Pair pair{a, point[a], b, point[b]};
        met += remove ? static_cast<int>(missing.erase(pair)) : static_cast<int>(missing.count(pair));
      }
    }
    return met;
  };
  std::vector<Point> points;
  std::uint64_t draw = 0;
  while (!missing.empty()) {
    const Pair wanted = *missing.begin();
    Point best{};
    int best_met = -1;
    for (int attempt = 0; attempt < 12; ++attempt) {
      Point point = random_point(0, draw++);
      point[wanted[0]] = wanted[1];
      point[wanted[2]] = wanted[3];
      const int met = pairs_met(point, false);
      if (met > best_met) {
        best = point;
        best_met = met;
      }
    }
    pairs_met(best, true);
    points.push_back(best);
  }
  return points;
}

}  // namespace halation::sweep
