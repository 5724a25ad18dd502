// blocks.h: blocks of a tile's samples, such that each output's box holds one of them whole, and the rows that hold blocks together.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/job.h"
#include "cpu/fft/lengths.h"
#include "cpu/fft/tile.h"
#include "cpu/tiles/parallel.h"

namespace halation::cpu_backend {

/// Samples of a tile along one axis in groups: those before any block, each block's, those behind the last.
struct BlockedAxis {
  std::int64_t low = 0, high = 0;  ///< of blocks, as long as each other within one
  std::int64_t end = 0;
  std::int64_t blocks = 1;

  std::int64_t groups() const { return blocks + 2; }
  bool is_block(std::int64_t group) const { return group > 0 && group <= blocks; }
  std::int64_t begin_of(std::int64_t group) const {
    return group == 0 ? 0 : group > blocks + 1 ? end : low + (high - low) * (group - 1) / blocks;
  }
};

/// Along z, y and x.
using BlockedAxes = std::array<BlockedAxis, 3>;

class Blocks {
 public:
  /// Of a job in tiles of so many samples; where they are not needed, each row by itself.
  Blocks(const Job& job, const Lengths& lengths, bool are_needed);

  /// Of a tile that begins at `at` and needs so many of its samples.
  BlockedAxes of_tile(const Space& at, const Space& needed) const;
  /// A block's samples along x, at most. Where blocks begin along x, whoever sums them says (TransformKernels::part_sums).
  std::int64_t most_columns() const { return most_[2]; }

  /// Rows hold blocks together: of a tile that needs so many samples, so many groups of rows at most.
  std::int64_t groups(const Space& needed) const;
  std::int64_t groups(const BlockedAxes& axes) const { return folded_ ? folded_groups() : axes[0].groups() * axes[1].groups(); }
  /// group(index, worker, is_inside, is_block, for_rows) for each of a tile's, by so many threads: whether its rows have samples in blocks, and
  /// whole ones; for_rows(row) is row(z, y, x, n, line) for each row, a whole one.
  template <class T, class Group>
  void for_each_group(const TileTransform<T>& tiles, T* tile, const BlockedAxes& axes, int workers, const Group& group) const {
    if (folded_) {
      const std::int64_t together = std::max<std::int64_t>(1, rows_of_a_block_);
      parallel(workers, folded_groups(), [&](int worker, std::int64_t index) {
        const std::int64_t begin = index * together, end = std::min(rows_, begin + together);
        const bool is_whole = end - begin == together && begin * columns_ >= axes[2].low && end * columns_ <= axes[2].high;
        group(index, worker, true, rows_of_a_block_ == 0 || is_whole, [&](const auto& row) {
          for (std::int64_t i = begin; i < end; ++i) row(0, 0, i * columns_, columns_, tiles.row(tile, 0, i));
        });
      });
      return;
    }
    parallel(workers, groups(axes), [&](int worker, std::int64_t index) {
      const std::int64_t by_z = index / axes[1].groups();
      const std::int64_t by_y = index % axes[1].groups();
      const bool is_block = axes[0].is_block(by_z) && axes[1].is_block(by_y);
      group(index, worker, is_block, is_block, [&](const auto& row) {
        for (std::int64_t z = axes[0].begin_of(by_z); z < axes[0].begin_of(by_z + 1); ++z) {
          for (std::int64_t y = axes[1].begin_of(by_y); y < axes[1].begin_of(by_y + 1); ++y) row(z, y, 0, input_[2], tiles.row(tile, z, y));
        }
      });
    });
  }

 private:
  std::int64_t folded_groups() const {
    const std::int64_t together = std::max<std::int64_t>(1, rows_of_a_block_);
    return (rows_ + together - 1) / together;
  }

  Space input_;  ///< of a tile
  bool folded_;
  std::int64_t rows_, columns_;  ///< of a folded tile
  /// Rows of a folded tile that are one block, of half a block's length at most: blocks that are not whole are then no matter. 0 where rows
  /// hold blocks of their own, as all others do.
  std::int64_t rows_of_a_block_ = 0;
  Space most_{1, 1, 1};
  /// Zeros outside the image are in no block, so that these begin and end where the image does; only where each box holds a block's
  /// length of the image.
  std::array<bool, 3> inside_{};
  Space extents_;
};

}  // namespace halation::cpu_backend
