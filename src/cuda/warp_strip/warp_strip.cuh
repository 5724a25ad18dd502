// warp_strip.cuh: small filters on small pixels: each warp walks down a strip of columns, its sums of K rows of outputs in registers.
//
// Rows come into shared memory as they are, several ahead, 16 bytes a copy. A lane takes its own columns and those beside them from
// there, makes numbers of them, and adds what the row gives to all K outputs that it is part of: the first multiply-add of each
// writes to its neighbour's register, so that sums move up for nothing. What lies beyond a row's ends is set in shared memory by lanes
// of the warps there; rows above and below the image are other rows, or constants. A warp is a block: none waits for another, and
// what it shares lies in uniform registers.
//
//   warp → outputs     32 · V · G columns, V = 16 bytes of input (interleaved channels are columns, C apart), all rows of a strip
//   registers          K · V · G sums, and the numbers of a row around V columns: V + (K − 1) · C
//   shared memory      6 rows of 32 · G pieces of 16 bytes and those that the filter reaches on either side
//   operations         dense: K² multiply-adds an output; factored: 2 K; integer: 3, 7 (5 taps) or 14 (7) products of four bytes
//   traffic            DRAM: each element once; L2: K − 1 rows above each strip and a piece beside each warp's columns again
//   limits             one filter, sums in f32, or in integers; outputs over their inputs; constants that are pixels; K = 3, 5, 7 (and 9
//                      factored, or over f32 of one channel): others are set into the next size with zeros, where 0 · input cannot be NaN; C = 1 to 4. Rows on
//                      16-byte boundaries: factors of small pixels, and of u8 all else but integer weights of 3 × 3 and 5 × 5; for
//                      others register tiles (register_tile.cuh) are faster
//   other rows         come as the whole pieces in which they lie, each row with its own shift, and windows are taken from any byte on;
//                      outputs leave by way of shared memory in whole words. Pixels out: as in, f32, and i16 from u8
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/parts/dp4a.cuh"
#include "cuda/parts/neighbours.cuh"
#include "cuda/warp_strip/rows.cuh"
#include "cuda/warp_strip/size.cuh"

namespace halation::cuda_backend {

namespace warp_strip_steps {

/// What a row gives to the outputs of a group that it is part of; `sums[0]` is complete with it.
template <int K, int C, WarpStripSums Sums, class Row, int G, int V>
__device__ __forceinline__ void add_row(const WarpStripArguments& job, const Row& row, int g, Running<float, K, G, V>& state) {
  auto& sums = state.sums;
  const auto column = [&](int v, int kx) { return row[v + (kx - K / 2) * C]; };
  if constexpr (Sums == WarpStripSums::factored) {
    float across[V];
#pragma unroll
    for (int kx = 0; kx < K; ++kx) {
#pragma unroll
      for (int v = 0; v < V; ++v) across[v] = (kx == 0 ? 0.0F : across[v]) + job.weights[K + kx] * column(v, kx);
    }
#pragma unroll
    for (int m = 0; m < K; ++m) {
#pragma unroll
      for (int v = 0; v < V; ++v)
        sums[m][g][v] = (m + 1 < K ? sums[m + 1 < K ? m + 1 : m][g][v] : 0.0F) + job.weights[K - 1 - m] * across[v];
    }
  } else {
#pragma unroll
    for (int m = 0; m < K; ++m) {
#pragma unroll
      for (int kx = 0; kx < K; ++kx) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          const float sum = kx > 0 ? sums[m][g][v] : m + 1 < K ? sums[m + 1 < K ? m + 1 : m][g][v] : 0.0F;
          sums[m][g][v] = sum + job.weights[(K - 1 - m) * K + kx] * column(v, kx);
        }
      }
    }
  }
}

