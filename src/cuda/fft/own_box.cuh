// own_box.cuh: sums by transforms are as good as their own box: what tells tiles of which that may not hold, and which of their outputs
// (core/own_box.h).
//
// The first launch adds up each tile's squares, and those of some groups of neighbours, so chosen that every filter's box holds a whole
// group: where the least group has rms² / factor² or more, so has every box. Other tiles are resolved by a second launch, sample by
// sample: bits of a tile's samples, spread over windows of the filter's size, tell what an output's box holds.
#pragma once

#include "core/own_box.h"
#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

/// What the first launch leaves of a tile.
enum : std::uint8_t {
  tile_is_fine = 0,
  tile_is_doubtful = 1,  ///< sums are right where a box is strong enough
  tile_is_not_finite = 2
};

/// What one thread, then a block, knows of a tile's samples.
template <class T>
struct TileNorms {
  T squares = 0;                          ///< of all samples
  T least = static_cast<T>(INFINITY);     ///< sum of squares of a group
  T lowest = static_cast<T>(INFINITY);    ///< sample

  template <int Count>
  __device__ __forceinline__ void add(const Complex<T> (&v)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      squares = fma(v[i].x, v[i].x, fma(v[i].y, v[i].y, squares));
      lowest = fmin(lowest, fmin(v[i].x, v[i].y));
    }
  }

  __device__ __forceinline__ void join(const TileNorms& other) {
    squares += other.squares;
    least = fmin(least, other.least);
    lowest = fmin(lowest, other.lowest);
  }
  /// Of the lanes of a warp, for all of them.
  __device__ __forceinline__ void join_lanes() {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      join({__shfl_xor_sync(~0U, squares, apart), __shfl_xor_sync(~0U, least, apart), __shfl_xor_sync(~0U, lowest, apart)});
    }
  }
};

/// Squares of 2 · Count samples, each summed over four lanes: a lane keeps one of four of the sums. Infinite of those that counts(i, of the
/// imaginary parts) leaves out.
template <int Count, class T, class Counts>
__device__ __forceinline__ void group_squares(const Complex<T> (&v)[Count], T (&sums)[Count / 2], const Counts& counts) {
  const bool odd = (threadIdx.x & 1) != 0, far = (threadIdx.x & 2) != 0;
  T half[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const T real = counts(i, false) ? v[i].x * v[i].x : static_cast<T>(INFINITY), imaginary = counts(i, true) ? v[i].y * v[i].y : static_cast<T>(INFINITY);
    half[i] = (odd ? imaginary : real) + __shfl_xor_sync(~0U, odd ? real : imaginary, 1);
  }
#pragma unroll
  for (int i = 0; i < Count / 2; ++i) {
    const T low = half[i], high = half[i + Count / 2];
    sums[i] = (far ? high : low) + __shfl_xor_sync(~0U, far ? low : high, 2);
  }
}

/// The least of such sums, over groups of 4, 8, 16 or 32 lanes.
template <int Count, class T>
__device__ __forceinline__ T least_group(T (&sums)[Count], int lanes) {
  T least = static_cast<T>(INFINITY);
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    for (int apart = 4; apart < lanes; apart *= 2) sums[i] += __shfl_xor_sync(~0U, sums[i], apart);
    least = fmin(least, sums[i]);
  }
  return least;
}

/// Whether every group, and so every box, has enough of the tile's squares. Squares that overflow or vanish say nothing.
template <class T>
__device__ __forceinline__ bool is_even(const TileNorms<T>& norms, T samples) {
  constexpr T too_small = sizeof(T) == 8 ? static_cast<T>(1e-280) : static_cast<T>(1e-28);
  return norms.squares > too_small && is_finite(norms.squares) &&
         norms.least * (samples * static_cast<T>(own_box_factor * own_box_factor)) >= norms.squares;
}

/// Bits of a tile's samples, a row of `Words` words after the other, of a block of `Threads` threads, all of which call each function.
template <int Rows, int Words, int Threads>
struct TileBits {
  static constexpr int words = Rows * Words;
  std::uint32_t* of;

