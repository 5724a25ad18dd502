// tile.h: a tile of pixels as a matrix of complex numbers, transformed there and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/fft/lengths.h"
#include "cpu/fft/steps/axis.h"
#include "cpu/fft/steps/kernels.h"
#include "cpu/tiles/parallel.h"

namespace halation::cpu_backend {

/// What tiles of some lengths have in common: constants. A tile is `elements()` of T; its rows of real parts are the upper half of the
/// pixels, those of imaginary parts the lower. Spectra lie in blocks of as many rows as vectors have lanes, column after column: a vector
/// of real parts, one of imaginary parts.
template <class T>
class TileTransform {
 public:
  explicit TileTransform(const Lengths& lengths);

  const Lengths& lengths() const { return lengths_; }
  const TransformKernels<T>& kernels() const { return kernels_; }
  std::int64_t elements() const { return 2 * imaginary_; }
  std::int64_t blocks() const { return blocks_; }
  std::int64_t block_elements() const { return 2 * kernels_.lanes * columns_; }
  std::size_t constant_bytes() const {
    return z_.constant_bytes() + y_.constant_bytes() + x_.constant_bytes() + (twist_.size() + roots_.size()) * sizeof(T);
  }
  /// Of the whole transform: what the way there and back multiplies by.
  double numbers() const;

  /// Row `row` of pixels, of 2 · rows in a plane.
  T* row(T* tile, std::int64_t plane, std::int64_t row) const {
    const bool lower = row >= lengths_.rows;
    return tile + (lower ? imaginary_ : 0) + (plane * lengths_.rows + (lower ? row - lengths_.rows : row)) * pitch_;
  }
  /// Elements of a row that are read: those behind its columns, and rows behind the last, must be numbers.
  std::int64_t pitch() const { return pitch_; }
  void clear_padding(T* tile) const;

  /// piece(z, y, x, n, line, worker) for the first pixels of a tile, by so many threads: each row that lies together in it.
  template <class Piece>
  void for_each_piece(T* tile, const Space& size, int workers, const Piece& piece) const {
    const std::int64_t columns = lengths_.columns;
    if (lengths_.folded) {
      parallel(workers, (size[2] + columns - 1) / columns, [&](int worker, std::int64_t at) {
        const std::int64_t x = at * columns;
        piece(0, 0, x, std::min(columns, size[2] - x), row(tile, 0, at), worker);
      });
      return;
    }
    parallel(workers, size[0] * size[1], [&](int worker, std::int64_t at) {
      const std::int64_t z = at / size[1];
      const std::int64_t y = at % size[1];
      piece(z, y, 0, size[2], row(tile, z, y), worker);
    });
  }

  /// The sum by taps of a filter whose box begins at `at`, from pixels as they were put in.
  double sum_by_taps(T* tile, const Space& at, const Taps& taps) const;

  /// Along z and y, of the first so many columns, all others being 0, or of no interest on the way back; by so many threads.
  void forward(T* tile, std::int64_t columns, int workers) const;
  void inverse(T* tile, std::int64_t columns, int workers) const;
  /// Along x, of a block of rows, to its part of a spectrum, and back.
  void forward_block(const T* tile, std::int64_t block, T* spectrum) const;
  void inverse_block(T* spectrum, std::int64_t block, T* tile) const;
  /// Where there is none along x: by one number of `spectrum` for each row.
  void multiply_rows(const T* from, const T* spectrum, T* to) const;

 private:
  template <bool forth>
  void along_z(T* tile, std::int64_t vectors, int workers) const;
  template <bool forth>
  void along_y(T* tile, std::int64_t vectors, int workers) const;

  Lengths lengths_;
  const TransformKernels<T>& kernels_;
  std::int64_t columns_;    ///< whole vectors of them
  std::int64_t pitch_;      ///< of rows
  std::int64_t blocks_;
  std::int64_t imaginary_;  ///< where imaginary parts begin
  TransformAxis<T> z_, y_, x_;
  std::vector<T> twist_;  ///< e^{iπn/2rows} for each row
  std::vector<T> roots_;  ///< folded: as a spectrum, those between columns and rows
};

}  // namespace halation::cpu_backend
