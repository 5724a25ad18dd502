// choose.cpp: the method of each filter, by expected or measured time, and the precision of its sums, by
// error bound.
#include "plan/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "core/channels_apart.h"
#include "core/integer_weights.h"
#include "core/stopwatch.h"
#include "halation/error.h"
#include "plan/analysis/filter_analysis.h"
#include "plan/analysis/fitting.h"
#include "plan/analysis/fold.h"
#include "plan/analysis/rounding.h"
#include "plan/timings/rates.h"
#include "plan/timings/tune.h"

namespace halation {
namespace {

/// A method that should take so many times as long as another is not worth timing.
constexpr double hopeless = 10;
/// Nor is one that so many others should be quicker than.
constexpr std::size_t most_timed = 3;
/// Beyond these, weights are not written out for a ranking alone.
constexpr std::int64_t most_ranked_taps = std::int64_t{1} << 20;

/// One method of one filter, with the weights that it needs.
struct Candidate {
  Taps taps;
  ErrorBound bound;
  double magnitudes = 0;  ///< of the weights, or of the factors' products
  Reason reason;
};

/// Whether rounding could put outputs of a candidate, the bound being its own or that of several, off by more than half a level.
bool may_miss_a_level(const Job& job, const Candidate& candidate, const ErrorBound& bound) {
  return levels_off(job, candidate.magnitudes, candidate.bound, bound) > 0.5;
}
bool may_miss_a_level(const Job& job, const std::vector<Candidate>& candidates, const ErrorBound& bound) {
  return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& each) { return may_miss_a_level(job, each, bound); });
}

bool shows_transforms(const Job& job, const Candidate& candidate) {
  return shows_transforms(job, candidate.taps.weights, candidate.magnitudes, candidate.bound);
}

/// All filters of a job are transformed, as one image, or none is.
enum class Transforms { among_others, alone, none };

bool is_multirate(const Candidate& candidate) { return candidate.taps.method == Method::multirate; }

class Chooser {
 public:
  Chooser(const Options& options, const Backend& backend, Device device, Layout layout)
      : options_(options), backend_(backend), device_(device), layout_(layout), rates_(rates_of(device)) {
    if (options.method == Method::automatic || offers(options.method)) return;
    std::string list;
    for (const Method method : backend.methods()) list += (list.empty() ? "" : ", ") + std::string(name_of(method));
    const std::string where = backend.kind() == Device::Kind::cuda ? "cuda" : name_of(Device{backend.kind(), 0});
    throw Error(ErrorCode::unsupported,
                "method " + std::string(name_of(options.method)) + " is not available on " + where +
                    "; choose from automatic, " + list);
  }

  /// Whether filters may be done at a lower rate without being asked: all of a job, or none.
  void allow_multirate(bool allowed) { may_approximate_ = allowed && options_.accuracy == Accuracy::fast; }

  /// The method asked for, else the one of which least time is expected.
  Candidate by_estimate(FilterAnalysis& analysis, const Job& job, Transforms transforms) const {
    if (options_.method != Method::automatic) return asked_for(analysis, job);
    for (const Expected& each : quickest_first(analysis, job, transforms)) {
      if (!fits(each.method, analysis, job) || !std::isfinite(each.seconds)) continue;
      Candidate found = candidate(each, analysis, job);
      if (each.method == Method::fft && transforms != Transforms::alone && shows_transforms(job, found)) continue;
      return found;
    }
    throw std::logic_error("a backend without the method direct");
  }

  bool can_transform(FilterAnalysis& analysis, const Job& job) const {
    return offers(Method::fft) && fits(Method::fft, analysis, job) && std::isfinite(expected(Method::fft, analysis, job).seconds);
  }

