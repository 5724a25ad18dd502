// columns_alone.cuh: filters along y alone: a column's transform, times the filter's, and back, all in shared memory.
//
//   block → outputs   16 columns (f64 8; of interleaved channels so many elements) of a tile of 64 to 2,048 rows less the filter's taps
//   traffic           each element once but for the taps that tiles share; the spectrum, of one column, from the caches
//   odd tiles         columns in which a filter's box may hold too little beside the column (own_box.cuh), or with numbers that are huge or
//                     not finite: put right by the block that meets them
#pragma once

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
  using Bits = TileBits<rows, 1, Size::threads>;  // a word a row, of which a bit a column

  const FftPassArguments<T>& job;
  FftColumn<Size> place;
  FftPassPlace<T> where;
  std::byte* out;  ///< the first output of the thread's column
  int begin, end;  ///< samples that outputs' filters end at; none of columns beyond the image

  __device__ ColumnsOfBlock(const FftPassArguments<T>& arguments, unsigned tile, unsigned x, unsigned channel)
      : job(arguments), where(place_of_columns(arguments, tile, x, channel)) {
    out = where.tile.out + where.tile.y * job.out_strides.height + x * job.out_strides.width;
    begin = job.skipped[1];
    end = x < job.shape.width ? begin + static_cast<int>(min(std::int64_t{job.kept_y}, job.shape.height - where.tile.y)) : begin;
  }

  __device__ __forceinline__ void load(Complex<T> (&v)[Size::first]) const {
    FftColumnInput<T>(job, where).load(job.in_pixel, place.n, Size::part, Size::length, v);
  }
  /// The same, compiled once, for what few columns need.
  __device__ __noinline__ void load_again(Complex<T> (&v)[Size::first]) const { load(v); }
  /// Forth, times the spectrum, and back.
  __device__ __forceinline__ void transform(Complex<T> (&v)[Size::first], Complex<T>* numbers) const {
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
  __device__ __forceinline__ void put(const Complex<T> (&v)[Size::first], const FftFinish<T>& finish) const {
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
        if (static_cast<unsigned>(row + Size::part * i) < kept) store_as<Out>(to, finish(v[i].x), job.rounding);
        if (static_cast<unsigned>(row + Size::part * i + Size::length) < kept) store_as<Out>(far, finish(v[i].y), job.rounding);
      }
    });
  }
  __device__ __forceinline__ void put_at(int row, T value) const {
    store(out + (row - begin) * job.out_strides.height, value, job.out_pixel, job.rounding);
  }
  /// The rows of the thread's column that are outputs and that it looks after.
  template <class Body>
  __device__ __forceinline__ void for_each_output(const Body& body) const {
    for (int row = place.n; row < end; row += Size::part) {
      if (row >= begin) body(row);
    }
  }
  /// A bit for each sample that is such.
  template <class Is>
  __device__ __forceinline__ void mark(const Bits& map, const Is& is) const {
    Complex<T> v[Size::first];
    load_again(v);
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < Size::first; ++i) {
      const std::uint32_t real = __ballot_sync(~0U, is(v[i].x)), imaginary = __ballot_sync(~0U, is(v[i].y));
      if (place.column != 0) continue;
      map.of[place.n + Size::part * i] = real >> lane & ((1U << columns) - 1);
      map.of[place.n + Size::part * i + Size::length] = imaginary >> lane & ((1U << columns) - 1);
    }
    __syncthreads();
    map.spread(job.taps_y, true);
  }

  /// What all threads of the thread's column hold together, of numbers that are not negative.
  template <class Join>
  __device__ __forceinline__ T of_column(T mine, const Join& join) const {
    __shared__ T of_warps[warps][columns];
    for (int apart = columns; apart < 32; apart *= 2) mine = join(mine, __shfl_xor_sync(~0U, mine, apart));
    __syncthreads();
    if (static_cast<int>(threadIdx.x) % 32 < columns) of_warps[threadIdx.x / 32][place.column] = mine;
    __syncthreads();
    T all = of_warps[0][place.column];
    for (int warp = 1; warp < warps; ++warp) all = join(all, of_warps[warp][place.column]);
    return all;
  }

  /// Whether every box of the block's columns has enough of its column's squares (own_box.cuh): sums over `group_lanes` neighbours, the
  /// samples of as many threads. `sums` is shared memory for them.
  __device__ __forceinline__ bool is_even(const Complex<T> (&v)[Size::first], T* sums) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    T squares = 0;
