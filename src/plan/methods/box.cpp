// box.cpp: the method box: factors of equal weights, by sums that neighbours share.
#include "plan/methods/factors.h"
#include "plan/methods/methods.h"

namespace halation::methods {
namespace {

std::string why_no_box(FilterAnalysis& analysis, const Job& job) {
  return is_product(analysis, job) ? "its weights differ" : why_no_product(analysis);
}

}  // namespace

extern const MethodRecord box;
const MethodRecord box{
    .method = Method::box,
    .form = Form::box,
    .fits =
        [](FilterAnalysis& analysis, const Job& job) {
          return is_product(analysis, job) && all_equal(analysis.separation()->factors);
        },
    .why_not = why_no_box,
    .refusal =
        [](FilterAnalysis& analysis, const Job&) {
          return "is not a box: " +
                 std::string(analysis.separation() ? "its weights differ" : "all its weights are 0") +
                 "; use automatic, direct or separable";
        },
    .sketch =
        [](FilterAnalysis& analysis, const Job& job, Taps& taps) {
          if (analysis.filter().factors() && box.fits(analysis, job)) sketch_factors(analysis, job, taps);
        },
    .weigh = [](FilterAnalysis& analysis, const Job& job,
                const Where&) { return weigh_factors(analysis, job, Form::box); },
    .words = words_of_factors,
    .as_given = true};

}  // namespace halation::methods
