// choose.h: from a checked job to a method for each filter.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backend.h"
#include "plan/analyse.h"
#include "plan/check.h"

namespace halation {

/// A job with methods chosen and weights prepared, the bound on its error, and why.
struct Choice {
  std::shared_ptr<const Job> job;
  ErrorBound bound;
  std::vector<std::string> reasons;  ///< a line a filter
};

/// Chooses the method of least cost for each filter among those of the backend, and the precision of sums.
/// Throws `Error` where the method asked for does not fit.
Choice choose(CheckedJob checked, const Options& options, const Backend& backend);

}  // namespace halation
