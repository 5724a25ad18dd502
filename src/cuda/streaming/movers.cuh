// movers.cuh: filters of Z × Y × X known taps: a block walks along the outermost axis of a filter, its partial
// sums in registers.
//
// The axis that is walked is height for images (Z taps along y, Y = 1) and depth for volumes. At each place
// on it, the unit, a row or a plane of numbers is staged, and meets all Z outputs that it is part of at once;
// then the oldest is complete and the others move up, which costs nothing: the first multiply-add of each
// writes to its neighbour's register.
//
//   block → outputs    images: 2 or 3 warps side by side, 256 pixels of one channel each; volumes: 8 warps, 128 pixels × 16 rows; and one to
//                      four warps that move data: they alone meet pixels, strides and borders, and leave all registers to the sums. Rows
//                      of f32 on 16-byte boundaries have kernels in which all warps compute: image.cuh, volume.cuh
//   thread → outputs   G groups of 4 pixels × R rows; factored volumes 4 pixels × 2 to 4 rows
//   registers          Z · R · 4 G sums, and a window of X + 3 numbers a group
//   shared memory      two stretches of units, one filtered, one on its way (lines.cuh): images 8 rows each, volumes one plane; and two of
//                      outputs on their way back, but where these are f32 in whole words
//   operations         dense: Z · Y · X multiply-adds an output; factored: X for the row's own sum, Z that it meets, and of volumes Y
//                      between the two; Z − 1 units more a strip than it has outputs
//   traffic            DRAM: each element once; L2: X − 1 columns (and Y − 1 rows) around a block's
//   limits             one filter, sums in f32; any pixel, stride, border and extent
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/parts/lines.cuh"
#include "cuda/parts/windows.cuh"

