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

/// One method of one filter, with the weights that it needs.
struct Way {
  Taps taps;
  ErrorBound bound;
  double magnitudes = 0;  ///< of the weights, or of the factors' products
  Reason reason;
};

/// A filter of the job, and its factors once they have been looked for.
class Asked {
 public:
  Asked(Taps place, const Filter& filter, bool flipped)
      : place_(std::move(place)), filter_(filter), flipped_(flipped) {}

  /// Size and lead.
  const Taps& place() const { return place_; }
  const Filter& filter() const { return filter_; }
  std::vector<double> weights() const { return dense_weights(filter_, flipped_); }

  /// None where all weights are 0. Sought at the first call, which takes a few passes over the weights.
  const std::optional<Separation>& separation() {
    if (!sought_) separation_ = found_separation();
    sought_ = true;
    return separation_;
  }
  /// Whether the filter is known to be no product of factors; false as long as nobody has asked.
  bool known_as_no_product(const Job& job) const {
    return sought_ && separation_ && !is_product(separation_, job);
  }

  static bool is_product(const std::optional<Separation>& separation, const Job& job) {
    return separation && separation->residual <= separable_tolerance(job.sum_f64);
  }

 private:
  /// Factors that the filter was made from, else such as are found in its weights.
  std::optional<Separation> found_separation() const {
    if (!filter_.factors()) return separate(filter_.size().space(), weights());
    Separation given{*filter_.factors(), 0};
    if (flipped_) {
      for (auto& factor : given.factors) std::reverse(factor.begin(), factor.end());
    }
    return given;
  }

  Taps place_;
  const Filter& filter_;
  bool flipped_;
  bool sought_ = false;
  std::optional<Separation> separation_;
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
  Way by_estimate(Asked& asked, const Job& job) const {
    if (options_.method != Method::automatic) return asked_for(asked, job);
    for (const Expected& each : quickest_first(asked, job)) {
      if (fits(each.method, asked, job)) return way(each, asked, job);
    }
    throw std::logic_error("a backend without the method direct");
  }

  /// The method that takes least time here.
  Way by_timing(Asked& asked, const Job& job) const {
    std::vector<Way> ways = worth_timing(asked, job);
    std::vector<double> seconds;
    for (const Way& way : ways) {
      const Timing timing = timing_of(job, way.taps, backend_, device_);
      if (!timing.seconds) {
        Way expected = by_estimate(asked, job);
        expected.reason.timing = ", not measured: " + timing.why_none;
        return expected;
      }
      seconds.push_back(*timing.seconds);
    }
    const auto quickest =
        static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
    Way chosen = std::move(ways[quickest]);
    std::string& timing = chosen.reason.timing;
    timing = ", measured " + time_text(seconds[quickest]);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (i == quickest) continue;
      timing += " (" + std::string(name_of(ways[i].taps.method)) + " " + time_text(seconds[i]) + ")";
    }
    return chosen;
  }

 private:
  struct Expected {
    Method method;
    double seconds;
  };

  bool offers(Method method) const {
    const auto methods = backend_.methods();
    return std::find(methods.begin(), methods.end(), method) != methods.end();
  }

  Expected expected(Method method, const Asked& asked, const Job& job) const {
    Taps taps = asked.place();
    // Backends may be quicker with whole weights; many would take longer to write than the estimate.
    constexpr std::int64_t few_weights = 49;
    if (method == Method::direct && asked.filter().size().taps() <= few_weights) taps.weights = asked.weights();
    return {method, backend_.expected_seconds(job, taps, method, device_)};
  }

  /// What the backend offers; of equals the one that it lists first.
  std::vector<Expected> quickest_first(const Asked& asked, const Job& job) const {
    std::vector<Expected> list;
    list.reserve(backend_.methods().size());
    for (const Method method : backend_.methods()) {
      const Expected each = expected(method, asked, job);
      const auto slower = [&](const Expected& other) { return other.seconds > each.seconds; };
      list.insert(std::find_if(list.begin(), list.end(), slower), each);
    }
    return list;
  }

  static bool fits(Method method, Asked& asked, const Job& job) {
    switch (method) {
      case Method::direct:
        return true;
      case Method::separable:
        return Asked::is_product(asked.separation(), job);
      case Method::box:
        return Asked::is_product(asked.separation(), job) && all_equal(asked.separation()->factors);
      case Method::automatic:
      case Method::low_rank:
      case Method::banded:
      case Method::fft:
        break;
    }
    throw std::logic_error("no weights are known to fit method " + std::string(name_of(method)));
  }

  Way asked_for(Asked& asked, const Job& job) const {
    if (!fits(options_.method, asked, job)) refuse(options_.method, asked, job);
    return way(expected(options_.method, asked, job), asked, job);
  }

  /// The methods that are possible, without those that are hopeless; the one asked for alone.
  std::vector<Way> worth_timing(Asked& asked, const Job& job) const {
    std::vector<Way> ways;
    if (options_.method != Method::automatic) {
      ways.push_back(asked_for(asked, job));
      return ways;
    }
    std::vector<Expected> worth_it;
    for (const Expected& each : quickest_first(asked, job)) {
      if (!worth_it.empty()) {
        if (each.seconds >= hopeless * worth_it.front().seconds) break;
        if (each.method == Method::direct && asked.filter().size().taps() > most_dense_taps) continue;
      }
      if (fits(each.method, asked, job)) worth_it.push_back(each);
    }
    for (const Expected& each : worth_it) ways.push_back(way(each, asked, job));
    return ways;
  }

  /// A method that fits.
  Way way(const Expected& expected, Asked& asked, const Job& job) const {
    const Method method = expected.method;
    Way way{.taps = asked.place(),
            .bound = {},
            .magnitudes = 0,
            .reason = {.filter = asked.filter(),
                       .size = asked.place().size,
                       .method = method,
                       .seconds = expected.seconds,
                       .timing = {}}};
    way.taps.method = method;
    if (method == Method::direct) {
      way.taps.weights = asked.weights();
      way.magnitudes = sum_of_magnitudes(way.taps.weights);
      way.bound = error_bound(way.taps, way.magnitudes, 0, job);
      way.reason.no_product = asked.known_as_no_product(job);
    } else {
      const Separation& separation = *asked.separation();
      way.taps.factors = separation.factors;
      way.magnitudes = 1;
      for (const auto& factor : separation.factors) way.magnitudes *= sum_of_magnitudes(factor);
      way.bound = error_bound(way.taps, way.magnitudes, separation.residual, job);
    }
    way.bound.absolute += backend_.added_error(job, way.taps);
    return way;
  }

  [[noreturn]] static void refuse(Method method, Asked& asked, const Job& job) {
    const std::optional<Separation>& separation = asked.separation();
    const std::string name = std::string(name_of(method));
    const std::string opening = "method " + name + ": filter '" + asked.filter().name() + "' is not ";
    if (method == Method::box) {
      const char* why = separation ? "its weights differ" : "all its weights are 0";
      throw Error(ErrorCode::invalid_argument,
                  opening + "a box: " + why + "; use automatic, direct or separable");
    }
    char share[96];
    std::snprintf(share, sizeof share, "the nearest product of factors leaves %.2g of its weights, at most %.2g is allowed",
                  separation ? separation->residual : 1.0, separable_tolerance(job.sum_f64));
    throw Error(ErrorCode::invalid_argument, opening + name + ": " + share + "; use automatic or direct");
  }

  const Options& options_;
  const Backend& backend_;
  Device device_;
};

