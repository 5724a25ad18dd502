// arranged_weights.h: weights as the kernels of sums read them, and sums of several output rows by them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/job.h"
#include "cpu/parts/kernels.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// Whether weights sum up to 1, but for their own rounding.
inline bool sum_up_to_1(std::span<const double> weights) {
  return std::fabs(std::accumulate(weights.begin(), weights.end(), -1.0)) < 1e-9;
}

/// Changes the largest of some weights that sum up to 1, by a few units in the last place of 1 at most, so that sum_of_ones() is 1: what the
/// kernels make of them over pixels that are all 1. Each order of additions rounds differently.
template <class Sum, class SumOfOnes>
void keep_ones(std::span<Sum> weights, const SumOfOnes& sum_of_ones) {
  if (sizeof(Sum) > 4) return;
  constexpr int most_tries = 8;
  const auto magnitude = [](Sum a, Sum b) { return std::fabs(a) < std::fabs(b); };
  Sum& largest = *std::max_element(weights.begin(), weights.end(), magnitude);
  Sum best = largest, least = 1, share = 1, before = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    const Sum off = 1 - sum_of_ones();
    const Sum distance = off < 0 ? -2 * off : off;  // rather below 1, which many take for the largest that a pixel can be
    if (distance < least) {
      least = distance;
      best = largest;
    }
    if (least == 0) return;
    if (off * before < 0) share /= 2;  // the change before was too much
    before = off;
    largest += share * off;
  }
  largest = best;
}

/// Weights as the kernels read them: for one row, and, of filters of several rows, for `rows_at_once`.
template <class Sum>
class ArrangedWeights {
 public:
  ArrangedWeights() = default;
  ArrangedWeights(const std::vector<double>& weights, double gain, const Space& size) {
    for (const double weight : weights) one_.push_back(static_cast<Sum>(gain * weight));
    arrange(size);
  }
  /// The same, so that pixels that are all 1 stay 1 where the weights sum up to 1, as the kernels add them up `tap_stride` samples apart.
  ArrangedWeights(const std::vector<double>& weights, const Space& size, const Kernels<Sum>& kernels, std::int64_t tap_stride = 1)
      : ArrangedWeights(weights, 1, size) {
    constexpr std::size_t most_taps = 1024;
    if (one_.size() > most_taps || !sum_up_to_1(weights)) return;
    keep_ones<Sum>(one_, [&] {
      arrange(size);
      return sum_of_ones(size, kernels, tap_stride);
    });
    arrange(size);
  }
  const Sum* of(int rows) const { return (rows == 1 ? one_ : many_).data(); }

 private:
  Sum sum_of_ones(const Space& size, const Kernels<Sum>& kernels, std::int64_t tap_stride) const {
    constexpr std::int64_t n = 64;
    const int rows = size[1] > 1 ? rows_at_once : 1;
    const std::vector<Sum> ones(static_cast<std::size_t>(n + size[2] * tap_stride + line_slack), Sum(1));
    const std::vector<const Sum*> lines(static_cast<std::size_t>(size[0] * (size[1] + rows - 1)), ones.data());
    std::vector<Sum> sums(static_cast<std::size_t>(rows * (n + line_slack)));
    std::array<Sum*, rows_at_once> out{};
    for (int row = 0; row < rows; ++row) out[static_cast<std::size_t>(row)] = sums.data() + row * (n + line_slack);
    (rows == 1 ? kernels.correlate_row : kernels.correlate_rows)({.lines = lines.data(),
                                                                  .weights = of(rows),
                                                                  .planes = size[0],
                                                                  .taps_y = size[1],
                                                                  .taps_x = size[2],
                                                                  .tap_stride = tap_stride,
                                                                  .out = out.data(),
                                                                  .n = n});
    return sums.front();
  }

  void arrange(const Space& size) {
    many_.clear();
    for (std::int64_t z = 0; size[1] > 1 && z < size[0]; ++z) arrange(one_.data() + z * size[1] * size[2], size[1], size[2]);
  }
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

/// Whether lines and rows lie at nearly the same places of pages of 4,096 bytes, as rows of such a multiple of bytes do.
struct Crowded {
  bool loads_wait;  ///< loads of lines wait for stores to rows that came some blocks before
  bool lines_fall_out;  ///< the first-level cache has places for fewer lines than there are
};
template <class Sum>
Crowded crowded(std::span<const Sum* const> lines, std::span<Sum* const> rows) {
  constexpr std::uintptr_t page = 4096;
  constexpr std::uintptr_t before = 32, behind = 192;  // bytes from a line to a row whose stores it waits for
  constexpr std::size_t places = 8;
  const auto are_near = [](const Sum* from, const Sum* to) {
    const auto apart = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
    return (apart + before) % page < before + behind;
  };
  return {.loads_wait = are_near(lines.front(), rows.front()) && are_near(lines.back(), rows.front()) && are_near(lines.front(), rows.back()),
          .lines_fall_out = lines.size() > places && are_near(lines.front(), lines.back())};
}

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
    if (group > 1 && job.planes == 1) {
      const Crowded where = crowded<Sum>({pointers.lines, next}, {job.out, static_cast<std::size_t>(group)});
      job.takes_turns = job.streams && where.loads_wait;
      job.by_halves = where.lines_fall_out;
    }
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
