// families.h: the ways in which jobs are done on a GPU, as one table: a record a family of kernels, or of
// several passes.
//
// For each layout of rows that a run may bring, `prepare` takes the family of which least time is expected
// among those that do such jobs; a run classifies its views once and goes to that family's runner. What is
// expected and what is done come from one record.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/backend.h"
#include "core/family_table.h"
#include "cuda/device/gpu.h"
#include "cuda/row_layout.h"

namespace halation::cuda_backend {

class Families;

/// What is asked of a family.
struct Request {
  /// Where it is only priced, weights and factors may be missing: they are then such as the filter's method
  /// promises.
  const Job& job;
  RowLayout rows;
  const Gpu& gpu;
  const Families&
      families;  ///< for the parts of a job that is done in several passes: each is smaller than the whole

  const Taps& taps() const { return job.filters.front(); }
};

struct Family {
  std::string_view name;
  /// Why it does not do the job: null where it does, else the reason in words.
  const char* (*refuses)(const Request&);
  /// How it would be cut, where it does it; of a family that is a kernel.
  LaunchShape (*shape)(const Request&) = nullptr;
  /// What the job should take, where it does it; of a family that is others one after another.
  double (*seconds_of_parts)(const Request&) = nullptr;
  /// Whether that is the sum of two, times what a second pass costs.
  bool is_two_passes = false;
  /// Ready to run on rows of that layout. The device must be the present one.
  std::unique_ptr<const Runner> (*make)(const Request&, const std::shared_ptr<const Job>&);

  double seconds(const Request& request) const {
    return shape != nullptr ? request.gpu.seconds(shape(request)) : seconds_of_parts(request);
  }
};

/// What the shape of any launch for the job has: its pixels, and the bytes that it reads and writes.
LaunchShape launch_shape(const Job& job, std::string_view kernel);
/// And how its rows lie.
LaunchShape launch_shape(const Request& request, std::string_view kernel);

/// How rows lie in images that halation makes.
RowLayout layout_of_images(const Job& job);

class Families final : public FamilyTable<Family, Request> {
 public:
  using FamilyTable::FamilyTable;
  using FamilyTable<Family, Request>::cheapest;
  using FamilyTable<Family, Request>::offers;

  Choice cheapest(const Job& job, RowLayout rows, const Gpu& gpu) const {
    return FamilyTable::cheapest({job, rows, gpu, *this});
  }
  static std::span<const Form> forms();
  /// What each makes of filters in place of the job's, over images that halation makes.
  std::vector<halation::Offer> offers(const Job& job, std::span<const Taps> filters, const Gpu& gpu) const;
  /// Of one filter by transforms: the most of those families that may do it, the cheapest and what costs nearly as little.
  static TransformFacts transform_facts(const Job& job, const Taps& taps, const Gpu& gpu);
  /// A runner for these layouts of rows; where one family is asked for, for those of them that it takes.
  std::unique_ptr<const Runner> make(const std::shared_ptr<const Job>& job, const Gpu& gpu,
                                     std::span<const RowLayout> layouts = all_row_layouts,
                                     std::string_view only = {}) const;
};

/// The table.
const Families& families();

}  // namespace halation::cuda_backend