  /// The method that takes least time here.
  Candidate by_timing(FilterAnalysis& analysis, const Job& job, Transforms transforms) const {
    std::vector<Candidate> candidates = worth_timing(analysis, job, transforms);
    std::vector<double> seconds;
    for (const Candidate& candidate : candidates) {
      const Timing timing = timing_of(job, candidate.taps, layout_, backend_, device_);
      if (!timing.seconds) {
        Candidate expected = by_estimate(analysis, job, transforms);
        expected.reason.timing = ", not measured: " + timing.why_none;
        return expected;
      }
      seconds.push_back(*timing.seconds);
    }
    const auto quickest =
        static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
    Candidate chosen = std::move(candidates[quickest]);
    chosen.reason.timing = ", measured " + time_text(seconds[quickest]);
    return chosen;
  }

  /// The methods beside the one chosen, best first, those that are not to choose from last.
  std::vector<RankedMethod> others(FilterAnalysis& analysis, const Job& job,
                                   const RankedMethod& chosen) const {
    std::vector<RankedMethod> list;
    for (const Method method : backend_.methods()) {
      if (method != chosen.method) list.push_back(ranked(method, analysis, job, chosen));
    }
    const auto place = [&](const RankedMethod& each) {
      const bool by_timing = options_.tune == Tune::measure && each.measured_seconds;
      const double expected = counted(
          {each.method, each.expected_seconds.value_or(std::numeric_limits<double>::infinity())}, job);
      return std::tuple(!each.why_not.empty(), !by_timing, by_timing ? *each.measured_seconds : expected);
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](const RankedMethod& a, const RankedMethod& b) { return place(a) < place(b); });
    return list;
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

  Expected expected(Method method, FilterAnalysis& analysis, const Job& job) const {
    Taps taps = analysis.place();
    // Some weights are quicker than others, some a family refuses; many would take longer to write than the estimate.
    const FilterSize size = analysis.filter().size();
    constexpr std::int64_t few_weights = 49;
    constexpr std::int64_t few_of_factors = 1000;
    if (method == Method::direct) {
      if (size.taps() <= few_weights || analysis.is_sparse()) taps.weights = analysis.weights();
    } else if (method == Method::fft) {
      if (analysis.filter().factors()) taps.factors = analysis.separation()->factors;
    } else if (method == Method::banded) {
      taps.banded = analysis.banded(job);
    } else if (method == Method::multirate) {
      taps.factors = analysis.separation()->factors;
      taps.multirate = analysis.multirate(job);
    } else if (method == Method::low_rank) {
      taps.terms = analysis.low_rank(job)->terms;
    } else if (analysis.filter().factors() && size.depth + size.height + size.width <= few_of_factors && fits(method, analysis, job)) {
      taps.factors = analysis.separation()->factors;
    }
    const double by_figures = backend_.expected_seconds(
        layout_ == Layout::planar ? with_channels_apart(job) : job, taps, method, device_);
    return {method, rates_.of(method, rate_class(job)) * by_figures};
  }

  /// Transforms in f64 must be clearly quicker: sums keep digits, and zeros where there is nothing, which
  /// those who ask for f64 see.
  static double counted(const Expected& one, const Job& job) {
    constexpr double clearly = 1.1;
    return one.seconds * (one.method == Method::fft && job.sum_f64 ? clearly : 1);
  }

  /// What the backend offers; of equals the one that it lists first.
  std::vector<Expected> quickest_first(FilterAnalysis& analysis, const Job& job, Transforms transforms) const {
    std::vector<Expected> list;
    list.reserve(backend_.methods().size());
    for (const Method method : backend_.methods()) {
      if (transforms != Transforms::among_others && (method == Method::fft) != (transforms == Transforms::alone)) continue;
      if (method == Method::fft && transforms != Transforms::alone && saves_too_little(analysis.place().size, job)) continue;
      if (method == Method::banded && !fits(method, analysis, job)) continue;
      if (method == Method::low_rank && !(is_worth_terms(analysis, job) && fits(method, analysis, job))) continue;
      if (method == Method::multirate && (!may_approximate_ || !fits(method, analysis, job))) continue;
      const Expected each = expected(method, analysis, job);
      const auto slower = [&](const Expected& other) { return counted(other, job) > counted(each, job); };
      list.insert(std::find_if(list.begin(), list.end(), slower), each);
    }
    return list;
  }

