// shared_tile.cuh: every tap multiplied, from tiles in shared memory: right for every job, and the quickest where kernels of known sizes do not reach.
//
//   block → outputs    8 warps of R rows each: 4 (2 in f64), or 1 of images of too few blocks for all multiprocessors;
//                      a row is 64 groups of 4 pixels, two groups a lane: 256 pixels of one channel, 84 of three, ...
//                      A signal is folded into rows that follow each other
//   shared memory      the rows and columns that a block's outputs read, as numbers (lines.cuh), at most 16 × 32 taps at a time:
//                      59 KB; then the sums on their way out; 32 KB beside it for these where several filters share the tile
//   registers          8 · R sums a thread, one row's window of taps + 3 numbers a group; weights are operands from the arguments
//   operations         taps multiply-adds an output; shared memory is read once for (taps of a row) · 4 · R of them
//   traffic            DRAM: each element once; L2: halos of (taps − 1) rows for 8 · R
//   limits             none: filters beyond 16 × 32 taps, and planes of volumes, are summed part by part, each staged in turn
//   instantiations     4 (CMakeLists.txt): rows of 1 to 16 taps, each number unrolled, with both R; any number, in f32 and in f64. All
//                      numbers of taps share one kernel, so that staging and storing are compiled once
#pragma once

#include "cuda/shared_tile/arguments.cuh"

namespace halation::cuda_backend {

namespace shared_tile_steps {

/// `Count` consecutive numbers from a 16-byte boundary on.
template <int Count, class Sum>
__device__ __forceinline__ void load_numbers(Sum (&to)[Count], const Sum* from) {
  constexpr int per_load = 16 / static_cast<int>(sizeof(Sum));
#pragma unroll
  for (int i = 0; i < Count; i += per_load) {
    const uint4 raw = *reinterpret_cast<const uint4*>(from + i);
    memcpy(to + i, &raw, sizeof raw);
  }
}

/// Adds a row of taps to the sums of a warp's rows, four taps at a time: each weight serves all sums.
template <class Sum, int R, class Weight>
__device__ __forceinline__ void add_row_of_taps(Sum (&sums)[R][8], const Sum* tile, const int (&at)[2], int row_pitch, int columns,
                                                const Weight& weight) {
#pragma unroll 1
  for (int k = 0; k < columns; k += 4) {
    Sum w[4];
#pragma unroll
    for (int t = 0; t < 4; ++t) w[t] = k + t < columns ? weight(0, k + t) : 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int g = 0; g < 2; ++g) {
        Sum window[8];
        load_numbers(window, tile + r * row_pitch + at[g] + k);
#pragma unroll
        for (int t = 0; t < 4; ++t) {
          if (k + t >= columns) continue;
#pragma unroll
          for (int v = 0; v < 4; ++v) sums[r][g * 4 + v] += w[t] * window[t + v];
        }
      }
    }
  }
}

/// Adds `rows` rows of `Taps` taps to the sums of a warp's rows; `tile` is the first of them, `at` where the lane's groups begin in
/// it. Row j meets row r of the outputs with tap row j − r.
template <int Taps, class Sum, int R, class Weight>
__device__ __forceinline__ void add_taps(Sum (&sums)[R][8], const Sum* tile, const int (&at)[2], int row_pitch, int rows,
                                         const Weight& weight) {
  constexpr int window_size = (Taps + 3 + 3) / 4 * 4;
  const auto add_row = [&](int j, auto meets) {
    Sum window[2][window_size];
    load_numbers(window[0], tile + at[0]);
    load_numbers(window[1], tile + at[1]);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (!meets(r)) continue;
#pragma unroll
      for (int k = 0; k < Taps; ++k) {
        const Sum w = weight(j - r, k);
#pragma unroll
        for (int i = 0; i < 8; ++i) sums[r][i] += w * window[i / 4][k + i % 4];
      }
    }
    tile += row_pitch;
  };
  const auto some = [&](int begin, int end) {
#pragma unroll 1
    for (int j = begin; j < end; ++j) add_row(j, [&](int r) { return j >= r && j - r < rows; });
  };
  const int all_from = min(R - 1, R + rows - 1);  // rows that meet all outputs: from here on, where there are such
  if (R > 1) some(0, all_from);
#pragma unroll 1
  for (int j = all_from; j < rows; ++j) add_row(j, [](int) { return true; });
  if (R > 1) some(max(all_from, rows), R + rows - 1);
}

