// outliers.h: the few samples of a tile that are far above all others: no transform sees them, and what filters make of them is summed by taps.
#pragma once

#include <cstdint>
#include <vector>

#include "core/job.h"
#include "cpu/fft/steps/kernels.h"
#include "cpu/fft/tile.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// A filter's weights as outliers meet them, divided by 2^exponent, so that no sum of products overflows.
template <class Sum>
class OutlierWeights {
 public:
  OutlierWeights(const Taps& taps, std::int64_t lanes);

  int exponent() const { return exponent_; }
  const Space& size() const { return size_; }
  WeightSums<Sum> plane(std::int64_t z) const { return {sums_.data() + z * size_[1] * pitch_ + size_[2] + lanes_, pitch_, size_[2]}; }
  std::size_t constant_bytes() const { return sums_.size() * sizeof(Sum); }

 private:
  Space size_;
  int exponent_ = 0;
  std::int64_t lanes_, pitch_;
  std::vector<Sum> sums_;
};

/// The outliers of a tile, in the order of its samples.
template <class Sum>
class OutlierLayer {
 public:
  OutlierLayer() = default;
  /// Of a tile that needs so many of its samples, at most `most`.
  OutlierLayer(const TileTransform<Sum>& tiles, const Space& needed, std::int64_t most, Scratch& scratch);
  static std::int64_t scratch_bytes(const TileTransform<Sum>& tiles, const Space& needed, std::int64_t most);

  /// Takes the samples from a magnitude on out of the tile, 0 being left in their place; not where they are more than `most`.
  bool take(Sum* tile, Sum from, std::int64_t most, int workers);
  void take_none() { count_ = 0; }
  bool any() const { return count_ > 0; }

  /// What a filter makes of them: sums of n windows that begin at `at` and behind it. False where none lies near.
  bool sum(const OutlierWeights<Sum>& weights, const Space& at, std::int64_t n, Sum* sums) const;

 private:
  /// Rows of samples that lie together, and of a folded tile its pieces.
  static std::int64_t lines_of(const Lengths& lengths, const Space& needed) {
    return lengths.folded ? (needed[2] + lengths.columns - 1) / lengths.columns : needed[0] * needed[1];
  }
  std::int64_t line_of(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return tiles_->lengths().folded ? x / tiles_->lengths().columns : z * needed_[1] + y;
  }

  const TileTransform<Sum>* tiles_ = nullptr;
  Space needed_{};
  std::int64_t lines_ = 0, count_ = 0;
  std::int64_t* begins_ = nullptr;  ///< of each line
  Outliers<Sum>* list_ = nullptr;
};

}  // namespace halation::cpu_backend
