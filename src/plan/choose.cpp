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
#include "core/convert.h"
#include "core/integer_weights.h"
#include "core/stopwatch.h"
#include "halation/error.h"
#include "plan/analysis/fold.h"
#include "plan/analysis/rounding.h"
#include "plan/backends.h"
#include "plan/other_pixels/other_pixels.h"
#include "plan/timings/shared_timings.h"
#include "plan/timings/tune.h"

namespace halation {
namespace {

/// A method that should take so many times as long as another is not worth timing.
constexpr double hopeless = 10;
/// Nor is one that so many others should be quicker than.
constexpr std::size_t most_timed = 3;
/// Beyond these, weights are not written out for a ranking alone.
constexpr std::int64_t most_ranked_taps = std::int64_t{1} << 20;

/// A filter by one method, ready to be taken.
struct Candidate {
  const MethodRecord* method;
  Weighed filter;
  Reason reason;

  bool shows(const Job& job) const { return method->shows != nullptr && method->shows(job, filter); }
};

/// Whether rounding could put outputs of a candidate, the bound being its own or that of several, off by more than half a level.
bool may_miss_a_level(const Job& job, const Weighed& filter, const ErrorBound& bound) {
  return levels_off(job, filter.magnitudes, filter.bound, bound) > 0.5;
}

/// Methods that all filters of a job are done by, or none: which of them may be among others, or the only one
/// that may be taken.
struct Allowed {
  std::vector<const MethodRecord*> passed_over = {};
  const MethodRecord* only = nullptr;

  bool has(const MethodRecord& method) const {
    if (only != nullptr) return &method == only;
    return std::find(passed_over.begin(), passed_over.end(), &method) == passed_over.end();
  }
};

/// Sums of 64-bit integers are exact; as a float one is rounded, scaled and shifted.
ErrorBound bound_of_exact_sums(const Job& job, double magnitudes) {
  if (!is_float(job.out_pixel)) return {0, 0, 0};
  constexpr double roundings = 4 * 0x1p-53;
  return {roundings * std::fabs(job.scale) * magnitudes, roundings * std::fabs(job.offset)};
}

/// Why a method that fits is offered by no family.
const char* no_offer(const Job& job) {
  return is_wide(job.in_pixel) ? "64-bit integers are summed tap by tap" : "does not fit its tiles";
}

/// The methods of a backend, for one filter of a job.
class Chooser {
 public:
  Chooser(const Options& options, const Backend& backend, Device device, Layout layout,
          std::vector<const MethodRecord*> methods)
      : options_(options), where_{backend, device}, layout_(layout), methods_(std::move(methods)) {
    use_known_figures(backend, device);
    if (options.method == Method::automatic) return;
    std::string list;
    for (const MethodRecord* const method : methods_) {
      if (method->method == options.method) asked_ = method;
      list += (list.empty() ? "" : ", ") + std::string(name_of(method->method));
    }
    if (asked_ != nullptr) {
      if (!asked_->approximates || options.accuracy == Accuracy::fast) return;
      throw Error(
          ErrorCode::invalid_argument,
          "method " + std::string(name_of(options.method)) +
              " approximates, which accuracy exact does not allow; use accuracy fast, or method automatic");
    }
    const std::string place =
        backend.kind() == Device::Kind::cuda ? "cuda" : name_of(Device{backend.kind(), 0});
    throw Error(ErrorCode::unsupported, "method " + std::string(name_of(options.method)) +
                                            " is not available on " + place + "; choose from automatic, " +
                                            list);
  }

  std::span<const MethodRecord* const> methods() const { return methods_; }
  /// Null where any may be taken.
  const MethodRecord* asked() const { return asked_; }

  /// The method asked for, else the one of which least time is expected.
  Candidate by_estimate(FilterAnalysis& analysis, const Job& job, const Allowed& allowed) const {
    if (asked_ != nullptr) return asked_for(analysis, job);
    for (const Priced& each : quickest_first(analysis, job, allowed)) {
      if (!each.method->fits(analysis, job) || !std::isfinite(each.seconds)) continue;
      Candidate found = candidate(each, analysis, job);
      if (allowed.only == nullptr && found.shows(job)) continue;
      return found;
    }
    return candidate(priced(*methods_.front(), analysis, job), analysis, job);  // which does any filter
  }