namespace halation::cuda_backend {

/// How one size is computed. `Whole` is for f32 whose rows lie on 16-byte boundaries, all warps computing (image.cuh,
/// volume.cuh); else some warps move data. Measured on an H200 (docs/notebook/cuda/streaming.md).
template <int Z, int Y, int X, bool Factored, bool AllWarps>
struct Streaming {
  static constexpr bool volume = Y > 1;
  static constexpr bool by_axes = volume && Factored;  // along x, then y, then z
  static constexpr int warps = volume ? 8 : AllWarps ? 4 : Factored || Z < 10 ? 2 : 3;  // that compute
  static constexpr int movers = AllWarps ? 0 : volume ? (Z > 5 ? 2 : 4) : Factored || Z < 10 ? 2 : 1;
  static constexpr int threads = 32 * (warps + movers);
  static constexpr int rows = by_axes ? (Z == 5 ? 4 : Z == 7 ? 3 : 2) : volume && !AllWarps ? 2 : 1;  // R
  static constexpr int groups = by_axes || (volume && !AllWarps) || Z > 17 ? 1 : 2;     // G
  static constexpr int wide = Z > 33 ? 2 : 4;                              // pixels of a group
  static constexpr int sums = wide * groups;
  static constexpr int row_sums = volume ? 128 : 32 * warps * sums;        // of a block
  static constexpr int units = volume ? 1 : AllWarps ? 4 : 8;                 // staged together
  static constexpr int out_rows = by_axes ? rows * warps : volume ? 2 * warps : units;  // that become complete with them
  static constexpr int staged_rows = volume ? out_rows + Y - 1 : units;
  static constexpr int ahead = volume ? (AllWarps ? 3 : 2) : AllWarps ? 2 : 1;   // stretches of units on their way
  static constexpr int shift = AllWarps ? 3 - (X / 2 + 3) % 4 : 0;  // numbers in front of a staged row's first, to a multiple of 4
  /// Lanes of an image (image.cuh), warps of a volume (volume.cuh) sum across for each other.
  static constexpr bool shares_rows = Z > (volume ? 5 : 17) && Factored && AllWarps;
  static constexpr int window = (X + wide - 1 + shift + wide - 1) / wide * wide;
  static constexpr int elements = (row_sums + X - 1 + 31) / 32;  // of a staged row, a lane
  static constexpr int weights = Factored ? Z + X + (volume ? Y : 0) : Z * Y * X;
  static constexpr int registers = std::min(
      (Z * rows * sums + (Z > 17 ? 0 : groups * window) + (Factored ? rows * sums : 0) +
       (by_axes ? 20 : volume ? (AllWarps ? 16 : 24) : 32) + 7) / 8 * 8,
      248);
  static constexpr int blocks = std::max(1, 65536 / threads / registers);
};

/// What a launch gets by value. A strip is what a block walks along.
template <int Weights>
struct StreamingArguments {
  LineArguments lines;
  std::byte* out;
  std::int64_t lead[3];
  int strip;
  int row_pitch;      // numbers from one staged row to the next
  int plane_pitch;    // from one channel to the next
  bool aligned16_stores;  // f32 of one channel, rows on 16-byte boundaries
  float scale;
  float offset;
  float weights[Weights];
};

/// What filter row `ky` makes of one row of a unit, added to the sums of outputs in row `r`; the first filter row moves all of them up.
template <int Z, int Y, int X, bool First, class M>
__device__ __forceinline__ void add_row(const StreamingArguments<M::weights>& job, const float (&window)[M::groups][M::window], int r, int ky,
                                        float (&sums)[Z][M::rows][M::sums]) {
#pragma unroll
  for (int m = 0; m < Z; ++m) {
#pragma unroll
    for (int kx = 0; kx < X; ++kx) {
      const float w = job.weights[((Z - 1 - m) * Y + ky) * X + kx];
#pragma unroll
      for (int i = 0; i < M::sums; ++i) {
        const float sum = !First || kx > 0 ? sums[m][r][i] : m + 1 < Z ? sums[m + 1 < Z ? m + 1 : m][r][i] : 0.0F;
        sums[m][r][i] = sum + w * window[i / M::wide][M::shift + kx + i % M::wide];
      }
    }
  }
}

/// A row of a factored filter, summed across (and down, of a volume), meets all outputs in row `r` that it is part of.
template <int Z, class M>
__device__ __forceinline__ void add_sum(const StreamingArguments<M::weights>& job, const float (&row)[M::sums], int r,
                                        float (&sums)[Z][M::rows][M::sums]) {
#pragma unroll
  for (int m = 0; m < Z; ++m) {
#pragma unroll
    for (int i = 0; i < M::sums; ++i)
      sums[m][r][i] = (m + 1 < Z ? sums[m + 1 < Z ? m + 1 : m][r][i] : 0.0F) + job.weights[Z - 1 - m] * row[i];
  }
}

/// One row's numbers, summed across by a factored filter.
template <int Z, int X, class M>
__device__ __forceinline__ void sum_row(const StreamingArguments<M::weights>& job, const float (&window)[M::groups][M::window],
                                        float (&row)[M::sums]) {
#pragma unroll
  for (int kx = 0; kx < X; ++kx) {
#pragma unroll
    for (int i = 0; i < M::sums; ++i)
      row[i] = (kx == 0 ? 0.0F : row[i]) + job.weights[Z + kx] * window[i / M::wide][M::shift + kx + i % M::wide];
  }
}

/// One unit, whose rows (or, where lanes share them, sums across) begin at `from`, one pointer a group: the oldest output in `sums[0]`
/// becomes complete.
template <int Z, int Y, int X, bool Factored, class M, class Element>
__device__ __forceinline__ void add_unit(const StreamingArguments<M::weights>& job, const Element* const (&from)[M::groups],
                                         float (&sums)[Z][M::rows][M::sums], int row_pitch) {
  float window[M::groups][M::window];
  const auto load_row = [&](int j) {
#pragma unroll
    for (int g = 0; g < M::groups; ++g) load_window<M::wide>(window[g], from[g] + j * row_pitch);
  };
  if constexpr (Factored) {
    float row[M::sums];
    float down[M::rows][M::sums];  // rows summed across, as far as they have been met
#pragma unroll
    for (int j = 0; j < M::rows + Y - 1; ++j) {
      if constexpr (M::shares_rows) load_window<M::wide>(row, from[0] + j * row_pitch);
      else {
        load_row(j);
        sum_row<Z, X, M>(job, window, row);
      }
      if constexpr (Y == 1) add_sum<Z, M>(job, row, 0, sums);
      else {
#pragma unroll
        for (int r = max(j - Y + 1, 0); r <= min(j, M::rows - 1); ++r) {
#pragma unroll
          for (int i = 0; i < M::sums; ++i) down[r][i] = (r == j ? 0.0F : down[r][i]) + job.weights[Z + X + j - r] * row[i];
          if (r == j - Y + 1) add_sum<Z, M>(job, down[r], r, sums);
        }
      }
    }
  } else if constexpr (M::rows == 1 && Z * Y * X > 300) {
    // All rows' code at once would not fit the instruction cache.
    load_row(0);
    add_row<Z, Y, X, true, M>(job, window, 0, 0, sums);
#pragma unroll 1
    for (int ky = 1; ky < Y; ++ky) {
      load_row(ky);
      add_row<Z, Y, X, false, M>(job, window, 0, ky, sums);
    }
  } else {
#pragma unroll
    for (int j = 0; j < M::rows + Y - 1; ++j) {
      load_row(j);
#pragma unroll
      for (int r = 0; r < M::rows; ++r) {
        const int ky = j - r;
        if (ky == 0) add_row<Z, Y, X, true, M>(job, window, r, 0, sums);
        else if (ky > 0 && ky < Y) add_row<Z, Y, X, false, M>(job, window, r, ky, sums);
      }
    }
  }
}

/// A thread's sums, finished, as outputs: group g from byte 4 · pixel[g] of a row on, where it lies inside.
template <class M>
__device__ __forceinline__ void put_groups(const StreamingArguments<M::weights>& job, std::byte* row, const int (&pixel)[M::groups], int pixels,
                                           const float (&sums)[M::sums]) {
#pragma unroll
  for (int g = 0; g < M::groups; ++g) {
    float done[M::wide];
#pragma unroll
    for (int v = 0; v < M::wide; ++v) done[v] = sums[M::wide * g + v] * job.scale + job.offset;
    if (pixel[g] >= pixels) continue;
    if constexpr (M::wide == 4) *reinterpret_cast<float4*>(row + pixel[g] * 4) = make_float4(done[0], done[1], done[2], done[3]);
    else *reinterpret_cast<float2*>(row + pixel[g] * 4) = make_float2(done[0], done[1]);
  }
}

/// The group that is a lane's g-th.
template <class M>
__device__ __forceinline__ int group_of(int warp, int g) {
  return static_cast<int>(threadIdx.x) + 32 * (M::volume ? 0 : warp * M::groups + g);
}

template <int Z, int Y, int X, bool Factored, class M = Streaming<Z, Y, X, Factored, false>>
__global__ void __launch_bounds__(M::threads, M::blocks)
    streaming_movers_kernel(const __grid_constant__ StreamingArguments<M::weights> job) {
  extern __shared__ __align__(16) std::byte shared_memory[];
  const LineArguments& lines = job.lines;
  const int stretch = M::staged_rows * job.row_pitch;  // numbers of the units that are staged together
  float* const rows_in = reinterpret_cast<float*>(shared_memory);
  float* const sums_out = rows_in + (M::ahead + 1) * stretch;
  Place place = place_of(lines, blockIdx.x, M::volume ? M::out_rows : job.strip);
  if constexpr (M::volume) {
    // Planes are counted in strips.
    const std::int64_t first = place.z * job.strip;
    place.out += (first - place.z) * lines.out_strides.depth;
    place.z = first;
  }
  const std::int64_t left = M::volume ? lines.out.depth - place.z : lines.out.height - place.y;
  const int count = static_cast<int>(min(left, static_cast<std::int64_t>(job.strip)));
  const int all_units = count + Z - 1;
  const int warp = static_cast<int>(threadIdx.y);

  // Step s: units of stretch s set out, those of s − ahead are filtered, what those before them have
  // completed goes out.
  const int stretches_in = (all_units + M::units - 1) / M::units;
  const int steps = stretches_in + M::ahead + (job.aligned16_stores ? 0 : 1);

  if (warp >= M::warps) {  // moves
    place.warp = warp - M::warps;
    place.warps = M::movers;
    const int columns = pixels_left(lines, place.x) + X - 1;
    // Rows below the image's lower side, where a block reaches over it, are left out.
    const auto below =
        static_cast<int>(min(static_cast<std::int64_t>(M::staged_rows), lines.out.height - place.y + Y - 1));
    constexpr int rows_out = M::out_rows / M::movers;
    const int first_row_out = place.warp * rows_out;
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
      const int unit = s * M::units;
      if (s < stretches_in) {
        stage<M::elements>(lines, place, place.z + job.lead[0] + (M::volume ? unit : 0),
                           place.y + job.lead[1] + (M::volume ? 0 : unit), place.x + job.lead[2],
                           M::volume ? below : min(M::units, all_units - unit), columns,
                           rows_in + s % (M::ahead + 1) * stretch, job.row_pitch, job.plane_pitch);
      }
      const int done = unit - (M::ahead + 1) * M::units - (Z - 1);
      if (!job.aligned16_stores && done + M::units > 0) {
        const float* from = sums_out + s % 2 * M::out_rows * M::row_sums;
        if constexpr (M::volume) {
          Place to = place;
          to.out += done * lines.out_strides.depth;
          put_rows(lines, to, job.out, place.y + first_row_out, lines.out.height, rows_out,
                   from + first_row_out * M::row_sums, M::row_sums);
        } else {
          const int early = max(first_row_out, -done);
          put_rows(lines, place, job.out, place.y + done + early, place.y + count,
                   first_row_out + rows_out - early, from + early * M::row_sums, M::row_sums);
        }
      }
      staged_but<M::ahead - 1>();
      meet<M::threads>();
    }
    return;
  }

