// arranged_weights.h: weights as the kernels of sums read them, and sums of several output rows by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/job.h"
#include "cpu/parts/kernels.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// Weights as the kernels read them: for one row, and, of filters of several rows, for `rows_at_once`.
template <class Sum>
class ArrangedWeights {
 public:
  ArrangedWeights() = default;
  ArrangedWeights(const std::vector<double>& weights, double gain, const Space& size) {
    const std::int64_t plane = size[1] * size[2];
    for (std::int64_t z = 0; z < size[0]; ++z) {
      const double* from = weights.data() + z * plane;
      for (std::int64_t i = 0; i < plane; ++i) one_.push_back(static_cast<Sum>(gain * from[i]));
      if (size[1] > 1) arrange(one_.data() + z * plane, size[1], size[2]);
    }
  }
  const Sum* of(int rows) const { return (rows == 1 ? one_ : many_).data(); }

 private:
  /// Appends one plane: tap (j − row, x) at (j, x, row), 0 where there is none.
  void arrange(const Sum* plane, std::int64_t taps_y, std::int64_t taps_x) {
    const std::size_t begin = many_.size();
    many_.resize(begin + static_cast<std::size_t>((taps_y + rows_at_once - 1) * taps_x * rows_at_once));
    for (std::int64_t i = 0; i < taps_y * taps_x * rows_at_once; ++i) {
      const std::int64_t row = i % rows_at_once;
      const std::int64_t tap = i / rows_at_once;
      many_[begin + static_cast<std::size_t>((tap + row * taps_x) * rows_at_once + row)] = plane[tap];
    }
  }

  std::vector<Sum> one_, many_;
};

/// Room for what a kernel is told of lines, and of what is wanted after them.
template <class Sum>
struct Pointers {
  const Sum** lines;
  const std::byte** ahead;

  /// For filters over so many planes and rows.
  Pointers(Scratch& scratch, std::int64_t planes, std::int64_t taps_y)
      : lines(scratch.take<const Sum*>(planes * (taps_y + rows_at_once - 1))),
        ahead(scratch.take<const std::byte*>(planes * rows_at_once)) {}
  static std::int64_t bytes(std::int64_t planes, std::int64_t taps_y) {
    return Scratch::bytes<const Sum*>(planes * (taps_y + rows_at_once - 1)) +
           Scratch::bytes<const std::byte*>(planes * rows_at_once);
  }
};

/// Sums of `rows` output rows from lines: `line_at(plane, j)` is line j of taps_y + rows − 1, counted from the first one that
/// output row 0 needs, and `ahead_of(plane, j)` what is wanted after it. `job` comes without lines, ahead, weights and out.
/// Rows of filters of one row share no lines, so they are summed one by one.
template <class Sum, class LineAt, class AheadOf>
void correlate(const Kernels<Sum>& kernels, Correlation<Sum> job, const ArrangedWeights<Sum>& weights, int rows,
               const Pointers<Sum>& pointers, Sum* const* out, const LineAt& line_at, const AheadOf& ahead_of) {
  const int group = rows == rows_at_once && job.taps_y > 1 ? rows_at_once : 1;
  for (int row = 0; row < rows; row += group) {
    const Sum** next = pointers.lines;
    const std::byte** next_ahead = pointers.ahead;
    for (std::int64_t plane = 0; plane < job.planes; ++plane) {
      for (std::int64_t j = 0; j < job.taps_y + group - 1; ++j) *next++ = line_at(plane, row + j);
      for (std::int64_t j = job.taps_y - 1; j < job.taps_y + group - 1; ++j) *next_ahead++ = ahead_of(plane, row + j);
    }
    job.lines = pointers.lines;
    job.ahead = pointers.ahead;
    job.weights = weights.of(group);
    job.out = out + row;
    (group == 1 ? kernels.correlate_row : kernels.correlate_rows)(job);
  }
}

/// The same for lines behind which nothing is wanted of the image.
template <class Sum, class LineAt>
void correlate(const Kernels<Sum>& kernels, const Correlation<Sum>& job, const ArrangedWeights<Sum>& weights, int rows,
               const Pointers<Sum>& pointers, Sum* const* out, const LineAt& line_at) {
  correlate(kernels, job, weights, rows, pointers, out, line_at, [](std::int64_t, std::int64_t) { return nullptr; });
}

}  // namespace halation::cpu_backend
