// check.h: the one place where a user's job and views are checked.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/job.h"

namespace halation {

/// A job and the filters that it was made from, their dimensions settled.
struct CheckedJob {
  Job job;                      ///< its taps have size and lead, but no weights and no method yet
  std::vector<Filter> filters;
  std::vector<bool> flipped;    ///< whether the weights must be reversed for correlation
  Layout layout = Layout::interleaved;  ///< where there are several channels
};

/// Throws `Error{invalid_argument}` with a sentence for everything in `spec` that means nothing.
CheckedJob check(const PlanSpec& spec);

/// Has the job's borders cover what its filters read.
void cover_reads(Job& job);

/// Throws `Error{invalid_argument}` unless these views can be run: shape, pixel, device, alignment, strides within memory, no overlap, and
/// outputs whose elements have bytes of their own.
void check_views(const Job& job, Device device, const ConstView& in, std::span<const View> outs);

}  // namespace halation
