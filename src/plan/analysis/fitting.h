// fitting.h: whether a filter's weights allow a method, and in which words not.
#pragma once

#include <string>

#include "plan/analysis/filter_analysis.h"

namespace halation {

/// Whether the weights allow a method that a backend offers. Of banded and multirate: whether they allow it
/// for such a job.
bool fits(Method method, FilterAnalysis& analysis, const Job& job);

/// Why they do not, in a few words.
std::string why_unfit(Method method, FilterAnalysis& analysis, const Job& job);

/// The same as a sentence, with what would do: throws `Error{invalid_argument}`.
[[noreturn]] void refuse_as_unfit(Method method, FilterAnalysis& analysis, const Job& job);

}  // namespace halation
