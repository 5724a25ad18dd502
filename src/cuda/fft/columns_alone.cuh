// columns_alone.cuh: filters along y alone: a column's transform, times the filter's, and back, all in shared memory.
//
//   block → outputs   16 columns (f64 8; of interleaved channels so many elements) of a tile of 64 to 2,048 rows less the filter's taps
//   traffic           each element once but for the taps that tiles share; the spectrum, of one column, from the caches
//   odd tiles         columns in which a filter's box may hold too little beside the column (own_box.cuh), or with numbers that are huge or
//                     not finite: put right by a second launch
#pragma once

#include "cuda/fft/kernels.cuh"
#include "cuda/fft/own_box.cuh"
#include "cuda/fft/passes.cuh"
#include "cuda/fft/steps/columns.cuh"

namespace halation::cuda_backend {

/// Where a column of a tile lies: a tile is all of a row's elements wide, and the channel is one of those side by side.
template <class T>
__device__ __forceinline__ FftPassPlace<T> place_of_columns(const FftPassArguments<T>& job, unsigned tile, unsigned x, unsigned channel) {
  TileDigits digits{tile};
  FftPassPlace<T> place;
  place.x = static_cast<int>(x);
  place.tile.x = 0;
  place.tile.y = digits.next(job.down) * job.kept_y;
  place.tile.z = digits.next(job.depth);
  const std::int64_t of_all = digits.next(job.planes) + channel;  // one of the two counts to 1
  const std::int64_t batch = digits.rest;
  place.tile.in = job.in + batch * job.in_strides.batch + of_all * job.in_strides.channels;
  place.tile.out = job.out + batch * job.out_strides.batch + of_all * job.out_strides.channels + place.tile.z * job.out_strides.depth;
  return place;
}

/// A block's columns, each a tile of its own, and its thread's place in them.
template <class T, class Size>
struct ColumnsOfBlock {
  static constexpr int rows = 2 * Size::length, columns = Size::columns, beside = 32 / columns, warps = Size::threads / 32;
  using Number = T;
  using Map = MagnitudeMap<T, rows, columns, Size::threads>;
  using Code = typename Map::Code;
  static constexpr int samples = rows, threads = Size::threads;

  const FftPassArguments<T>& job;
  FftColumn<Size> place;
  FftPassPlace<T> where;
  std::byte* out;  ///< the first output of the thread's column
  int begin, end;  ///< samples that outputs' filters end at; none of columns beyond the image

  /// The block's elements of a row: pixels, or their channels where these lie side by side.
  __device__ ColumnsOfBlock(const FftPassArguments<T>& arguments, unsigned block) : job(arguments) {
    const unsigned tile = job.across.quotient(block);
    const unsigned element = (block - tile * job.across.by) * columns + place.column;
    const unsigned x = job.channels.quotient(element), channel = element - x * job.channels.by;
    where = place_of_columns(job, tile, x, channel);
    out = where.tile.out + where.tile.y * job.out_strides.height + x * job.out_strides.width;
    begin = job.skipped[1];
    end = x < job.shape.width ? begin + static_cast<int>(min(std::int64_t{job.kept_y}, job.shape.height - where.tile.y)) : begin;
  }

  /// Forth, times the spectrum, and back.
  __device__ __forceinline__ void transform(Complex<T> (&v)[Size::first]) const {
    auto* const numbers = reinterpret_cast<Complex<T>*>(block_memory());
    turn_packed<1>(v);
    columns_forth(v, numbers, job.turns[0], place, [&](int row, Complex<T>* at) {
      Complex<T> w[last_step<Size>];
      last_step_forth<Size>(w, at);
#pragma unroll
      for (int i = 0; i < last_step<Size>; ++i) w[i] = w[i] * ldg(job.spectrum + row + i);
      first_step_back<Size>(w, at);
    });
    columns_back(v, numbers, job.turns[0], place);
    turn_packed<-1>(v);
  }
  /// The thread's outputs, where is_wanted(row).
  template <class IsWanted>
  __device__ __forceinline__ void put(const Complex<T> (&v)[Size::first], const FftFinish<T>& finish, const IsWanted& is_wanted) const {
    if (begin >= end) return;
    const std::int64_t stride = job.out_strides.height;
    with_pixel(job.out_pixel, [&](auto pixel) {
      using Out = decltype(pixel);
      const int row = place.n - begin;  // of the tile's outputs
      const auto kept = static_cast<unsigned>(end - begin);
      std::byte* to = out + row * stride;
      std::byte* far = to + Size::length * stride;
#pragma unroll
      for (int i = 0; i < Size::first; ++i, to += Size::part * stride, far += Size::part * stride) {
        const int here = place.n + Size::part * i, there = here + Size::length;
        if (static_cast<unsigned>(here - begin) < kept && is_wanted(here)) store_as<Out>(to, finish(v[i].x), job.rounding);
        if (static_cast<unsigned>(there - begin) < kept && is_wanted(there)) store_as<Out>(far, finish(v[i].y), job.rounding);
      }
    });
  }

