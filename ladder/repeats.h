// repeats.h: how often something is timed, and in batches of which length.
#pragma once

#include <chrono>
#include <limits>
#include <vector>

namespace halation::ladder {

struct Repeats {
  int least = 11;
  int most = 201;
  double budget_s = 0;  ///< beyond `least`, another is begun while this has not passed
  double patience_s =
      std::numeric_limits<double>::infinity();  ///< of a run that takes longer one is the least
};

/// Seconds of single runs, each the mean over a batch of runs back to back; `batch_s(n)` makes n and tells
/// their seconds. Batches last 2 ms at least, so that the clock around them weighs nothing; finding their
/// length warms up.
template <class Batch>
std::vector<double> batch_times(const Repeats& repeats, Batch&& batch_s) {
  constexpr double least_batch_s = 2e-3;
  constexpr int most_runs = 1 << 14;
  int runs = 1;
  double spent_s = batch_s(runs);
  for (; spent_s < least_batch_s && runs < most_runs; spent_s = batch_s(runs)) runs *= 2;
  const int least = spent_s / runs > repeats.patience_s ? 1 : repeats.least;
  std::vector<double> times;
  const auto start = std::chrono::steady_clock::now();
  const auto passed_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  while (static_cast<int>(times.size()) < least ||
         (static_cast<int>(times.size()) < repeats.most && passed_s() < repeats.budget_s))
    times.push_back(batch_s(runs) / runs);
  return times;
}

}  // namespace halation::ladder
