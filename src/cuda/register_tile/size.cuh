// size.cuh: what a launch of register_tile.cuh gets, and how one size of it is computed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "cuda/parts/neighbours.cuh"

namespace halation::cuda_backend {

/// Outputs of a thread, and blocks that a multiprocessor must hold: the more rows, the less is read twice; the fewer registers, the
/// more warps hide the wait for memory. Measured on an H200 (docs/notebook/cuda/register_tile.md).
template <class In, int K, int C>
struct RegisterTile {
  static constexpr int columns = 16 / static_cast<int>(sizeof(In));
  static constexpr int rows = sizeof(In) >= 4 && K == 5 ? 6 : 4;
  using Row = Neighbours<In, columns, K / 2 * C>;
  using Sum = typename Row::Sum;
  static constexpr bool full_rows = C == 1 && K == 3 && sizeof(In) <= 4;  // tiles from side to side
  static constexpr bool integer_weights = sizeof(In) == 1;
  static constexpr int float_blocks = Row::words > 16 ? 4 : Row::words > 12 || sizeof(In) == 2 || (sizeof(In) == 8 && K == 5) ? 6 : 8;
  static constexpr int blocks = !integer_weights ? float_blocks : K == 5 ? 7 : C <= 2 ? 8 : 6;
};
constexpr int register_tile_warps = 4;

/// What a launch gets by value. Columns are elements of a row; strides are bytes. Output (x, y) is centred on input
/// (x, y + shift_y).
template <int K, class Sum>
struct RegisterTileArguments {
  const std::byte* in;
  std::byte* out;
  std::int64_t in_row, in_plane, in_batch;
  std::int64_t out_row, out_plane, out_batch;
  DeviceBorder border_y, border_x;
  int columns, rows;          // of the output
  int first_x, end_x;         // outputs of tiles, in columns: first_x on a 16-byte boundary
  int first_y, end_y;
  Divisor blocks_x, blocks_y, depth;  // of tiles; planes of a volume
  Divisor frame_across;       // outputs of a row above or below the tiles
  Divisor frame_beside;       // of others
  Divisor frame;              // of a plane, around the tiles
  int frame_blocks;           // for them
  Divisor frame_every;        // of all blocks, until they are done
  int batch;
  int shift_y;
  int beyond[K - 1];          // columns in place of those before the first and after the last; −1 for the constant,
  std::uint32_t beyond_constant;  // an element's bits
  Sum scale;                  // of sums: 1 of f32 but for integer weights
  Sum offset;
  Pixel out_pixel;
  Rounding rounding;
  Sum weights[K * K];
  std::int32_t words[K == 5 ? 9 : 3];  // the same for `Stacks`, of u8
};

/// A kernel for C interleaved channels, and what the host must know of its tiles.
template <int K, class Sum = float>
struct RegisterTileSize {
  void (*kernel)(RegisterTileArguments<K, Sum>);
  int channels;
  int columns, rows;  ///< outputs of a thread
  int reach;          ///< columns that it reads on either side
  bool full_rows;     ///< tiles from side to side
  int blocks;         ///< that a multiprocessor must hold
};

/// Instantiated a file for some pixels (CMakeLists.txt): of u8 3 × 3, and 5 × 5 over one channel; of others 7 × 7, too.
template <class In, int K>
RegisterTileSize<K, typename RegisterTile<In, K, 1>::Sum> register_tile_size(int channels);

}  // namespace halation::cuda_backend
