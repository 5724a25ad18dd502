// blocks.h: blocks of a tile's samples, such that each output's box holds one of them whole, and the rows that hold blocks together.
#pragma once

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
  /// A block's samples along x, at most.
  std::int64_t most_columns() const { return most_[2]; }

  /// Rows hold blocks together: of a tile that needs so many samples, so many groups of rows at most.
  std::int64_t groups(const Space& needed) const;
  std::int64_t groups(const BlockedAxes& axes) const { return folded_ ? pieces_ : axes[0].groups() * axes[1].groups(); }

  /// group(index, worker, is_blocked, for_rows) for each of a tile's, by so many threads: for_rows(row) is row(z, y, x, n, line) for each of
  /// the rows, whole ones.
  template <class T, class Group>
  void for_each_group(const TileTransform<T>& tiles, T* tile, const BlockedAxes& axes, int workers, const Group& group) const {
    if (folded_) {
      tiles.for_each_piece(tile, input_, workers, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, T* line, int worker) {
        group(x / tiles.lengths().columns, worker, true, [&](const auto& row) { row(z, y, x, n, line); });
      });
      return;
    }
    parallel(workers, groups(axes), [&](int worker, std::int64_t index) {
      const std::int64_t by_z = index / axes[1].groups();
      const std::int64_t by_y = index % axes[1].groups();
      group(index, worker, axes[0].is_block(by_z) && axes[1].is_block(by_y), [&](const auto& row) {
        for (std::int64_t z = axes[0].begin_of(by_z); z < axes[0].begin_of(by_z + 1); ++z) {
          for (std::int64_t y = axes[1].begin_of(by_y); y < axes[1].begin_of(by_y + 1); ++y) row(z, y, 0, input_[2], tiles.row(tile, z, y));
        }
      });
    });
  }

 private:
  Space input_;  ///< of a tile
  bool folded_;
  std::int64_t pieces_;  ///< rows of a folded tile
  Space most_{1, 1, 1};
  /// Zeros outside the image are in no block, so that these begin and end where the image does; only where each box holds a block's
  /// length of the image.
  std::array<bool, 3> inside_{};
  Space extents_;
};

}  // namespace halation::cpu_backend
