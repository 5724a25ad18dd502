// register_tile.cuh: direct filtering with small filters: each thread computes a tile of outputs from input rows held in registers.
//
//   thread → elements  V consecutive columns (16 bytes of input; interleaved channels are columns, C apart) × R rows; a block is 32
//                      threads side by side and 4 such warps stacked: 32·V columns × 4·R rows
//   registers          R + K − 1 rows of V columns and their halos, as many of them under way at once as the cap on registers
//                      allows (all at 3×3); R × V sums
//   shared memory      none: halos of neighbours come from L1 and L2
//   traffic            DRAM: each input element once, each output once; L1: (R + K − 1) / R · (V + halos) / V loads an element
//   borders            tiles are those that read inside the image alone (of 3×3 and one channel, inside its rows' heights; beside
//                      their ends lies what the border puts there); the outputs around them, the frame, are computed one a thread
//                      by blocks of their own, early among the others, so that none is waited for at the end
//   integer weights    of u8: sums in integers, of four products at a time (dp4a.cuh); other weights of u8 go down warp strips
//   limits             rows on 16-byte boundaries, outputs over their inputs; K = 3, 5, 7 (others are set into the next size with
//                      zeros, where 0 · input cannot be NaN); C = 1, 2, 3, 4; of u8 K = 3, and K = 5 of one channel
//   sums               f32, or integers; of f64 input f64
//   instantiations     5 input pixels × 3 sizes × 4 channel counts = 60, and 5 of u8; a file a pixel and size (CMakeLists.txt)
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/parts/dp4a.cuh"
#include "cuda/parts/pixels.cuh"
#include "cuda/parts/with_pixel.cuh"
#include "cuda/register_tile/size.cuh"

namespace halation::cuda_backend {

namespace register_tile_steps {

/// Output `index` of a frame: the rows above and below the tiles, then what lies beside them.
template <class In, int K, int C, class Sum>
__device__ __noinline__ void frame_output(const RegisterTileArguments<K, Sum>& job, const std::byte* in, std::byte* out, unsigned index) {
  const unsigned above_and_below = static_cast<unsigned>(job.first_y + job.rows - job.end_y) * job.frame_across.by;
  int x = 0;
  int y = 0;
  if (index < above_and_below) {
    y = static_cast<int>(job.frame_across.quotient(index));
    x = static_cast<int>(index) - y * static_cast<int>(job.frame_across.by);
    if (y >= job.first_y) y += job.end_y - job.first_y;
  } else {
    index -= above_and_below;
    y = static_cast<int>(job.frame_beside.quotient(index));
    x = static_cast<int>(index) - y * static_cast<int>(job.frame_beside.by);
    y += job.first_y;
    if (x >= job.first_x) x += job.end_x - job.first_x;
  }
  const int pixel = x / C;
  const int channel = x - pixel * C;
  int columns[K];  // of the row, −1 for the constant
#pragma unroll
  for (int kx = 0; kx < K; ++kx) {
    const int source = job.border_x.source(pixel + kx - K / 2);
    columns[kx] = source < 0 ? -1 : source * C + channel;
  }
  Sum sum = 0;
#pragma unroll
  for (int ky = 0; ky < K; ++ky) {
    const int source_y = job.border_y.source(y + job.shift_y + ky - K / 2);
    const std::byte* row = in + source_y * job.in_row;
    // Where both axes are outside, height gives the constant, as Job::constant_at has it.
    const auto outside = static_cast<Sum>(source_y < 0 ? job.border_y.constant : job.border_x.constant);
#pragma unroll
    for (int kx = 0; kx < K; ++kx) {
      Sum value = outside;
      if (source_y >= 0 && columns[kx] >= 0)
        value = load_constant<In, Sum>(row + static_cast<std::int64_t>(columns[kx]) * static_cast<int>(sizeof(In)));
      sum += job.weights[ky * K + kx] * value;
    }
  }
  store(out + y * job.out_row + static_cast<std::int64_t>(x) * element_bytes(job.out_pixel), sum * job.scale + job.offset,
        job.out_pixel, job.rounding);
}

/// What lies beside a thread's columns, one by one: its neighbours, or what the border puts in their place.
template <class In, int K, int V>
class Sides {
  static constexpr int size = static_cast<int>(sizeof(In));
  using Bits = std::conditional_t<size == 4, std::uint32_t, std::conditional_t<size == 2, std::uint16_t, std::uint8_t>>;