#pragma unroll
    for (int i = 0; i < Size::first; ++i) {
      T real = v[i].x * v[i].x, imaginary = v[i].y * v[i].y;
      squares += real + imaginary;
      for (int apart = columns; apart < 32; apart *= 2) {
        real += __shfl_xor_sync(~0U, real, apart);
        imaginary += __shfl_xor_sync(~0U, imaginary, apart);
      }
      if (lane >= columns) continue;
      sums[(warp * 2 * Size::first + i) * columns + lane] = real;
      sums[(warp * 2 * Size::first + i + Size::first) * columns + lane] = imaginary;
    }
    squares = of_column(squares, [](T a, T b) { return a + b; });  // waits for the sums
    T least = static_cast<T>(INFINITY);
    const int together = job.group_lanes / beside;  // warps
    for (int k = place.n; k < 2 * Size::first; k += Size::part) {
      for (int first = 0; first + together <= warps; first += together) {
        T group = 0;
        for (int w = first; w < first + together; ++w) group += sums[(w * 2 * Size::first + k) * columns + place.column];
        // Of what outputs need: tiles at the end hold more, and blocks have columns beyond the image.
        if (Size::part * k + (first + together) * beside <= end) least = fmin(least, group);
      }
    }
    const bool even = begin >= end || halation::cuda_backend::is_even<T>({.squares = squares, .least = least}, static_cast<T>(rows));
    return __syncthreads_and(even ? 1 : 0) != 0;
  }
};

/// Columns in which a box may hold too little beside its column, or with numbers that are not plain: as resolve_tile (tile.cuh).
template <class T, class Size>
__device__ __noinline__ void resolve_columns(const FftPassArguments<T>& job, unsigned tile, unsigned x, unsigned channel, T lowest, std::byte* shared) {
  using Block = ColumnsOfBlock<T, Size>;
  const Block block(job, tile, x, channel);
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  auto* const bits = reinterpret_cast<std::uint32_t*>(shared + Size::shared_bytes);
  const typename Block::Bits any{bits}, strong{bits + Block::rows}, done{bits + 2 * Block::rows};
  const int column = block.place.column;
  const auto largest_of_column = [&](T mine) { return block.of_column(mine, [](T a, T b) { return fmax(a, b); }); };

  block.mark(done, [](T sample) { return !is_finite(sample); });
  bool reached = false;
  block.for_each_output([&](int row) { reached = reached || done.at(row, column); });
  const auto wanted = [&](int row) { return row >= block.begin && row < block.end && strong.at(row, column) && !done.at(row, column); };
  RoundOfTile<T> round;
  bool left = true;
  for (int r = 0; left && r < most_rounds; ++r) {
    Complex<T> v[Size::first];
    block.load_again(v);
    T largest = 0;
#pragma unroll
    for (int i = 0; i < Size::first; ++i) largest = fmax(largest, fmax(round.takes(v[i].x) ? fabs(v[i].x) : 0, round.takes(v[i].y) ? fabs(v[i].y) : 0));
    largest = largest_of_column(largest);
    round.scale = scale_for(largest);
    round.keep(v);
    T squares = 0;
#pragma unroll
    for (int i = 0; i < Size::first; ++i) squares = fma(v[i].x, v[i].x, fma(v[i].y, v[i].y, squares));
    squares = block.of_column(squares, [](T a, T b) { return a + b; });
    round.strong = largest > 0 ? sqrt(squares / Block::rows) / static_cast<T>(own_box_factor) : static_cast<T>(INFINITY);
    if (r == 0 && job.own_box) {
      block.mark(any, [](T sample) { return sample != 0; });
      block.for_each_output([&](int row) {
        if (any.at(row, column)) return;
        atomicOr(done.of + row, 1U << column);
        block.put_at(row, job.offset);
      });
      __syncthreads();
    }
    block.mark(strong, [&](T sample) { return !job.own_box || (round.takes(sample) && fabs(sample) * round.scale >= round.strong); });
    block.transform(v, numbers);
    const FftFinish<T> finish{job, 1 / round.scale, true, lowest};
#pragma unroll 1
    for (int i = 0; i < Size::first; ++i) {
      const int row = block.place.n + Size::part * i, far = row + Size::length;
      if (wanted(row)) block.put_at(row, finish(v[i].x));
      if (wanted(far)) block.put_at(far, finish(v[i].y));
    }
    __syncthreads();
    strong.for_each_word([&](std::uint32_t word, int at) { done.of[at] |= word; });
    __syncthreads();
    bool more = false;
    block.for_each_output([&](int row) { more = more || !done.at(row, column); });
    left = __syncthreads_or(more ? 1 : 0) != 0;
    if (largest > 0) round.limit = round.strong / round.scale;
  }
  if (left && job.own_box) {
    const FftFinish<T> finish{job, 1 / round.scale, true, lowest};
    block.for_each_output([&](int row) {
      if (done.at(row, column)) return;
      T sum = 0;
      for (int k = 0; k < job.taps_y; ++k) {
        const T sample = number_at<T>(job, block.where.tile, 0, row - job.taps_y + 1 + k, block.where.x);
        sum = fma(job.weights[job.taps_y - 1 - k], sample * round.scale, sum);
      }
      block.put_at(row, finish(sum));
    });
  }
  if (__syncthreads_or(reached ? 1 : 0) == 0) return;
  // What numbers that are not finite make of the outputs that they reach.
  auto* const kinds = reinterpret_cast<std::uint8_t*>(shared) + column;
  Complex<T> v[Size::first];
  block.load_again(v);
#pragma unroll
  for (int i = 0; i < Size::first; ++i) {
    kinds[(block.place.n + Size::part * i) * Size::columns] = kind_of(v[i].x);
    kinds[(block.place.n + Size::part * i + Size::length) * Size::columns] = kind_of(v[i].y);
  }
  __syncthreads();
  block.mark(done, [](T sample) { return !is_finite(sample); });
  block.for_each_output([&](int row) {
    if (!done.at(row, column)) return;
    T sum = 0;
    for (int i = 0; i < job.taps_y && sum == sum; ++i) {
      const std::uint8_t met = kinds[(row - job.taps_y + 1 + i) * Size::columns];
      if (met != plain_number) sum += odd_product<T>(met, job.signs[i]);
    }
    block.put_at(row, sum * job.scale + job.offset);
  });
}

