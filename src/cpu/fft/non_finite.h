// non_finite.h: what infinities in a tile make of its outputs, beside transforms, which see zeros in their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/job.h"
#include "cpu/fft/windows.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// The signs of a filter's weights, by which infinities are multiplied. A weight of 0 makes NaN, as a sum of both signs does.
class WeightSigns {
 public:
  explicit WeightSigns(const Taps& taps);

  bool any_positive() const { return any_positive_; }
  bool any_negative() const { return any_negative_; }
  std::size_t constant_bytes() const {
    return bits_.size() * sizeof(std::uint64_t) + runs_.size() * sizeof(Run) + rows_.size() * sizeof(Row);
  }
  /// Of the tile's samples and outputs, at most.
  std::int64_t scratch_bytes(const Space& input, const Space& output) const;

  /// After `spread`: the bits of infinities in the windows of outputs become those of infinite products. Where all weights have one sign
  /// windows say it all. Elsewhere the filter's rows meet the samples' rows as bits, 64 outputs at once: infinity by infinity where they
  /// are few, else by runs of weights of one sign, and no longer than until all outputs of a row are NaN.
  void multiply_infinities(const Windows& windows, std::uint8_t* marks, const Space& input, const Space& output, Scratch scratch) const;

 private:
  class BitRows;
  /// Weights of one sign side by side, backwards.
  struct Run {
    std::uint32_t at, length : 30, makes_positive : 1, makes_negative : 1;
  };
  /// A row of weights, and where its runs begin and end, the shortest first.
  struct Row {
    std::int64_t row;
    std::size_t begin, end;
  };

  static void sort_by_length(std::span<Run> runs);
  bool have_one_sign() const { return bits_.empty(); }
  /// Row `row` of the weights, backwards: those that make +∞ of +∞ (0), −∞ of it (1). Words of zeros lie around it.
  const std::uint64_t* row_bits(std::int64_t row, int negative) const {
    return bits_.data() + static_cast<std::size_t>((2 * row + negative) * row_words_);
  }

  Space size_;
  bool any_positive_ = false, any_negative_ = false;
  std::int64_t row_words_ = 0;
  std::vector<std::uint64_t> bits_;  ///< none where all have one sign
  std::vector<Run> runs_;
  std::vector<Row> rows_;  ///< those of most runs first: where weights have both signs, outputs become NaN
};

}  // namespace halation::cpu_backend