 public:
  __device__ __forceinline__ Sides(const RegisterTileArguments<K, float>& job, int column) : constant_(job.beyond_constant) {
#pragma unroll
    for (int i = 0; i < K - 1; ++i) {
      const int at = i < K / 2 ? i - K / 2 : V + i - K / 2;
      const int source = column + at >= 0 && column + at < job.columns ? column + at : job.beyond[i];
      from_[i] = source < 0 ? nowhere : (source - column) * size;
    }
  }
  /// A row, from the address of the thread's first column on.
  template <class Row>
  __device__ __forceinline__ void load(Row& row, const std::byte* at) const {
    constexpr int halo = Row::halo_words;
    static_assert(Row::middle_words == 4);
    const uint4 four = __ldg(reinterpret_cast<const uint4*>(at));
    row.word[halo] = four.x;
    row.word[halo + 1] = four.y;
    row.word[halo + 2] = four.z;
    row.word[halo + 3] = four.w;
    std::uint32_t beside[K - 1];
#pragma unroll
    for (int i = 0; i < K - 1; ++i) {
      beside[i] = constant_;
      if (from_[i] != nowhere) beside[i] = __ldg(reinterpret_cast<const Bits*>(at + from_[i]));
    }
    static_assert(K == 3 && halo == 1);
    row.word[0] = beside[0] << (32 - 8 * size);
    row.word[5] = beside[1];
  }

 private:
  static constexpr int nowhere = -0x7fffffff - 1;