/// The same of any number of taps, `columns` in a row: four at a time, for which a lane's groups see eight numbers, the last four of
/// them again with the next taps.
template <class Sum, int R, class Weight>
__device__ __forceinline__ void add_any_taps(Sum (&sums)[R][8], const Sum* tile, const int (&at)[2], int row_pitch, int rows,
                                             int columns, const Weight& weight) {
  const bool aligned = (at[0] & 3) == 0;
  if (rows == 1 && aligned) return add_row_of_taps(sums, tile, at, row_pitch, columns, weight);
  Sum window[2][8];
  const auto load = [&](const Sum* line, int k, int first) {
#pragma unroll
    for (int g = 0; g < 2; ++g) {
      if (aligned) {
        load_numbers(*reinterpret_cast<Sum(*)[4]>(window[g] + first), line + at[g] + k + first);
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) window[g][first + i] = line[at[g] + k + first + i];
      }
    }
  };
  const auto add = [&](int r, int t, Sum w) {
#pragma unroll
    for (int i = 0; i < 8; ++i) sums[r][i] += w * window[i / 4][t + i % 4];
  };
#pragma unroll 1
  for (int j = 0; j < R + rows - 1; ++j, tile += row_pitch) {
    load(tile, 0, 0);
    int k = 0;
#pragma unroll 1
    for (; k + 4 <= columns; k += 4) {
      load(tile, k, 4);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (j < r || j - r >= rows) continue;
#pragma unroll
        for (int t = 0; t < 4; ++t) add(r, t, weight(j - r, k + t));
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) window[i / 4][i % 4] = window[i / 4][4 + i % 4];
    }
    if (k == columns) continue;
    load(tile, k, 4);
#pragma unroll
    for (int t = 0; t < 3; ++t) {
      if (k + t >= columns) break;
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (j >= r && j - r < rows) add(r, t, weight(j - r, k + t));
      }
    }
  }
}

/// body<Taps>() for the number of taps, 1 to 16, that `taps` is.
template <class Body>
__device__ __forceinline__ void with_taps(int taps, const Body& body) {
  switch (taps) {
    case 1: body.template operator()<1>(); break;
    case 2: body.template operator()<2>(); break;
    case 3: body.template operator()<3>(); break;
    case 4: body.template operator()<4>(); break;
    case 5: body.template operator()<5>(); break;
    case 6: body.template operator()<6>(); break;
    case 7: body.template operator()<7>(); break;
    case 8: body.template operator()<8>(); break;
    case 9: body.template operator()<9>(); break;
    case 10: body.template operator()<10>(); break;
    case 11: body.template operator()<11>(); break;
    case 12: body.template operator()<12>(); break;
    case 13: body.template operator()<13>(); break;
    case 14: body.template operator()<14>(); break;
    case 15: body.template operator()<15>(); break;
    default: body.template operator()<16>(); break;
  }
}

}  // namespace shared_tile_steps

