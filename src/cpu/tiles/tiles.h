// tiles.h: how outputs are cut into tiles, and where a tile's pixels lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/job.h"
#include "halation/view.h"

namespace halation::cpu_backend {

/// What a runner asks of its tiles. Samples are pixels times the channels that lie side by side.
struct TileLimits {
  std::int64_t least_samples = 512;  ///< of a row of a tile, where there are as many
  std::int64_t most_samples = 1024;        ///< but for twice `column_multiple` pixels
  std::int64_t scratch_bytes = 384 << 10;  ///< which should stay in the second-level cache beside what streams through it
  std::int64_t row_multiple = 1;           ///< of rows: such as are made together
  std::int64_t column_multiple = 1;        ///< tiles begin at multiples of so many pixels: where cache lines do, if rows do
  std::int64_t edge_samples = 0;           ///< of the first and the last tile of a row, where those between read in place; 0: none
  std::int64_t most_kept_rows = 0;  ///< of tiles that go on to the next plane with the rows that they staged; 0: they do not
};

/// The most taps of a job's filters along each axis.
struct FilterReach {
  std::int64_t deepest = 1;
  std::int64_t tallest = 1;
  std::int64_t widest = 1;

  explicit FilterReach(std::span<const Taps> filters) {
    for (const Taps& taps : filters) {
      deepest = std::max(deepest, taps.size[0]);
      tallest = std::max(tallest, taps.size[1]);
      widest = std::max(widest, taps.size[2]);
    }
  }
};

/// Rows are cut into samples: interleaved channels are filtered side by side, taps `step` samples apart; all other layouts one
/// channel after the other, by their strides.
class Tiles {
 public:
  struct Tile {
    std::int64_t batch, channel, z, y, x;
    std::int64_t planes, height, width;
  };

  /// `scratch_bytes(width, kept_rows, step)` is what a tile of so many pixels needs; `kept_rows` of one that keeps planes, else 0.
  template <class ScratchBytes>
  Tiles(const Shape& out, std::int64_t step, const FilterReach& reach, int workers, const TileLimits& limits,
        const ScratchBytes& scratch_bytes)
      : shape_(out), step_(step), channels_(step > 1 ? 1 : out.channels), multiple_(limits.column_multiple) {
    // Columns beside a tile are filtered again by its neighbours: at least four times as many of its own keep that below a quarter.
    const std::int64_t least = std::max(limits.least_samples / step + 1, 4 * reach.widest);
    // As few as may be, all of one width: a row that is a little longer than so many tiles makes them a little wider.
    const std::int64_t most = limits.most_samples / step + multiple_;
    std::int64_t count = (out.width + most - 1) / most;
    const auto width_of = [&](std::int64_t tiles) { return std::max(std::min(least, out.width), (out.width + tiles - 1) / tiles); };
    width_ = width_of(count);
    while (width_ > least && scratch_bytes(width_, 0, step) > limits.scratch_bytes) width_ = width_of(count += 1 + count / 16);
    if (width_ < out.width) width_ = round_up(width_, multiple_);
    // Rows above a strip are filtered again by each strip: few, unless threads would go without work.
    const std::int64_t each = out.batch * channels_ * out.depth;
    height_ = cut(out.height, reach.tallest, each, each * ((out.width + width_ - 1) / width_), workers);
    height_ = std::min(out.height, round_up(height_, limits.row_multiple));
    if (limits.edge_samples > 0) {
      const std::int64_t edge = round_up(std::max(limits.edge_samples / step + 1, reach.widest), multiple_);
      // What a row pays for its first and last tile, in samples that it could have copied meanwhile.
      const std::int64_t cost = 1536 + 8 * step * (edge + (out.width - edge) % multiple_);
      if (out.width * step > cost && edge + multiple_ <= width_) edge_ = edge;
    }
    across_ = (out.width + width_ - 1) / width_ + (edge_ > 0 ? 2 : 0);
    if (limits.most_kept_rows > 0 && edge_ == 0) keep_planes(reach, workers, limits, scratch_bytes);
    down_ = (out.height + height_ - 1) / height_;
    deep_ = (out.depth + planes_ - 1) / planes_;
    scratch_bytes_ = scratch_bytes(width_, keeps_planes() ? height_ : 0, step);
  }

  std::int64_t step() const { return step_; }
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  std::int64_t planes() const { return planes_; }
  std::int64_t across() const { return across_; }
  bool keeps_planes() const { return planes_ > 1; }
  /// Of one tile at a time.
  std::int64_t scratch_bytes() const { return scratch_bytes_; }
  std::int64_t count() const { return shape_.batch * channels_ * deep_ * down_ * across_; }

