// pass_arguments.cuh: what launches over tiles in device memory get, by value, and the kernels for each length.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/fft/arguments.cuh"

namespace halation::cuda_backend {

/// What a block of the pass forth found of its tile (own_box.cuh).
template <class T>
struct FftCheck {
  T squares;  ///< of its samples
  T least;    ///< of its groups
};

/// Times that the passes do those tiles again that need it.
constexpr int fft_rounds = 2;

/// What is known of a tile beside its numbers.
template <class T>
struct FftTileFacts {
  /// Samples of magnitudes below `end`, over 2^exponent, and outputs over boxes whose largest magnitude is not below `begin`.
  struct Round {
    int begin, end, exponent;
  };
  std::uint32_t state;     ///< a TileState; behind the group's last tile: how many tiles are to be done again
  std::uint32_t again;     ///< of the n-th tile: the n-th of those
  std::uint32_t negative;  ///< 1: a sample is
  Round rounds[fft_rounds];
  Round left;                                         ///< outputs that are summed by taps
  int below_infinite;                                 ///< how far the map's least magnitude is below it, of what needs a transform; 0: nothing does
  std::uint32_t counts[sizeof(T) == 8 ? 2049 : 256];  ///< of samples, by their magnitude
};

template <class T>
struct FftPassArguments : FftArguments<T> {
  Complex<T>* numbers;         ///< of the tiles of a group, one after the other: outer · middle rows of `width`
  const Complex<T>* turns[3];  ///< roots of unity along the outer axis, the middle one, rows
  const T* weights;            ///< in reverse, times `turned_by`, without the gain
  FftTileFacts<T>* facts;      ///< of the group's tiles; null where all are good
  FftCheck<T>* checks;         ///< of the blocks of the pass forth, tile by tile
  int checks_of_tile;
  Divisor planes;              ///< channels that do not lie side by side
  unsigned first_tile, tiles_here;
  int outer, middle, width;    ///< numbers along the axes of a tile
  int taps_z;
  int outer_axis;              ///< 0: z, 1: y
  int skipped[3];              ///< samples of a tile before its first output: z, y, x
  bool split;                  ///< a signal
  bool again;                  ///< those tiles only that need it
  int round_index;             ///< then, of a launch that transforms; else −1

  __host__ __device__ bool is_volume() const { return outer_axis == 0; }
};

/// Kernels for columns of one length, and those for rows.
template <class T>
struct FftColumnKernels {
  using Kernel = void (*)(FftPassArguments<T>);
  int first, second, third;
  int length, columns, threads;
  std::size_t shared_bytes;
  // Of each the first passes' kernel, and that of tiles that are done again.
  std::array<Kernel, 2> forth{}, back{};                ///< along the outer axis, of pixels
  std::array<Kernel, 2> signal_forth{}, signal_back{};  ///< likewise, of signals; null where there are none
  std::array<Kernel, 2> middle_forth{}, middle_back{};  ///< of numbers where they lie
};
template <class T>
struct FftRowKernels {
  using Kernel = void (*)(FftPassArguments<T>, Complex<T>*);
  int first, third;
  int length, threads, together;  ///< rows of a block
  std::size_t shared_bytes;       ///< of a row
  std::array<Kernel, 2> filter{};  ///< and of tiles that are done again
  Kernel spectrum = nullptr;
};

/// Kernels for planes of one size, in shared memory: along y and x at once.
template <class T>
struct FftPlaneKernels {
  using Kernel = void (*)(FftPassArguments<T>, Complex<T>*);
  int second[2];  ///< steps of 16 and so many along columns and rows
  int rows, columns, threads;
  std::size_t shared_bytes;
  std::array<Kernel, 2> filter{};  ///< and of tiles that are done again
  Kernel spectrum = nullptr;
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
  int group_rows;                 ///< neighbours whose samples a block adds up at most, by the threads that have them
  int blocks;                     ///< that share a multiprocessor
  void (*filter)(FftPassArguments<T>) = nullptr;
  void (*resolve)(FftPassArguments<T>) = nullptr;  ///< what the first launch leaves
  void (*spectrum)(const T* weights, int taps, const Complex<T>* roots, Complex<T>* spectrum) = nullptr;
};

template <class T, int First, int Second, int Third>
FftAloneKernels<T> fft_alone();

}  // namespace halation::cuda_backend
