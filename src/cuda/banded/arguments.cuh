// arguments.cuh: what launches of banded kernels get, how they cut images, and the kernels by size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device/runtime.h"
#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "halation/image.h"

namespace halation::cuda_backend {

/// How outputs are cut: a block of warps side by side walks down its strip.
struct BandedCut {
  static constexpr int warps = 4;
  static constexpr int tiles = 8;  // of 8 columns, a warp
  static constexpr int warp_columns = 8 * tiles;
  static constexpr int columns = warps * warp_columns;
  static constexpr int group_rows = 16;  // that are staged together
  static constexpr int taps_down = 4;    // rows of taps that a product takes at once: a quad
  /// Pieces of 8 columns of a staged row.
  __host__ __device__ static constexpr int pieces(int windows) { return columns / 8 + windows - 1; }
};

/// Of filters of many taps, whose weights lie in shared memory.
struct ManyTaps : BandedCut {
  static constexpr int rows = 16;  // of outputs at a step
  /// Bytes from one staged row to the next: an odd number of units, so that 8 rows meet in no bank.
  __host__ __device__ static constexpr int row_pitch(int windows) { return 16 * (pieces(windows) | 1); }
  static constexpr int lift = 0;
  /// That a multiprocessor must hold, by registers.
  static constexpr int blocks(int /*windows*/, int /*quads*/, int weight_bytes) {
    return weight_bytes == 1 ? 5 : 4;
  }
  // Outputs leave by way of shared memory, so many columns of a warp at a time.
  using Piece = uint4;
  static constexpr int out_columns = 64;
  static constexpr int bytes_pitch = 80;  // bytes from one row to the next: no two lanes meet in a bank
  static constexpr int numbers_pitch = 66;
};

/// Of few, whose weights lie in registers.
struct FewTaps : BandedCut {
  static constexpr int rows = 32;
  /// The second 8 rows of a group lie `lift` bytes further right: rows 0 to 3 and 8 to 11 meet in no bank.
  __host__ __device__ static constexpr int row_pitch(int windows) { return 16 * ((pieces(windows) + 4) | 1); }
  static constexpr int lift = 64;
  /// That a multiprocessor must hold, by registers for weights and sums.
  static constexpr int blocks(int windows, int quads, int weight_bytes) {
    const int registers = windows * weight_bytes * (2 * quads + 8);
    return registers <= 60 ? 4 : registers <= 100 ? 3 : 2;
  }
  using Piece = uint2;
  static constexpr int out_columns = 32;
  static constexpr int bytes_pitch = 40;
  static constexpr int numbers_pitch = 34;
};

/// Bytes of shared memory for a warp's outputs.
template <class Cut>
__host__ __device__ constexpr int outputs_bytes(bool as_bytes) {
  return Cut::rows * (as_bytes ? Cut::bytes_pitch : Cut::numbers_pitch * 4);
}
/// Groups of rows that a step reads, of filters of so many quads: units reach one row further.
template <class Cut>
__host__ __device__ constexpr int groups_of(int quads) {
  return (Cut::rows + Cut::taps_down * quads - 2 + Cut::group_rows - 1) / Cut::group_rows;
}
/// Places of the ring of groups: those, and what comes for the next step.
template <class Cut>
__host__ __device__ constexpr int places_of(int quads) {
  return groups_of<Cut>(quads) + Cut::rows / Cut::group_rows;
}

/// How windows of rows begin in memory.
enum class Begins { on_8_bytes, on_4_bytes, anywhere };

constexpr int banded_fewest_windows = 2;
constexpr int banded_most_windows = 7;

struct BandedArguments {
  const std::byte* in;
  std::byte* out;
  std::int64_t in_row, in_plane, in_batch, in_channel, in_step;  // bytes; a step leads from an element of a row to the next
  std::int64_t out_row, out_plane, out_batch, out_channel, out_step;
  DeviceBorder border_y, border_x;
  const uint4* weights;  // by quads, windows, lanes and bytes, 8 of each
  int channels;          // elements that follow one another for each pixel
  int in_columns, columns, rows;  // elements of a row of inputs, and of outputs
  int first_row;         // of taps, from the output's row
  int first_column;      // of windows, from the output's column: a multiple of 4
  int reach;             // columns from an output to past the last that its taps read
  Begins begins;         // windows of rows of inputs
  bool as_bytes;         // whether outputs are bytes side by side, rounded to the nearest
  int quads;
  int strip;   // rows of outputs of a block
  float factor, offset;
  bool by_shift;  // whether bytes are (sum + bias) >> shift, else sum · factor + offset, rounded
  int shift, bias;
  Pixel out_pixel;
  Rounding rounding;
  std::uint8_t constant_y, constant_x;
  Divisor across, strips, depth, batch;
};

using BandedKernel = void (*)(BandedArguments);

/// What the kernel of two passes gets besides (passes.cuh): `weights` are those along x, and bias and shift those of outputs.
struct BandedPassesArguments : BandedArguments {
  const uint4* weights_y;
  int narrow;      // sums along x are shifted down by so many bits
  int first_bias;  // which rounds them, and makes their low bytes unsigned
  int middle;      // begins sums along y: what unsigned low bytes are too much, and the bias of outputs
  bool on_16_bytes;  // windows of rows begin so
};
using BandedPassesKernel = void (*)(BandedPassesArguments);

/// The kernel for windows along x of so many times 32 columns, and groups of 16 rows along y.
template <int Windows, int Groups>
BandedPassesKernel banded_passes_of();
/// Blocks that a multiprocessor must hold, by registers for weights.
constexpr int banded_passes_blocks(int windows, int groups) {
  const int registers = 8 * windows + 8 * ((groups + 1) / 2);
  return registers <= 32 ? 4 : registers <= 64 ? 3 : 2;
}
/// Pieces of 16 bytes of a row that its blocks stage.
constexpr int banded_passes_pieces(int windows) { return BandedCut::columns / 16 - 1 + 2 * windows; }
/// Bytes of shared memory that they take.
constexpr int banded_passes_bytes(int windows, int groups, bool as_bytes) {
  constexpr int own = 2048;  // of a warp's sums along x over 16 rows
  return 2 * 16 * 16 * banded_passes_pieces(windows) + BandedCut::warps * (groups * own + outputs_bytes<ManyTaps>(as_bytes));
}

/// The kernel of many taps for weights of so many bytes whose taps reach over so many windows of 8 columns.
template <int Windows, int Bytes>
BandedKernel banded_many_taps();
/// That of few taps, of so many quads.
template <int Windows, int Quads, int Bytes>
BandedKernel banded_few_taps();

}  // namespace halation::cuda_backend