  const int pixels = pixels_left(lines, place.x);
  const int own_row = M::volume ? warp * M::rows : 0;
  const Group groups[2] = {Group(lines, group_of<M>(warp, 0)),
                           Group(lines, group_of<M>(warp, M::groups - 1))};
  int at[M::groups];
#pragma unroll
  for (int g = 0; g < M::groups; ++g)
    at[g] = groups[g].channel * job.plane_pitch + groups[g].pixel + own_row * job.row_pitch;
  const std::int64_t unit_bytes = M::volume ? lines.out_strides.depth : lines.out_strides.height;
  std::byte* aligned16_to = job.out + place.out + (place.y + own_row) * lines.out_strides.height + place.x * 4;
  float sums[Z][M::rows][M::sums] = {};
#pragma unroll 1
  for (int s = 0; s < M::ahead; ++s) meet<M::threads>();
#pragma unroll 1
  for (int s = M::ahead; s < steps; ++s) {
    const int first = (s - M::ahead) * M::units;
    const float* rows = rows_in + (s - M::ahead) % (M::ahead + 1) * stretch;
#pragma unroll 1
    for (int u = 0; u < M::units && first + u < all_units; ++u, rows += job.row_pitch) {
      const float* from[M::groups];
#pragma unroll
      for (int g = 0; g < M::groups; ++g) from[g] = rows + at[g];
      add_unit<Z, Y, X, Factored, M>(job, from, sums, job.row_pitch);
      if (first + u < Z - 1) continue;
#pragma unroll
      for (int g = 0; g < M::groups; ++g) {
#pragma unroll
        for (int r = 0; r < M::rows; ++r) {
          float four[4];
#pragma unroll
          for (int v = 0; v < 4; ++v) four[v] = sums[0][r][4 * g + v] * job.scale + job.offset;
          if (!job.aligned16_stores) {
            set_sums(lines, groups[g], four,
                     sums_out + ((s + 1) % 2 * M::out_rows + (M::volume ? own_row + r : u)) * M::row_sums);
          } else if (groups[g].pixel < pixels && groups[g].exists &&
                     (!M::volume || place.y + own_row + r < lines.out.height)) {
            *reinterpret_cast<float4*>(aligned16_to + r * lines.out_strides.height + groups[g].pixel * 4) =
                make_float4(four[0], four[1], four[2], four[3]);
          }
        }
      }
      aligned16_to += unit_bytes;
    }
    meet<M::threads>();
  }
}

}  // namespace halation::cuda_backend
