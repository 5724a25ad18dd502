// choose.h: from a checked job to a method for each filter.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/backend.h"
#include "plan/analysis/analyse.h"
#include "plan/check.h"
#include "plan/methods/methods.h"
#include "plan/reason.h"

namespace halation {

/// A job with methods chosen and weights prepared, the bound on its error, and why; and by what it was
/// chosen.
struct Choice {
  std::shared_ptr<const Job> job;
  ErrorBound bound;
  std::vector<Reason> reasons;  ///< one a filter
  Options options;
  Layout layout = Layout::interleaved;
  std::vector<bool> flipped;   ///< one a filter, see `CheckedJob`
  bool others_in_f32 = false;  ///< whether sums are in f64 for the sake of transforms alone
};

/// Chooses the quickest method for each filter among some, or those of the backend, by `Options::tune`, and the
/// precision of sums. Throws `Error` where the method asked for does not fit.
Choice choose(CheckedJob checked, const Options& options, const Backend& backend, Device device,
              std::vector<const MethodRecord*> methods);
inline Choice choose(CheckedJob checked, const Options& options, const Backend& backend, Device device) {
  return choose(std::move(checked), options, backend, device, methods_of(backend));
}

/// All methods of the backend for a filter of the choice, see `Plan::ranking`.
std::vector<RankedMethod> ranking(const Choice& choice, std::size_t filter, const Backend& backend,
                                  Device device);

/// What a plan for the spec should take, as `Plan::expected_seconds` says, without what making one starts on
/// its device.
double expected_seconds(const PlanSpec& spec);

/// Whether a plan left to itself would not make this choice, which was asked for, were it the quickest: a
/// method would save too little, or what it rounds would show in integer pixels.
bool would_be_passed_over(const Choice& asked_for);

}  // namespace halation
