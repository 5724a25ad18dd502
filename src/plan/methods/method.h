// method.h: a way to sum filters, as the plan sees it: one record a method, one file a record (methods.h
// lists them).
#pragma once

#include <string>
#include <string_view>

#include "core/backend.h"
#include "plan/analysis/analyse.h"
#include "plan/analysis/filter_analysis.h"

namespace halation {

/// A filter in a method's form, and how far its sums may be from exact ones.
struct Weighed {
  Taps taps;
  double magnitudes = 0;  ///< Σ|w| of the weights, or the product of the factors' sums
  ErrorBound bound;
};

/// The backend that a method is for.
struct Where {
  const Backend& backend;
  Device device;
};

struct MethodRecord {
  Method method;
  Form form;

  /// Whether the weights allow it.
  bool (*fits)(FilterAnalysis&, const Job&);
  /// Why they do not, in a few words.
  std::string (*why_not)(FilterAnalysis&, const Job&);
  /// The end of the sentence for those who ask for it by name: "method NAME: filter 'F' REFUSAL"; null where
  /// `weigh` throws its own.
  std::string (*refusal)(FilterAnalysis&, const Job&);
  /// Why a plan left to itself does not take it though it fits, in a few words; empty where it may.
  std::string (*passed_over)(FilterAnalysis&, const Job&) = [](FilterAnalysis&, const Job&) {
    return std::string();
  };
  /// Whether it is worth a price: looked at before the price, where `fits` or the price takes longer than
  /// others' prices.
  bool (*may_pay)(FilterAnalysis&, const Job&) = [](FilterAnalysis&, const Job&) { return true; };

  /// The numbers that prices look at: few.
  void (*sketch)(FilterAnalysis&, const Job&, Taps&);
  /// All of them, where it fits. Throws `Error{unsupported}` where they are too many.
  Weighed (*weigh)(FilterAnalysis&, const Job&, const Where&);

  /// What it does, for `Plan::explain`: " by transforms". `left_out`: of Σ|w|, on purpose.
  std::string (*words)(const Taps&, double left_out);

  /// Whether all filters of a job are done so, or none.
  bool for_all = false;
  /// Whether `weigh` writes every weight, also of filters that are given as factors.
  bool writes_all = false;
  /// Whether, where it is asked for by name, it is asked for the filter as it was given: filters much longer
  /// than an axis are not folded then.
  bool as_given = false;
  /// Whether it leaves out what `Accuracy::exact` does not allow.
  bool approximates = false;
  /// Whether its rounding could be seen in integer outputs, though it is within the bound; null where it
  /// never is.
  bool (*shows)(const Job&, const Weighed&) = nullptr;
  /// So many times as quick as others it has to be.
  double (*clearly)(const Job&) = [](const Job&) { return 1.0; };
};

/// Of methods that write every weight.
inline bool few_enough_to_write(FilterAnalysis& analysis, const Job&) {
  return analysis.filter().size().taps() <= most_dense_taps;
}
inline std::string too_many_to_write(FilterAnalysis&, const Job&) {
  return "more than " + std::to_string(most_dense_taps) + " weights";
}

/// The product of the sums of the factors' magnitudes.
double magnitudes_of(const FactorArray& factors);

}  // namespace halation
