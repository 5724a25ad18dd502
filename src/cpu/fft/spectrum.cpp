// spectrum.cpp: weights into a tile, backwards, since products of spectra convolve, and the tile's transform.
#include "cpu/fft/spectrum.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "cpu/fft/scaling.h"
#include "cpu/tiles/parallel.h"

namespace halation::cpu_backend {
namespace {

/// Weight k, `a` pixels behind the first of the box, goes to −a, from where the tile's length brings it back: along an axis whose
/// transform is negacyclic with the other sign.
struct Place {
  std::int64_t at;
  double sign;
};
Place place_of(std::int64_t a, std::int64_t length, bool negacyclic) {
  if (a == 0) return {0, 1};
  return {length - a, negacyclic ? -1.0 : 1.0};
}

/// What is transformed along z and y: of tiles the columns that hold weights alone, in order; folded all.
Lengths narrowed(const Lengths& lengths, const Taps& taps) {
  Lengths narrow = lengths;
  if (lengths.folded) return narrow;
  narrow.columns = taps.size[2];
  narrow.along_x = false;
  return narrow;
}

void put_weights(const Taps& taps, const TapBox& box, const TileTransform<double>& tiles, double gain, double* tile) {
  const Lengths& lengths = tiles.lengths();
  const Space input = lengths.input();
  const double* weight = taps.weights.data();
  Space a{};
  for (std::size_t axis = 0; axis < 3; ++axis) a[axis] = taps.lead[axis] - box.lead[axis];
  for (std::int64_t kz = 0; kz < taps.size[0]; ++kz) {
    const Place z = place_of(a[0] + kz, input[0], false);
    for (std::int64_t ky = 0; ky < taps.size[1]; ++ky) {
      const Place y = place_of(a[1] + ky, input[1], true);
      for (std::int64_t kx = 0; kx < taps.size[2]; ++kx) {
        const Place x = lengths.folded ? place_of(a[2] + kx, input[2], true) : Place{taps.size[2] - 1 - kx, 1};
        const std::int64_t row = lengths.folded ? x.at / lengths.columns : y.at;
        const std::int64_t column = lengths.folded ? x.at % lengths.columns : x.at;
        tiles.row(tile, z.at, row)[column] = *weight++ * gain * y.sign * x.sign;
      }
    }
  }
  if (lengths.along_y) return;
  // All rows have the same spectrum, that of the row that holds the weights.
  for (std::int64_t plane = 0; plane < lengths.planes; ++plane) {
    const double* from = tiles.row(tile, plane, 0);
    for (std::int64_t row = 1; row < lengths.rows; ++row) std::copy(from, from + lengths.columns, tiles.row(tile, plane, row));
  }
}

/// Numbers that are 0, written by all threads: of a large tile that is half of the work, since the system has to find the memory.
template <class T>
Memory zeros(std::int64_t count, int workers, const char* what) {
  Memory memory = allocate_host(static_cast<std::size_t>(count) * sizeof(T), what);
  T* const numbers = reinterpret_cast<T*>(memory.get());
  constexpr std::int64_t piece = 1 << 18;
  parallel(workers, (count + piece - 1) / piece, [&](int, std::int64_t task) {
    std::fill_n(numbers + task * piece, std::min(piece, count - task * piece), T(0));
  });
  return memory;
}

/// Along x, where tiles are not folded: of blocks of rows that hold the weights alone.
class AlongX {
 public:
  AlongX(const Taps& taps, const TapBox& box, const Lengths& lengths, const TileTransform<double>& narrow)
      : narrow_(narrow), axis_(lengths.columns), two_lanes_(2 * narrow.kernels().lanes), taps_(taps.size[2]) {
    const std::int64_t before = taps.lead[2] - box.lead[2];
    begin_ = lengths.columns - before - (taps_ - 1);
    wraps_ = before == 0;
  }

  /// Room for a block, and for what is written behind it.
  std::int64_t elements() const { return two_lanes_ * (axis_.length + 1) + narrow_.block_elements(); }

