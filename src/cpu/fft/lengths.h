// lengths.h: how long the tiles of a job by transforms are along each axis, and what it should take.
#pragma once

#include <cstdint>
#include <span>

#include "core/job.h"
#include "cpu/rates.h"

namespace halation::cpu_backend {

/// The box that all taps of some filters lie in: what one tile has more of input than of output.
struct TapBox {
  Space lead{0, 0, 0};
  Space size{1, 1, 1};

  explicit TapBox(std::span<const Taps> filters);
};

/// A tile of pixels as a matrix of complex numbers. Two rows of pixels are a row of complex numbers, one of the upper and one of the lower
/// half of the tile: the real parts and the imaginary parts.
///
/// Along y the transform is of 2 · rows pixels, of which all but the sign of what wraps around is lost (right-angle, or negacyclic): row
/// n times e^{iπn/2rows} gives a complex transform of half the length, and no pairs of frequencies to be told apart. Folded, a row of
/// pixels is 2 · rows pieces of `columns` pixels, and such a transform of all of it: of columns, then, times roots of unity, of rows.
struct Lengths {
  std::int64_t planes = 1;
  std::int64_t rows = 1;  ///< of complex numbers in a plane
  std::int64_t columns = 1;
  bool along_z = false, along_y = false, along_x = false;
  bool folded = false;

  /// Pixels of the input that a tile holds.
  Space input() const {
    return folded ? Space{1, 1, 2 * rows * columns} : Space{planes, 2 * rows, columns};
  }
  std::int64_t numbers() const { return planes * rows * columns; }
};

/// Samples of a tile from which on its work is worth being shared.
constexpr std::int64_t shared_samples = 1 << 15;

/// What memory is measured by: the mean of an input and an output of the output's extents.
double mean_image_bytes(const Job& job);

/// The quickest of those that memory allows for outputs of such extents, and the time on one thread for one filter more.
struct LengthsFound {
  Lengths lengths;
  double shared_nanoseconds;      ///< of all tiles: staging, and the transforms forth
  double of_filter_nanoseconds;   ///< of all tiles: product, transforms back, outputs
  int times_shared;               ///< that threads set out together: once for all tiles, or for each step of each tile
};
LengthsFound find_lengths(const Job& job, const TapBox& box, const Rates& rates);

/// Roundings there and back of a tile.
double roundings_of(const Lengths& lengths, bool sum_f64);

/// Outputs of a tile along each axis.
Space outputs_of(const Lengths& lengths, const TapBox& box);

}  // namespace halation::cpu_backend
