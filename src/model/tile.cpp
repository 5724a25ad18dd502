// tile.cpp: what a tile in shared memory saves: loads, accesses replaced, reuse, operations per byte.
#include "model/tile.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "halation/error.h"

namespace halation::model {
namespace {

constexpr double operations_per_tap = 2;
constexpr double element_bytes = 4;

void check(std::int64_t tile, std::int64_t mask) {
  if (tile < 1 || tile > most_tile) {
    throw Error{ErrorCode::invalid_argument,
                "tile must be from 1 to " + std::to_string(most_tile) + ", got " + std::to_string(tile)};
  }
  if (mask < 1 || mask > most_mask || mask % 2 == 0) {
    throw Error{ErrorCode::invalid_argument, "mask must be odd and from 1 to " + std::to_string(most_mask) +
                                                 ", got " + std::to_string(mask)};
  }
}

std::int64_t triangle(std::int64_t n) { return n > 0 ? n * (n + 1) / 2 : 0; }

/// Taps of all outputs that fall outside the image at the end where `beyond` elements follow the tile.
std::int64_t ghosts(const TileAxis& axis, std::int64_t beyond) {
  const std::int64_t outside = axis.mask / 2 - beyond;
  return triangle(outside) - triangle(outside - axis.outputs);
}

}  // namespace

TileAxis inside(std::int64_t outputs, std::int64_t mask) {
  check(outputs, mask);
  return {.outputs = outputs, .mask = mask};
}

TileAxis boundary(std::int64_t outputs, std::int64_t mask) {
  check(outputs, mask);
  return {.outputs = outputs, .mask = mask, .before = 0};
}

TileTraffic traffic(const TileAxis& axis) { return traffic({&axis, 1}); }

TileTraffic traffic(std::span<const TileAxis> axes) {
  TileTraffic total{1, 1};
  for (const TileAxis& axis : axes) {
    const std::int64_t radius = axis.mask / 2;
    total.loads *= std::min(axis.before, radius) + axis.outputs + std::min(axis.after, radius);
    total.accesses *= axis.outputs * axis.mask - ghosts(axis, axis.before) - ghosts(axis, axis.after);
  }
  return total;
}

std::vector<std::int64_t> reuse(const TileAxis& axis) {
  const std::int64_t radius = axis.mask / 2;
  std::vector<std::int64_t> uses;
  const std::int64_t end = axis.outputs + std::min(axis.after, radius);
  for (std::int64_t i = -std::min(axis.before, radius); i < end; ++i)
    uses.push_back(std::min(axis.outputs - 1, i + radius) - std::max<std::int64_t>(0, i - radius) + 1);
  return uses;
}

std::vector<std::vector<double>> reduction_table(int dims, std::span<const std::int64_t> tiles,
                                                 std::span<const std::int64_t> masks) {
  std::vector<std::vector<double>> table;
  for (const std::int64_t mask : masks) {
    std::vector<double>& row = table.emplace_back();
    for (const std::int64_t tile : tiles)
      row.push_back(std::pow(traffic(inside(tile, mask)).reduction(), dims));
  }
  return table;
}

double operations_per_byte(bool filter_in_constant_memory) {
  return operations_per_tap / (filter_in_constant_memory ? element_bytes : 2 * element_bytes);
}

double tiled_operations_per_byte(int dims, std::int64_t input_tile, std::int64_t mask) {
  check(1, mask);
  if (input_tile < mask) {
    throw Error{ErrorCode::invalid_argument, "an input tile of " + std::to_string(input_tile) +
                                                 " leaves no output for a mask of " + std::to_string(mask)};
  }
  const double share = static_cast<double>(input_tile - mask + 1) / static_cast<double>(input_tile);
  return operations_per_byte(true) * std::pow(static_cast<double>(mask) * share, dims);
}

}  // namespace halation::model
