// tile_steps.cuh: transforms of 16 · A rows of 16 · B complex numbers in shared memory: along columns, along rows, times a spectrum and back.
//
//   steps            16 of a column that lie A apart, A neighbours, likewise of a row, and back: seven passes through shared memory
//   order            digits stay reversed; the spectrum is column by column: bins i · 16 + k of all rows one after the other
//   barriers         warps that share 32 columns or rows wait for each other alone, the block only between columns and rows
#pragma once

#include "cuda/fft/arguments.cuh"
#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

// Roots between the two steps of a transform along columns (of packed ones with their turns) and along rows.
template <class T, int A>
__constant__ const Roots<T, A> packed_roots(-1.0 / (16 * A), 0.25 / (16 * A));
template <class T, int B>
__constant__ const Roots<T, B> plain_roots(-1.0 / (16 * B), 0.0);

template <class T, int A, bool Packed>
__device__ __forceinline__ Complex<T> column_root(int at) {
  if constexpr (Packed) return packed_roots<T, A>.of[at];
  else return plain_roots<T, A>.of[at];
}

/// Until so many threads of the block, a group of whole warps of its own number, are here.
template <int Threads>
__device__ __forceinline__ void meet_group([[maybe_unused]] int group) {
#if defined(__CUDA_ARCH__)
  asm volatile("bar.sync %0, %1;" ::"r"(group), "n"(Threads) : "memory");
#else
  __syncthreads();
#endif
}

/// Which column and row are a thread's, and the first of its places along them.
template <class Size>
struct FftTileThread {
  int column_group = static_cast<int>(threadIdx.x) / 32 / Size::column_threads;
  int first_of_column = static_cast<int>(threadIdx.x) / 32 % Size::column_threads;
  int column = 32 * column_group + static_cast<int>(threadIdx.x) % 32;
  int row_group = static_cast<int>(threadIdx.x) / 32 / Size::row_threads;
  int first_of_row = static_cast<int>(threadIdx.x) / 32 % Size::row_threads;
  int row = 32 * row_group + static_cast<int>(threadIdx.x) % 32;

  __device__ __forceinline__ void meet_in_columns() const { meet_group<32 * Size::column_threads>(1 + column_group); }
  __device__ __forceinline__ void meet_in_rows() const { meet_group<32 * Size::row_threads>(1 + Size::columns / 32 + row_group); }
};

/// Forth along columns: load(n, v) gives rows n + A · i of the thread's column; `meanwhile()` comes once all have been asked for.
template <int A, int B, bool Packed, class T, class Load, class Meanwhile>
__device__ __forceinline__ void tile_columns_forth(Complex<T>* numbers, FftTileThread<FftTileSize<T, A, B>> me, const Load& load,
                                                   const Meanwhile& meanwhile) {
  using Size = FftTileSize<T, A, B>;
  constexpr int pitch = Size::pitch;
#pragma unroll 1
  for (int n = me.first_of_column; n < A; n += Size::column_threads) {
    Complex<T> v[16];
    load(n, v);
    transform<-1, 16>(v);
    Complex<T>* const to = numbers + n * pitch + me.column;
#pragma unroll
    for (int i = 0; i < 16; ++i) to[A * result_at(i) * pitch] = v[i] * column_root<T, A, Packed>(n * 16 + result_at(i));
  }
  meanwhile();
  me.meet_in_columns();
#pragma unroll 1
  for (int k = me.first_of_column; k < 16; k += Size::column_threads) {
    Complex<T> v[A];
    Complex<T>* const at = numbers + A * k * pitch + me.column;
#pragma unroll
    for (int i = 0; i < A; ++i) v[i] = at[i * pitch];
    transform<-1, A>(v);
#pragma unroll
    for (int i = 0; i < A; ++i) at[i * pitch] = v[i];
  }
  __syncthreads();
}

/// The first step forth along rows.
template <int A, int B, class T>
__device__ __forceinline__ void tile_rows_begin(Complex<T>* numbers, FftTileThread<FftTileSize<T, A, B>> me) {
  using Size = FftTileSize<T, A, B>;
#pragma unroll 1
  for (int n = me.first_of_row; n < B; n += Size::row_threads) {
    Complex<T> v[16];
    Complex<T>* const at = numbers + me.row * Size::pitch + n;
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = at[B * i];
    transform<-1, 16>(v);
#pragma unroll
    for (int i = 0; i < 16; ++i) at[B * result_at(i)] = result_at(i) == 0 ? v[i] : v[i] * plain_roots<T, B>.of[n * 16 + result_at(i)];
  }
}

