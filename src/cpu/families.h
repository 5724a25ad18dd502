// families.h: the ways in which jobs are done on the CPU, as one table: a record a family of inner loops.
//
// `prepare` takes the family of which least time is expected among those that do a job. What is expected and
// what is done come from one record.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

#include "core/backend.h"
#include "core/family_table.h"
#include "cpu/packed.h"
#include "cpu/rates.h"

namespace halation::cpu_backend {

/// What is asked of a family: the filters of a job, or one of them. Where they are only priced, weights and
/// factors may be missing: they are then such as each filter's method promises.
struct Request {
  const Job& job;  ///< all but its filters
  std::span<const Taps> filters;
  const Rates& costs = rates();
  Packed packed = {};  ///< what the images are, which a job does not tell
};

struct Family {
  std::string_view name;
  /// Why it does not do the job: null where it does, else the reason in words.
  const char* (*refuses)(const Request&);
  /// What one thread should take, where it does it; of images that are not packed no less than of packed ones.
  double (*seconds)(const Request&);
  std::unique_ptr<const Runner> (*make)(const std::shared_ptr<const Job>&, int workers);
};

using Families = FamilyTable<Family, Request>;

/// The table.
const Families& families();

/// Any job, over lines of f32 or f64.
extern const Family float_lines;
/// u8 to u8 or i16 with weights as integers of 16 bits, sums of 16 or 32 bits.
extern const Family int8;
/// Boxes of equal weights over integers.
extern const Family running_box;
/// Products of factors, one axis after another over whole images.
extern const Family axis_by_axis;
/// Filters by transforms, all of a job.
extern const Family fft;
/// Filters at a lower rate, all of a job.
extern const Family multirate;

/// Whether a job's filters are for transforms: all of them, or none.
inline bool has_transforms(std::span<const Taps> filters) { return filters.front().form == Form::spectrum; }
/// Likewise at a lower rate.
inline bool is_multirate(std::span<const Taps> filters) { return filters.front().form == Form::lower_rate; }
inline bool all_by_taps(std::span<const Taps> filters) { return std::all_of(filters.begin(), filters.end(), is_by_taps); }

}  // namespace halation::cpu_backend
