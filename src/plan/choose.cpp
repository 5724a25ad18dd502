// choose.cpp: the method of each filter, by expected or measured time, and the precision of its sums, by
// error bound.
#include "plan/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "core/lap.h"
#include "halation/error.h"
#include "plan/tune.h"

namespace halation {
namespace {

/// Dense weights beyond this many (2 GiB) are refused rather than multiplied out.
constexpr std::int64_t most_dense_taps = std::int64_t{1} << 28;
/// A method that should take so many times as long as another is not worth timing.
constexpr double hopeless = 10;

double sum_of_magnitudes(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0,
                         [](double sum, double w) { return sum + std::fabs(w); });
}

std::string text(const Space& size) {
  return (size[0] > 1 ? std::to_string(size[0]) + "x" : "") + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

std::vector<double> dense_weights(const Filter& filter, bool flipped) {
  if (filter.size().taps() > most_dense_taps) {
    throw Error(ErrorCode::unsupported, filter.name() + ": " + std::to_string(filter.size().taps()) +
                                            " weights are too many for method direct, at most " +
                                            std::to_string(most_dense_taps) + " are possible; make it from separable factors");
  }
  std::vector<double> weights = filter.weights();
  if (flipped) std::reverse(weights.begin(), weights.end());
  return weights;
}

/// Factors that the filter was made from, else such as are found in its weights.
std::optional<Separation> separation_of(const Filter& filter, bool flipped) {
  if (!filter.factors()) return separate(filter.size().space(), dense_weights(filter, flipped));
  Separation given{*filter.factors(), 0};
  if (flipped) {
    for (auto& factor : given.factors) std::reverse(factor.begin(), factor.end());
  }
  return given;
}

/// One method of one filter, with the weights that it needs.
struct Way {
  Taps taps;
  ErrorBound bound;
  std::string reason;
};

/// A filter of the job, which has its size and lead.
struct Asked {
  const Taps& place;
  const Filter& filter;
  bool flipped;
};

class Chooser {
 public:
  Chooser(const Options& options, const Backend& backend, Device device)
      : options_(options), backend_(backend), device_(device) {
    if (options.method == Method::automatic || offers(options.method)) return;
    std::string list;
    for (const Method method : backend.methods()) list += (list.empty() ? "" : ", ") + std::string(name_of(method));
    const std::string where = backend.kind() == Device::Kind::cuda ? "cuda" : name_of(Device{backend.kind(), 0});
    throw Error(ErrorCode::unsupported,
                "method " + std::string(name_of(options.method)) + " is not available on " + where + "; choose from automatic, " + list);
  }

  /// The method asked for, else the one of which least time is expected.
  Way by_estimate(const Asked& asked, const Job& job) const {
    const bool may_separate = offers(Method::separable) && options_.method != Method::direct;
    const bool worth_it = options_.method == Method::separable ||
                          expected(job, asked, Method::separable) < expected(job, asked, Method::direct);
    std::optional<Separation> separation;
    if (may_separate && worth_it) separation = separation_of(asked.filter, asked.flipped);
    if (fits(separation, job)) return separable(asked, *std::move(separation), job);
    if (options_.method == Method::separable) refuse_separable(asked.filter, separation, job);
    return direct(asked, separation.has_value(), job);
  }

  /// The method that takes least time here.
  Way by_timing(const Asked& asked, const Job& job) const {
    std::vector<Way> ways = worth_timing(asked, job);
    std::vector<double> seconds;
    for (const Way& way : ways) {
      const Timing timing = timing_of(job, way.taps, backend_, device_);
      if (!timing.seconds) {
        Way expected = by_estimate(asked, job);
        expected.reason += ", not measured: " + timing.why_none;
        return expected;
      }
      seconds.push_back(*timing.seconds);
    }
    const auto quickest =
        static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
    Way chosen = std::move(ways[quickest]);
    chosen.reason += ", measured " + time_text(seconds[quickest]);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (i == quickest) continue;
      chosen.reason += " (" + std::string(name_of(ways[i].taps.method)) + " " + time_text(seconds[i]) + ")";
    }
    return chosen;
  }

 private:
  bool offers(Method method) const {
    const auto methods = backend_.methods();
    return std::find(methods.begin(), methods.end(), method) != methods.end();
  }

  static bool fits(const std::optional<Separation>& separation, const Job& job) {
    return separation && separation->residual <= separable_tolerance(job.sum_f64);
  }

  double expected(const Job& job, const Asked& asked, Method method) const {
    return backend_.expected_seconds(job, asked.place, method, device_);
  }

  /// The methods that are possible, without those that are hopeless; the one asked for alone.
  std::vector<Way> worth_timing(const Asked& asked, const Job& job) const {
    std::vector<Way> ways;
    if (options_.method != Method::automatic || !offers(Method::separable)) {
      ways.push_back(by_estimate(asked, job));
      return ways;
    }
    const double separable_seconds = expected(job, asked, Method::separable);
    const double direct_seconds = expected(job, asked, Method::direct);
    std::optional<Separation> separation;
    if (separable_seconds < hopeless * direct_seconds)
      separation = separation_of(asked.filter, asked.flipped);
    const bool tried = separation.has_value();
    if (fits(separation, job)) ways.push_back(separable(asked, *std::move(separation), job));
    if (ways.empty() ||
        (direct_seconds < hopeless * separable_seconds && asked.filter.size().taps() <= most_dense_taps)) {
      ways.push_back(direct(asked, tried && ways.empty(), job));
    }
    return ways;
  }

  std::string reason_of(const Asked& asked, const std::string& why, Method method, const Job& job) const {
    return asked.filter.name() + " " + text(asked.place.size) + ": " + std::string(name_of(method)) + ", " +
           std::to_string(multiply_adds(asked.place.size, method)) + " multiply-adds a sample" + why +
           "; expected " + time_text(expected(job, asked, method));
  }

  Way separable(const Asked& asked, Separation separation, const Job& job) const {
    Way way{.taps = asked.place, .bound = {}, .reason = ""};
    way.taps.method = Method::separable;
    way.taps.factors = std::move(separation.factors);
    double magnitudes = 1;
    for (const auto& factor : *way.taps.factors) magnitudes *= sum_of_magnitudes(factor);
    way.bound = error_bound(way.taps, magnitudes, separation.residual, job);
    const std::string instead = std::to_string(multiply_adds(way.taps.size, Method::direct));
    way.reason = reason_of(asked, " instead of " + instead, Method::separable, job);
    return way;
  }

  Way direct(const Asked& asked, bool factors_sought, const Job& job) const {
    Way way{.taps = asked.place, .bound = {}, .reason = ""};
    way.taps.method = Method::direct;
    way.taps.weights = dense_weights(asked.filter, asked.flipped);
    way.bound = error_bound(way.taps, sum_of_magnitudes(way.taps.weights), 0, job);
    const char* why = factors_sought ? " (no product of factors is within rounding of its weights)" : "";
    way.reason = reason_of(asked, why, Method::direct, job);
    return way;
  }

  [[noreturn]] static void refuse_separable(const Filter& filter, const std::optional<Separation>& separation,
                                            const Job& job) {
    char share[96];
    std::snprintf(share, sizeof share, "the nearest product of factors leaves %.2g of its weights, at most %.2g is allowed",
                  separation ? separation->residual : 1.0, separable_tolerance(job.sum_f64));
    throw Error(ErrorCode::invalid_argument,
                "method separable: filter '" + filter.name() + "' is not separable: " + share + "; use automatic or direct");
  }

  const Options& options_;
  const Backend& backend_;
  Device device_;
};

/// Largest magnitude that an integer input, or a constant around it, can have; none for floats.
std::optional<double> largest_input(const Job& job) {
  if (is_float(job.in_pixel)) return std::nullopt;
  double magnitude = std::max(largest(job.in_pixel), -smallest(job.in_pixel));
  for (const BorderTable& border : job.borders) magnitude = std::max(magnitude, std::fabs(border.constant()));
  return magnitude;
}

/// Whether a sum could put an integer output more than half a level off.
bool may_miss_a_level(const Job& job, const ErrorBound& bound) {
  const std::optional<double> magnitude = largest_input(job);
  return !is_float(job.out_pixel) && magnitude && bound.relative * *magnitude + bound.absolute > 0.5;
}

bool measures(Tune tune) {
  switch (tune) {
    case Tune::estimate:
      return false;
    case Tune::measure:
      return true;
  }
  throw std::logic_error("no such tune");
}

}  // namespace