/// A warp has `R` rows of outputs. With few weights, rows of taps are all as long, 1 to 16, and begin where the tile does.
template <class Sum, int Capacity, int R>
__global__ void __launch_bounds__(32 * SharedTile<Sum>::warps, SharedTile<Sum>::blocks)
    shared_tile_kernel(const __grid_constant__ SharedTileArguments<Sum, Capacity> job) {
  using D = SharedTile<Sum>;
  extern __shared__ __align__(16) std::byte shared_memory[];
  const LineArguments& lines = job.lines;
  // Rows of sums on their way out, where the tile is needed for more filters; the tile.
  Sum* const shared = reinterpret_cast<Sum*>(shared_memory);
  Sum* const tile = shared + (job.filters > 1 ? D::warps * R * D::row_sums : 0);
  Sum* const sums_out = shared + threadIdx.y * R * D::row_sums;
  const Place place = place_of(lines, blockIdx.x, D::warps * R);
  const Group groups[2] = {Group(lines, static_cast<int>(threadIdx.x)), Group(lines, static_cast<int>(threadIdx.x) + 32)};
  const int row = static_cast<int>(threadIdx.y) * R;
  const std::int64_t x = lines.folded ? place.y * lines.width : place.x;
  const std::int64_t y = lines.folded ? 0 : place.y;
  const int width = lines.folded ? lines.width : pixels_left(lines, place.x);

  bool is_staged = false;
  for (int f = 0; f < job.filters; ++f) {
    const TileFilter& filter = job.filter[f];
    Sum sums[R][8] = {};
    for (int kz = 0; kz < filter.size[0]; ++kz) {
      for (int ky = 0; ky < filter.size[1]; ky += D::part_rows) {
        for (int kx = 0; kx < filter.size[2]; kx += D::part_columns) {
          const int rows = min(D::part_rows, filter.size[1] - ky);
          const int columns = min(D::part_columns, filter.size[2] - kx);
          if (!is_staged || !job.shared) {
            if (is_staged) __syncthreads();  // until all have used the part before
            const std::int64_t* first = job.shared ? job.first : filter.lead;
            stage<9>(lines, place, place.z + first[0] + kz, y + first[1] + ky, x + first[2] + kx,
                  D::warps * R + (job.shared ? job.part[0] : rows) - 1, width + (job.shared ? job.part[1] : columns) - 1, tile,
                  job.row_pitch, job.plane_pitch);
            staged();
            __syncthreads();
            is_staged = true;
          }
          const int down = job.shared ? static_cast<int>(filter.lead[1] - job.first[1]) : 0;
          const int along = job.shared ? static_cast<int>(filter.lead[2] - job.first[2]) : 0;
          const int at[2] = {groups[0].channel * job.plane_pitch + groups[0].pixel + along,
                             groups[1].channel * job.plane_pitch + groups[1].pixel + along};
          const Sum* const part = tile + (row + down) * job.row_pitch;
          if constexpr (Capacity == few_weights) {
            // Rows of taps begin at even places, so that weights are read in pairs.
            const int pairs = (columns + 1) / 2;
            const int first_pair = filter.first_weight / 2 + (kz * filter.size[1] + ky) * pairs;
            shared_tile_steps::with_taps(columns, [&]<int Taps>() {
              shared_tile_steps::add_taps<Taps>(sums, part, at, job.row_pitch, rows, [&](int j, int k) {
                const float2 pair = job.weight_pairs[first_pair + j * ((Taps + 1) / 2) + k / 2];
                return k % 2 == 0 ? pair.x : pair.y;
              });
            });
          } else {
            const int first_weight = filter.first_weight + (kz * filter.size[1] + ky) * filter.size[2] + kx;
            const auto add = [&](const auto& weight) {
              shared_tile_steps::add_any_taps(sums, part, at, job.row_pitch, rows, columns,
                                              [&](int j, int k) { return weight(first_weight + j * filter.size[2] + k); });
            };
            if (job.far_weights == nullptr) add([&](int index) { return job.weights[index]; });
            else add([&](int index) { return job.far_weights[index]; });
          }
        }
      }
    }
    if (job.filters == 1) __syncthreads();  // until all have used the tile, where sums go now
    if (job.magnitude) {
      // Squares are added up in shared memory, where each place is one thread's alone.
#pragma unroll
      for (int i = 0; i < 2 * R; ++i) {
        Sum(&four)[4] = *reinterpret_cast<Sum(*)[4]>(sums[i / 2] + i % 2 * 4);
        if (f > 0) {
          add_squares(lines, groups[i % 2], four, sums_out + i / 2 * D::row_sums);
        } else {
#pragma unroll
          for (int v = 0; v < 4; ++v) four[v] = add_square(Sum(0), four[v]);
        }
        if (f + 1 < job.filters) set_sums(lines, groups[i % 2], four, sums_out + i / 2 * D::row_sums);
      }
      if (f + 1 < job.filters) continue;
#pragma unroll
      for (int i = 0; i < 8 * R; ++i) sums[i / 8][i % 8] = root_of(sums[i / 8][i % 8]);
    }
    const auto scale = static_cast<Sum>(lines.scale);
    const auto offset = static_cast<Sum>(lines.offset);
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) {
      Sum(&four)[4] = *reinterpret_cast<Sum(*)[4]>(sums[i / 2] + i % 2 * 4);
#pragma unroll
      for (int v = 0; v < 4; ++v) four[v] = four[v] * scale + offset;
      set_sums(lines, groups[i % 2], four, sums_out + i / 2 * D::row_sums);
    }
    __syncwarp();
    put_rows(lines, place, job.out[job.magnitude ? 0 : f], place.y + row, lines.out.height, R, sums_out, D::row_sums);
    __syncwarp();
  }
}

template <class Sum, int Capacity, int R>
SharedTileKernel<Sum, Capacity> shared_tile_kernel_of() {
  return shared_tile_kernel<Sum, Capacity, R>;
}

}  // namespace halation::cuda_backend
