// arguments.cuh: what a launch over tiles in shared memory gets, by value, and how large tiles are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cuda/fft/steps/radix.cuh"
#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "halation/pixel.h"
#include "halation/plan.h"
#include "halation/view.h"

namespace halation::cuda_backend {

/// Threads that were quickest of those tried for tiles of 16 · A by 16 · B complex numbers of so many bytes
/// (docs/notebook/cuda/fft.md): a multiprocessor's registers hold 768 of them in f32 and half as many in f64.
constexpr int fft_threads(int a, int b, bool is_f64) {
  if (is_f64) return b > 4 ? 384 : 128;
  return b == 12 ? 768 : b == 6 ? 192 : a * b > 16 ? 256 : 128;
}

/// A tile of 32 · A rows and 16 · B columns of numbers T, packed as half as many rows of complex ones: row n is row n of the tile and,
/// as imaginary part, row n + rows.
template <class T, int A, int B>
struct FftTileSize {
  static constexpr bool is_f64 = sizeof(T) == 8;
  static constexpr int rows = 16 * A;
  static constexpr int columns = 16 * B;
  static constexpr int pitch = columns + 1;  ///< odd: columns and rows both fall into all banks
  static constexpr int threads = fft_threads(A, B, is_f64);
  static constexpr int column_threads = threads / columns;
  static constexpr int row_threads = threads / rows;
  static constexpr int blocks = (is_f64 ? 384 : 768) / threads;  ///< that share a multiprocessor
  static constexpr std::size_t places = 2 * rows * sizeof(std::int64_t);  ///< where a tile's rows lie
  static constexpr std::size_t shared_bytes = rows * pitch * sizeof(Complex<T>) + places;
  // Groups of warps that share 32 columns or rows have a barrier each, of 15.
  static_assert(threads % rows == 0 && threads % columns == 0 && rows % 32 == 0 && columns % 32 == 0 && rows + columns <= 15 * 32);
};

/// Neighbours in a row whose squares are added up (own_box.cuh), so that every filter's box holds all of a group.
struct FftGroups {
  int lanes = 0;           ///< so many side by side: 4, 8, 16 or 32; 0: no such groups
  bool pairs = false;      ///< together with the next group
  bool all_turns = false;  ///< of all samples that a thread loads turn by turn, not only of the first
};

template <class T>
struct FftArguments {
  const std::byte* in;
  std::byte* out;
  Strides in_strides, out_strides;
  Shape shape;              ///< of the output
  DeviceBorder borders[3];  ///< z, y, x
  const Complex<T>* spectrum;
  const Complex<T>* roots;  ///< of unity, where a size of tiles has them in memory
  std::uint8_t* odd_tiles;   ///< a TileState (own_box.cuh) for each, by the first launch for the second; null where all are good
  const std::int8_t* signs;  ///< −1, 0 or 1 for each weight times `turned_by`, row by row
  std::int64_t lead[3];      ///< of a tile's first row and column beside its first output's
  Divisor channels, across, down, depth;
  unsigned tiles;
  unsigned ahead;  ///< the tile so many further is asked for; 0: none
  int taps_y, taps_x;
  int kept_z = 1, kept_y, kept_x;  ///< outputs of a tile
  T gain;              ///< a sum is as many times what the tile gives,
  T scale, offset;     ///< and an output scale · sum + offset; the job's scale times `turned_by`
  bool whole;          ///< sums are whole numbers
  bool own_box;        ///< sums are bounded over their own box (core/own_box.h)
  bool notes_odd;      ///< own_box, or samples may be huge, infinite or NaN
  bool not_negative;   ///< no weight times `turned_by` is: nor is a sum of samples that are not
  FftGroups groups[2];  ///< of tiles inside the image, and of others
  bool inside_only[3];  ///< along each axis: only samples of the image are added up to groups
  std::byte* maps;      ///< of the second launch's blocks: a magnitude for each sample of a tile
  Pixel in_pixel, out_pixel;
  Rounding rounding;
};

enum class FftPurpose {
  filter,
  again,    ///< tiles whose sums are not all good, of tiles in memory
  spectrum  ///< of weights, which lie in a tile's first corner
};

/// So many taps hold a group: rows of tiles, samples of rows; of groups of the first turn, and of those of all.
struct FftGroupsApart {
  int first_turn, all_turns;
};

/// A size of tiles, in samples, and its kernels, by the bytes of an element: 1, 2, 4, 8.
template <class T>
struct FftTileKernels {
  using Kernel = void (*)(FftArguments<T>);
  std::string_view name{};
  int height, width, threads, blocks;
  std::size_t shared_bytes;
  FftGroupsApart groups_apart;
  std::size_t map_bytes;  ///< of a tile
  std::array<Kernel, 4> filter{};
  Kernel resolve = nullptr;  ///< what `filter` left, of elements of all sizes
  void (*spectrum)(FftArguments<T>, Complex<T>*) = nullptr;

  std::size_t numbers() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width) / 2; }
};
/// Of 32 · A rows and 16 · B columns.
template <class T, int A, int B>
FftTileKernels<T> fft_tile();
/// Of one row of 512 · A samples.
template <class T, int A>
FftTileKernels<T> fft_line();

}  // namespace halation::cuda_backend
