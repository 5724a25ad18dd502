// tile.h: what a tile in shared memory saves: loads, accesses replaced, reuse, operations per byte.
//
// Source: Kirk and Hwu, Programming Massively Parallel Processors, the chapter on convolution, and the
// lectures made from it. M is the mask's size along an axis, odd; r = (M − 1)/2; t the outputs of a block
// along it. Ghost cells, outside the image, cost nothing: they are neither loaded nor accessed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace halation::model {

/// Largest sizes along one axis; counts in three dimensions then fit 63 bits.
inline constexpr std::int64_t most_tile = 4096;
inline constexpr std::int64_t most_mask = 255;

/// One axis of a tile, and how many elements of the image lie beyond each of its ends: more than r make no
/// difference, and unless told otherwise there are more.
struct TileAxis {
  static constexpr std::int64_t many = std::int64_t{1} << 62;
  std::int64_t outputs = 1;
  std::int64_t mask = 1;
  std::int64_t before = many;
  std::int64_t after = many;
};

/// A tile inside the image, and one whose first output is the image's first. Throw `Error{invalid_argument}`
/// for sizes out of range and even masks.
TileAxis inside(std::int64_t outputs, std::int64_t mask);
TileAxis boundary(std::int64_t outputs, std::int64_t mask);

/// Global memory with a tile and without one.
struct TileTraffic {
  std::int64_t loads = 0;     ///< elements that the block loads into the tile, once each
  std::int64_t accesses = 0;  ///< accesses to global memory that reads of the tile replace

  /// The bandwidth reduction: accesses ÷ loads.
  double reduction() const { return static_cast<double>(accesses) / static_cast<double>(loads); }
};

/// Along one axis, with T(n) = n (n + 1)/2 for n > 0, else 0:
///     loads     = min(before, r) + t + min(after, r)            t + M − 1 inside
///     accesses  = t·M − ghosts(before) − ghosts(after)          t·M inside
///     ghosts(b) = T(r − b) − T(r − b − t)                       taps beyond an end with b elements after it
///
/// and over several axes the products of both.
TileTraffic traffic(std::span<const TileAxis> axes);
TileTraffic traffic(const TileAxis& axis);

/// How many outputs of the block use each loaded element, in order; 1 2 3 4 5 5 5 5 4 3 2 1 for t = 8, M = 5.
/// The sum is the number of accesses. Over several axes it is the outer product.
std::vector<std::int64_t> reuse(const TileAxis& axis);

/// Bandwidth reduction of inside tiles, a row a mask and a column a tile: (t·M ÷ (t + M − 1))^dims.
std::vector<std::vector<double>> reduction_table(int dims, std::span<const std::int64_t> tiles,
                                                 std::span<const std::int64_t> masks);

/// Operations (a multiplication and an addition a tap) per byte of f32 loaded from global memory, in any
/// dimension, without a tile: 2 ÷ 8 with filter and image in global memory, 2 ÷ 4 with the filter in constant
/// memory. In operations per access, as the sources give it for 1D: 1 and 2.
double operations_per_byte(bool filter_in_constant_memory);

/// The same for an input tile of T elements along each axis, with the filter in constant memory:
///     0.5 · M^dims · (1 − (M − 1)/T)^dims
///
/// Throws `Error{invalid_argument}` where no output is left, T < M.
double tiled_operations_per_byte(int dims, std::int64_t input_tile, std::int64_t mask);

}  // namespace halation::model
