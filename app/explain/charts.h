// charts.h: the charts of the pages of `halation explain`; weight_charts.h has those of weights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job.h"
#include "model.h"

namespace halation::app {

/// A method's time as many times that of the one chosen, as both were measured, else as both are expected;
/// none where neither is known.
struct MethodTime {
  double seconds = 0, over_chosen = 1;
  bool measured = false;
};
std::optional<MethodTime> time_of(const std::vector<RankedMethod>& ranking, const RankedMethod& method);
/// "3.76", "12.3", "1310".
std::string ratio_text(double ratio);

// Each is an <svg> element in a box; empty where there is nothing to draw. `id` is unique on the page.

/// A bar for each method whose time is known.
std::string methods_chart(const std::vector<RankedMethod>& ranking, const std::string& id);

/// A point for each method on paper, under the GPU's bandwidth and rate.
std::string roofline_chart(const Explanation& explanation);

/// What an inside tile loads: outputs, halo and the uses of each element; of a volume its middle plane. Of
/// many elements outlines alone.
std::string tile_chart(const Tiling& tiling);
/// Whether that has the uses of each element.
bool draws_uses(const Tiling& tiling);

/// A line for each mask: bandwidth reduction of inside tiles over the size of the tile.
std::string reduction_chart(const Tiling& tiling);

/// A bar for each resource: the blocks that it alone allows.
std::string limits_chart(const OccupancyQuestion& question);

/// A bar for each size of block: occupancy.
std::string block_sizes_chart(const OccupancyQuestion& question);

}  // namespace halation::app
