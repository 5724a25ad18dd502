// filter_analysis.cpp: what is known of a filter's weights: place, factors, whole numbers that stand for
// them.
#include "plan/analysis/filter_analysis.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/finite.h"
#include "core/integer_weights.h"
#include "halation/error.h"
#include "plan/analysis/banded.h"
#include "plan/analysis/multirate.h"

namespace halation {

std::vector<double> FilterAnalysis::weights() const {
  if (filter_.size().taps() > most_dense_taps) {
    throw Error(ErrorCode::unsupported, filter_.name() + ": " + std::to_string(filter_.size().taps()) +
                                            " weights are too many for method direct, at most " +
                                            std::to_string(most_dense_taps) +
                                            " are possible; make it from separable factors");
  }
  std::vector<double> weights = filter_.weights();
  if (flipped_) std::reverse(weights.begin(), weights.end());
  return weights;
}

bool FilterAnalysis::is_sparse() {
  constexpr std::int64_t most_counted = std::int64_t{1} << 20;
  if (!is_sparse_) {
    is_sparse_ = false;
    if (!filter_.factors() && filter_.size().taps() <= most_counted) {
      const std::vector<double> all = filter_.weights();
      is_sparse_ = 2 * std::count(all.begin(), all.end(), 0.0) > std::ssize(all);
    }
  }
  return *is_sparse_;
}

const std::optional<Separation>& FilterAnalysis::separation() {
  if (!sought_) separation_ = found_separation();
  sought_ = true;
  return separation_;
}

const std::optional<Multirate>& FilterAnalysis::multirate(const Job& job) {
  if (!sought_multirate_ && is_product(separation(), job))
    multirate_ = multirate_of(place_, separation()->factors);
  sought_multirate_ = true;
  return multirate_;
}

const std::optional<Banded>& FilterAnalysis::banded(const Job& job) {
  static const std::optional<Banded> none;
  const FilterSize size = filter_.size();
  const bool over_floats = may_be_banded_over_floats(job);
  const std::int64_t most = over_floats ? most_banded_over_floats : most_banded_factor;
  if (job.sum_f64 || (!over_floats && job.in_pixel != Pixel::u8) || size.depth > 1 || std::max(size.height, size.width) > most) return none;
  if (!sought_banded_) banded_ = over_floats ? banded_over_floats(job, place_.size, weights()) : found_banded(job);
  sought_banded_ = true;
  return banded_;
}

const std::optional<LowRank>& FilterAnalysis::low_rank(const Job& job) {
  const std::size_t of_sums = job.sum_f64 ? 1 : 0;
  const FilterSize size = filter_.size();
  // Terms of opposite signs would make NaN of infinities.
  if (!sought_low_rank_[of_sums] && !may_be_non_finite(job) && size.depth == 1 && size.taps() <= most_low_rank_taps) {
    // Whole sums stay exact.
    if (const std::vector<double> all = weights(); !sums_are_whole(job, all))
      low_rank_[of_sums] = low_rank_of(size.width, all, low_rank_tolerance(job.sum_f64), most_terms);
  }
  sought_low_rank_[of_sums] = true;
  return low_rank_[of_sums];
}

bool FilterAnalysis::is_product(const std::optional<Separation>& separation, const Job& job) {
  constexpr double of_a_level = 0x1p-10;
  if (!separation || separation->residual > separable_tolerance(job.sum_f64)) return false;
  if (separation->keeps_faint) return true;
  return !may_be_non_finite(job) && !is_float(job.out_pixel) &&
         separation->difference * largest_integer(job) * std::fabs(job.scale) <= of_a_level;
}

std::optional<Banded> FilterAnalysis::found_banded(const Job& job) {
  std::optional<Banded> found;
  if (filter_.size().taps() <= most_banded_taps) found = banded_of(job, weights());
  if ((found && found->error == 0) || !is_product(separation(), job)) return found;
  const auto& [z, y, x] = separation()->factors;
  if (std::optional<FoundFactors> by_factors = banded_factors_of(job, scaled(y, z.front()), x, separation()->residual)) {
    if (!found) found = Banded{.weights = {}, .bytes = 2, .has_scale = true};
    found->error = std::max(found->error, by_factors->levels);
    found->factors = std::move(by_factors->factors);
  }
  return found;
}

std::optional<Separation> FilterAnalysis::found_separation() const {
  if (!filter_.factors()) return separate(filter_.size().space(), weights());
  const Factors& factors = *filter_.factors();
  Separation given{.factors = {factors.z, factors.y, factors.x}};
  if (flipped_) {
    for (auto& factor : given.factors) std::reverse(factor.begin(), factor.end());
  }
  return given;
}

}  // namespace halation
