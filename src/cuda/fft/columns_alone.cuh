// columns_alone.cuh: filters along y alone: a column's transform, times the filter's, and back, all in shared memory.
//
//   block → outputs   16 columns (f64 8; of interleaved channels so many elements) of a tile of 64 to 2,048 rows less the filter's taps
//   traffic           each element once but for the taps that tiles share; the spectrum, of one column, from the caches
//   odd tiles         scaled by the block that meets them, which then puts out by itself what numbers that are not finite reach
#pragma once

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

/// Puts out what numbers that are not finite make of the outputs of the block's columns that they reach.
template <class T, class Size>
__device__ __noinline__ void put_not_finite(const FftPassArguments<T>& job, unsigned tile, unsigned x, unsigned channel, std::byte* out, int end,
                                            std::byte* shared) {
  constexpr int samples = 2 * Size::length;
  const FftColumn<Size> place;
  const FftColumnInput<T> input(job, place_of_columns(job, tile, x, channel));
  auto* const kinds = reinterpret_cast<std::uint8_t*>(shared) + place.column;
  __syncthreads();
  Complex<T> v[Size::first];
  input.load(job.in_pixel, place.n, Size::part, Size::length, v);
#pragma unroll
  for (int i = 0; i < Size::first; ++i) {
    kinds[(place.n + Size::part * i) * Size::columns] = kind_of(v[i].x);
    kinds[(place.n + Size::part * i + Size::length) * Size::columns] = kind_of(v[i].y);
  }
  __syncthreads();
  if (place.n > 0 || x >= job.shape.width) return;
  int last[3]{-samples, -samples, -samples};  // where a number of each kind was met last
  for (int row = 0; row < samples; ++row) {
    const std::uint8_t kind = kinds[row * Size::columns];
    for (int k = 0; k < 3; ++k) {
      if ((kind >> k & 1) != 0) last[k] = row;
    }
    const int begin = row - job.taps_y + 1;
    if (row < job.skipped[1] || row >= end || max(last[0], max(last[1], last[2])) < begin) continue;
    T sum = 0;
    for (int i = 0; i < job.taps_y && sum == sum; ++i) {
      const std::uint8_t met = kinds[(begin + i) * Size::columns];
      if (met != plain_number) sum += odd_product<T>(met, job.signs[i]);
    }
    store(out + (row - job.skipped[1]) * job.out_strides.height, sum * job.scale + job.offset, job.out_pixel, job.rounding);
  }
}

template <class T, class Size>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_columns_kernel(const __grid_constant__ FftPassArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  const FftColumn<Size> place;
  // Elements of a row: pixels, or their channels where these lie side by side.
  const unsigned tile = job.across.quotient(blockIdx.x);
  const unsigned element = (blockIdx.x - tile * job.across.by) * Size::columns + place.column;
  const unsigned x = job.channels.quotient(element), channel = element - x * job.channels.by;
  const FftPassPlace<T> where = place_of_columns(job, tile, x, channel);
  Complex<T> v[Size::first];
  FftColumnInput<T>(job, where).load(job.in_pixel, place.n, Size::part, Size::length, v);
  T undo = 1;
  bool odd = false;
  if (job.notes_odd) {
    bool plain = true;
#pragma unroll
    for (int i = 0; i < Size::first; ++i) plain = plain && is_plain(v[i].x) && is_plain(v[i].y);
    odd = __syncthreads_or(plain ? 0 : 1) != 0;
    if (odd) {
      const T scale = job.whole ? T(1) : scale_for(largest_of_block(largest_of(v)));
      undo = 1 / scale;
      scale_finite(v, scale);
    }
  }
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
  if (job.whole) round_to_whole(v);
  const FftFinish<T> finish{job, undo, odd};
  const int end = job.skipped[1] + static_cast<int>(min(std::int64_t{job.kept_y}, job.shape.height - where.tile.y));
  const std::int64_t stride = job.out_strides.height;
  std::byte* const out = where.tile.out + where.tile.y * stride + x * job.out_strides.width;
  if (x < job.shape.width) {
    with_pixel(job.out_pixel, [&](auto pixel) {
      using Out = decltype(pixel);
      const int row = place.n - job.skipped[1];  // of the tile's outputs
      const auto kept = static_cast<unsigned>(end - job.skipped[1]);
      std::byte* to = out + row * stride;
      std::byte* far = to + Size::length * stride;
#pragma unroll
      for (int i = 0; i < Size::first; ++i, to += Size::part * stride, far += Size::part * stride) {
        if (static_cast<unsigned>(row + Size::part * i) < kept) store_as<Out>(to, finish(v[i].x), job.rounding);
        if (static_cast<unsigned>(row + Size::part * i + Size::length) < kept) store_as<Out>(far, finish(v[i].y), job.rounding);
      }
    });
  }
  if (odd) put_not_finite<T, Size>(job, tile, x, channel, out, end, shared);
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
          .shared_bytes = Size::shared_bytes, .filter = fft_columns_kernel<T, Size>, .spectrum = fft_column_spectrum_kernel<T, Size>};
}

}  // namespace halation::cuda_backend
