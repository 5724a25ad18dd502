// choose.cpp: the method of each filter, by cost, and the precision of its sums, by error bound.
#include "plan/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "halation/error.h"

namespace halation {
namespace {

/// Dense weights beyond this many (2 GiB) are refused rather than multiplied out.
constexpr std::int64_t most_dense_taps = std::int64_t{1} << 28;

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

class Chooser {
 public:
  Chooser(const Options& options, const Backend& backend) : options_(options), backend_(backend) {
    if (options.method == Method::automatic || offers(options.method)) return;
    std::string list;
    for (const Method method : backend.methods()) list += (list.empty() ? "" : ", ") + std::string(name_of(method));
    const std::string where = backend.kind() == Device::Kind::cuda ? "cuda" : name_of(Device{backend.kind(), 0});
    throw Error(ErrorCode::unsupported,
                "method " + std::string(name_of(options.method)) + " is not available on " + where + "; choose from automatic, " + list);
  }

  /// Fills in the taps' weights, and returns the bound on the filter's error.
  ErrorBound prepare(Taps& taps, const Filter& filter, bool flipped, const Job& job, std::string& reason) const {
    const bool may_separate = offers(Method::separable) && options_.method != Method::direct;
    const bool worth_it =
        options_.method == Method::separable || backend_.cost(job, taps, Method::separable) < backend_.cost(job, taps, Method::direct);
    std::optional<Separation> separation;
    if (may_separate && worth_it) separation = separation_of(filter, flipped);
    const bool separable = separation && separation->residual <= separable_tolerance(job.sum_f64);
    if (options_.method == Method::separable && !separable) refuse_separable(filter, separation, job);

    reason = filter.name() + " " + text(taps.size);
    if (separable) {
      taps.method = Method::separable;
      taps.factors = std::move(separation->factors);
      reason += ": separable, " + std::to_string(multiply_adds(taps.size, Method::separable)) +
                " multiply-adds a sample instead of " + std::to_string(multiply_adds(taps.size, Method::direct));
      double magnitudes = 1;
      for (const auto& factor : *taps.factors) magnitudes *= sum_of_magnitudes(factor);
      return error_bound(taps, magnitudes, separation->residual, job);
    }
    taps.method = Method::direct;
    taps.weights = dense_weights(filter, flipped);
    reason += ": direct, " + std::to_string(multiply_adds(taps.size, Method::direct)) + " multiply-adds a sample";
    if (separation) reason += " (no product of factors is within rounding of its weights)";
    return error_bound(taps, sum_of_magnitudes(taps.weights), 0, job);
  }

 private:
  bool offers(Method method) const {
    const auto methods = backend_.methods();
    return std::find(methods.begin(), methods.end(), method) != methods.end();
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
};

/// Largest magnitude that an integer input, or a constant around it, can have; none for floats.
std::optional<double> largest_input(const Job& job) {
  if (is_float(job.in_pixel)) return std::nullopt;
  double magnitude = std::max(largest(job.in_pixel), -smallest(job.in_pixel));
  for (const BorderTable& border : job.borders) magnitude = std::max(magnitude, std::fabs(border.constant()));
  return magnitude;
}

}  // namespace

Choice choose(CheckedJob checked, const Options& options, const Backend& backend) {
  const Chooser chooser(options, backend);
  Choice choice;
  Job& job = checked.job;
  const auto prepare_all = [&](bool sum_f64) {
    job.sum_f64 = sum_f64;
    choice.bound = {};
    choice.reasons.assign(checked.filters.size(), "");
    for (std::size_t i = 0; i < checked.filters.size(); ++i) {
      const ErrorBound bound =
          chooser.prepare(job.filters[i], checked.filters[i], checked.flipped[i], job, choice.reasons[i]);
      // A magnitude is at most as far off as its components together; single outputs share the largest bound.
      const auto join = [&](double a, double b) { return job.combine == Combine::none ? std::max(a, b) : a + b; };
      choice.bound.relative = join(choice.bound.relative, bound.relative);
      choice.bound.absolute = join(choice.bound.absolute, bound.absolute);
    }
  };
  prepare_all(options.sum == Sum::f64 || job.in_pixel == Pixel::f64 || job.out_pixel == Pixel::f64 ||
              backend.kind() == Device::Kind::reference);

  const std::optional<double> magnitude = largest_input(job);
  if (!job.sum_f64 && !is_float(job.out_pixel) && magnitude &&
      choice.bound.relative * *magnitude + choice.bound.absolute > 0.5) {
    prepare_all(true);
  }
  choice.job = std::make_shared<const Job>(std::move(job));
  return choice;
}

}  // namespace halation