/// Forth along rows, times the spectrum, and back; of what lies before `skipped` in a row nothing is wanted.
template <int A, int B, class T>
__device__ __forceinline__ void tile_rows(Complex<T>* numbers, FftTileThread<FftTileSize<T, A, B>> me, const Complex<T>* spectrum, int skipped) {
  using Size = FftTileSize<T, A, B>;
  tile_rows_begin<A, B>(numbers, me);
  Complex<T> weights[B];
#pragma unroll
  for (int i = 0; i < B; ++i) weights[i] = spectrum[(i * 16 + me.first_of_row) * Size::rows + me.row];
  me.meet_in_rows();
#pragma unroll 1
  for (int k = me.first_of_row; k < 16; k += Size::row_threads) {
    Complex<T> v[B];
    Complex<T>* const at = numbers + me.row * Size::pitch + B * k;
#pragma unroll
    for (int i = 0; i < B; ++i) v[i] = at[i];
    transform<-1, B>(v);
#pragma unroll
    for (int i = 0; i < B; ++i) v[i] = v[i] * weights[i];
    if (k + Size::row_threads < 16) {
#pragma unroll
      for (int i = 0; i < B; ++i) weights[i] = spectrum[(i * 16 + k + Size::row_threads) * Size::rows + me.row];
    }
    transform<1, B>(v);
#pragma unroll
    for (int i = 0; i < B; ++i) at[i] = v[i];
  }
  me.meet_in_rows();
#pragma unroll 1
  for (int n = me.first_of_row; n < B; n += Size::row_threads) {
    Complex<T> v[16];
    Complex<T>* const at = numbers + me.row * Size::pitch + n;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      v[i] = at[B * result_at(i)];
      if (result_at(i) != 0) v[i] = times_conjugate(v[i], plain_roots<T, B>.of[n * 16 + result_at(i)]);
    }
    transform<1, 16>(v);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (B * i + B > skipped) at[B * i] = v[i];
    }
  }
  __syncthreads();
}

/// Forth along rows, and out, times `scale`: a filter's spectrum.
template <int A, int B, class T>
__device__ __forceinline__ void tile_rows_spectrum(Complex<T>* numbers, FftTileThread<FftTileSize<T, A, B>> me, Complex<T>* spectrum, T scale) {
  using Size = FftTileSize<T, A, B>;
  tile_rows_begin<A, B>(numbers, me);
  me.meet_in_rows();
#pragma unroll 1
  for (int k = me.first_of_row; k < 16; k += Size::row_threads) {
    Complex<T> v[B];
    const Complex<T>* const at = numbers + me.row * Size::pitch + B * k;
#pragma unroll
    for (int i = 0; i < B; ++i) v[i] = at[i];
    transform<-1, B>(v);
#pragma unroll
    for (int i = 0; i < B; ++i) spectrum[(i * 16 + k) * Size::rows + me.row] = {v[i].x * scale, v[i].y * scale};
  }
}

/// Back along columns: put(n, v) gets rows n + A · i of the thread's column, where that is `kept`, and `wanted` in the end.
template <int A, int B, bool Packed, class T, class Put>
__device__ __forceinline__ void tile_columns_back(Complex<T>* numbers, FftTileThread<FftTileSize<T, A, B>> me, bool kept, bool wanted, const Put& put) {
  using Size = FftTileSize<T, A, B>;
  constexpr int pitch = Size::pitch;
  if (kept) {
#pragma unroll 1
    for (int k = me.first_of_column; k < 16; k += Size::column_threads) {
      Complex<T> v[A];
      Complex<T>* const at = numbers + A * k * pitch + me.column;
#pragma unroll
      for (int i = 0; i < A; ++i) v[i] = at[i * pitch];
      transform<1, A>(v);
#pragma unroll
      for (int i = 0; i < A; ++i) at[i * pitch] = v[i];
    }
  }
  me.meet_in_columns();
  if (!kept || !wanted) return;
#pragma unroll 1
  for (int n = me.first_of_column; n < A; n += Size::column_threads) {
    Complex<T> v[16];
    const Complex<T>* const at = numbers + n * pitch + me.column;
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = times_conjugate(at[A * result_at(i) * pitch], column_root<T, A, Packed>(n * 16 + result_at(i)));
    transform<1, 16>(v);
    put(n, v);
  }
}

}  // namespace halation::cuda_backend
