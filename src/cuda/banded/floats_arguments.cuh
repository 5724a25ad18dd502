// floats.h: what launches of banded products of floats get, how their blocks cut images, and the kernels by size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/lines.cuh"

namespace halation::cuda_backend {

/// How a block's outputs are cut: 2 warps down, 4 across, each 32 rows of 64 columns of a channel.
struct FloatsTile {
  static constexpr int warps = 8;
  static constexpr int across = 4;
  static constexpr int warp_rows = 32;
  static constexpr int warp_columns = 64;
  static constexpr int rows = warps / across * warp_rows;
  static constexpr int blocks = 2;  // that a multiprocessor must hold
  static constexpr int elements = across * warp_columns;
  static constexpr int out_pitch = 260;  // numbers from one row of outputs to the next, on their way: no two lanes meet in a bank
};

/// What both kernels get, each with weights, columns and pitches of its own.
struct BandedFloatsArguments {
  LineArguments lines;
  std::byte* out;
  const uint2* weights;     // by rows of taps, windows and lanes; two of halves
  const float* dense;       // as the filter has them, rounded to 11 bits
  std::int64_t first[3];    // of what is staged, from the first output
  int taps_down, taps_across;
  int row_pitch;            // numbers from one staged row to the next: an odd number of units of 16 bytes
  int plane_pitch;          // from one channel to the next
  bool in_units;            // whether rows are f32 or f16 side by side, windows from boundaries of 16 bytes on
  bool out_fours;           // and outputs of four such a lane
  bool looks;               // whether pixels may be too small for f16: f32
  std::uint8_t* odd;        // by blocks: whether f16 does not hold its pixels
  unsigned blocks;          // how many there are
};

using BandedFloatsKernel = void (*)(BandedFloatsArguments);

/// How the kernels stage rows: windows of columns that a product takes, numbers that each 8 rows lie further than their pitch, and the least
/// and most windows of a kernel.
struct InHalves {
  static constexpr int window = 16, lift = 8, fewest = 2, most = 3;
};
struct InTf32 {
  static constexpr int window = 8, lift = 4, fewest = 1, most = 5;
};

/// Where a warp's outputs lie in its block.
struct WarpOutputs {
  int channel, column, row;
  bool exist;

  __device__ __forceinline__ WarpOutputs(const LineArguments& lines, int warp, int width) {
    const int segments = (lines.width + FloatsTile::warp_columns - 1) / FloatsTile::warp_columns;
    channel = warp % FloatsTile::across / segments;
    column = warp % FloatsTile::across % segments * FloatsTile::warp_columns;
    row = warp / FloatsTile::across * FloatsTile::warp_rows;
    exist = channel < lines.channels && column < width;
  }
};

/// A lane's weights of two rows of taps that follow each other, and of the next, which is on its way.
template <int Windows, class Weights>
struct RowsOfTaps {
  const Weights* from;
  Weights now[Windows], before[Windows], coming[Windows];

  __device__ __forceinline__ explicit RowsOfTaps(const Weights* first) : from(first) { load(); }

  /// step<First, Last>() for each row of a filter's taps, and once more: the row before then is the last.
  template <class Step>
  __device__ __forceinline__ void walk(int rows, const Step& step) {
    advance(rows > 1);
    step.template operator()<true, false>();
#pragma unroll 1
    for (int row = 1; row < rows; ++row) {
      advance(row + 1 < rows);
      step.template operator()<false, false>();
    }
    advance(false);
    step.template operator()<false, true>();
  }

 private:
  __device__ __forceinline__ void load() {
#pragma unroll
    for (int w = 0; w < Windows; ++w) coming[w] = __ldg(from + 32 * w);
    from += 32 * Windows;
  }
  __device__ __forceinline__ void advance(bool more) {
#pragma unroll
    for (int w = 0; w < Windows; ++w) {
      before[w] = now[w];
      now[w] = coming[w];
    }
    if (more) load();
  }
};

/// A block's sums on their way out, all channels of a pixel side by side, as pixels.
__device__ __forceinline__ void put_block(const BandedFloatsArguments& job, const Place& place, const float* outputs, int warp) {
  constexpr int own = FloatsTile::rows / FloatsTile::warps;
  put_rows(job.lines, place, job.out, place.y + warp * own, job.lines.out.height, own, outputs + warp * own * FloatsTile::out_pitch,
           FloatsTile::out_pitch);
}

/// The kernels for taps that reach over so many windows.
template <int Windows>
BandedFloatsKernel banded_halves_of();
template <int Windows>
BandedFloatsKernel banded_floats_of();

}  // namespace halation::cuda_backend
