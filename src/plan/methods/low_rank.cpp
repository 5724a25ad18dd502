// low_rank.cpp: the method low_rank: filters over integers as a sum of a few products of factors along y and
// x, in one pass.
#include "core/integer_weights.h"
#include "core/finite.h"
#include "plan/methods/factors.h"
#include "plan/methods/methods.h"

namespace halation::methods {
namespace {

std::string why_no_terms(FilterAnalysis& analysis, const Job& job) {
  if (!analysis.separation()) return "all its weights are 0";
  if (is_float(job.in_pixel)) return "pixels may be infinite";
  if (analysis.filter().size().depth > 1) return "weights along depth";
  if (is_product(analysis, job)) return "one product of factors";
  if (analysis.filter().size().taps() <= most_low_rank_taps && sums_are_whole(job, analysis.weights()))
    return "sums of whole numbers, which stay exact";
  return "no sum of " + std::to_string(most_terms) + " products of factors or fewer";
}

bool fits_terms(FilterAnalysis& analysis, const Job& job) {
  return analysis.low_rank(job) && analysis.low_rank(job)->terms.size() > 1;
}

}  // namespace

extern const MethodRecord low_rank;
const MethodRecord low_rank{.method = Method::low_rank,
                            .form = Form::terms,
                            .fits = fits_terms,
                            .why_not = why_no_terms,
                            .refusal =
                                [](FilterAnalysis& analysis, const Job& job) {
                                  return "over " + std::string(name_of(job.in_pixel)) + ": " +
                                         why_no_terms(analysis, job) + "; use automatic or direct";
                                },
                            .may_pay =
                                [](FilterAnalysis& analysis, const Job& job) {
                                  // Fewer multiply-adds, of a job that takes longer than the search for
                                  // terms.
                                  constexpr std::int64_t least_work = std::int64_t{1} << 22;
                                  const FilterSize size = analysis.filter().size();
                                  const std::int64_t taps = size.taps();
                                  if (size.depth > 1 || 3 * (size.height + size.width) > taps ||
                                      job.out.elements() < least_work / taps)
                                    return false;
                                  return !is_product(analysis, job) && fits_terms(analysis, job);
                                },
                            .sketch = [](FilterAnalysis& analysis, const Job& job,
                                         Taps& taps) { taps.terms = analysis.low_rank(job)->terms; },
                            .weigh =
                                [](FilterAnalysis& analysis, const Job& job, const Where&) {
                                  const LowRank& found = *analysis.low_rank(job);
                                  Weighed filter{.taps = analysis.place(), .bound = {}};
                                  filter.taps.form = Form::terms;
                                  filter.taps.terms = found.terms;
                                  filter.magnitudes = sum_of_magnitudes(analysis.weights());
                                  filter.bound = error_bound_of_low_rank(filter.taps, filter.magnitudes,
                                                                         found.residual, job);
                                  return filter;
                                },
                            .words =
                                [](const Taps& taps, double) {
                                  const auto terms = static_cast<std::int64_t>(taps.terms.size());
                                  return " as a sum of " + std::to_string(terms) + " products of factors, " +
                                         std::to_string(terms * multiply_adds(taps.size, Form::factors)) +
                                         " multiply-adds a sample instead of " +
                                         std::to_string(multiply_adds(taps.size, Form::dense));
                                },
                            .as_given = true};

}  // namespace halation::methods