  __device__ __forceinline__ bool at(int row, int column) const { return (of[row * Words + column / 32] >> (column % 32) & 1) != 0; }

  /// Each bit becomes that of any in the window of so many columns, or rows, that ends there.
  __device__ void spread(int taps, bool along_y) const {
    constexpr int each = (words + Threads - 1) / Threads;
    for (int reached = 1; reached < taps;) {
      const int step = min(reached, taps - reached);
      std::uint32_t more[each];
#pragma unroll
      for (int k = 0; k < each; ++k) {
        const int at = static_cast<int>(threadIdx.x) + k * Threads;
        more[k] = at < words ? before(at, step, along_y) : 0;
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < each; ++k) {
        const int at = static_cast<int>(threadIdx.x) + k * Threads;
        if (at < words) of[at] |= more[k];
      }
      __syncthreads();
      reached += step;
    }
  }

  /// change(word, its place) for each word.
  template <class Change>
  __device__ __forceinline__ void for_each_word(const Change& change) const {
    for (int at = static_cast<int>(threadIdx.x); at < words; at += Threads) change(of[at], at);
  }

 private:
  __device__ __forceinline__ std::uint32_t before(int at, int step, bool along_y) const {
    if (along_y) return at >= step * Words ? of[at - step * Words] : 0;
    const int word = at % Words, far = word - step / 32;
    const std::uint32_t near = far >= 0 ? of[at - step / 32] : 0, next = far >= 1 ? of[at - step / 32 - 1] : 0;
    return __funnelshift_l(next, near, step % 32);
  }
};

/// Samples that a round of a doubtful tile transforms: those below `limit`, times `scale`.
template <class T>
struct RoundOfTile {
  T limit = static_cast<T>(INFINITY);
  T scale = 1;
  T strong = 0;  ///< from here on a sample makes its boxes strong; before it is multiplied

  __device__ __forceinline__ bool takes(T x) const { return fabs(x) < limit; }  // not a NaN, nor infinite
  template <int Count>
  __device__ __forceinline__ void keep(Complex<T> (&v)[Count]) const {
#pragma unroll
    for (int i = 0; i < Count; ++i) v[i] = {takes(v[i].x) ? v[i].x * scale : 0, takes(v[i].y) ? v[i].y * scale : 0};
  }
};

/// The sum of all threads' numbers.
template <class T>
__device__ T sum_of_block(T mine) {
  __shared__ T of_warps[32];
  for (int apart = 16; apart > 0; apart /= 2) mine += __shfl_xor_sync(~0U, mine, apart);
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  T sum = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) sum += of_warps[warp];
  return sum;
}

/// The rounds that a doubtful tile gets before what is left of its outputs is summed by taps.
constexpr int most_rounds = 4;

/// Sizes a round by what is left of a tile: for_each(use) calls use(v) with all samples, some at a time. False where nothing is left.
template <int Count, class T, class ForEach>
__device__ bool begin_round(RoundOfTile<T>& round, T samples, const ForEach& for_each) {
  T largest = 0;
  for_each([&](const Complex<T>(&v)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      largest = fmax(largest, fmax(round.takes(v[i].x) ? fabs(v[i].x) : 0, round.takes(v[i].y) ? fabs(v[i].y) : 0));
    }
  });
  largest = largest_of_block(largest);
  if (largest == 0) return false;
  round.scale = scale_for(largest);
  T squares = 0;
  for_each([&](const Complex<T>(&v)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const T x = round.takes(v[i].x) ? v[i].x * round.scale : 0, y = round.takes(v[i].y) ? v[i].y * round.scale : 0;
      squares = fma(x, x, fma(y, y, squares));
    }
  });
  round.strong = sqrt(sum_of_block(squares) / samples) / static_cast<T>(own_box_factor);
  return true;
}

}  // namespace halation::cuda_backend
