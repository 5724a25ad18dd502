// lines.h: rows of the input, extended by the border, as lines of numbers: sums, or pixels as they are.
#pragma once

#include <cstdint>
#include <span>

#include "core/job.h"
#include "cpu/tiles/parallel.h"
#include "cpu/tiles/scratch.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {

/// Makes numbers of `count` samples that begin `stride` bytes apart.
template <class T>
using LoadSamples = void (*)(const std::byte* from, std::int64_t stride, T* to, std::int64_t count);

/// Of samples that are such numbers already.
template <class T>
void copy_samples(const std::byte* from, std::int64_t stride, T* to, std::int64_t count);

/// One image of a batch (and one channel of it where channels are not interleaved) as a source of lines.
template <class T>
class Lines {
 public:
  /// `step` samples stand side by side in each pixel: the channels of interleaved images, else 1. `in` is narrowed to what is
  /// filtered; constants of the border are numbers that T holds.
  Lines(const Job& job, const ConstView& in, std::int64_t step, LoadSamples<T> samples);

  /// Writes pixels [x_low, x_high) of row (z, y) to `line`; all coordinates may lie outside the image. The inside of the row is
  /// one conversion without tests; only pixels outside are looked up.
  void stage(std::int64_t z, std::int64_t y, std::int64_t x_low, std::int64_t x_high, T* line) const;

  /// The same pixels where they lie, as a line, if they are such numbers already and all inside the image; else null. Nothing may
  /// be read behind them.
  const T* in_place(std::int64_t z, std::int64_t y, std::int64_t x_low, std::int64_t x_high) const;
  /// The same where some of the pixels are outside the image, of which nothing may be read.
  const T* around(std::int64_t z, std::int64_t y, std::int64_t x_low) const;
  /// stage(x_low, x_high) of a row for which around(x_low) is `here`.
  void stage_around(const T* here, std::int64_t x_low, std::int64_t x_high, T* line) const;

  std::int64_t step() const { return step_; }
  /// For prefetches: where a row lies from x on, which may be outside; null where it is not of such numbers or not in the image.
  const std::byte* near(std::int64_t z, std::int64_t y, std::int64_t x) const;
  /// Whether `count` rows that lie in the image, y or what is inside first, fall out of the first-level cache where they are read side by
  /// side; not if they are no more than `most`.
  bool rows_fall_out(std::int64_t z, std::int64_t y, std::int64_t count, std::int64_t most) const;
  std::int64_t width() const { return in_.shape.width; }
  bool is_one_row() const { return in_.shape.height == 1; }

 private:
  void load(const std::byte* row, std::int64_t x, std::int64_t pixels, T* to) const;
  /// Pixels [low, high), all outside the image: the constant, or what copy(source_x, to) has.
  template <class CopyPixel>
  void stage_outside(std::int64_t low, std::int64_t high, T* line, const CopyPixel& copy) const;

  const Job& job_;
  const ConstView& in_;
  std::int64_t step_;
  LoadSamples<T> load_;
  std::int64_t sample_bytes_;  // from one sample of a line to the next
  bool are_numbers_;           // packed ones, of the pixel of lines
};

/// body(lines, tile, scratch) for each tile of an image, by as many workers, each with its part of the workspace.
template <class T, class Body>
void for_each_tile(const Job& job, const Tiles& tiles, int workers, const ConstView& in, LoadSamples<T> load,
                   std::span<std::byte> workspace, const Body& body) {
  const WorkerScratch own(workspace, workers, tiles.scratch_bytes());
  parallel(workers, tiles.count(), [&](int worker, std::int64_t index) {
    const Tiles::Tile tile = tiles.tile(index);
    if (tile.width <= 0) return;
    ConstView part = in.batch(tile.batch);
    if (tiles.step() == 1) part = part.channel(tile.channel);
    const Lines<T> lines(job, part, tiles.step(), load);
    body(lines, tile, own.of(worker));
  });
}

}  // namespace halation::cpu_backend
