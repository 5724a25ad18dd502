// factors.cpp: what the methods share that go by one product of factors.
#include "plan/methods/factors.h"

#include <cstdio>

namespace halation {

void sketch_factors(FilterAnalysis& analysis, const Job&, Taps& taps) {
  constexpr std::int64_t few = 1000;
  const FilterSize size = analysis.filter().size();
  if (analysis.filter().factors() && size.depth + size.height + size.width <= few)
    taps.factors = analysis.separation()->factors;
}

Weighed weigh_factors(FilterAnalysis& analysis, const Job& job, Form form) {
  const Separation& separation = *analysis.separation();
  Weighed filter{.taps = analysis.place(), .bound = {}};
  filter.taps.form = form;
  filter.taps.factors = balanced_for(job, separation.factors);
  filter.magnitudes = magnitudes_of(*filter.taps.factors);
  filter.bound = error_bound(filter.taps, filter.magnitudes, separation.residual, job);
  return filter;
}

std::string words_of_factors(const Taps& taps, double) {
  return ", " + std::to_string(multiply_adds(taps.size, taps.form)) + " multiply-adds a sample instead of " +
         std::to_string(multiply_adds(taps.size, Form::dense));
}

std::string why_no_product(FilterAnalysis& analysis) {
  return analysis.separation() ? "no product of factors" : "all its weights are 0";
}

std::string refusal_as_no_product(FilterAnalysis& analysis, const Job& job, Method method) {
  const std::optional<Separation>& separation = analysis.separation();
  const std::string opening = "is not " + std::string(name_of(method)) + ": ";
  if (separation && separation->residual <= separable_tolerance(job.sum_f64)) {
    return opening +
           "the nearest product of factors changes weights far below the largest, which zeros and infinite "
           "pixels would show; "
           "use automatic or direct";
  }
  char share[96];
  std::snprintf(share, sizeof share,
                "the nearest product of factors leaves %.2g of its weights, at most %.2g is allowed",
                separation ? separation->residual : 1.0, separable_tolerance(job.sum_f64));
  return opening + share + "; use automatic or direct";
}

}  // namespace halation
