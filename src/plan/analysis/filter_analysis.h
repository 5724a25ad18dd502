// filter_analysis.h: what is known of a filter's weights: place, factors, whole numbers that stand for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/job.h"
#include "halation/filter.h"
#include "plan/analysis/analyse.h"
#include "plan/analysis/low_rank.h"

namespace halation {

/// Dense weights beyond this many (2 GiB) are refused rather than multiplied out.
inline constexpr std::int64_t most_dense_taps = std::int64_t{1} << 28;
/// Of more weights, or of longer factors, no backend makes banded matrices.
inline constexpr std::int64_t most_banded_taps = 4096;
inline constexpr std::int64_t most_banded_factor = 128;
inline constexpr std::int64_t most_banded_over_floats = 33;  ///< along an axis
/// Of more terms products of factors are no quicker than transforms; of more weights they are not looked for.
inline constexpr std::size_t most_terms = 8;
inline constexpr std::int64_t most_low_rank_taps = std::int64_t{1} << 18;

/// What is known of a filter of the job: its place, its weights, and its factors once they have been looked
/// for.
class FilterAnalysis {
 public:
  FilterAnalysis(Taps place, const Filter& filter, bool flipped)
      : place_(std::move(place)), filter_(filter), flipped_(flipped) {}

  /// Size and lead.
  const Taps& place() const { return place_; }
  const Filter& filter() const { return filter_; }
  /// Of the correlation. Throws `Error{unsupported}` where there are more than `most_dense_taps`.
  std::vector<double> weights() const;

  /// Whether most weights are 0, of filters that are not made of factors; not counted of very many.
  bool is_sparse();
  /// None where all weights are 0. Sought at the first call, which takes a few passes over the weights.
  const std::optional<Separation>& separation();
  /// How it is done at a lower rate; none where it is not smooth enough, or no product of factors.
  const std::optional<Multirate>& multirate(const Job& job);
  /// The numbers that stand for its weights in products of matrices; none where there are none.
  const std::optional<Banded>& banded(const Job& job);
  /// The few products of factors, or the one, that it is the sum of; none where there are no such.
  const std::optional<LowRank>& low_rank(const Job& job);
  /// Whether the filter is known to be no product of factors; false as long as nobody has asked.
  bool known_as_no_product(const Job& job) const {
    return sought_ && separation_ && !is_product(separation_, job);
  }

  /// Whether a product of factors gives the same sums. Zeros under the largest weight, and pixels that are infinite or as large, show
  /// weights that are far below its rounding, unless outputs are integers that cannot.
  static bool is_product(const std::optional<Separation>& separation, const Job& job);

 private:
  /// Sums that are exact by weights stay so.
  std::optional<Banded> found_banded(const Job& job);
  /// Factors that the filter was made from, else such as are found in its weights.
  std::optional<Separation> found_separation() const;

  Taps place_;
  const Filter& filter_;
  bool flipped_;
  std::optional<bool> is_sparse_;
  bool sought_ = false;
  std::optional<Separation> separation_;
  bool sought_multirate_ = false;
  std::optional<Multirate> multirate_;
  std::array<bool, 2> sought_low_rank_{};  // for sums in f32, in f64
  std::array<std::optional<LowRank>, 2> low_rank_;
  bool sought_banded_ = false;
  std::optional<Banded> banded_;
};

}  // namespace halation