  /// Whether the method does the filter.
  bool can(const MethodRecord& method, FilterAnalysis& analysis, const Job& job) const {
    const bool is_there = std::find(methods_.begin(), methods_.end(), &method) != methods_.end();
    return is_there && method.fits(analysis, job) && std::isfinite(priced(method, analysis, job).seconds);
  }

  /// The method that takes least time here.
  Candidate by_timing(FilterAnalysis& analysis, const Job& job, const Allowed& allowed) const {
    std::vector<Candidate> candidates = worth_timing(analysis, job, allowed);
    std::vector<double> seconds;
    for (const Candidate& candidate : candidates) {
      const Timing timing = timing_of(job, candidate.filter.taps, layout_, where_.backend, where_.device);
      if (!timing.seconds) {
        Candidate expected = by_estimate(analysis, job, allowed);
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
    for (const MethodRecord* const method : methods_) {
      if (method->method != chosen.method) list.push_back(ranked(*method, analysis, job, chosen));
    }
    const auto place = [&](const RankedMethod& each) {
      const bool by_timing = options_.tune == Tune::measure && each.measured_seconds;
      const double expected = each.expected_seconds.value_or(std::numeric_limits<double>::infinity()) *
                              record_of(each.method).clearly(job);
      return std::tuple(!each.why_not.empty(), !by_timing, by_timing ? *each.measured_seconds : expected);
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](const RankedMethod& a, const RankedMethod& b) { return place(a) < place(b); });
    return list;
  }

 private:
  struct Priced {
    const MethodRecord* method;
    double seconds;

    double counted(const Job& job) const { return seconds * method->clearly(job); }
  };

  Priced priced(const MethodRecord& method, FilterAnalysis& analysis, const Job& job) const {
    Taps taps = analysis.place();
    taps.form = method.form;
    method.sketch(analysis, job, taps);
    const std::vector<Offer> offers = where_.backend.offers(
        layout_ == Layout::planar ? with_channels_apart(job) : job, {&taps, 1}, where_.device);
    return {&method, best_of(offers).seconds};
  }

  /// What the backend offers; of equals the one that is listed first.
  std::vector<Priced> quickest_first(FilterAnalysis& analysis, const Job& job, const Allowed& allowed) const {
    std::vector<Priced> list;
    list.reserve(methods_.size());
    for (const MethodRecord* const method : methods_) {
      if (!allowed.has(*method) || (method->approximates && options_.accuracy == Accuracy::exact)) continue;
      if (allowed.only == nullptr && !method->passed_over(analysis, job).empty()) continue;
      if (!method->may_pay(analysis, job)) continue;
      const Priced each = priced(*method, analysis, job);
      const auto slower = [&](const Priced& other) { return other.counted(job) > each.counted(job); };
      list.insert(std::find_if(list.begin(), list.end(), slower), each);
    }
    return list;
  }

  /// A method that was not chosen, with what is known of it.
  RankedMethod ranked(const MethodRecord& method, FilterAnalysis& analysis, const Job& job,
                      const RankedMethod& chosen) const {
    RankedMethod found{.method = method.method};
    if (method.approximates && options_.accuracy == Accuracy::exact) {
      found.why_not = "accuracy is exact";
    } else if (!method.fits(analysis, job)) {
      found.why_not = method.why_not(analysis, job);
    }
    if (!found.why_not.empty()) return found;
    const Priced by_method = priced(method, analysis, job);
    if (!std::isfinite(by_method.seconds)) {
      found.why_not = no_offer(job);
      return found;
    }
    found.expected_seconds = by_method.seconds;
    found.why_not = method.passed_over(analysis, job);
    if (!method.writes_all || analysis.filter().size().taps() <= most_ranked_taps) {
      const Candidate complete = candidate(by_method, analysis, job);
      found.measured_seconds = known_time(job, complete.filter.taps, layout_, where_.device);
      if (complete.shows(job)) found.why_not = "what it rounds could show";
    }
    if (method.for_all && job.filters.size() > 1 && found.why_not.empty() &&
        found.expected_seconds < chosen.expected_seconds)
      found.why_not = "all filters or none";
    return found;
  }

  Candidate asked_for(FilterAnalysis& analysis, const Job& job) const {
    const std::string opening = "method " + std::string(name_of(options_.method));
    const auto filter = [&] { return "filter '" + analysis.filter().name() + "' "; };
    if (asked_->refusal != nullptr && !asked_->fits(analysis, job))
      throw Error(ErrorCode::invalid_argument, opening + ": " + filter() + asked_->refusal(analysis, job));
    const Priced by_method = priced(*asked_, analysis, job);
    if (!std::isfinite(by_method.seconds)) {
      throw Error(ErrorCode::unsupported, opening + " on " + name_of(where_.device) + ": " +
                                              (is_wide(job.in_pixel) ? "" : filter()) + no_offer(job) +
                                              "; use automatic or direct");
    }
    Candidate found = candidate(by_method, analysis, job);
    if (asked_->shows != nullptr && job.sum_f64 && may_miss_a_level(job, found.filter, found.filter.bound)) {
      char levels[96];
      std::snprintf(levels, sizeof levels, "could be %.2g levels off in f64, at most 0.5 is allowed",
                    levels_off(job, found.filter.magnitudes, found.filter.bound, found.filter.bound));
      throw Error(ErrorCode::unsupported, opening + ": " + std::string(name_of(job.out_pixel)) +
                                              " outputs of " + filter() + levels +
                                              "; use automatic or direct");
    }
    return found;
  }

  /// The quickest of the methods that are possible, without those that are hopeless; the one asked for alone.
  std::vector<Candidate> worth_timing(FilterAnalysis& analysis, const Job& job,
                                      const Allowed& allowed) const {
    std::vector<Candidate> candidates;
    if (asked_ != nullptr) {
      candidates.push_back(asked_for(analysis, job));
      return candidates;
    }
    double least = std::numeric_limits<double>::infinity();
    std::size_t possible = 0;
    for (const Priced& each : quickest_first(analysis, job, allowed)) {
      if (candidates.size() == most_timed || each.seconds >= hopeless * least) break;
      if (!each.method->fits(analysis, job) || !std::isfinite(each.seconds)) continue;
      if (possible++ == 0) least = each.seconds;
      Candidate found = candidate(each, analysis, job);
      if (allowed.only != nullptr || !found.shows(job)) candidates.push_back(std::move(found));
    }
    if (candidates.empty()) candidates.push_back(by_estimate(analysis, job, allowed));
    return candidates;
  }

  /// By a method that fits.
  Candidate candidate(const Priced& priced, FilterAnalysis& analysis, const Job& job) const {
    Candidate candidate{
        .method = priced.method,
        .filter = priced.method->weigh(analysis, job, where_),
        .reason = {.filter = analysis.filter(), .method = priced.method, .seconds = priced.seconds}};
    Weighed& filter = candidate.filter;
    candidate.reason.left_out = filter.bound.approximation / std::fabs(job.scale) / filter.magnitudes;
    keep_infinities(filter.taps, job);
    filter.bound.absolute += where_.backend.added_error(job, filter.taps);
    if (!std::isfinite(filter.magnitudes)) filter.bound = no_bound();
    if (is_wide(job.in_pixel)) filter.bound = bound_of_exact_sums(job, filter.magnitudes);
    return candidate;
  }

  const Options& options_;
  Where where_;
  Layout layout_;
  std::vector<const MethodRecord*> methods_;
  const MethodRecord* asked_ = nullptr;
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

/// All filters of a job: their methods, and the precision of sums.
class JobChooser {
 public:
  JobChooser(const Chooser& chooser, Job& job, std::vector<FilterAnalysis>& analyses,
             const std::vector<double>& rounded_by_folding)
      : chooser_(chooser), job_(job), analyses_(analyses), rounded_by_folding_(rounded_by_folding) {}

  std::vector<Candidate> candidates;
  ErrorBound bound;

  void choose_by(bool timing, const Allowed& allowed) {
    candidates.clear();
    bound = {0, 0, 0};
    for (std::size_t i = 0; i < analyses_.size(); ++i) {
      candidates.push_back(timing ? chooser_.by_timing(analyses_[i], job_, allowed)
                                  : chooser_.by_estimate(analyses_[i], job_, allowed));
      ErrorBound& own = candidates.back().filter.bound;
      own.approximation += std::fabs(job_.scale) * rounded_by_folding_[i];
      // A magnitude is at most as far off as its components together; single outputs share the largest bound.
      const auto join = [&](double a, double b) {
        return job_.combine == Combine::none ? std::max(a, b) : a + b;
      };
      bound.relative = join(bound.relative, own.relative);
      bound.absolute = join(bound.absolute, own.absolute);
      bound.most = join(bound.most, own.most);
      bound.approximation = join(bound.approximation, own.approximation);
    }
  }

  /// By a method that does all filters or none, all are done where that is quicker than without it.
  void choose_all(bool timing) {
    Allowed allowed;
    for (;;) {
      choose_by(timing, allowed);
      const MethodRecord* const mixed = mixed_in();
      if (mixed == nullptr) return;
      double by_it = std::numeric_limits<double>::infinity();
      if (can_all(*mixed)) {
        choose_by(timing, {.only = mixed});
        if (!shows()) by_it = seconds();
      }
      allowed.passed_over.push_back(mixed);
      choose_by(timing, allowed);
      if (by_it < seconds()) return choose_by(timing, {.only = mixed});
    }
  }

  bool can_all(const MethodRecord& method) {
    return std::all_of(analyses_.begin(), analyses_.end(),
                       [&](FilterAnalysis& each) { return chooser_.can(method, each, job_); });
  }
  double seconds() const {
    return std::accumulate(candidates.begin(), candidates.end(), 0.0,
                           [](double sum, const Candidate& candidate) { return sum + candidate.reason.seconds; });
  }
  bool may_miss_a_level() const {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& each) {
      return halation::may_miss_a_level(job_, each.filter, bound);
    });
  }
  bool shows() const {
    return may_miss_a_level() || std::any_of(candidates.begin(), candidates.end(),
                                             [&](const Candidate& each) { return each.shows(job_); });
  }

