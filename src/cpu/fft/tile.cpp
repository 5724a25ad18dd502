// tile.cpp: transforms of a tile, axis by axis.
#include "cpu/fft/tile.h"

#include <algorithm>

#include "cpu/fft/steps/roots.h"
#include "cpu/tiles/parallel.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Vectors of columns that are transformed together: as many as a few cache lines have, so that threads share none.
constexpr std::int64_t vectors_together = 16;

}  // namespace

template <class T>
TileTransform<T>::TileTransform(const Lengths& lengths)
    : lengths_(lengths),
      kernels_(transform_kernels<T>()),
      columns_(round_up(lengths.columns, kernels_.lanes)),
      pitch_(line_pitch<T>(columns_)),
      blocks_((lengths.planes * lengths.rows + kernels_.lanes - 1) / kernels_.lanes),
      imaginary_(blocks_ * kernels_.lanes * pitch_),
      z_(lengths.along_z ? lengths.planes : 1),
      y_(lengths.along_y ? lengths.rows : 1),
      x_(lengths.along_x ? lengths.columns : 1) {
  if (!lengths.along_y) return;
  const Roots twists(4 * lengths.rows);
  for (std::int64_t n = 0; n < lengths.rows; ++n) {
    const Roots::Root root = twists(n);
    twist_.insert(twist_.end(), {static_cast<T>(root.re), static_cast<T>(root.im)});
  }
  if (!lengths.folded) return;
  const std::vector<std::int64_t> order = y_.order();
  const std::int64_t lanes = kernels_.lanes;
  const std::int64_t quarters = 4 * lengths.rows * lengths.columns;
  const Roots between(quarters);
  roots_.assign(static_cast<std::size_t>(blocks_ * block_elements()), 0);
  for (std::int64_t row = 0; row < lengths.rows; ++row) {
    // e^{−2πi x (frequency − 1/4) / points}
    const std::int64_t step = (4 * order[static_cast<std::size_t>(row)] - 1 + quarters) % quarters;
    T* to = roots_.data() + row / lanes * block_elements() + row % lanes;
    for (std::int64_t x = 0, k = 0; x < lengths.columns; ++x, to += 2 * lanes) {
      const Roots::Root root = between(k);
      to[0] = static_cast<T>(root.re);
      to[lanes] = static_cast<T>(-root.im);
      k += step;
      if (k >= quarters) k -= quarters;
    }
  }
}

template <class T>
double TileTransform<T>::numbers() const {
  return static_cast<double>(z_.length) * static_cast<double>(y_.length) * static_cast<double>(x_.length);
}

template <class T>
void TileTransform<T>::clear_padding(T* tile) const {
  const std::int64_t rows = lengths_.planes * lengths_.rows;
  for (T* part : {tile, tile + imaginary_}) {
    for (std::int64_t row = 0; row < rows; ++row) std::fill(part + row * pitch_ + lengths_.columns, part + row * pitch_ + columns_, T(0));
    std::fill(part + rows * pitch_, part + imaginary_, T(0));
  }
}

template <class T>
double TileTransform<T>::sum_by_taps(T* tile, const Space& at, const Taps& taps) const {
  const double* weights = taps.weights.data();
  double sum = 0;
  for (std::int64_t i = 0; i < taps.size[0] * taps.size[1]; ++i) {
    std::int64_t x = at[2];
    for (std::int64_t left = taps.size[2]; left > 0;) {  // of a folded tile row by row
      const std::int64_t begin = lengths_.folded ? x % lengths_.columns : x;
      const T* const line = lengths_.folded ? row(tile, 0, x / lengths_.columns) : row(tile, at[0] + i / taps.size[1], at[1] + i % taps.size[1]);
      const std::int64_t count = std::min(left, lengths_.columns - begin);
      sum += kernels_.dot(line + begin, weights, count);
      weights += count;
      x += count;
      left -= count;
    }
  }
  return sum;
}

template <class T>
template <bool forth>
void TileTransform<T>::along_z(T* tile, std::int64_t vectors, int workers) const {
  if (z_.length == 1) return;
  parallel(workers, lengths_.rows, [&](int, std::int64_t row) {
    T* const re = tile + row * pitch_;
    const Columns<T> at{re, re + imaginary_, lengths_.rows * pitch_};
    (forth ? kernels_.forward : kernels_.inverse)(z_, at, vectors);
  });
}

template <class T>
template <bool forth>
void TileTransform<T>::along_y(T* tile, std::int64_t vectors, int workers) const {
  if (!lengths_.along_y) return;
  const std::int64_t parts = (vectors + vectors_together - 1) / vectors_together;
  parallel(workers, lengths_.planes * parts, [&](int, std::int64_t task) {
    const std::int64_t done = task % parts * vectors_together;
    T* const re = tile + task / parts * lengths_.rows * pitch_ + done * kernels_.lanes;
    (forth ? kernels_.forward : kernels_.inverse)(y_, {re, re + imaginary_, pitch_, twist_.data()},
                                                  std::min(vectors_together, vectors - done));
  });
}

template <class T>
void TileTransform<T>::forward(T* tile, std::int64_t columns, int workers) const {
  const std::int64_t vectors = (columns + kernels_.lanes - 1) / kernels_.lanes;
  along_z<true>(tile, vectors, workers);
  along_y<true>(tile, vectors, workers);
}

template <class T>
void TileTransform<T>::inverse(T* tile, std::int64_t columns, int workers) const {
  const std::int64_t vectors = (columns + kernels_.lanes - 1) / kernels_.lanes;
  along_y<false>(tile, vectors, workers);
  along_z<false>(tile, vectors, workers);
}

template <class T>
void TileTransform<T>::forward_block(const T* tile, std::int64_t block, T* spectrum) const {
  const std::int64_t lanes = kernels_.lanes;
  const T* rows = tile + block * lanes * pitch_;
  kernels_.to_columns(rows, pitch_, lengths_.columns, spectrum, 2 * lanes);
  kernels_.to_columns(rows + imaginary_, pitch_, lengths_.columns, spectrum + lanes, 2 * lanes);
  if (lengths_.folded) kernels_.multiply(spectrum, roots_.data() + block * block_elements(), spectrum, lengths_.columns);
  if (lengths_.along_x) kernels_.forward(x_, {spectrum, spectrum + lanes, 2 * lanes}, 1);
}

template <class T>
void TileTransform<T>::inverse_block(T* spectrum, std::int64_t block, T* tile) const {
  const std::int64_t lanes = kernels_.lanes;
  T* rows = tile + block * lanes * pitch_;
  if (lengths_.along_x) kernels_.inverse(x_, {spectrum, spectrum + lanes, 2 * lanes}, 1);
  if (lengths_.folded) kernels_.multiply_conj(spectrum, roots_.data() + block * block_elements(), spectrum, lengths_.columns);
  kernels_.to_rows(spectrum, 2 * lanes, lengths_.columns, rows, pitch_);
  kernels_.to_rows(spectrum + lanes, 2 * lanes, lengths_.columns, rows + imaginary_, pitch_);
}

template <class T>
void TileTransform<T>::multiply_rows(const T* from, const T* spectrum, T* to) const {
  for (std::int64_t row = 0; row < lengths_.planes * lengths_.rows; ++row) {
    const std::int64_t at = row * pitch_;
    kernels_.multiply_row(from + at, from + imaginary_ + at, spectrum[2 * row], spectrum[2 * row + 1], to + at, to + imaginary_ + at,
                          lengths_.columns);
  }
}

template class TileTransform<float>;
template class TileTransform<double>;

}  // namespace halation::cpu_backend
