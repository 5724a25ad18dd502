// direct.cpp: the method direct: weight by weight, any filter.
#include "core/integer_weights.h"
#include "plan/methods/methods.h"

namespace halation::methods {
namespace {

/// Many weights would take longer to write than the estimate.
constexpr std::int64_t few_weights = 49;

}  // namespace

extern const MethodRecord direct;
const MethodRecord direct{.method = Method::direct,
                          .form = Form::dense,
                          .fits = few_enough_to_write,
                          .why_not = too_many_to_write,
                          .refusal = nullptr,
                          .sketch =
                              [](FilterAnalysis& analysis, const Job&, Taps& taps) {
                                // Some weights are quicker than others, some a family refuses.
                                if (analysis.filter().size().taps() <= few_weights || analysis.is_sparse())
                                  taps.weights = analysis.weights();
                              },
                          .weigh =
                              [](FilterAnalysis& analysis, const Job& job, const Where&) {
                                Weighed filter{.taps = analysis.place(), .bound = {}};
                                filter.taps.weights = analysis.weights();
                                filter.magnitudes = sum_of_magnitudes(filter.taps.weights);
                                filter.bound = error_bound(filter.taps, filter.magnitudes, 0, job);
                                return filter;
                              },
                          .words =
                              [](const Taps& taps, double) {
                                return ", " + std::to_string(multiply_adds(taps.size, Form::dense)) +
                                       " multiply-adds a sample";
                              },
                          .writes_all = true};

}  // namespace halation::methods
