// choose.h: from a checked job to a method for each filter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/backend.h"
#include "plan/analyse.h"
#include "plan/check.h"

namespace halation {

/// Why a filter has its method.
struct Reason {
  Filter filter;
  Space size;
  Method method = Method::direct;
  std::array<std::int64_t, 2> factors{1, 1};  ///< of the lower rate along y and x
  double approximation = 0;                   ///< over Σ|w|
  bool no_product = false;  ///< of factors: known, not only not sought
  double seconds = 0;       ///< expected
  std::string timing;       ///< what was measured, or why nothing was, as words to be added
};
/// A line for `Plan::explain`, put into words when somebody asks, which takes as long as choosing did.
std::string to_string(const Reason& reason);

/// A job with methods chosen and weights prepared, the bound on its error, and why.
struct Choice {
  std::shared_ptr<const Job> job;
  ErrorBound bound;
  std::vector<Reason> reasons;  ///< one a filter
  bool measured = false;        ///< whether methods were timed, or were to be
};

/// Chooses the quickest method for each filter among those of the backend, by `Options::tune`, and the
/// precision of sums. Throws `Error` where the method asked for does not fit.
Choice choose(CheckedJob checked, const Options& options, const Backend& backend, Device device);

/// Whether a plan left to itself would not take transforms, be they the quickest, of which this is the choice asked for: they would save
/// too little, or show in whole pixels.
bool passes_over_transforms(const Choice& by_transforms);

}  // namespace halation
