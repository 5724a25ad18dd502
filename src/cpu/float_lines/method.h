// method.h: what a method does with one filter over one tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/job.h"
#include "cpu/float_lines/input_rows.h"
#include "cpu/parts/kernels.h"
#include "cpu/parts/sum_rows.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {

/// One filter, prepared. Constant; what a tile needs to remember lies in its scratch.
template <class Sum>
class FilterMethod {
 public:
  virtual ~FilterMethod() = default;
  /// Whether it reads rows where they lie, if they are sums already and lie inside the image as far as the tile needs them.
  virtual bool reads_in_place() const { return false; }
  /// Whether its rows may be cut where cache lines end (Correlation::streams).
  virtual bool shifts_rows() const { return false; }
  /// Scratch for tiles of so many pixels of `step` samples.
  virtual std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const = 0;
  /// Whether rows that it staged for one plane of a volume serve the next, in tiles that keep planes.
  virtual bool keeps_planes() const { return false; }
  /// Scratch for such tiles, of so many rows.
  virtual std::int64_t scratch_bytes_of_planes(std::int64_t width, std::int64_t /*height*/, std::int64_t step) const {
    return scratch_bytes(width, step);
  }
  /// Sums of output rows [y, y + rows) of the tile, into lines out[0 … rows − 1]. Called from the tile's first row to its last,
  /// with rows ≤ rows_at_once and the same scratch. `streams`: out goes past the caches.
  virtual void filter(const LineTile<Sum>& tile, std::int64_t y, int rows, Scratch scratch, Sum* const* out, bool streams) const = 0;
};

/// Says of the last sums of a tile's rows [y, y + rows) how they go to memory.
template <class Sum>
void put_as(const LineTile<Sum>& tile, std::int64_t y, int rows, bool streams, Correlation<Sum>& last) {
  last.streams = streams;
  last.joint = tile.joint;
  last.after_row = y > tile.y;
  last.before_row = y + rows < tile.y + tile.height;
  last.follows = tile.follows;
  last.beyond = tile.beyond * tile.lines.step();
}

/// For one tap of weight 1.
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_copy(const Taps& taps);
/// `may_be_non_finite`: whether samples may be, or what a border has.
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_direct(const Taps& taps, double gain, const Kernels<Sum>& kernels, bool may_be_non_finite);
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_separable(const Taps& taps, double gain, const Kernels<Sum>& kernels, std::int64_t channels);
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_low_rank(const Taps& taps, double gain, const Kernels<Sum>& kernels);
template <class Sum>
std::unique_ptr<const FilterMethod<Sum>> make_box(const Taps& taps, double gain, const Kernels<Sum>& kernels);

}  // namespace halation::cpu_backend
