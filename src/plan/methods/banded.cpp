// banded.cpp: the method banded: products of matrices by tensor cores, of integer weights or, over
// floats, of 11 bits.
#include "plan/analysis/banded.h"

#include "core/integer_weights.h"
#include "plan/methods/factors.h"
#include "plan/methods/methods.h"

namespace halation::methods {
namespace {

bool fits_matrices(FilterAnalysis& analysis, const Job& job) { return analysis.banded(job).has_value(); }

std::string why_no_matrices(FilterAnalysis& analysis, const Job& job) {
  const bool over_floats = may_be_banded_over_floats(job);
  if (job.in_pixel != Pixel::u8 && !over_floats) return "pixels are neither u8 nor f32 or f16";
  if (job.sum_f64) return "sums are in f64";
  if (over_floats && job.accuracy == Accuracy::exact) return "accuracy is exact";
  if (analysis.filter().size().depth > 1) return "weights along depth";
  if (over_floats) return "more than 33x33 weights, or weights or constants that 11 bits are too few for";
  if (analysis.filter().size().taps() > most_banded_taps && !is_product(analysis, job))
    return "more than " + std::to_string(most_banded_taps) + " weights";
  return "no whole numbers of 16 bits stand for its weights";
}

}  // namespace

extern const MethodRecord banded;
const MethodRecord banded{
    .method = Method::banded,
    .form = Form::matrices,
    .fits = fits_matrices,
    .why_not = why_no_matrices,
    .refusal =
        [](FilterAnalysis&, const Job&) {
          return "is not summed by matrices: pixels must be u8 and constants around them whole, weights "
                 "along height and width, at most " +
                 std::to_string(most_banded_taps) +
                 " or products of factors, and whole numbers of 16 bits times a power of 2, or outputs "
                 "integers rounded to the nearest that "
                 "such are within 1/16 of; or accuracy fast, pixels f32, or f16 and constants around them "
                 "such, and at most 33x33 weights; "
                 "use automatic or direct";
        },
    .may_pay = fits_matrices,
    .sketch = [](FilterAnalysis& analysis, const Job& job,
                 Taps& taps) { taps.banded = analysis.banded(job); },
    .weigh =
        [](FilterAnalysis& analysis, const Job& job, const Where&) {
          Weighed filter{.taps = analysis.place(), .bound = {}};
          filter.taps.form = Form::matrices;
          filter.taps.banded = analysis.banded(job);
          std::vector<double> weights = analysis.weights();
          filter.magnitudes = sum_of_magnitudes(weights);
          filter.bound = error_bound_of_banded(*filter.taps.banded, filter.magnitudes, job);
          if (filter.taps.banded->over_floats) filter.taps.weights = std::move(weights);
          return filter;
        },
    .words =
        [](const Taps& taps, double) {
          const Banded& found = *taps.banded;
          return (found.over_floats ? " by matrices of weights of " : " by matrices of whole weights of ") +
                 std::to_string(found.over_floats ? tf32_bits : 8 * found.bytes) + " bits instead of " +
                 std::to_string(multiply_adds(taps.size, Form::dense)) + " multiply-adds a sample";
        },
    .as_given = true};

}  // namespace halation::methods