  /// What a method rounds in f32 may show where in f64, at half the speed, it does not: beside sums of
  /// thousands of taps it is quick enough. Whether it is taken; sums stay in f32 where it is not.
  bool take_in_f64(const MethodRecord& method) {
    const bool may = std::none_of(candidates.begin(), candidates.end(),
                                  [&](const Candidate& each) { return each.method == &method; }) &&
                     std::all_of(analyses_.begin(), analyses_.end(), [&](FilterAnalysis& each) {
                       return method.passed_over(each, job_).empty();
                     });
    if (!may) return false;
    const double seconds_in_f32 = seconds();
    const ErrorBound bound_in_f32 = bound;
    std::vector<Candidate> in_f32 = std::move(candidates);
    job_.sum_f64 = true;
    if (can_all(method)) {
      choose_by(false, {.only = &method});
      if (!shows() && seconds() < seconds_in_f32) return true;
    }
    job_.sum_f64 = false;
    candidates = std::move(in_f32);
    bound = bound_in_f32;
    return false;
  }

 private:
  /// A method for all filters that some of the candidates are by; null where there is none.
  const MethodRecord* mixed_in() const {
    for (const Candidate& candidate : candidates) {
      const auto is_it = [&](const Candidate& other) { return other.method == candidate.method; };
      if (candidate.method->for_all && !std::all_of(candidates.begin(), candidates.end(), is_it))
        return candidate.method;
    }
    return nullptr;
  }

