// sum.cpp: the steps that load and store least.
#include "cpu/parts/box/sum.h"

#include <algorithm>
#include <map>
#include <optional>

namespace halation::cpu_backend {
namespace {

/// How windows of some length are made, and what of it: loads, and steps, whose stores count as two.
struct Making {
  std::int64_t cost = 0;
  std::size_t windows = 0;
};

std::int64_t cost_of(std::int64_t taps, std::map<std::int64_t, Making>& known) {
  if (taps <= most_first_samples) return taps + 2;
  if (const auto found = known.find(taps); found != known.end()) return found->second.cost;
  std::optional<Making> best;
  for (const std::int64_t windows : {2, 3}) {
    const std::int64_t cost = cost_of(taps / windows, known) + windows + taps % windows + 2;
    if (!best || cost < best->cost) best = Making{cost, static_cast<std::size_t>(windows)};
  }
  known.emplace(taps, *best);
  return best->cost;
}

}  // namespace

BoxSum::BoxSum(std::int64_t taps) : taps_(taps) {
  static_assert(most_windows == 3);
  std::map<std::int64_t, Making> known;
  cost_of(taps, known);
  for (std::int64_t k = taps;;) {
    const std::size_t windows = k <= most_first_samples ? 0 : known.at(k).windows;
    const std::int64_t shorter = windows == 0 ? 0 : k / static_cast<std::int64_t>(windows);
    const auto samples = static_cast<std::size_t>(windows == 0 ? k : k % static_cast<std::int64_t>(windows));
    parts_.push_back({.taps = k, .shorter = shorter, .windows = windows, .samples = samples});
    if (windows == 0) break;
    k = shorter;
  }
  std::reverse(parts_.begin(), parts_.end());
}

}  // namespace halation::cpu_backend
