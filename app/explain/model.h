// model.h: `halation explain` without a filter: tiles, occupancy, and which GPU is meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_description.h"
#include "model/occupancy.h"
#include "model/tile.h"

namespace halation::app {

using Numbers = std::vector<std::int64_t>;

/// The built-in description of that name, or for "present" the one of the first CUDA device here. Throws
/// `Error{invalid_argument}` for an unknown name, `Error{unsupported}` where no GPU is present or none of the
/// descriptions is its.
const model::DeviceDescription& gpu_named(const std::string& name);

/// Blocks of tile^dims outputs, each of mask^dims taps.
struct Tiling {
  int dims = 2;
  std::int64_t tile = 8, mask = 5;
};

/// Loads, accesses, reuse, tables and operations per byte.
std::string text_of(const Tiling& tiling);
nlohmann::ordered_json json_of(const Tiling& tiling);

/// A tile by the number of its sides that lie at the image's border.
struct NamedTile {
  std::string_view name;
  std::vector<model::TileAxis> axes;
};
std::vector<NamedTile> tiles_of(const Tiling& tiling);

/// "8", "8x8" or "8x8x8".
std::string power(std::int64_t side, int dims);
/// Sizes that people try, and the one asked about, in order.
Numbers usual_tiles(const Tiling& tiling);
Numbers usual_masks(const Tiling& tiling);
/// The uses of elements y, x, as rows.
std::vector<Numbers> picture_of(const Numbers& uses);
/// Larger pictures of reuse do not fit a page.
inline constexpr std::size_t most_columns = 32;

struct OccupancyQuestion {
  const model::DeviceDescription* device = nullptr;
  model::BlockNeeds needs;
};

/// What one multiprocessor holds of a kernel, and the same for other sizes of block.
std::string text_of(const OccupancyQuestion& question);
nlohmann::ordered_json json_of(const OccupancyQuestion& question);

/// In words: what none is used of sets no limit.
std::string allowed(const model::DeviceDescription& device, std::int64_t blocks);
/// The sizes of block that people try.
std::vector<int> block_sizes(const model::DeviceDescription& device);

}  // namespace halation::app
