// multirate.cpp: the method multirate: smooth products of factors at a lower rate, where approximations are
// allowed.
#include <cmath>
#include <cstdio>

#include "plan/methods/factors.h"
#include "plan/methods/methods.h"

namespace halation::methods {
namespace {

bool fits_lower_rate(FilterAnalysis& analysis, const Job& job) { return analysis.multirate(job).has_value(); }

}  // namespace

extern const MethodRecord multirate;
const MethodRecord multirate{
    .method = Method::multirate,
    .form = Form::lower_rate,
    .fits = fits_lower_rate,
    .why_not =
        [](FilterAnalysis& analysis, const Job& job) {
          return is_product(analysis, job) ? "not smooth enough" : why_no_product(analysis);
        },
    .refusal = [](FilterAnalysis& analysis, const Job& job) -> std::string {
      if (!is_product(analysis, job)) return refusal_as_no_product(analysis, job, Method::multirate);
      return "is not smooth enough for multirate: at half the rate along height or width more than 2^-12 of "
             "its weights would be left out; "
             "use automatic";
    },
    .may_pay = fits_lower_rate,
    .sketch =
        [](FilterAnalysis& analysis, const Job& job, Taps& taps) {
          taps.factors = analysis.separation()->factors;
          taps.multirate = analysis.multirate(job);
        },
    .weigh =
        [](FilterAnalysis& analysis, const Job& job, const Where&) {
          const Separation& separation = *analysis.separation();
          Weighed filter{.taps = analysis.place(), .bound = {}};
          filter.taps.form = Form::lower_rate;
          filter.taps.factors = separation.factors;
          filter.taps.multirate = analysis.multirate(job);
          filter.magnitudes = magnitudes_of(separation.factors);
          filter.bound = error_bound_of_multirate(filter.taps, job);
          filter.bound.approximation += std::fabs(job.scale) * filter.magnitudes * separation.residual;
          return filter;
        },
    .words = [](const Taps& taps, double left_out) -> std::string {
      const auto& [y, x] = taps.multirate->axes;
      char how[160];
      std::snprintf(how, sizeof how,
                    " at a rate lower by %lldx%lld instead of %lld multiply-adds a sample, %.2g of the "
                    "weights left out",
                    static_cast<long long>(y.factor), static_cast<long long>(x.factor),
                    static_cast<long long>(multiply_adds(taps.size, Form::dense)), left_out);
      return how;
    },
    .for_all = true,
    .as_given = true,
    .approximates = true};

}  // namespace halation::methods
