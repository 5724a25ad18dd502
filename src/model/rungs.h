// rungs.h: what each rung of the ladder computes and asks of memory, per output, from its idea alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace halation::model {

/// Extents along z, y, x of what one block works on: its outputs, and for `tiled_input_block` the input tile.
using Tile = std::array<std::int64_t, 3>;

/// Per output of f32, away from the image's edges.
struct RungWork {
  double operations = 0;    ///< multiplications and additions, 2 a tap
  double global_loads = 0;  ///< elements of filter and image asked of the memory system, caches included
  double global_stores = 1;
  double least_dram_bytes = 8;  ///< with perfect caches: every pass reads and writes the image once

  double bytes() const { return 4 * (global_loads + global_stores); }
  /// As the sources count: by bytes loaded.
  double operations_per_byte() const { return operations / (4 * global_loads); }
};

/// The tile that the ladder's file has, unless told otherwise:
///     1D   256 outputs
///     2D   16×16; tiled_cached 16 rows of 32; tiled_input_block and separable_optimised 64×64
///     3D   4×4 rows of 32
Tile default_tile(std::string_view rung, int dims);

/// With M = 2 · radius + 1, taps = M^d, and per axis t outputs a block, or T elements of the input tile:
///     cpu, cpu_naive, basic, naive,
///     texture                            2 taps operations; loads of taps weights and taps elements
///     constant                           taps loads: weights come from constant memory
///     tiled_halo, tiled_output_block,
///     tiled                              Π (t + M − 1) ÷ t loads
///     tiled_input_block                  Π T ÷ (T − M + 1) loads
///     tiled_cached                       1 load for the tile, and one for each tap outside it
///     separable_shared,
///     separable_optimised                4 M operations; (tx + M − 1) ÷ tx + (ty + M − 1) ÷ ty loads and
///                                        2 stores, in two passes
///     library, cpu_library               2 taps operations, as the filter is defined; 1 load, the ideal that
///                                        the engine is held to
///
/// Throws `Error{invalid_argument}` for a rung that there is none of in `dims` dimensions, a negative radius,
/// and an input tile that leaves no output.
RungWork rung_work(std::string_view rung, int dims, std::int64_t radius, std::optional<Tile> tile = {});

}  // namespace halation::model