  /// The index-th of `count()`; some are of no pixels.
  Tile tile(std::int64_t index) const {
    const auto next = [&index](std::int64_t count) {
      const std::int64_t place = index % count;
      index /= count;
      return place;
    };
    Tile tile{};
    const std::int64_t place = next(across_);
    const auto [begin, end] = inner_columns();
    const bool first = edge_ > 0 && place == 0;
    const bool last = edge_ > 0 && place == across_ - 1;
    tile.x = first ? 0 : last ? end : begin + (place - (edge_ > 0 ? 1 : 0)) * width_;
    tile.width = first ? begin : last ? shape_.width - end : std::max<std::int64_t>(0, std::min(width_, end - tile.x));
    tile.y = next(down_) * height_;
    tile.height = std::min(height_, shape_.height - tile.y);
    tile.z = next(deep_) * planes_;
    tile.planes = std::min(planes_, shape_.depth - tile.z);
    tile.channel = next(channels_);
    tile.batch = next(shape_.batch);
    return tile;
  }

 private:
  static std::int64_t round_up(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

  /// Rows, or planes, of a strip of n of them: four strips for each worker of `each` images, but four times as many as the taps along
  /// them, unless workers would go without any of `tiles` that there are without strips, or all wait for one that is left.
  static std::int64_t cut(std::int64_t n, std::int64_t taps, std::int64_t each, std::int64_t tiles, std::int64_t workers) {
    if (workers == 1) return std::max(n, 4 * taps);
    const auto of = [n](std::int64_t strips) { return (n + strips - 1) / strips; };
    const auto waits = [&](std::int64_t strips) {
      const std::int64_t count = strips * tiles;
      return (count + workers - 1) / workers * workers * 4 > count * 5;
    };
    std::int64_t strips = 1;
    while (strips < 2 * workers && waits(strips)) ++strips;
    const std::int64_t least = std::min(4 * taps, std::max(of(strips), tiles < workers ? taps / 2 : taps));
    return std::max(of((4 * workers + each - 1) / each), least);
  }

  /// Volumes whose rows are staged, as a whole or at their sides: tiles so low that the scratch holds all rows that an output plane
  /// needs, unless most of them would be rows that the next tile stages as well; then planes one after another, as many as leave each
  /// worker several tiles.
  template <class ScratchBytes>
  void keep_planes(const FilterReach& reach, int workers, const TileLimits& limits, const ScratchBytes& scratch_bytes) {
    std::int64_t height = round_up(std::min(shape_.height, limits.most_kept_rows), limits.row_multiple);
    while (height > 0 && scratch_bytes(width_, height, step_) > limits.scratch_bytes) height -= limits.row_multiple;
    if (height < std::min(shape_.height, 2 * reach.tallest)) return;
    const std::int64_t columns = shape_.batch * channels_ * across_ * ((shape_.height + height - 1) / height);
    const std::int64_t planes = std::min(shape_.depth, cut(shape_.depth, reach.deepest, columns, columns, workers));
    if (planes == 1) return;
    height_ = std::min(shape_.height, height);
    planes_ = planes;
  }

  /// Columns of the tiles between the first and the last of a row. The last one has what is left of a multiple besides: rows end within
  /// cache lines.
  std::pair<std::int64_t, std::int64_t> inner_columns() const {
    if (edge_ == 0) return {0, shape_.width};
    return {edge_, shape_.width - edge_ - (shape_.width - edge_) % multiple_};
  }

  Shape shape_;
  std::int64_t step_;
  std::int64_t channels_;  ///< that are filtered one by one
  std::int64_t multiple_;
  std::int64_t width_ = 1;
  std::int64_t height_ = 1;
  std::int64_t planes_ = 1;
  std::int64_t edge_ = 0;
  std::int64_t across_ = 1;
  std::int64_t down_ = 1;
  std::int64_t deep_ = 1;
  std::int64_t scratch_bytes_ = 0;
};

/// Whether the channels of a pixel, and pixels, follow one another.
inline bool packed_pixels(const ConstView& view) {
  const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
  return view.strides.channels == element && view.strides.width == element * view.shape.channels;
}

inline bool packed_pixels(const ConstView& in, std::span<const View> outs) {
  return packed_pixels(in) && std::all_of(outs.begin(), outs.end(), [](const View& out) { return packed_pixels(out); });
}

/// Bytes from one sample of a row to the next.
inline std::int64_t sample_stride(const Strides& strides, std::int64_t step) { return step > 1 ? strides.channels : strides.width; }

/// Where row y of a tile begins in an output.
inline std::byte* place_in(const View& out, const Tiles::Tile& tile, std::int64_t y) {
  const Strides& s = out.strides;
  return out.data + tile.batch * s.batch + tile.channel * s.channels + tile.z * s.depth + y * s.height + tile.x * s.width;
}

}  // namespace halation::cpu_backend
