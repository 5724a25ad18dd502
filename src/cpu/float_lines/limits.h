// limits.h: how outputs are cut into tiles where lines of floats are summed.
#pragma once

#include <algorithm>
#include <numeric>

#include "cpu/parts/kernels.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {

/// Boxes of so many rows and more share suffixes and prefixes of blocks of rows: less time than sums of
/// shared rows.
inline constexpr std::int64_t least_box_block = 24;

/// Taps that are summed by themselves take so many times as long as those that share what they load.
inline constexpr std::int64_t tap_alone = 2;

/// Whether a direct filter's taps that are not 0 are so few that they are summed by themselves. `weights` may be missing, where none are 0.
inline bool sums_few_taps(const Taps& taps) {
  const auto zeros = std::count(taps.weights.begin(), taps.weights.end(), 0.0);
  const auto all = std::ssize(taps.weights);
  return tap_alone * (all - zeros) < all;
}

/// What the filters of a job have in common that their tiles depend on.
struct LineTiling {
  bool in_place;     ///< rows are read where they lie
  bool direct;       ///< and summed in one pass, straight to the output
  bool boxes;        ///< there is nothing else
  bool shares_rows;  ///< several output rows are made at once
  bool keeps;        ///< rows that are staged for one plane of a volume serve the next
  std::int64_t block_rows = 1;  ///< of blocks that boxes sum over: tiles hold whole ones, or how many tiles there are would show
};

/// Rows of the blocks that a filter's sums are made by, 1 where there are none.
inline std::int64_t block_rows_of(const Taps& taps) {
  return taps.form == Form::box && taps.size[1] >= least_box_block ? taps.size[1] : 1;
}

inline TileLimits line_limits(const Job& job, const LineTiling& tiling) {
  // Rows that are not cut are what memory reads ahead best: where boxes have little to do for each row, also
  // where many rows fill most of a larger second-level cache, and where sums go straight to the output. Lines
  // of scratch, and those of several planes, are to stay in the first-level cache.
  const std::int64_t most_samples = (tiling.direct && !tiling.keeps) || tiling.boxes ? 4096 : 1024;
  // Scratch of a tile should stay in the second-level cache beside what streams through it.
  const std::int64_t scratch_bytes = tiling.boxes ? 1024 << 10 : 384 << 10;
  // Where an image has few rows tiles are wider, up to so many samples in all: what each costs to start is
  // little beside them.
  constexpr std::int64_t few_rows_samples = 8 << 10;
  // Rows that are made one by one are long: what each tile costs to start is little beside them, and memory
  // reads ahead along them. Half as long where they are staged.
  const std::int64_t rows_beside =
      tiling.shares_rows ? job.out.height : std::min<std::int64_t>(job.out.height, tiling.in_place ? 1 : 2);
  return {.least_samples = 512,
          .most_samples = std::max(most_samples, few_rows_samples / rows_beside),
          .scratch_bytes = scratch_bytes,
          .row_multiple = tiling.boxes && tiling.block_rows > 1 ? tiling.block_rows : std::lcm(tiling.block_rows, std::int64_t{rows_at_once}),
          .column_multiple = 16,  // on a cache line, where the image's rows do
          .most_kept_rows = tiling.keeps ? 128 : 0};  // more save little
}

}  // namespace halation::cpu_backend