  /// Whether a sum of two products or more could be worth looking for: fewer multiply-adds, of a job that takes longer than the search.
  static bool is_worth_terms(FilterAnalysis& analysis, const Job& job) {
    constexpr std::int64_t least_work = std::int64_t{1} << 22;
    const FilterSize size = analysis.filter().size();
    const std::int64_t taps = size.taps();
    if (size.depth > 1 || 3 * (size.height + size.width) > taps || job.out.elements() < least_work / taps) return false;
    return !FilterAnalysis::is_product(analysis.separation(), job);
  }

  /// A method that was not chosen, with what is known of it.
  RankedMethod ranked(Method method, FilterAnalysis& analysis, const Job& job,
                      const RankedMethod& chosen) const {
    RankedMethod found{.method = method};
    const FilterSize size = analysis.filter().size();
    if (method == Method::multirate && options_.accuracy == Accuracy::exact) {
      found.why_not = "accuracy is exact";
    } else if (!fits(method, analysis, job) || (method == Method::direct && size.taps() > most_dense_taps)) {
      found.why_not = why_unfit(method, analysis, job);
    }
    if (!found.why_not.empty()) return found;
    const Expected by_method = expected(method, analysis, job);
    if (!std::isfinite(by_method.seconds)) {
      found.why_not = "does not fit its tiles";
      return found;
    }
    found.expected_seconds = by_method.seconds;
    if (method == Method::fft && saves_too_little(analysis.place().size, job))
      found.why_not = "saves too little for the digits that it rounds";
    const bool has_weights = method == Method::direct || method == Method::fft;
    if (!has_weights || size.taps() <= most_ranked_taps) {
      const Candidate complete = candidate(by_method, analysis, job);
      found.measured_seconds = known_time(job, complete.taps, layout_, device_);
      if (method == Method::fft && shows_transforms(job, complete))
        found.why_not = "what it rounds could show";
    }
    const bool is_for_all = method == Method::fft || method == Method::multirate;
    if (is_for_all && job.filters.size() > 1 && found.why_not.empty() &&
        found.expected_seconds < chosen.expected_seconds)
      found.why_not = "all filters or none";
    return found;
  }

  Candidate asked_for(FilterAnalysis& analysis, const Job& job) const {
    if (options_.method != Method::fft && !fits(options_.method, analysis, job))
      refuse_as_unfit(options_.method, analysis, job);
    const Expected by_method = expected(options_.method, analysis, job);
    if (!std::isfinite(by_method.seconds)) {
      throw Error(ErrorCode::unsupported, "method " + std::string(name_of(options_.method)) + " on " + name_of(device_) + ": filter '" +
                                              analysis.filter().name() + "' does not fit its tiles; use automatic or direct");
    }
    Candidate found = candidate(by_method, analysis, job);
    if (options_.method == Method::fft && job.sum_f64 && may_miss_a_level(job, found, found.bound)) refuse_transforms(analysis, job, found);
    return found;
  }

  /// The quickest of the methods that are possible, without those that are hopeless; the one asked for alone.
  std::vector<Candidate> worth_timing(FilterAnalysis& analysis, const Job& job, Transforms transforms) const {
    std::vector<Candidate> candidates;
    if (options_.method != Method::automatic) {
      candidates.push_back(asked_for(analysis, job));
      return candidates;
    }
    std::vector<Expected> possible;
    for (const Expected& each : quickest_first(analysis, job, transforms)) {
      if (!possible.empty()) {
        if (each.seconds >= hopeless * possible.front().seconds) break;
        if (each.method == Method::direct && analysis.filter().size().taps() > most_dense_taps) continue;
      }
      if (fits(each.method, analysis, job)) possible.push_back(each);
    }
    for (const Expected& each : possible) {
      if (candidates.size() == most_timed) break;
      Candidate found = candidate(each, analysis, job);
      const bool is_refused = each.method == Method::fft && transforms != Transforms::alone && shows_transforms(job, found);
      if (!is_refused) candidates.push_back(std::move(found));
    }
    if (candidates.empty()) candidates.push_back(by_estimate(analysis, job, transforms));
    return candidates;
  }

