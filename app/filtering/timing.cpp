// timing.cpp: the time that each phase of a job took, and the rates that follow.
#include "timing.h"

#include <fmt/format.h>

#include <algorithm>

namespace halation::app {

double& Timing::sum_of(std::string_view phase) {
  const auto same =
      std::find_if(phases_.begin(), phases_.end(), [&](const auto& known) { return known.first == phase; });
  return same != phases_.end() ? same->second : phases_.emplace_back(phase, 0.0).second;
}

void Timing::move(std::string_view from, std::string_view to, double seconds) {
  sum_of(from) -= seconds;
  sum_of(to) += seconds;
}

void Timing::add_side_by_side(const std::vector<std::pair<std::string_view, double>>& phases, double wall_seconds) {
  double sum = 0;
  for (const auto& [phase, seconds] : phases) {
    sum_of(phase) += seconds;
    sum += seconds;
  }
  side_by_side_ += sum - wall_seconds;
}

double Timing::seconds(std::string_view phase) const {
  for (const auto& [name, seconds] : phases_) {
    if (name == phase) return seconds;
  }
  return 0;
}

double Timing::total_seconds() const {
  double total = -side_by_side_;
  for (const auto& [name, seconds] : phases_) total += seconds;
  return total;
}

Workload& Workload::operator+=(const Workload& more) {
  pages += more.pages;
  pixels += more.pixels;
  operations += more.operations;
  return *this;
}

Rates rates_of(const Timing& timing, const Workload& work) {
  constexpr double clock_tick = 1e-9;  // a phase too short for the clock still has a finite rate
  const double compute = std::max(timing.seconds("compute"), clock_tick);
  const double total = std::max(timing.total_seconds(), clock_tick);
  return {.mpix_per_second = work.pixels / compute * 1e-6,
          .fps = static_cast<double>(work.pages) / total,
          .gflops = work.operations / compute * 1e-9};
}

std::string table_of(const Timing& timing, const Workload& work) {
  std::string table;
  for (const auto& [name, seconds] : timing.phases())
    table += fmt::format("{:<8} {:10.3f} ms\n", name, seconds * 1e3);
  table += fmt::format("{:<8} {:10.3f} ms\n", "total", timing.total_seconds() * 1e3);
  const Rates rates = rates_of(timing, work);
  table += fmt::format("{:.1f} MPix/s, {:.1f} FPS, {:.2f} GFLOPS\n", rates.mpix_per_second, rates.fps,
                       rates.gflops);
  return table;
}

}  // namespace halation::app
