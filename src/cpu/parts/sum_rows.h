// sum_rows.h: sums of several output rows from lines, as the kernels are to be asked for them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cpu/parts/alike.h"
#include "cpu/parts/arranged_weights.h"
#include "cpu/parts/kernels.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// Where a line is read: by most columns, and by those at its sides (Correlation::side_lines).
template <class Sum>
struct LineSource {
  const Sum* line;
  const Sum* side;

  LineSource(const Sum* all) : line(all), side(all) {}
  LineSource(const Sum* most, const Sum* at_sides) : line(most), side(at_sides) {}
};

/// Room for what a kernel is told of lines, and of what is wanted after them.
template <class Sum>
struct Pointers {
  const Sum** lines;
  const Sum** sides;
  const std::byte** ahead;

  /// For filters over so many planes and rows.
  Pointers(Scratch& scratch, std::int64_t planes, std::int64_t taps_y)
      : lines(scratch.take<const Sum*>(planes * (taps_y + rows_at_once - 1))),
        sides(scratch.take<const Sum*>(planes * (taps_y + rows_at_once - 1))),
        ahead(scratch.take<const std::byte*>(planes * rows_at_once)) {}
  static std::int64_t bytes(std::int64_t planes, std::int64_t taps_y) {
    return 2 * Scratch::bytes<const Sum*>(planes * (taps_y + rows_at_once - 1)) +
           Scratch::bytes<const std::byte*>(planes * rows_at_once);
  }
};

/// Whether lines and rows lie at nearly the same places of pages of 4,096 bytes, as rows of multiples of 1,024 bytes do.
struct Crowded {
  bool loads_wait;  ///< loads of lines wait for stores to rows that came some blocks before
  bool lines_fall_out;  ///< the first-level cache has places for fewer lines than there are
};
template <class Sum>
Crowded crowded(std::span<const Sum* const> lines, std::span<Sum* const> rows) {
  // Of rows of 4,096 bytes every line and every row lie alike, of 2,048 every other one, of 1,024 every fourth.
  std::size_t alike = 0;
  for (const Sum* const row : rows) alike += lie_alike(lines.front(), row) + lie_alike(lines.back(), row);
  return {.loads_wait = 4 * alike >= 2 * rows.size(), .lines_fall_out = fall_out(lines.front(), lines.back(), std::ssize(lines))};
}

/// Sums of `rows` rows by one call of a kernel, of whose lines `pointers` tells.
template <class Sum>
class RowSums {
 public:
  RowSums(const Kernels<Sum>& kernels, const Pointers<Sum>& pointers, int rows)
      : sum_(rows == 1 ? kernels.correlate_row : kernels.correlate_rows), pointers_(pointers), rows_(rows) {}

  void operator()(const Correlation<Sum>& job) const {
    if (!job.streams) return sum_(job);
    const std::int64_t behind = elements_behind_line(job.out[0]);
    const bool are_alike = std::all_of(job.out, job.out + rows_, [&](const Sum* to) { return elements_behind_line(to) == behind; });
    if (are_alike && behind == 0 && job.beyond == 0 && job.joint == nullptr) return sum_(job);
    if (job.n < least_lines * line) return sum_short(job);
    are_alike ? sum_peeled(job, behind) : sum_(job);
  }

 private:
  static constexpr std::int64_t line = line_elements<Sum>;
  static constexpr std::int64_t least_lines = 8;  ///< of rows that kernels write past the caches from anywhere on

  /// The columns [first, second) that a job writes of a row, but for what a line has for the next row.
  static std::pair<std::int64_t, std::int64_t> own_columns(const Correlation<Sum>& job, std::int64_t behind) {
    const std::int64_t begin = job.follows && behind > 0 ? line - behind : 0;
    if (job.beyond == 0) return {begin, job.n};
    return {begin, std::min(job.n, (behind + job.n - job.beyond + line - 1) / line * line - behind)};
  }

  /// Rows of a few lines: through the caches.
  void sum_short(const Correlation<Sum>& job) const {
    Sum sums[rows_at_once][least_lines * line];
    std::array<Sum*, rows_at_once> to{};
    for (int row = 0; row < rows_; ++row) to[static_cast<std::size_t>(row)] = sums[row];
    Correlation<Sum> all = job;
    all.out = to.data();
    all.streams = false;
    sum_(all);
    for (int row = 0; row < rows_; ++row) {
      const auto [begin, end] = own_columns(job, elements_behind_line(job.out[row]));
      if (begin < end) std::copy(sums[row] + begin, sums[row] + end, job.out[row] + begin);
    }
  }

  /// A line's worth of columns from `at` on, of which all read lines, or all side lines.
  void sum_line(const Correlation<Sum>& job, std::int64_t at, bool is_side, Sum (&sums)[rows_at_once][line]) const {
    std::array<Sum*, rows_at_once> to{};
    for (int row = 0; row < rows_; ++row) to[static_cast<std::size_t>(row)] = sums[row];
    const Sum** from = is_side ? pointers_.sides : pointers_.lines;
    const std::int64_t lines = job.planes * (job.taps_y + rows_ - 1);
    for (std::int64_t i = 0; i < lines; ++i) from[i] += at;
    sum_({.lines = from,
          .weights = job.weights,
          .planes = job.planes,
          .taps_y = job.taps_y,
          .taps_x = job.taps_x,
          .tap_stride = job.tap_stride,
          .out = to.data(),
          .n = line});
    for (std::int64_t i = 0; i < lines; ++i) from[i] -= at;
  }