  /// A method that fits.
  Candidate candidate(const Expected& expected, FilterAnalysis& analysis, const Job& job) const {
    const Method method = expected.method;
    Candidate candidate{.taps = analysis.place(),
                        .bound = {},
                        .magnitudes = 0,
                        .reason = {.filter = analysis.filter(),
                                   .size = analysis.place().size,
                                   .method = method,
                                   .seconds = expected.seconds,
                                   .timing = {}}};
    candidate.taps.method = method;
    if (method == Method::direct || method == Method::fft) {
      candidate.taps.weights = analysis.weights();
      candidate.magnitudes = sum_of_magnitudes(candidate.taps.weights);
      const bool has_factors = method == Method::fft && analysis.filter().factors();
      if (has_factors) candidate.taps.factors = balanced_for(job, analysis.separation()->factors);
      candidate.bound = method == Method::direct
                            ? error_bound(candidate.taps, candidate.magnitudes, 0, job)
                            : error_bound_of_transforms(candidate.taps, candidate.magnitudes, has_factors ? analysis.separation()->residual : 0,
                                                        backend_.transform_facts(job, candidate.taps, device_), job);
      candidate.reason.no_product = analysis.known_as_no_product(job);
    } else if (method == Method::banded) {
      candidate.taps.banded = analysis.banded(job);
      candidate.magnitudes = sum_of_magnitudes(analysis.weights());
      candidate.bound = error_bound_of_banded(*candidate.taps.banded, candidate.magnitudes, job);
      const bool over_floats = candidate.taps.banded->over_floats;
      if (over_floats) candidate.taps.weights = analysis.weights();
      candidate.reason.weight_bits = over_floats ? tf32_bits : 8 * candidate.taps.banded->bytes;
      candidate.reason.no_product = analysis.known_as_no_product(job);
    } else if (method == Method::low_rank) {
      const LowRank& low_rank = *analysis.low_rank(job);
      candidate.taps.terms = low_rank.terms;
      candidate.magnitudes = sum_of_magnitudes(analysis.weights());
      candidate.bound = error_bound_of_low_rank(candidate.taps, candidate.magnitudes, low_rank.residual, job);
      candidate.reason.terms = low_rank.terms.size();
    } else if (method == Method::multirate) {
      const Separation& separation = *analysis.separation();
      candidate.taps.factors = separation.factors;
      candidate.taps.multirate = analysis.multirate(job);
      candidate.magnitudes = 1;
      for (const auto& factor : separation.factors) candidate.magnitudes *= sum_of_magnitudes(factor);
      candidate.bound = error_bound_of_multirate(candidate.taps, job);
      candidate.bound.approximation += std::fabs(job.scale) * candidate.magnitudes * separation.residual;
      candidate.reason.approximation = candidate.bound.approximation / std::fabs(job.scale) / candidate.magnitudes;
      for (std::size_t axis = 0; axis < 2; ++axis) candidate.reason.factors[axis] = candidate.taps.multirate->axes[axis].factor;
    } else {
      const Separation& separation = *analysis.separation();
      candidate.taps.factors = balanced_for(job, separation.factors);
      candidate.magnitudes = 1;
      for (const auto& factor : *candidate.taps.factors) candidate.magnitudes *= sum_of_magnitudes(factor);
      candidate.bound = error_bound(candidate.taps, candidate.magnitudes, separation.residual, job);
    }
    keep_infinities(candidate.taps, job);
    candidate.bound.absolute += backend_.added_error(job, candidate.taps);
    if (!std::isfinite(candidate.magnitudes)) candidate.bound = no_bound();
    return candidate;
  }