/// The same in integers.
template <int K, int C, WarpStripSums Sums, class Row, int G, int V>
__device__ __forceinline__ void add_row(const WarpStripArguments& job, const Row& row, int g, Running<std::int32_t, K, G, V>& state) {
  static_assert(C == 1);
  auto& sums = state.sums;
  const RowBytes<Row, V> bytes(row);
#pragma unroll
  for (int m = 0; m < K; ++m) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const std::int32_t sum = i > 0 ? sums[m][g][v] : m + 1 < K ? sums[m + 1 < K ? m + 1 : m][g][v] : 0;
        sums[m][g][v] = bytes.template add<K>(v, i, job.words + 4 * (K - 1 - m), sum);
      }
    }
  }
}

template <int K, int C, WarpStripSums Sums, class Row, int G, int V>
__device__ __forceinline__ void add_row(const WarpStripArguments& job, const Row& row, int g, Stacked<K, C, G, V>& state) {
  state.stacks[g].add(row, job.words, state.sums[0][g]);
}

/// `count` of a lane's outputs, one by one.
template <int V>
__device__ __noinline__ void put_some(Pixel pixel, Rounding rounding, std::byte* to, int count, const float* values) {
  for (int v = 0; v < count; ++v) store(to + v * element_bytes(pixel), values[v], pixel, rounding);
}

/// A lane's outputs of G whole groups.
template <int G, int V>
__device__ __forceinline__ void put_groups(Pixel pixel, std::byte* to, const float (&values)[G][V]) {
  with_pixel(pixel, [&](auto element) { store_runs<decltype(element), G, V>(to, values); });
}

/// A lane's outputs of a row, of which `count` lie at its first group or behind it inside the image.
template <int G, int V>
__device__ __forceinline__ void put_numbers(const WarpStripArguments& job, std::byte* to, int count, const float (&values)[G][V]) {
  if (count >= (32 * (G - 1) + 1) * V) return put_groups(job.out_pixel, to, values);
  // The last group is not whole. In images narrower than a warp's columns the first one may be.
  static_assert(G <= 2);
  const bool first_is_whole = count >= V;
  float some[1][V];
#pragma unroll
  for (int v = 0; v < V; ++v) some[0][v] = values[0][v];
  if (first_is_whole) {
    put_groups(job.out_pixel, to, some);
    to += 32 * V * element_bytes(job.out_pixel);
    count -= 32 * V;
    if (count <= 0) return;
#pragma unroll
    for (int v = 0; v < V; ++v) some[0][v] = values[G - 1][v];
  }
  put_some<V>(job.out_pixel, job.rounding, to, count, some[0]);
}

/// The first `count` of a warp's outputs of a row, from any element on, by way of `staged`: whole words, and what lies before and
/// behind them.
template <class T, int G, int V>
__device__ __forceinline__ void put_anywhere(std::byte* to, int count, const float (&values)[G][V], std::byte* staged) {
  constexpr int size = static_cast<int>(sizeof(T));
  const int lane = static_cast<int>(threadIdx.x);
  __syncwarp();  // until all have taken the row before
  store_runs<T, G, V>(staged + lane * V * size, values);
  __syncwarp();
  const int bytes = min(count, 32 * G * V) * size;
  const int first = min(static_cast<int>(-reinterpret_cast<std::uintptr_t>(to) & 3U), bytes);
  const int words = (bytes - first) / 4;
  const auto* const word_from = reinterpret_cast<const std::uint32_t*>(staged) + lane;
  auto* const word_to = reinterpret_cast<std::uint32_t*>(to + first) + lane;
#pragma unroll
  for (int i = 0; i < 32 * G * V * size / 4; i += 32) {
    if (i + lane < words) word_to[i] = size == 4 ? word_from[i] : __funnelshift_r(word_from[i], word_from[i + 1], 8 * first);
  }
  if constexpr (size < 4) {
    const int last = first + 4 * words;
    const int at = lane * size < first ? lane * size : last + lane * size - first;  // bytes, of an element that is in no word
    if (lane * size < first + bytes - last) *reinterpret_cast<T*>(to + at) = *reinterpret_cast<const T*>(staged + at);
  }
}