  /// Rows that all begin `behind` samples behind a cache line: the columns before their first whole line are summed apart, and those
  /// behind their last.
  void sum_peeled(const Correlation<Sum>& job, std::int64_t behind) const {
    const std::int64_t head = behind > 0 ? line - behind : 0;
    const bool has_head = head > 0 && !job.follows;
    const std::int64_t own = own_columns(job, behind).second;
    const std::int64_t end = (behind + own) / line * line - behind;
    const std::int64_t tail = own - end;
    for (int row = 0; row < rows_; ++row) {
      // Lines that are written in part are read: soon enough.
      if (has_head && !job.joins_previous(row)) __builtin_prefetch(job.out[row], 1, 3);
      if (tail > 0 && !job.joins_next(row, rows_)) __builtin_prefetch(job.out[row] + end, 1, 3);
    }
    alignas(64) Sum first[rows_at_once][line];
    alignas(64) Sum last[rows_at_once][line];
    if (has_head) sum_line(job, 0, job.left > 0, first);
    if (tail > 0) sum_line(job, own - line, job.right > 0, last);
    for (int row = 0; row < rows_; ++row) {
      if (has_head && job.joins_previous(row)) {
        std::copy_n(first[row], head, job.joint + behind);
        copy_past_caches(job.joint, job.out[row] - behind, cache_line_bytes);
      } else if (has_head) {
        std::copy_n(first[row], head, job.out[row]);
      }
      std::copy_n(last[row] + line - tail, tail, job.joins_next(row, rows_) ? job.joint : job.out[row] + end);
    }

    std::array<Sum*, rows_at_once> to{};
    for (int row = 0; row < rows_; ++row) to[static_cast<std::size_t>(row)] = job.out[row] + head;
    const std::int64_t lines = job.planes * (job.taps_y + rows_ - 1);
    const bool has_sides = job.side_lines != nullptr;
    for (std::int64_t i = 0; i < lines; ++i) {
      pointers_.lines[i] += head;
      if (has_sides) pointers_.sides[i] += head;
    }
    for (std::int64_t i = 0; job.ahead != nullptr && i < job.planes * rows_; ++i) {
      if (pointers_.ahead[i] != nullptr) pointers_.ahead[i] += head * static_cast<std::int64_t>(sizeof(Sum));
    }
    Correlation<Sum> whole = job;
    whole.out = to.data();
    whole.n = end - head;
    whole.left = std::max<std::int64_t>(0, job.left - head);
    whole.right = std::max<std::int64_t>(0, job.right - (job.n - end));
    whole.joint = nullptr;
    whole.follows = false;
    whole.beyond = 0;
    sum_(whole);
  }

  void (*sum_)(const Correlation<Sum>&);
  const Pointers<Sum>& pointers_;
  int rows_;
};

/// Sums of `rows` output rows from lines: `line_at(plane, j)` is line j of taps_y + rows − 1, counted from the first one that
/// output row 0 needs, and `ahead_of(plane, j)` what is wanted after it. `job` comes without lines, ahead, weights and out.
/// Rows of filters of one row share no lines, so they are summed one by one.
template <class Sum, class LineAt, class AheadOf>
void correlate(const Kernels<Sum>& kernels, Correlation<Sum> job, const ArrangedWeights<Sum>& weights, int rows,
               const Pointers<Sum>& pointers, Sum* const* out, const LineAt& line_at, const AheadOf& ahead_of) {
  const int group = rows == rows_at_once && job.taps_y > 1 ? rows_at_once : 1;
  const RowSums<Sum> sum(kernels, pointers, group);
  const bool before_row = job.before_row;
  for (int row = 0; row < rows; row += group) {
    std::int64_t next = 0, next_ahead = 0;
    for (std::int64_t plane = 0; plane < job.planes; ++plane) {
      for (std::int64_t j = 0; j < job.taps_y + group - 1; ++j, ++next) {
        const LineSource<Sum> source = line_at(plane, row + j);
        pointers.lines[next] = source.line;
        pointers.sides[next] = source.side;
      }
      for (std::int64_t j = job.taps_y - 1; j < job.taps_y + group - 1; ++j) pointers.ahead[next_ahead++] = ahead_of(plane, row + j);
    }
    job.lines = pointers.lines;
    job.side_lines = job.left > 0 || job.right > 0 ? pointers.sides : nullptr;
    job.ahead = pointers.ahead;
    job.weights = weights.of(group);
    job.out = out + row;
    job.after_row = job.after_row || row > 0;
    job.before_row = before_row || row + group < rows;
    if (group > 1 && job.planes == 1) {
      const Crowded where = crowded<Sum>({pointers.lines, static_cast<std::size_t>(next)}, {job.out, static_cast<std::size_t>(group)});
      job.takes_turns = job.streams && where.loads_wait;
      job.by_halves = where.lines_fall_out;
    }
    sum(job);
  }
}

/// The same for lines behind which nothing is wanted of the image.
template <class Sum, class LineAt>
void correlate(const Kernels<Sum>& kernels, const Correlation<Sum>& job, const ArrangedWeights<Sum>& weights, int rows,
               const Pointers<Sum>& pointers, Sum* const* out, const LineAt& line_at) {
  correlate(kernels, job, weights, rows, pointers, out, line_at, [](std::int64_t, std::int64_t) { return nullptr; });
}

}  // namespace halation::cpu_backend
