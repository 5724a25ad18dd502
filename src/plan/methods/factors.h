// factors.h: what the methods share that go by one product of factors.
#pragma once

#include "plan/methods/method.h"

namespace halation {

inline bool is_product(FilterAnalysis& analysis, const Job& job) {
  return FilterAnalysis::is_product(analysis.separation(), job);
}

/// The factors as they are, where they are few: more would take longer to write than the estimate.
void sketch_factors(FilterAnalysis& analysis, const Job& job, Taps& taps);
Weighed weigh_factors(FilterAnalysis& analysis, const Job& job, Form form);
std::string words_of_factors(const Taps& taps, double left_out);

/// Why a filter is no product of factors: in few words, and as the end of a sentence that refuses `method`.
std::string why_no_product(FilterAnalysis& analysis);
std::string refusal_as_no_product(FilterAnalysis& analysis, const Job& job, Method method);

}  // namespace halation
