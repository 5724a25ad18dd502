// fitting.cpp: whether a filter's weights allow a method, and in which words not.
#include "plan/analysis/fitting.h"

#include <cstdio>
#include <stdexcept>

#include "core/transform.h"
#include "halation/error.h"
#include "plan/analysis/banded.h"

namespace halation {

bool fits(Method method, FilterAnalysis& analysis, const Job& job) {
  switch (method) {
    case Method::direct:
      return true;
    case Method::fft:
      return analysis.filter().size().taps() <= most_dense_taps;
    case Method::separable:
      return FilterAnalysis::is_product(analysis.separation(), job);
    case Method::box:
      return FilterAnalysis::is_product(analysis.separation(), job) &&
             all_equal(analysis.separation()->factors);
    case Method::multirate:
      return analysis.multirate(job).has_value();
    case Method::banded:
      return analysis.banded(job).has_value();
    case Method::low_rank:
      return analysis.low_rank(job) && analysis.low_rank(job)->terms.size() > 1;
    case Method::automatic:
      break;
  }
  throw std::logic_error("no weights are known to fit method " + std::string(name_of(method)));
}

namespace {

/// Why a filter that is no sum of few products of factors, or whose sums low_rank would spoil, is not for it.
std::string why_no_terms(FilterAnalysis& analysis, const Job& job) {
  if (is_float(job.in_pixel)) return "pixels may be infinite";
  if (analysis.filter().size().depth > 1) return "weights along depth";
  if (FilterAnalysis::is_product(analysis.separation(), job)) return "one product of factors";
  if (analysis.filter().size().taps() <= most_low_rank_taps && sums_are_whole(job, analysis.weights()))
    return "sums of whole numbers, which stay exact";
  return "no sum of " + std::to_string(most_terms) + " products of factors or fewer";
}

}  // namespace

std::string why_unfit(Method method, FilterAnalysis& analysis, const Job& job) {
  if (method == Method::fft || method == Method::direct)
    return "more than " + std::to_string(most_dense_taps) + " weights";
  if (method == Method::banded) {
    const bool over_floats = may_be_banded_over_floats(job);
    if (job.in_pixel != Pixel::u8 && !over_floats) return "pixels are neither u8 nor f32 or f16";
    if (job.sum_f64) return "sums are in f64";
    if (over_floats && job.accuracy == Accuracy::exact) return "accuracy is exact";
    if (analysis.filter().size().depth > 1) return "weights along depth";
    if (over_floats) return "more than 33x33 weights, or weights or constants that 11 bits are too few for";
    if (analysis.filter().size().taps() > most_banded_taps && !FilterAnalysis::is_product(analysis.separation(), job))
      return "more than " + std::to_string(most_banded_taps) + " weights";
    return "no whole numbers of 16 bits stand for its weights";
  }
  const std::optional<Separation>& separation = analysis.separation();
  if (!separation) return "all its weights are 0";
  if (method == Method::low_rank) return why_no_terms(analysis, job);
  if (!FilterAnalysis::is_product(separation, job)) return "no product of factors";
  return method == Method::box ? "its weights differ" : "not smooth enough";
}

void refuse_as_unfit(Method method, FilterAnalysis& analysis, const Job& job) {
  const std::string name = std::string(name_of(method));
  if (method == Method::banded) {
    throw Error(ErrorCode::invalid_argument,
                "method banded: filter '" + analysis.filter().name() +
                    "' is not summed by matrices: pixels must be u8 and constants around them whole, "
                    "weights along height and width, at most " +
                    std::to_string(most_banded_taps) +
                    " or products of factors, and whole numbers of 16 bits times a power of 2, or outputs integers rounded to the " +
                    "nearest that such are within 1/16 of; or accuracy fast, pixels f32, or f16 and constants around them such, and at most 33x33 weights; " +
                    "use automatic or direct");
  }
  if (method == Method::low_rank) {
    throw Error(ErrorCode::invalid_argument, "method low_rank: filter '" + analysis.filter().name() + "' over " +
                                                 std::string(name_of(job.in_pixel)) + ": " + why_no_terms(analysis, job) +
                                                 "; use automatic or direct");
  }
  const std::optional<Separation>& separation = analysis.separation();
  const std::string opening = "method " + name + ": filter '" + analysis.filter().name() + "' is not ";
  if (method == Method::box) {
    const char* why = separation ? "its weights differ" : "all its weights are 0";
    throw Error(ErrorCode::invalid_argument,
                opening + "a box: " + why + "; use automatic, direct or separable");
  }
  if (method == Method::multirate && FilterAnalysis::is_product(separation, job)) {
    throw Error(ErrorCode::invalid_argument, opening +
                                                 "smooth enough for multirate: at half the rate along height "
                                                 "or width more than 2^-12 of its weights would be left out; "
                                                 "use automatic");
  }
  if (separation && separation->residual <= separable_tolerance(job.sum_f64)) {
    throw Error(ErrorCode::invalid_argument, opening + name + ": the nearest product of factors changes weights far below the largest, which zeros " +
                                                 "and infinite pixels would show; use automatic or direct");
  }
  char share[96];
  std::snprintf(share, sizeof share,
                "the nearest product of factors leaves %.2g of its weights, at most %.2g is allowed",
                separation ? separation->residual : 1.0, separable_tolerance(job.sum_f64));
  throw Error(ErrorCode::invalid_argument, opening + name + ": " + share + "; use automatic or direct");
}

}  // namespace halation
