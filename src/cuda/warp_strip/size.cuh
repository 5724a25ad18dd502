// size.cuh: what a launch of warp_strip.cuh gets, and how one size of it is computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "cuda/parts/dp4a.cuh"
#include "cuda/parts/neighbours.cuh"

namespace halation::cuda_backend {

constexpr int staged_strip_rows = 6;  // of a warp in shared memory
constexpr int warp_strip_most = 9;   // K

/// What a launch gets by value. Columns are elements of a row; strides are bytes. Output (x, y) is centred on input (x, y + centre_y).
struct WarpStripArguments {
  const std::byte* in;
  const std::byte* in_end;  // behind the last row of all
  std::byte* out;
  std::int64_t in_row, in_plane, in_batch;
  std::int64_t out_row, out_plane, out_batch;
  DeviceBorder border_y, border_x;
  int columns, rows;  // of the output
  int in_rows;
  int last_column;    // where the last warp of a row begins
  int strip;          // rows of outputs in a warp
  Divisor across, strips, depth;  // warps side by side, one above the other; planes of a volume
  int centre_y;
  bool wraps;              // rows go on with pieces of their other end
  std::uint32_t constant_y, constant_x;  // outside, in all elements of a word
  float scale;         // of integer sums; others have it in their weights
  float offset;
  Pixel out_pixel;
  Rounding rounding;
  union {
    float weights[81];       // K · K; factored: K along y, then K along x
    std::int32_t words[28];  // integer: see dp4a.h
  };
};

/// How a row's taps are summed.
enum class WarpStripSums { dense, factored, integer };

/// Where rows begin: on 16-byte boundaries, or on any of their elements.
enum class WarpStripRows { aligned, any };

using WarpStripKernel = void (*)(WarpStripArguments);

/// Sums of the K rows of outputs that the next row is part of; the first is complete with the row that is added.
template <class Sum, int K, int G, int V>
struct Running {
  Sum sums[K][G][V];
};

/// The same where stacks take their place (dp4a.cuh).
template <int K, int C, int G, int V>
struct Stacked {
  Stacks<K, C, V> stacks[G];
  std::int32_t sums[1][G][V];
};

/// How one size is computed. Measured on an H200 (docs/notebook/cuda/warp_strip.md).
template <class In, int K, int C, WarpStripSums Sums, WarpStripRows Rows>
struct WarpStrip {
  static constexpr int size = static_cast<int>(sizeof(In));
  static constexpr int columns = 16 / size;  // V, of a lane
  static constexpr int reach = K / 2 * C;    // H, on either side
  static constexpr bool stacks = Sums == WarpStripSums::integer && K <= 5;
  static constexpr bool aligned = Rows == WarpStripRows::aligned;
  /// Of dense filters over f32 what a row costs beside its products is most: over 256 columns at once it is half.
  static constexpr bool wide = K * columns <= 48 && !stacks && (Sums != WarpStripSums::dense || (size == 4 && K > 3));
  static constexpr int groups = wide ? 2 : 1;  // G
  using Row = Neighbours<In, columns, reach>;
  static constexpr int before = (reach * size + 15) / 16;  // pieces in front of a warp's
  static constexpr int warp_columns = 32 * columns * groups;
  static constexpr int pieces = 32 * groups;
  static constexpr int behind = before + (aligned ? 0 : 1);
  static constexpr int row_bytes = 16 * (before + pieces + behind);
  static constexpr int of_sums = stacks ? columns + 2 * reach : groups * K * columns;
  static constexpr int of_row = columns + (stacks ? 0 : 2 * reach) + (Sums == WarpStripSums::factored ? columns : 0);
  static constexpr int registers = of_sums + of_row + (stacks ? 38 : Sums == WarpStripSums::dense && K == 3 ? 30 : 44);
  static constexpr int blocks = std::min(32, 65536 / 32 / ((registers + 7) / 8 * 8));
  static_assert(2 * reach <= 32);  // a lane sets one element
  using Sum = std::conditional_t<Sums == WarpStripSums::integer, std::int32_t, float>;
  using State = std::conditional_t<stacks, Stacked<K, C, groups, columns>, Running<Sum, K, groups, columns>>;
};

/// A kernel with the columns of its warps, and the blocks that a multiprocessor must hold; null where there
/// is none.
struct WarpStripSize {
  WarpStripKernel kernel = nullptr;
  int columns = 0;
  int blocks = 0;
};

/// The kernel for K × K taps (or K and K) and interleaved channels; instantiated a file a pixel and kind of rows.
template <class In, WarpStripRows Rows>
WarpStripSize warp_strip_size(int size, int channels, WarpStripSums sums);

}  // namespace halation::cuda_backend