/// The same, to the job's pixel.
template <class In, int G, int V>
__device__ __forceinline__ void put_numbers_anywhere(const WarpStripArguments& job, std::byte* to, int count,
                                                     const float (&values)[G][V], std::byte* staged) {
  if constexpr (!std::is_same_v<In, float>) {
    if (job.out_pixel == Pixel::f32) return put_anywhere<float>(to, count, values, staged);
  }
  if constexpr (sizeof(In) == 1) {
    if (job.out_pixel == Pixel::i16) return put_anywhere<std::int16_t>(to, count, values, staged);
  }
  put_anywhere<In>(to, count, values, staged);
}

/// Hands sums as the numbers that pixels are made of to `put`: two copies of it rather than one behind an addition, which takes
/// registers.
template <int G, int V, class Put>
__device__ __forceinline__ void finish(const WarpStripArguments& job, const float (&sums)[G][V], const Put& put) {
  const bool is_truncated = truncates(job.out_pixel, job.rounding);
  if (job.offset == 0 && !is_truncated) return put(sums);
  float values[G][V];
#pragma unroll
  for (int g = 0; g < G; ++g) {
#pragma unroll
    for (int v = 0; v < V; ++v) values[g][v] = sums[g][v] + job.offset;
    if (is_truncated) truncate(values[g]);
  }
  put(values);
}

template <int G, int V, class Put>
__device__ __forceinline__ void finish(const WarpStripArguments& job, const std::int32_t (&sums)[G][V], const Put& put) {
  const bool is_truncated = truncates(job.out_pixel, job.rounding);
  float values[G][V];
#pragma unroll
  for (int g = 0; g < G; ++g) {
#pragma unroll
    for (int v = 0; v < V; ++v) values[g][v] = static_cast<float>(sums[g][v]) * job.scale + job.offset;
    if (is_truncated) truncate(values[g]);
  }
  put(values);
}

}  // namespace warp_strip_steps

template <class In, int K, int C, WarpStripSums Sums, WarpStripRows Rows, class R = WarpStrip<In, K, C, Sums, Rows>>
__global__ void __launch_bounds__(32, R::blocks) warp_strip_kernel(const __grid_constant__ WarpStripArguments job) {
  using namespace warp_strip_steps;
  __shared__ __align__(16) std::byte rows[staged_strip_rows * R::row_bytes];
  const int lane = static_cast<int>(threadIdx.x);
  const int out_size = element_bytes(job.out_pixel);
  const Way way = Way::of<R>(job, blockIdx.x, out_size);
  const Share<R> share(job, way);
  const auto beyond = Beyond<In, R>::template of<C>(job, way);
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(rows)) + 16 * (R::before + lane);
  const int all_rows = way.count + K - 1;
  const int first_row = way.row + job.centre_y - K / 2;
  const auto exists = [&](int y) { return static_cast<unsigned>(y) < static_cast<unsigned>(job.in_rows); };
  const std::byte* from = way.in + first_row * job.in_row + (way.column * R::size + 16 * lane);
  const int columns = job.columns - way.column;
  std::byte* to = way.out + (R::aligned ? lane * R::columns * out_size : 0);
  typename R::State state = {};
  const auto next_place = [](int place) { return place == (staged_strip_rows - 1) * R::row_bytes ? 0 : place + R::row_bytes; };
  int coming_at = 0;
  int staged_at = 0;
  [[maybe_unused]] std::uint32_t shifts = 0;  // of the rows on their way, four bits each, the last one lowest
  // At each step a row is asked for and the one that was `ahead` steps before is filtered.
