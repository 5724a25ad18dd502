// rungs.cpp: what each rung of the ladder computes and asks of memory, per output, from its idea alone.
#include "model/rungs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "halation/error.h"
#include "model/tile.h"

namespace halation::model {
namespace {

/// The ideas behind the rungs, as far as they differ in traffic.
enum class Idea {
  all_from_memory,
  filter_constant,
  input_tile,
  output_tile,
  cached_tile,
  two_passes,
  each_once
};

struct Entry {
  std::string_view name;
  std::array<bool, 3> in_dims;  ///< whether there is such a rung in 1D, 2D, 3D
  Idea idea;
};

constexpr Entry entries[] = {
    {"cpu", {true, false, true}, Idea::all_from_memory},
    {"cpu_naive", {false, true, false}, Idea::all_from_memory},
    {"basic", {true, false, false}, Idea::all_from_memory},
    {"naive", {false, true, true}, Idea::all_from_memory},
    {"constant", {true, true, true}, Idea::filter_constant},
    {"texture", {false, true, false}, Idea::all_from_memory},
    {"tiled_halo", {true, false, false}, Idea::output_tile},
    {"tiled_input_block", {false, true, false}, Idea::input_tile},
    {"tiled_output_block", {false, true, false}, Idea::output_tile},
    {"tiled_cached", {true, true, false}, Idea::cached_tile},
    {"tiled", {false, false, true}, Idea::output_tile},
    {"separable_shared", {false, true, false}, Idea::two_passes},
    {"separable_optimised", {false, true, false}, Idea::two_passes},
    {"library", {true, true, true}, Idea::each_once},
    {"cpu_library", {false, true, false}, Idea::each_once},
};

const Entry& entry_named(std::string_view rung, int dims) {
  if (dims < 1 || dims > 3)
    throw Error{ErrorCode::invalid_argument, "dims must be 1, 2 or 3, got " + std::to_string(dims)};
  std::string choices;
  for (const Entry& entry : entries) {
    if (!entry.in_dims[static_cast<std::size_t>(dims - 1)]) continue;
    if (entry.name == rung) return entry;
    choices += (choices.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error{ErrorCode::invalid_argument,
              "no rung '" + std::string(rung) + "' in " + std::to_string(dims) + "D; choose from " + choices};
}

/// The axes of a block of `outputs`, x last.
std::vector<TileAxis> axes_of(std::span<const std::int64_t> outputs, std::int64_t mask) {
  std::vector<TileAxis> axes;
  for (const std::int64_t extent : outputs) axes.push_back({.outputs = extent, .mask = mask});
  return axes;
}

double outputs_of(std::span<const TileAxis> axes) {
  double product = 1;
  for (const TileAxis& axis : axes) product *= static_cast<double>(axis.outputs);
  return product;
}

double loads_per_output(std::span<const TileAxis> axes) {
  return static_cast<double>(traffic(axes).loads) / outputs_of(axes);
}

}  // namespace

Tile default_tile(std::string_view rung, int dims) {
  const Idea idea = entry_named(rung, dims).idea;
  if (dims == 1) return {1, 1, 256};
  if (dims == 3) return {4, 4, 32};
  if (idea == Idea::input_tile || rung == "separable_optimised") return {1, 64, 64};
  return {1, 16, idea == Idea::cached_tile ? 32 : 16};
}

RungWork rung_work(std::string_view rung, int dims, std::int64_t radius, std::optional<Tile> tile) {
  const Idea idea = entry_named(rung, dims).idea;
  if (radius < 0)
    throw Error{ErrorCode::invalid_argument, "radius must be >= 0, got " + std::to_string(radius)};
  const std::int64_t mask = 2 * radius + 1;
  const double taps = std::pow(static_cast<double>(mask), dims);
  const Tile block = tile.value_or(default_tile(rung, dims));
  const auto extents = std::span(block).last(static_cast<std::size_t>(dims));

  RungWork work{.operations = 2 * taps};
  switch (idea) {
    case Idea::all_from_memory:
      work.global_loads = 2 * taps;
      return work;
    case Idea::filter_constant:
      work.global_loads = taps;
      return work;
    case Idea::each_once:
      work.global_loads = 1;
      return work;
    case Idea::output_tile:
      work.global_loads = loads_per_output(axes_of(extents, mask));
      return work;
    case Idea::input_tile: {
      std::vector<std::int64_t> outputs(extents.begin(), extents.end());
      for (std::int64_t& extent : outputs) extent -= mask - 1;
      if (*std::min_element(outputs.begin(), outputs.end()) < 1) {
        throw Error{ErrorCode::invalid_argument, std::string(rung) + ": radius " + std::to_string(radius) +
                                                     " leaves no output in the input tile"};
      }
      work.global_loads = loads_per_output(axes_of(outputs, mask));
      return work;
    }
    case Idea::cached_tile: {
      std::vector<TileAxis> axes = axes_of(extents, mask);
      for (TileAxis& axis : axes) axis.before = axis.after = 0;  // as though the image ended with the tile
      work.global_loads = 1 + taps - static_cast<double>(traffic(axes).accesses) / outputs_of(axes);
      return work;
    }
    case Idea::two_passes: {
      work.operations = 4 * static_cast<double>(mask);
      for (const TileAxis& axis : axes_of(extents, mask)) work.global_loads += loads_per_output({&axis, 1});
      work.global_stores = 2;
      work.least_dram_bytes = 16;
      return work;
    }
  }
  throw std::logic_error("no such idea");
}

}  // namespace halation::model