/// Whether sums could put an integer output more than half a level off. Floats may be of any size: they count as large as
/// weights of one sign turn into the largest outputs.
bool may_miss_a_level(const Job& job, const std::vector<Way>& ways, const ErrorBound& bound) {
  if (is_float(job.out_pixel)) return false;
  if (const std::optional<double> magnitude = largest_input(job)) return bound.at(*magnitude) > 0.5;
  const double most = std::max(largest(job.out_pixel), -smallest(job.out_pixel));
  return std::any_of(ways.begin(), ways.end(), [&](const Way& way) {
    return way.bound.relative * most > 0.5 * std::fabs(job.scale) * way.magnitudes;
  });
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

std::string to_string(const Reason& reason) {
  std::string why;
  if (reason.method != Method::direct) why = " instead of " + std::to_string(multiply_adds(reason.size, Method::direct));
  if (reason.no_product) why = " (no product of factors is within rounding of its weights)";
  return reason.filter.name() + " " + text(reason.size) + ": " + std::string(name_of(reason.method)) + ", " +
         std::to_string(multiply_adds(reason.size, reason.method)) + " multiply-adds a sample" + why + "; expected " +
         time_text(reason.seconds) + reason.timing;
}

Choice choose(CheckedJob checked, const Options& options, const Backend& backend, Device device) {
  const bool measured = measures(options.tune);
  const Chooser chooser(options, backend, device);
  Job& job = checked.job;
  std::vector<Asked> all_asked;
  all_asked.reserve(checked.filters.size());
  for (std::size_t i = 0; i < checked.filters.size(); ++i)
    all_asked.emplace_back(job.filters[i], checked.filters[i], checked.flipped[i]);
  std::vector<Way> ways;
  ErrorBound bound;
  const auto choose_all = [&](bool by_timing) {
    ways.clear();
    bound = {0, 0, 0};
    for (Asked& asked : all_asked) {
      ways.push_back(by_timing ? chooser.by_timing(asked, job) : chooser.by_estimate(asked, job));
      // A magnitude is at most as far off as its components together; single outputs share the largest bound.
      const auto join = [&](double a, double b) { return job.combine == Combine::none ? std::max(a, b) : a + b; };
      bound.relative = join(bound.relative, ways.back().bound.relative);
      bound.absolute = join(bound.absolute, ways.back().bound.absolute);
      bound.most = join(bound.most, ways.back().bound.most);
    }
  };
  const auto choose_precise_enough = [&](bool by_timing) {
    choose_all(by_timing);
    if (job.sum_f64 || !may_miss_a_level(job, ways, bound)) return;
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
