// compass_search.h: the least of a function of several numbers, without its slopes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace halation {

/// From `start`, steps along one number at a time, both ways, for as long as one leads down; then steps of
/// half the length, so many times (Hooke and Jeeves 1961, without its pattern moves). Numbers stay between
/// `low` and `high`.
template <class Function>
std::vector<double> compass_search(std::vector<double> start, std::span<const double> low,
                                   std::span<const double> high, const Function& function, double step,
                                   int halvings) {
  std::vector<double>& at = start;
  double least = function(at);
  for (; halvings >= 0; --halvings, step /= 2) {
    for (bool leads_down = true; leads_down;) {
      leads_down = false;
      for (std::size_t i = 0; i < at.size(); ++i) {
        for (const double way : {step, -step}) {
          const double before = at[i];
          at[i] = std::clamp(before + way, low[i], high[i]);
          const double value = at[i] == before ? least : function(at);
          if (value < least) {
            least = value;
            leads_down = true;
            break;
          }
          at[i] = before;
        }
      }
    }
  }
  return start;
}

/// What a logarithm of expected over measured counts: its square where it is small, itself where it is large
/// (soft L1).
inline double counted_off(double logarithm) {
  constexpr double small = 0.1;
  const double share = logarithm / small;
  return 2 * small * small * (std::sqrt(1 + share * share) - 1);
}

/// Logarithms of figures by which what is expected comes near to what was measured. `off`: the sum of
/// `counted_off` by such figures. Where little was measured they stay near `start`; none goes further from it
/// than `apart` says of it.
template <class Off>
std::vector<double> figures_near(const std::vector<double>& start, const std::vector<double>& apart,
                                 const Off& off, int halvings) {
  constexpr double stays = 0.1;  // what a figure that is off by a factor of e counts
  std::vector<double> low = start, high = start;
  for (std::size_t i = 0; i < start.size(); ++i) {
    low[i] -= apart[i];
    high[i] += apart[i];
  }
  const auto counted = [&](const std::vector<double>& at) {
    double sum = off(at);
    for (std::size_t i = 0; i < at.size(); ++i) sum += stays * (at[i] - start[i]) * (at[i] - start[i]);
    return sum;
  };
  constexpr double longest = 0.5;
  return compass_search(start, low, high, counted, longest, halvings);
}

}  // namespace halation
