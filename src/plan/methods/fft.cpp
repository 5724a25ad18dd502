// fft.cpp: the method fft: a product of spectra, tile by tile, any filter.
#include "core/integer_weights.h"
#include "plan/analysis/rounding.h"
#include "plan/methods/methods.h"

namespace halation::methods {
extern const MethodRecord fft;
const MethodRecord fft{
    .method = Method::fft,
    .form = Form::spectrum,
    .fits = few_enough_to_write,
    .why_not = too_many_to_write,
    .refusal = nullptr,
    .passed_over = [](FilterAnalysis& analysis, const Job& job) -> std::string {
      return saves_too_little(analysis.place().size, job) ? "saves too little for the digits that it rounds"
                                                          : "";
    },
    .sketch =
        [](FilterAnalysis& analysis, const Job&, Taps& taps) {
          if (analysis.filter().factors()) taps.factors = analysis.separation()->factors;
        },
    .weigh =
        [](FilterAnalysis& analysis, const Job& job, const Where& where) {
          Weighed filter{.taps = analysis.place(), .bound = {}};
          filter.taps.form = Form::spectrum;
          filter.taps.weights = analysis.weights();
          filter.magnitudes = sum_of_magnitudes(filter.taps.weights);
          const bool has_factors = analysis.filter().factors().has_value();
          if (has_factors) filter.taps.factors = balanced_for(job, analysis.separation()->factors);
          filter.bound = error_bound_of_transforms(
              filter.taps, filter.magnitudes, has_factors ? analysis.separation()->residual : 0,
              where.backend.transform_facts(job, filter.taps, where.device), job);
          return filter;
        },
    .words =
        [](const Taps& taps, double) {
          return " by transforms instead of " + std::to_string(multiply_adds(taps.size, Form::dense)) +
                 " multiply-adds a sample";
        },
    .for_all = true,
    .writes_all = true,
    .shows =
        [](const Job& job, const Weighed& filter) {
          return shows_transforms(job, filter.taps.weights, filter.magnitudes, filter.bound);
        },
    // Sums keep digits, and zeros where there is nothing, which those who ask for f64 see.
    .clearly = [](const Job& job) { return job.sum_f64 ? 1.1 : 1.0; }};

}  // namespace halation::methods
