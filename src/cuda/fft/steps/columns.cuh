// columns.cuh: transforms of many columns at once, whose numbers lie a row apart in memory: those of a block side by side in shared memory.
//
//   steps            numbers first · second · third: `first` that lie second · third apart, `second` that lie third apart, neighbours
//                    (third may be 1). A thread has `first` numbers of one column in registers
//   order            digits stay reversed, as in line.cuh: frequency k + first · (k₂ + second · k₃) in row second · third · k + third · k₂ + k₃
//   shared memory    8 bytes a number (f64 16): 16 columns (f64 8) fill all banks; half as many of 1,024 rows
#pragma once

#include "cuda/fft/arguments.cuh"
#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

/// Columns of a block: enough for whole sectors of 32 bytes, few enough for two blocks a multiprocessor.
template <class T>
constexpr int fft_block_columns(int part) {
  return 128 / static_cast<int>(sizeof(Complex<T>)) / (part > 48 ? 2 : 1);
}

template <class T, int First, int Second, int Third, int Columns = fft_block_columns<T>(Second * Third)>
struct FftColumnSize {
  static constexpr int first = First, second = Second, third = Third;
  static constexpr int length = First * Second * Third;
  static constexpr int part = Second * Third;  ///< numbers apart that the first step takes together; threads of a column
  static constexpr int columns = Columns;
  static constexpr int threads = part * columns;
  static constexpr int blocks = (sizeof(T) == 8 ? 512 : 1024) / threads;  ///< that share a multiprocessor
  static constexpr std::size_t shared_bytes = std::size_t{length} * columns * sizeof(Complex<T>);
};

/// A thread's place in its block.
template <class Size>
struct FftColumn {
  int column = static_cast<int>(threadIdx.x) % Size::columns;
  int n = static_cast<int>(threadIdx.x) / Size::columns;
};

/// Transforms forth but for the last step, which `last(row, values)` does on so many numbers of the rows from `row` on, one below the
/// other, in shared memory at `at`, a row of the block apart. In: number n + part · i of the column as v[i]. Roots: e^(−2πi · n · (k +
/// shift) / length) at part · k + n, and then e^(−2πi · n · k / part) at third · k + n.
template <class Size, class T, class Last>
__device__ __forceinline__ void columns_forth(Complex<T> (&v)[Size::first], Complex<T>* numbers, const Complex<T>* roots,
                                              FftColumn<Size> place, const Last& last) {
  constexpr int first = Size::first, second = Size::second, third = Size::third, part = Size::part, row = Size::columns;
  Complex<T>* const mine = numbers + place.column;
  transform<-1, first>(v);
#pragma unroll
  for (int i = 0; i < first; ++i)
    mine[(part * result_of<first>(i) + place.n) * row] = v[i] * ldg(roots + part * result_of<first>(i) + place.n);
  __syncthreads();
  if constexpr (third == 1) {
#pragma unroll 1
    for (int k = place.n; k < first; k += part) last(second * k, mine + second * k * row);
  } else {
    static_assert(first % third == 0);
    const int n = place.n % third;
#pragma unroll 1
    for (int k = place.n / third; k < first; k += second) {
      Complex<T> w[second];
      Complex<T>* const at = mine + (part * k + n) * row;
#pragma unroll
      for (int i = 0; i < second; ++i) w[i] = at[third * i * row];
      transform<-1, second>(w);
#pragma unroll
      for (int i = 0; i < second; ++i) {
        constexpr auto result = result_of<second>;
        at[third * result(i) * row] = result(i) == 0 ? w[i] : w[i] * ldg(roots + Size::length + third * result(i) + n);
      }
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < first / third; ++j) {
      const int rows = third * (place.n + part * j);
      last(rows, mine + rows * row);
    }
  }
}

/// The way back, after whose first step, which `columns_forth` calls its last, numbers lie in shared memory. Out: number n + part · i of
/// the column as v[i].
template <class Size, class T>
__device__ __forceinline__ void columns_back(Complex<T> (&v)[Size::first], Complex<T>* numbers, const Complex<T>* roots,
                                             FftColumn<Size> place) {
  constexpr int first = Size::first, second = Size::second, third = Size::third, part = Size::part, row = Size::columns;
  Complex<T>* const mine = numbers + place.column;
  __syncthreads();
  if constexpr (third > 1) {
    const int n = place.n % third;
#pragma unroll 1
    for (int k = place.n / third; k < first; k += second) {
      Complex<T> w[second];
      Complex<T>* const at = mine + (part * k + n) * row;
#pragma unroll
      for (int i = 0; i < second; ++i) {
        constexpr auto result = result_of<second>;
        w[i] = at[third * result(i) * row];
        if (result(i) != 0) w[i] = times_conjugate(w[i], ldg(roots + Size::length + third * result(i) + n));
      }
      transform<1, second>(w);
#pragma unroll
      for (int i = 0; i < second; ++i) at[third * i * row] = w[i];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < first; ++i)
    v[i] = times_conjugate(mine[(part * result_of<first>(i) + place.n) * row], ldg(roots + part * result_of<first>(i) + place.n));
  transform<1, first>(v);
}

/// Numbers that the last step forth has together.
template <class Size>
constexpr int last_step = Size::third > 1 ? Size::third : Size::second;

/// The last step forth of a column: w from shared memory, transformed.
template <class Size, class T>
__device__ __forceinline__ void last_step_forth(Complex<T> (&w)[last_step<Size>], const Complex<T>* at) {
#pragma unroll
  for (int i = 0; i < last_step<Size>; ++i) w[i] = at[i * Size::columns];
  transform<-1, last_step<Size>>(w);
}
/// And the first step back.
template <class Size, class T>
__device__ __forceinline__ void first_step_back(Complex<T> (&w)[last_step<Size>], Complex<T>* at) {
  transform<1, last_step<Size>>(w);
#pragma unroll
  for (int i = 0; i < last_step<Size>; ++i) at[i * Size::columns] = w[i];
}

}  // namespace halation::cuda_backend
