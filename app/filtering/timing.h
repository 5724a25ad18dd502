// timing.h: the time that each phase of a job took, and the rates that follow.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stopwatch.h"

namespace halation::app {

/// Seconds by phase, in the order in which phases were first measured. Where phases ran side by side the total is less than their sum.
class Timing {
 public:
  /// Calls `work`, adds the time it took to `phase`, and returns what it returned.
  template <class Work>
  decltype(auto) measure(std::string_view phase, Work&& work) {
    return timed(sum_of(phase), std::forward<Work>(work));
  }

  /// Adds phases that ran side by side and took `wall_seconds` together.
  void add_side_by_side(const std::vector<std::pair<std::string_view, double>>& phases, double wall_seconds);

  /// Counts `seconds` that were measured as part of one phase to another.
  void move(std::string_view from, std::string_view to, double seconds);

  /// 0 for a phase never measured.
  double seconds(std::string_view phase) const;
  double total_seconds() const;
  const std::deque<std::pair<std::string, double>>& phases() const { return phases_; }

 private:
  /// The seconds of a phase, which is made at the end where it is new. They keep their place, so phases may
  /// be measured within phases.
  double& sum_of(std::string_view phase);

  std::deque<std::pair<std::string, double>> phases_;
  double side_by_side_ = 0;  // seconds that several phases count
};

/// What the phase "compute" did, over all pages.
struct Workload {
  std::int64_t pages = 0;
  double pixels = 0;      ///< width · height · depth of the inputs
  double operations = 0;  ///< 2 · taps · samples of the outputs, taps counted as the dense filter has them

  Workload& operator+=(const Workload& more);
};

struct Rates {
  double mpix_per_second = 0;  ///< pixels / compute
  double fps = 0;              ///< pages / total
  double gflops = 0;           ///< operations / compute
};
Rates rates_of(const Timing& timing, const Workload& work);

/// One line for each phase, the total, and the rates.
std::string table_of(const Timing& timing, const Workload& work);

}  // namespace halation::app