  const Chooser& chooser_;
  Job& job_;
  std::vector<FilterAnalysis>& analyses_;
  const std::vector<double>& rounded_by_folding_;
};

}  // namespace

Choice choose(CheckedJob checked, const Options& options, const Backend& backend, Device device,
              std::vector<const MethodRecord*> methods) {
  const bool measured = measures(options.tune);
  const Chooser chooser(options, backend, device, checked.layout, std::move(methods));
  Job& job = checked.job;
  std::vector<Space> given;
  for (const Taps& taps : job.filters) given.push_back(taps.size);
  const bool folds =
      backend.kind() != Device::Kind::reference && (chooser.asked() == nullptr || !chooser.asked()->as_given);
  const std::vector<double> rounded_by_folding =
      folds ? fold(checked, options) : std::vector<double>(checked.filters.size(), 0.0);
  std::vector<FilterAnalysis> analyses;
  analyses.reserve(checked.filters.size());
  for (std::size_t i = 0; i < checked.filters.size(); ++i)
    analyses.emplace_back(job.filters[i], checked.filters[i], checked.flipped[i]);
  JobChooser all(chooser, job, analyses, rounded_by_folding);
  bool others_in_f32 = false;
  const auto choose_precise_enough = [&](bool timing) {
    others_in_f32 = false;
    all.choose_all(timing);
    if (job.sum_f64) return;
    if (all.may_miss_a_level()) {
      job.sum_f64 = true;
      all.choose_all(timing);
      return;
    }
    const double worth_a_look = backend.kind() == Device::Kind::cpu ? 200e-6 : 20e-6;
    if (options.method != Method::automatic || is_float(job.out_pixel) || all.seconds() <= worth_a_look)
      return;
    for (const MethodRecord* const method : chooser.methods()) {
      if (method->shows == nullptr || !all.take_in_f64(*method)) continue;
      others_in_f32 = true;
      return;
    }
  };
  job.sum_f64 = options.sum == Sum::f64 || needs_f64(job.in_pixel) || needs_f64(job.out_pixel) ||
                wraps(job) || backend.kind() == Device::Kind::reference;
  choose_precise_enough(false);  // first, so that what needs f64 by the estimate is not timed in f32
  if (measured) choose_precise_enough(true);

  Choice choice{.job = nullptr,
                .bound = all.bound,
                .reasons = {},
                .options = options,
                .layout = checked.layout,
                .flipped = std::move(checked.flipped),
                .others_in_f32 = others_in_f32};
  for (std::size_t i = 0; i < all.candidates.size(); ++i) {
    choice.reasons.push_back(std::move(all.candidates[i].reason));
    choice.reasons.back().given = given[i];
    choice.reasons.back().no_product = analyses[i].known_as_no_product(job);
    job.filters[i] = std::move(all.candidates[i].filter.taps);
  }
  choice.job = std::make_shared<const Job>(std::move(job));
  return choice;
}

double expected_seconds(const PlanSpec& spec) {
  Options options = spec.options;
  options.tune = Tune::estimate;
  const Choice choice = choose(check(spec), options, backend_for(spec.device), spec.device);
  return std::accumulate(choice.reasons.begin(), choice.reasons.end(), 0.0,
                         [](double sum, const Reason& reason) { return sum + reason.seconds; });
}

bool would_be_passed_over(const Choice& choice) {
  const Job& job = *choice.job;
  for (std::size_t i = 0; i < job.filters.size(); ++i) {
    const Reason& reason = choice.reasons[i];
    FilterAnalysis analysis(job.filters[i], reason.filter, choice.flipped[i]);
    const Weighed filter{job.filters[i], sum_of_magnitudes(job.filters[i].weights), choice.bound};
    if (!reason.method->passed_over(analysis, job).empty()) return true;
    if (reason.method->shows != nullptr && reason.method->shows(job, filter)) return true;
  }
  return false;
}

std::vector<RankedMethod> ranking(const Choice& choice, std::size_t filter, const Backend& backend,
                                  Device device) {
  const Job& job = *choice.job;
  const Taps& chosen = job.filters[filter];
  const Reason& reason = choice.reasons[filter];
  std::vector<RankedMethod> list{{.method = reason.method->method,
                                  .expected_seconds = reason.seconds,
                                  .measured_seconds = known_time(job, chosen, choice.layout, device)}};
  Job job_of_others = job;
  if (choice.others_in_f32) job_of_others.sum_f64 = false;
  Taps place;
  place.size = chosen.size;
  place.lead = chosen.lead;
  FilterAnalysis analysis(place, reason.filter, choice.flipped[filter]);
  const Chooser chooser(choice.options, backend, device, choice.layout, methods_of(backend));
  const std::vector<RankedMethod> others = chooser.others(analysis, job_of_others, list.front());
  list.insert(list.end(), others.begin(), others.end());
  return list;
}

}  // namespace halation