  /// What all threads of the thread's column hold together.
  template <class Number, class Join>
  __device__ __forceinline__ Number of_column(Number mine, const Join& join) const {
    __shared__ Number of_warps[warps][columns];
    for (int apart = columns; apart < 32; apart *= 2) mine = join(mine, __shfl_xor_sync(~0U, mine, apart));
    __syncthreads();
    if (static_cast<int>(threadIdx.x) % 32 < columns) of_warps[threadIdx.x / 32][place.column] = mine;
    __syncthreads();
    Number all = of_warps[0][place.column];
    for (int warp = 1; warp < warps; ++warp) all = join(all, of_warps[warp][place.column]);
    return all;
  }

  /// Which of the block's sums are good (own_box.cuh), by sums over groups of neighbours, the samples of as many threads. None is where a
  /// column's squares overflow, or vanish unless all are +0. `norms`: of the thread's samples, without their squares.
  __device__ __forceinline__ TileState look(const Complex<T> (&v)[Size::first], TileNorms<T> norms) const {
    auto* const sums = reinterpret_cast<T*>(block_memory());
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
    for (int i = 0; i < Size::first; ++i) {
      T real = v[i].x * v[i].x, imaginary = v[i].y * v[i].y;
      norms.squares += real + imaginary;
      for (int apart = columns; apart < 32; apart *= 2) {
        real += __shfl_xor_sync(~0U, real, apart);
        imaginary += __shfl_xor_sync(~0U, imaginary, apart);
      }
      if (lane >= columns) continue;
      sums[(warp * 2 * Size::first + i) * columns + lane] = real;
      sums[(warp * 2 * Size::first + i + Size::first) * columns + lane] = imaginary;
    }
    norms.show_vanished_squares(norms.bits != 0);
    norms.squares = of_column(norms.squares, [](T a, T b) { return a + b; });  // waits for the sums
    T least = job.groups[0].lanes > 0 ? static_cast<T>(INFINITY) : T(0);
    const int together = job.groups[0].lanes / beside;  // warps
    const NeededSamples needed(job.borders[1], where.tile.y + job.lead[1], job.inside_only[1]);
    for (int k = place.n; k < 2 * Size::first; k += Size::part) {
      for (int first = 0; together > 0 && first + together <= warps; first += together) {
        T group = 0;
        for (int w = first; w < first + together; ++w) group += sums[(w * 2 * Size::first + k) * columns + place.column];
        if (needed.hold(Size::part * k + first * beside, together * beside)) least = fmin(least, group);
      }
    }
    const bool is_column = begin < end;  // blocks have others beyond the image
    const bool usable = __syncthreads_and(!is_column || norms.are_known() ? 1 : 0) != 0;
    const bool even = __syncthreads_and(!is_column || norms.are_even(least, static_cast<T>(rows)) ? 1 : 0) != 0;
    return !usable ? TileState::odd : even ? TileState::good : TileState::good_where_strong;
  }

