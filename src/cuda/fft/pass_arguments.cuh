// pass_arguments.cuh: what launches over tiles in device memory get, by value, and the kernels for each length.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/fft/arguments.cuh"

namespace halation::cuda_backend {

template <class T>
struct FftPassArguments : FftArguments<T> {
  Complex<T>* numbers;         ///< of the tiles of a group, one after the other: outer · middle rows of `width`
  const Complex<T>* turns[3];  ///< roots of unity along the outer axis, the middle one, rows
  std::uint32_t* odd;          ///< a word a tile of the group: 0, or 1 and more: 1 + the exponent of a number beyond the plain ones; or null
  Divisor planes;              ///< channels that do not lie side by side
  unsigned first_tile, tiles_here;
  int outer, middle, width;    ///< numbers along the axes of a tile
  int taps_z;
  int outer_axis;              ///< 0: z, 1: y
  int skipped[3];              ///< samples of a tile before its first output: z, y, x
  bool split;                  ///< a signal
  bool again;                  ///< odd tiles alone
  int one_sign;                ///< of all weights, none of which is 0; else 0
  bool notes_odd;              ///< of columns alone: whether there may be numbers that are not plain
};

/// Kernels for columns of one length, and those for rows.
template <class T>
struct FftColumnKernels {
  using Kernel = void (*)(FftPassArguments<T>);
  int first, second, third;
  int length, columns, threads;
  std::size_t shared_bytes;
  Kernel forth = nullptr, back = nullptr;                    ///< along the outer axis, of pixels
  Kernel signal_forth = nullptr, signal_back = nullptr;      ///< likewise, of signals; null where there are none
  Kernel middle_forth = nullptr, middle_back = nullptr;      ///< of numbers where they lie
};
template <class T>
struct FftRowKernels {
  using Kernel = void (*)(FftPassArguments<T>, Complex<T>*);
  int first, third;
  int length, threads, together;  ///< rows of a block
  std::size_t shared_bytes;       ///< of a row
  Kernel filter = nullptr, spectrum = nullptr;
};

/// Kernels for planes of one size, in shared memory: along y and x at once.
template <class T>
struct FftPlaneKernels {
  using Kernel = void (*)(FftPassArguments<T>, Complex<T>*);
  int second[2];  ///< steps of 16 and so many along columns and rows
  int rows, columns, threads;
  std::size_t shared_bytes;
  Kernel filter = nullptr, spectrum = nullptr;
};

template <class T, int A, int B>
FftPlaneKernels<T> fft_planes();
template <class T, int First, int Second, int Third>
FftColumnKernels<T> fft_columns();
template <class T, int First, int Third>
FftRowKernels<T> fft_rows();

/// Kernels for columns of one length alone: forth, times a spectrum and back.
template <class T>
struct FftAloneKernels {
  int first, second, third;
  int length, columns, threads;
  std::size_t shared_bytes;
  void (*filter)(FftPassArguments<T>) = nullptr;
  void (*spectrum)(const T* weights, int taps, const Complex<T>* roots, Complex<T>* spectrum) = nullptr;
};

template <class T, int First, int Second, int Third>
FftAloneKernels<T> fft_alone();

}  // namespace halation::cuda_backend
