// arguments.cuh: what a launch over tiles in shared memory gets, by value, and how large tiles are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/fft/radix.cuh"
#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "halation/pixel.h"
#include "halation/plan.h"
#include "halation/view.h"

namespace halation::cuda_backend {

#ifndef FFT_THREADS
#define FFT_THREADS (columns * 4)
#endif
/// A tile of 32 · A rows and 16 · B columns of numbers T, packed as half as many rows of complex ones.
template <class T, int A, int B>
struct FftTileSize {
  static constexpr int rows = 16 * A;     ///< of complex numbers: row n is row n of the tile and, as imaginary part, row n + rows
  static constexpr int columns = 16 * B;
  static constexpr int pitch = columns + 1;  ///< odd: columns and rows both fall into all banks
  static constexpr int threads = FFT_THREADS;
  static constexpr int row_threads = threads / rows;
  static constexpr std::size_t places = 2 * rows * sizeof(std::int64_t);  ///< where a tile's rows lie
  static constexpr std::size_t shared_bytes = rows * pitch * sizeof(Complex<T>) + places;
  static constexpr int blocks = 768 / threads < 1 ? 1 : 768 / threads;
  static_assert(threads % rows == 0 && threads % columns == 0 && rows % 32 == 0 && columns % 32 == 0 && rows + columns <= 15 * 32 && threads <= 1024);
};

template <class T>
struct FftArguments {
  const std::byte* in;
  std::byte* out;
  Strides in_strides, out_strides;
  Shape shape;              ///< of the output
  DeviceBorder borders[3];  ///< z, y, x
  const Complex<T>* spectrum;
  std::uint8_t* odd_tiles;       ///< 1 for each tile left to the kernel for numbers that are not finite, or huge
  const std::int8_t* signs;      ///< −1, 0 or 1 for each weight, row by row
  std::int64_t lead[3];          ///< of a tile's first row and column beside its first output's
  Divisor channels, across, down, depth;
  unsigned tiles;
  int taps_y, taps_x;
  int kept_y, kept_x;  ///< outputs of a tile
  T gain, offset;      ///< output = gain · what the tile gives + offset
  T scale;             ///< the job's, for what is not finite
  Pixel in_pixel, out_pixel;
  Rounding rounding;
};

/// Numbers above it are left to the kernel that scales them: sums of a tile of them and of their products stay finite.
template <class T>
constexpr T largest_plain_number = static_cast<T>(7.9228162514264338e28);  // 2^96

enum class FftPurpose {
  filter,     ///< all tiles
  odd_tiles,  ///< those that the first left
  spectrum    ///< of weights, which lie in a tile's first corner
};

}  // namespace halation::cuda_backend
