// arguments.cuh: what a launch of whole_images.cuh gets, and how it cuts images.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "halation/pixel.h"

namespace halation::cuda_backend {

constexpr int whole_images_most_threads = 256;
/// Outputs of a thread, its tile.
constexpr int whole_images_columns = 4, whole_images_rows = 8;

/// A thread's tile, and the numbers of a row that it reads. C interleaved channels are columns, C apart.
template <int K, int C>
struct WholeImagesTile {
  static constexpr int columns = whole_images_columns, rows = whole_images_rows;
  static constexpr int reach = K / 2 * C;
  static constexpr int pieces = (reach + 3) / 4;  // of 4 numbers that it reads on either side of its own
  static constexpr int window = columns + 8 * pieces;
};

/// Threads that a multiprocessor must hold, of K × K taps and C channels: by registers for sums and a window.
template <int K, int C>
constexpr int whole_images_threads() {
  using Tile = WholeImagesTile<K, C>;
  constexpr int registers = Tile::columns * Tile::rows + Tile::window + 20;
  return whole_images_most_threads * (registers <= 64 ? 4 : registers <= 80 ? 3 : 2);
}

/// By value. Columns are elements of a row, rows and images those of outputs unless they say otherwise; strides are bytes.
struct WholeImagesArguments {
  const std::byte* in;
  std::byte* out;
  std::int64_t in_row, in_plane, in_batch, in_channel;
  std::int64_t out_row, out_plane, out_batch, out_channel;
  DeviceBorder border_y, border_x;
  Divisor depth, batch;       // of planes, each of which is an image here
  int all_images, images;     // and of a block
  int columns, rows;
  int first_y, first_x;       // pixel that the first output reads first
  int staged_columns, staged_rows;  // that outputs read
  int pitch, image_numbers;   // numbers from one staged row, and image, to the next
  Divisor tiles, tiles_across;
  bool by_fours;              // whether rows are copied four elements at a time, but for what lies beside them
  Divisor fours_across, singles_across;  // of a staged row
  bool fours_out;             // whether outputs may be put so
  float offset;
  Pixel in_pixel, out_pixel;
  Rounding rounding;
  float weights[49];
};

/// A kernel, and the threads that a multiprocessor must hold.
struct WholeImagesKernel {
  void (*kernel)(WholeImagesArguments);
  int threads;
};

/// That for K × K taps; instantiated a file a size.
template <int K>
WholeImagesKernel whole_images_kernel_of(int channels);

}  // namespace halation::cuda_backend