template <class T, class Size>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_columns_kernel(const __grid_constant__ FftPassArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  // Elements of a row: pixels, or their channels where these lie side by side.
  const unsigned tile = job.across.quotient(blockIdx.x);
  const unsigned element = (blockIdx.x - tile * job.across.by) * Size::columns + FftColumn<Size>().column;
  const unsigned x = job.channels.quotient(element), channel = element - x * job.channels.by;
  const ColumnsOfBlock<T, Size> block(job, tile, x, channel);
  Complex<T> v[Size::first];
  block.load(v);
  T lowest = static_cast<T>(-INFINITY);
  if (job.notes_odd) {
    bool plain = true, negative = false;
#pragma unroll
    for (int i = 0; i < Size::first; ++i) {
      plain = plain && is_plain(v[i].x) && is_plain(v[i].y);
      negative = negative || v[i].x < 0 || v[i].y < 0;
    }
    if (job.own_box && job.not_negative && __syncthreads_or(negative ? 1 : 0) == 0) lowest = 0;
    bool odd = __syncthreads_or(plain ? 0 : 1) != 0;
    if (job.own_box && !odd) odd = job.group_lanes == 0 || !block.is_even(v, reinterpret_cast<T*>(shared));
    if (odd) {
      resolve_columns<T, Size>(job, tile, x, channel, lowest, shared);
      return;
    }
  }
  block.transform(v, numbers);
  if (job.whole) round_to_whole(v);
  block.put(v, FftFinish<T>{job, T(1), false, lowest});
}

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
          .shared_bytes = Size::shared_bytes + 3 * 2 * Size::length * sizeof(std::uint32_t), .group_rows = Size::part, .filter = fft_columns_kernel<T, Size>, .spectrum = fft_column_spectrum_kernel<T, Size>};
}

}  // namespace halation::cuda_backend