  std::uint32_t constant_;
  int from_[K - 1];  // bytes from the first column
};

/// A thread's outputs of a row. Those in f32 are truncated already.
template <class T, int V>
__device__ __forceinline__ void put_row(std::byte* to, const float (&values)[V], Rounding /*rounding*/) {
  store_rounded<T, V>(to, values);
}
template <class T, int V>
__device__ __forceinline__ void put_row(std::byte* to, const double (&values)[V], Rounding rounding) {
  static_assert(V == 2);
  if constexpr (std::is_same_v<T, double>) {
    *reinterpret_cast<double2*>(to) = make_double2(values[0], values[1]);
  } else {
#pragma unroll
    for (int v = 0; v < V; ++v) store_as<T>(to + v * static_cast<int>(sizeof(T)), values[v], rounding);
  }
}

}  // namespace register_tile_steps

template <class In, int K, int C>
__global__ void __launch_bounds__(32 * register_tile_warps, (RegisterTile<In, K, C>::blocks))
    register_tile_kernel(const __grid_constant__ RegisterTileArguments<K, typename RegisterTile<In, K, C>::Sum> job) {
  using Sum = typename RegisterTile<In, K, C>::Sum;
  constexpr int V = RegisterTile<In, K, C>::columns;
  constexpr int R = RegisterTile<In, K, C>::rows;
  constexpr int input_rows = R + K - 1;
  // Blocks of the frame are spread among the first half of all.
  const auto frames = static_cast<unsigned>(job.frame_blocks);
  const unsigned frame = job.frame_every.quotient(blockIdx.x);
  const bool between = blockIdx.x - frame * job.frame_every.by != 0;
  if (!between && frame < frames) {
    const unsigned index = frame * 32 * register_tile_warps + threadIdx.y * 32 + threadIdx.x;
    const unsigned plane = job.frame.quotient(index);
    const unsigned batch = job.depth.quotient(plane);
    const unsigned depth = plane - batch * job.depth.by;
    if (batch >= static_cast<unsigned>(job.batch)) return;
    register_tile_steps::frame_output<In, K, C>(job, job.in + batch * job.in_batch + depth * job.in_plane,
                           job.out + batch * job.out_batch + depth * job.out_plane, index - plane * job.frame.by);
    return;
  }
  const unsigned block = blockIdx.x - min(frame + (between ? 1 : 0), frames);
  const unsigned row_of_blocks = job.blocks_x.quotient(block);
  const unsigned plane = job.blocks_y.quotient(row_of_blocks);
  const unsigned batch = job.depth.quotient(plane);
  const unsigned depth = plane - batch * job.depth.by;
  const std::byte* in = job.in + batch * job.in_batch + depth * job.in_plane;
  std::byte* out = job.out + batch * job.out_batch + depth * job.out_plane;
  const int column = job.first_x + static_cast<int>((block - row_of_blocks * job.blocks_x.by) * 32 + threadIdx.x) * V;
  const int row = job.first_y + static_cast<int>((row_of_blocks - plane * job.blocks_y.by) * register_tile_warps + threadIdx.y) * R;
  if (column >= job.end_x || row >= job.end_y) return;
  // The last tiles reach up over those above them rather than out of the image; both compute the same.
  const int first = min(row, max(job.end_y - R, 0));
  using Row = typename RegisterTile<In, K, C>::Row;
  Row rows[input_rows];
  const std::byte* from =
      in + (first + job.shift_y - K / 2) * job.in_row + static_cast<std::int64_t>(column) * static_cast<int>(sizeof(In));
  if constexpr (RegisterTile<In, K, C>::full_rows) {
    const register_tile_steps::Sides<In, K, V> sides(job, column);
#pragma unroll
    for (int j = 0; j < input_rows; ++j) sides.load(rows[j], from + j * job.in_row);
  } else {
#pragma unroll
    for (int j = 0; j < input_rows; ++j) rows[j].load(from + j * job.in_row);
  }
  std::byte* const to = out + first * job.out_row + static_cast<std::int64_t>(column) * element_bytes(job.out_pixel);
  const bool is_truncated = truncates(job.out_pixel, job.rounding);
  if constexpr (RegisterTile<In, K, C>::integer_weights) {
    with_pixel(job.out_pixel, [&](auto element) {
      using T = decltype(element);
      Stacks<K, C, V> stacks{};
#pragma unroll
      for (int j = 0; j < input_rows; ++j) {
        if (j < K - 1) {
          stacks.push(rows[j]);
          continue;
        }
        std::int32_t sums[V];
        stacks.add(rows[j], job.words, sums);
        float values[V];
#pragma unroll
        for (int v = 0; v < V; ++v) values[v] = static_cast<float>(sums[v]) * job.scale + job.offset;
        if (is_truncated) truncate(values);
        store_rounded<T, V>(to + (j - K + 1) * job.out_row, values);
      }
    });
  } else {
    Sum sums[R][V] = {};
#pragma unroll
    for (int j = 0; j < input_rows; ++j) {
#pragma unroll
      for (int ky = 0; ky < K; ++ky) {
        if (j - ky < 0 || j - ky >= R) continue;
#pragma unroll
        for (int kx = 0; kx < K; ++kx) {
#pragma unroll
          for (int v = 0; v < V; ++v) sums[j - ky][v] += job.weights[ky * K + kx] * rows[j][v + (kx - K / 2) * C];
        }
      }
    }
    if (job.offset != 0 || job.scale != 1) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
#pragma unroll
        for (int v = 0; v < V; ++v) sums[r][v] = sums[r][v] * job.scale + job.offset;
      }
    }
    if constexpr (std::is_same_v<Sum, float>) {
      if (is_truncated) {
#pragma unroll
        for (int r = 0; r < R; ++r) truncate(sums[r]);
      }
    }
    with_pixel(job.out_pixel, [&](auto element) {
      using T = decltype(element);
#pragma unroll
      for (int r = 0; r < R; ++r) register_tile_steps::put_row<T, V>(to + r * job.out_row, sums[r], job.rounding);
    });
  }
}

template <class In, int K, int C>
auto register_tile_of() {
  using Tile = RegisterTile<In, K, C>;
  return RegisterTileSize<K, typename Tile::Sum>{register_tile_kernel<In, K, C>,
                                                 C,
                                                 Tile::columns,
                                                 Tile::rows,
                                                 Tile::Row::reach,
                                                 Tile::full_rows,
                                                 Tile::blocks};
}

template <class In, int K>
RegisterTileSize<K, typename RegisterTile<In, K, 1>::Sum> register_tile_size(int channels) {
  if constexpr (sizeof(In) > 1 || K == 3) {
    switch (channels) {
      case 2: return register_tile_of<In, K, 2>();
      case 3: return register_tile_of<In, K, 3>();
      case 4: return register_tile_of<In, K, 4>();
    }
  }
  return register_tile_of<In, K, 1>();
}

}  // namespace halation::cuda_backend