  void forward(const double* tile, std::int64_t block, double* columns) const {
    std::fill_n(columns, two_lanes_ * axis_.length, 0.0);
    narrow_.forward_block(tile, block, columns + two_lanes_ * begin_);
    if (wraps_) std::copy_n(columns + two_lanes_ * axis_.length, two_lanes_, columns);
    narrow_.kernels().forward(axis_, {columns, columns + two_lanes_ / 2, two_lanes_}, 1);
  }

 private:
  const TileTransform<double>& narrow_;
  TransformAxis<double> axis_;
  std::int64_t two_lanes_, taps_;
  std::int64_t begin_ = 0;  ///< the column of the last weight, the first of all
  bool wraps_ = false;      ///< that of the first weight is 0
};

}  // namespace

template <class T>
Spectrum<T> spectrum_of(const Taps& taps, const TapBox& box, const TileTransform<T>& tiles, int workers) {
  const FloatState state;
  const Lengths& lengths = tiles.lengths();
  std::optional<TileTransform<double>> made;
  const TileTransform<double>* in_f64 = nullptr;
  if constexpr (sizeof(T) == sizeof(double)) {
    if (lengths.folded) in_f64 = &tiles;
  }
  if (in_f64 == nullptr) in_f64 = &made.emplace(narrowed(lengths, taps));
  Spectrum<T> spectrum;
  double sum = 0;
  for (const double w : taps.weights) sum += std::fabs(w);
  spectrum.exponent = exponent_far_from_1<T>(sum);

  const Memory memory = zeros<double>(in_f64->elements(), workers, "a filter's transform");
  double* const tile = reinterpret_cast<double*>(memory.get());
  put_weights(taps, box, *in_f64, std::ldexp(1 / tiles.numbers(), -spectrum.exponent), tile);
  in_f64->forward(tile, in_f64->lengths().columns, workers);
  const std::int64_t rows = lengths.planes * lengths.rows;
  spectrum.count = lengths.along_x ? tiles.blocks() * tiles.block_elements() : 2 * rows;
  spectrum.memory = zeros<T>(spectrum.count, workers, "a filter's spectrum");
  if (!lengths.along_x) {
    T* to = spectrum.numbers();
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t plane = row / lengths.rows;
      *to++ = static_cast<T>(in_f64->row(tile, plane, row % lengths.rows)[0]);
      *to++ = static_cast<T>(in_f64->row(tile, plane, row % lengths.rows + lengths.rows)[0]);
    }
    return spectrum;
  }
  const std::int64_t lanes = tiles.kernels().lanes;
  const std::int64_t lanes_f64 = in_f64->kernels().lanes;
  std::optional<AlongX> along_x;
  if (!lengths.folded) along_x.emplace(taps, box, lengths, *in_f64);
  const std::int64_t of_worker = along_x ? along_x->elements() : in_f64->block_elements();
  std::vector<double> all_columns(static_cast<std::size_t>(workers * of_worker));
  parallel(workers, in_f64->blocks(), [&](int worker, std::int64_t block) {
    double* const columns = all_columns.data() + worker * of_worker;
    if (along_x) {
      along_x->forward(tile, block, columns);
    } else {
      in_f64->forward_block(tile, block, columns);
    }
    for (std::int64_t lane = 0; lane < lanes_f64; ++lane) {
      const std::int64_t row = block * lanes_f64 + lane;
      if (row >= rows) break;
      T* to = spectrum.numbers() + row / lanes * tiles.block_elements() + row % lanes;
      for (std::int64_t x = 0; x < lengths.columns; ++x) {
        const double* from = columns + 2 * x * lanes_f64 + lane;
        to[2 * x * lanes] = static_cast<T>(from[0]);
        to[(2 * x + 1) * lanes] = static_cast<T>(from[lanes_f64]);
      }
    }
  });
  return spectrum;
}

template Spectrum<float> spectrum_of(const Taps&, const TapBox&, const TileTransform<float>&, int);
template Spectrum<double> spectrum_of(const Taps&, const TapBox&, const TileTransform<double>&, int);

}  // namespace halation::cpu_backend