#pragma unroll 1
  for (int j = -ahead; j < all_rows; ++j) {
    if constexpr (!R::aligned) shifts <<= 4;
    if (j + ahead < all_rows) {
      const int y = first_row + j + ahead;
      const std::byte* row = from;
      bool constants = false;
      if (!exists(y)) {
        const int source = source_of(job.border_y, y);
        constants = source < 0;
        row += (source - y) * job.in_row;
      }
      if (constants) {
        share.fill(job.constant_y, own + coming_at);
      } else {
        const int shift = R::aligned ? 0 : static_cast<int>(reinterpret_cast<std::uintptr_t>(row) & 15U);
        share.bring(job, row, shift, own + coming_at);
        if constexpr (!R::aligned) shifts |= static_cast<unsigned>(shift);
      }
    }
    from += job.in_row;
    coming_at = next_place(coming_at);
    staged_but<ahead>();
    __syncwarp();
    if (j < 0) continue;
    const int first = R::aligned ? staged_at : staged_at + static_cast<int>(shifts >> 4 * ahead & 15U);
    if (beyond.any()) {
      if (exists(first_row + j) || job.border_y.mode != Border::Mode::constant) beyond.set(job, rows + first);
      __syncwarp();
    }
#pragma unroll
    for (int g = 0; g < R::groups; ++g) {
      typename R::Row row;
      if constexpr (R::aligned) row.take(own + first + 512 * g);
      else row.take_from_any(own + first + 512 * g);
      add_row<K, C, Sums>(job, row, g, state);
    }
    staged_at = next_place(staged_at);
    if (j < K - 1) continue;
    if constexpr (R::aligned) {
      const int own_columns = columns - lane * R::columns;
      if (own_columns > 0) finish(job, state.sums[0], [&](const auto& values) { put_numbers(job, to, own_columns, values); });
    } else {
      __shared__ __align__(16) std::byte outputs[4 * R::warp_columns + 16];
      finish(job, state.sums[0], [&](const auto& values) { put_numbers_anywhere<In>(job, to, columns, values, outputs); });
    }
    to += job.out_row;
  }
}

template <class In, int K, int C, WarpStripSums Sums, WarpStripRows Rows>
WarpStripSize warp_strip_of() {
  return {warp_strip_kernel<In, K, C, Sums, Rows>, WarpStrip<In, K, C, Sums, Rows>::warp_columns,
          WarpStrip<In, K, C, Sums, Rows>::blocks};
}

template <class In, WarpStripRows Rows>
WarpStripSize warp_strip_size(int size, int channels, WarpStripSums sums) {
  const auto with_channels = [&]<int K, WarpStripSums Sums>() -> WarpStripSize {
    switch (channels) {
      case 1: return warp_strip_of<In, K, 1, Sums, Rows>();
      case 2: return warp_strip_of<In, K, 2, Sums, Rows>();
      case 3: return warp_strip_of<In, K, 3, Sums, Rows>();
      default: return warp_strip_of<In, K, 4, Sums, Rows>();
    }
  };
  const auto with_sums = [&]<int K>() -> WarpStripSize {
    if (sums == WarpStripSums::factored) return with_channels.template operator()<K, WarpStripSums::factored>();
    if constexpr ((sizeof(In) == 1 || Rows == WarpStripRows::any) && K < warp_strip_most) {
      if (sums == WarpStripSums::dense) return with_channels.template operator()<K, WarpStripSums::dense>();
    } else if constexpr (sizeof(In) == 4) {
      if (sums == WarpStripSums::dense && channels == 1) return warp_strip_of<In, K, 1, WarpStripSums::dense, Rows>();
    }
    if constexpr (sizeof(In) == 1 && Rows == WarpStripRows::any && K == 3) {
      return with_channels.template operator()<K, WarpStripSums::integer>();
    } else if constexpr (sizeof(In) == 1 && ((Rows == WarpStripRows::any && K == 5) || K == 7)) {
      if (channels == 1) return warp_strip_of<In, K, 1, WarpStripSums::integer, Rows>();
    }
    return {};
  };
  switch (size) {
    case 3: return with_sums.template operator()<3>();
    case 5: return with_sums.template operator()<5>();
    case 7: return with_sums.template operator()<7>();
    case 9: return with_sums.template operator()<9>();
    default: return {};
  }
}

}  // namespace halation::cuda_backend