  // As own_box.cuh looks at columns again. A thread's places are all of its own column.
  __device__ TileSamples<T> column() const { return TileSamples<T>(job, where.tile, 1, 0, where.x); }
  __device__ Code* outputs() const { return reinterpret_cast<Code*>(block_memory() + Size::shared_bytes); }
  template <class Use>
  __device__ __forceinline__ void for_each_sample(const Use& use) const {
    column().template for_each<2 * Size::first>(place.n, Size::part, [&](int row, T x) { use(row * columns + place.column, x); });
  }
  __device__ void spread() const { Map::spread(job.taps_y, true); }
  __device__ void join(RoundNorms<T>& norms) const {
    norms.largest = of_column(norms.largest, [](T a, T b) { return fmax(a, b); });
    norms.squares = of_column(norms.squares, [](double a, double b) { return a + b; });
  }
  __device__ int least(int magnitude) const {
    return of_column(magnitude, [](int a, int b) { return min(a, b); });
  }
  template <class Use>
  __device__ __forceinline__ void for_each_place(const Use& use) const {
    constexpr int rows_each = threads / columns;
    int row = static_cast<int>(threadIdx.x) / columns;
    std::byte* to = out + (row - begin) * job.out_strides.height;
    for (int at = static_cast<int>(threadIdx.x); at < Map::samples; at += threads, row += rows_each, to += rows_each * job.out_strides.height)
      use(at, row >= begin && row < end, to);
  }
  template <class Product>
  __device__ T sum_of(int place, const Product& product) const {
    const TileSamples<T> from = column();
    T sum = 0;
#pragma unroll 1
    for (int tap = 0; tap < job.taps_y; ++tap) sum += product(from.at(place / columns - job.taps_y + 1 + tap), tap);
    return sum;
  }
  __device__ void transform(const RoundOfTile<T>& round) const {
    __syncthreads();
    auto* const numbers = reinterpret_cast<Complex<T>*>(block_memory()) + place.column;
    column().template for_each<2 * Size::first>(place.n, Size::part, [&](int row, T x) {
      Complex<T>& to = numbers[row % Size::length * columns];
      (row < Size::length ? to.x : to.y) = round(x);
    });
    Complex<T> v[Size::first];
#pragma unroll
    for (int i = 0; i < Size::first; ++i) v[i] = numbers[(place.n + Size::part * i) * columns];
    transform(v);
    if (job.whole) round_to_whole(v);
    if (round.no_negative) keep_from_below_zero(v);
    const Code* const magnitudes = outputs() + place.column;
    put(v, FftFinish<T>{job, 1 / round.scale, true}, [&](int row) { return round.takes(magnitudes[row * columns]); });
    __syncthreads();
  }
};

/// What is left to the second launch is noted.
template <class T, class Size>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_columns_kernel(const __grid_constant__ FftPassArguments<T> job) {
  const ColumnsOfBlock<T, Size> block(job, blockIdx.x);
  Complex<T> v[Size::first];
  FftColumnInput<T>(job, block.where).load(job.in_pixel, block.place.n, Size::part, Size::length, v);
  bool no_negative = false;
  if (job.notes_odd) {
    TileNorms<T> norms;
    norms.add_bits(v);
    TileState state = TileState::good;
    if (job.own_box) {
      no_negative = __syncthreads_or(norms.show_no_negative(job) ? 0 : 1) == 0;
      state = block.look(v, norms);
    } else {
      norms.add_squares(v);
      if (__syncthreads_and(norms.are_usable(job) ? 1 : 0) == 0) state = TileState::odd;
    }
    if (threadIdx.x == 0) note_tile(job, blockIdx.x, state);
    if (state == TileState::odd) return;
  }
  block.transform(v);
  if (job.whole) round_to_whole(v);
  if (no_negative) keep_from_below_zero(v);
  block.put(v, FftFinish<T>{job, T(1), false}, [](int) { return true; });
}

/// A block's columns as the second launch takes them.
template <class T, class S>
struct FftColumnsAgain {
  using Size = S;
  __device__ __forceinline__ static void resolve(const FftPassArguments<T>& job, unsigned block) {
    cuda_backend::resolve(ColumnsOfBlock<T, Size>(job, block), job.odd_tiles[block] == static_cast<std::uint8_t>(TileState::good_where_strong));
  }
};

/// The spectrum of weights that lie in the first rows of a column: one block.
template <class T, class Size>
__global__ void __launch_bounds__(Size::threads, Size::blocks)
    fft_column_spectrum_kernel(const T* weights, int taps, const Complex<T>* roots, Complex<T>* spectrum) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  const FftColumn<Size> place;
  Complex<T> v[Size::first];
#pragma unroll
  for (int i = 0; i < Size::first; ++i) {
    const int row = place.n + Size::part * i, far = row + Size::length;
    v[i] = {row < taps ? weights[row] : 0, far < taps ? weights[far] : 0};
  }
  turn_packed<1>(v);
  columns_forth(v, numbers, roots, place, [&](int row, Complex<T>* at) {
    Complex<T> w[last_step<Size>];
    last_step_forth<Size>(w, at);
    constexpr T one_of = T(1) / Size::length;
    if (place.column > 0) return;
#pragma unroll
    for (int i = 0; i < last_step<Size>; ++i) spectrum[row + i] = {w[i].x * one_of, w[i].y * one_of};
  });
}

template <class T, int First, int Second, int Third>
FftAloneKernels<T> fft_alone() {
  using Size = FftColumnSize<T, First, Second, Third, fft_block_columns<T>(Second * Third > 32 ? 64 : Second * Third)>;
  return {.first = First, .second = Second, .third = Third, .length = Size::length, .columns = Size::columns, .threads = Size::threads,
          .shared_bytes = Size::shared_bytes + ColumnsOfBlock<T, Size>::Map::samples * sizeof(typename Magnitude<T>::Code), .group_rows = Size::part,
          .blocks = Size::blocks, .filter = fft_columns_kernel<T, Size>, .resolve = fft_resolve_kernel<FftPassArguments<T>, FftColumnsAgain<T, Size>>,
          .spectrum = fft_column_spectrum_kernel<T, Size>};
}

}  // namespace halation::cuda_backend