  [[noreturn]] static void refuse_transforms(FilterAnalysis& analysis, const Job& job, const Candidate& found) {
    char levels[96];
    std::snprintf(levels, sizeof levels, "could be %.2g levels off in f64, at most 0.5 is allowed", levels_off(job, found.magnitudes, found.bound, found.bound));
    throw Error(ErrorCode::unsupported, "method fft: " + std::string(name_of(job.out_pixel)) + " outputs of filter '" +
                                            analysis.filter().name() + "' " + levels + "; use automatic or direct");
  }

  const Options& options_;
  const Backend& backend_;
  Device device_;
  Layout layout_;
  const RateTable& rates_;
  bool may_approximate_ = false;
};

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

bool passes_over_transforms(const Choice& choice) {
  const Job& job = *choice.job;
  return std::any_of(job.filters.begin(), job.filters.end(), [&](const Taps& taps) {
    return saves_too_little(taps.size, job) || shows_transforms(job, taps.weights, sum_of_magnitudes(taps.weights), choice.bound);
  });
}

Choice choose(CheckedJob checked, const Options& options, const Backend& backend, Device device) {
  const bool measured = measures(options.tune);
  Chooser chooser(options, backend, device, checked.layout);
  Job& job = checked.job;
  std::vector<Space> given;
  for (const Taps& taps : job.filters) given.push_back(taps.size);
  const std::vector<double> rounded_by_folding =
      backend.kind() != Device::Kind::reference ? fold(checked, options) : std::vector<double>(checked.filters.size(), 0.0);
  std::vector<FilterAnalysis> analyses;
  analyses.reserve(checked.filters.size());
  for (std::size_t i = 0; i < checked.filters.size(); ++i)
    analyses.emplace_back(job.filters[i], checked.filters[i], checked.flipped[i]);
  std::vector<Candidate> candidates;
  ErrorBound bound;
  const auto choose_by = [&](bool by_timing, Transforms transforms) {
    candidates.clear();
    bound = {0, 0, 0};
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      candidates.push_back(by_timing ? chooser.by_timing(analyses[i], job, transforms)
                                     : chooser.by_estimate(analyses[i], job, transforms));
      candidates.back().bound.approximation += std::fabs(job.scale) * rounded_by_folding[i];
      // A magnitude is at most as far off as its components together; single outputs share the largest bound.
      const auto join = [&](double a, double b) { return job.combine == Combine::none ? std::max(a, b) : a + b; };
      bound.relative = join(bound.relative, candidates.back().bound.relative);
      bound.absolute = join(bound.absolute, candidates.back().bound.absolute);
      bound.most = join(bound.most, candidates.back().bound.most);
      bound.approximation = join(bound.approximation, candidates.back().bound.approximation);
    }
  };
  const auto is_transformed = [](const Candidate& candidate) { return candidate.taps.method == Method::fft; };
  const auto seconds = [&] {
    return std::accumulate(candidates.begin(), candidates.end(), 0.0,
                           [](double sum, const Candidate& candidate) { return sum + candidate.reason.seconds; });
  };
  const auto transforms_show = [&] {
    return may_miss_a_level(job, candidates, bound) ||
           std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& each) { return shows_transforms(job, each); });
  };
  const auto choose_all = [&](bool by_timing) {
    chooser.allow_multirate(true);
    choose_by(by_timing, Transforms::among_others);
    const auto multirates = std::count_if(candidates.begin(), candidates.end(), is_multirate);
    if (multirates == std::ssize(candidates)) return;
    chooser.allow_multirate(false);
    if (multirates > 0) choose_by(by_timing, Transforms::among_others);
    const auto transformed = std::count_if(candidates.begin(), candidates.end(), is_transformed);
    if (transformed == 0 || transformed == std::ssize(candidates)) return;
    double by_transforms = std::numeric_limits<double>::infinity();
    if (std::all_of(analyses.begin(), analyses.end(), [&](FilterAnalysis& analysis) { return chooser.can_transform(analysis, job); })) {
      choose_by(by_timing, Transforms::alone);
      if (!transforms_show()) by_transforms = seconds();
    }
    choose_by(by_timing, Transforms::none);
    if (by_transforms < seconds()) choose_by(by_timing, Transforms::alone);
  };
  bool others_in_f32 = false;
  // Transforms in f32 may show where those in f64, of half the speed, do not: beside sums of thousands of taps they are quick enough.
  const auto try_transforms_in_f64 = [&] {
    const double worth_a_look = backend.kind() == Device::Kind::cpu ? 200e-6 : 40e-6;
    const bool may = options.method == Method::automatic && !is_float(job.out_pixel) &&
                     seconds() > worth_a_look && std::none_of(candidates.begin(), candidates.end(), is_transformed) &&
                     std::none_of(analyses.begin(), analyses.end(), [&](const FilterAnalysis& analysis) {
                       return saves_too_little(analysis.place().size, job);
                     });
    if (!may) return;
    const double seconds_in_f32 = seconds();
    const ErrorBound bound_in_f32 = bound;
    std::vector<Candidate> in_f32 = std::move(candidates);
    job.sum_f64 = true;
    const bool can = std::all_of(analyses.begin(), analyses.end(), [&](FilterAnalysis& analysis) { return chooser.can_transform(analysis, job); });
    if (can) {
      choose_by(false, Transforms::alone);
      others_in_f32 = !transforms_show() && seconds() < seconds_in_f32;
      if (others_in_f32) return;
    }
    job.sum_f64 = false;
    candidates = std::move(in_f32);
    bound = bound_in_f32;
  };
  const auto choose_precise_enough = [&](bool by_timing) {
    others_in_f32 = false;
    choose_all(by_timing);
    if (job.sum_f64) return;
    if (!may_miss_a_level(job, candidates, bound)) return try_transforms_in_f64();
    job.sum_f64 = true;
    choose_all(by_timing);
  };
  job.sum_f64 = options.sum == Sum::f64 || job.in_pixel == Pixel::f64 || job.out_pixel == Pixel::f64 ||
                backend.kind() == Device::Kind::reference;
  choose_precise_enough(false);  // first, so that what needs f64 by the estimate is not timed in f32
  if (measured) choose_precise_enough(true);

  Choice choice{.job = nullptr,
                .bound = bound,
                .reasons = {},
                .options = options,
                .layout = checked.layout,
                .flipped = std::move(checked.flipped),
                .others_in_f32 = others_in_f32};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    job.filters[i] = std::move(candidates[i].taps);
    choice.reasons.push_back(std::move(candidates[i].reason));
    choice.reasons.back().given = given[i];
  }
  choice.job = std::make_shared<const Job>(std::move(job));
  return choice;
}

std::vector<RankedMethod> ranking(const Choice& choice, std::size_t filter, const Backend& backend,
                                  Device device) {
  const Job& job = *choice.job;
  const Taps& chosen = job.filters[filter];
  const Reason& reason = choice.reasons[filter];
  std::vector<RankedMethod> list{{.method = chosen.method,
                                  .expected_seconds = reason.seconds,
                                  .measured_seconds = known_time(job, chosen, choice.layout, device)}};
  Job job_of_others = job;
  if (choice.others_in_f32) job_of_others.sum_f64 = false;
  Taps place;
  place.size = chosen.size;
  place.lead = chosen.lead;
  FilterAnalysis analysis(place, reason.filter, choice.flipped[filter]);
  const Chooser chooser(choice.options, backend, device, choice.layout);
  const std::vector<RankedMethod> others = chooser.others(analysis, job_of_others, list.front());
  list.insert(list.end(), others.begin(), others.end());
  return list;
}

}  // namespace halation