Choice choose(CheckedJob checked, const Options& options, const Backend& backend, Device device) {
  const bool measured = measures(options.tune);
  const Chooser chooser(options, backend, device);
  Job& job = checked.job;
  std::vector<Way> ways;
  ErrorBound bound;
  const auto choose_all = [&](bool by_timing) {
    ways.clear();
    bound = {};
    for (std::size_t i = 0; i < checked.filters.size(); ++i) {
      const Asked asked{job.filters[i], checked.filters[i], checked.flipped[i]};
      ways.push_back(by_timing ? chooser.by_timing(asked, job) : chooser.by_estimate(asked, job));
      // A magnitude is at most as far off as its components together; single outputs share the largest bound.
      const auto join = [&](double a, double b) { return job.combine == Combine::none ? std::max(a, b) : a + b; };
      bound.relative = join(bound.relative, ways.back().bound.relative);
      bound.absolute = join(bound.absolute, ways.back().bound.absolute);
    }
  };
  const auto choose_precise_enough = [&](bool by_timing) {
    choose_all(by_timing);
    if (job.sum_f64 || !may_miss_a_level(job, bound)) return;
    job.sum_f64 = true;
    choose_all(by_timing);
  };
  job.sum_f64 = options.sum == Sum::f64 || job.in_pixel == Pixel::f64 || job.out_pixel == Pixel::f64 ||
                backend.kind() == Device::Kind::reference;
  choose_precise_enough(false);  // first, so that what needs f64 by the estimate is not timed in f32
  if (measured) choose_precise_enough(true);

  Choice choice{.job = nullptr, .bound = bound, .reasons = {}, .measured = measured};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    job.filters[i] = std::move(ways[i].taps);
    choice.reasons.push_back(std::move(ways[i].reason));
  }
  choice.job = std::make_shared<const Job>(std::move(job));
  return choice;
}

}  // namespace halation
