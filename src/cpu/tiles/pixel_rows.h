// pixel_rows.h: rows of the input as they are, extended by the border.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/job.h"
#include "cpu/tiles/copy_bytes.h"
#include "cpu/tiles/parallel.h"
#include "cpu/tiles/scratch.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {

/// One image of a batch (and one channel of it where channels are not side by side) as a source of rows of integers.
template <class T>
class PixelRows {
 public:
  /// `step` samples stand side by side in each pixel. `in` is narrowed to what is filtered, constants of the border are pixels.
  PixelRows(const Job& job, const ConstView& in, std::int64_t step)
      : job_(job), in_(in), step_(step), stride_(sample_stride(in.strides, step)) {}

  /// Pixels [x_low, x_high) of row (z, y) where they lie, if all are inside the image and side by side; else null. Nothing may
  /// be read behind them.
  const T* in_place(std::int64_t z, std::int64_t y, std::int64_t x_low, std::int64_t x_high) const {
    if (x_low < 0 || x_high > in_.shape.width || stride_ != element || in_.strides.width != step_ * element) return nullptr;
    const std::int64_t source_z = job_.borders[0].source(z);
    const std::int64_t source_y = job_.borders[1].source(y);
    if (source_z < 0 || source_y < 0) return nullptr;
    return reinterpret_cast<const T*>(row(source_z, source_y) + x_low * in_.strides.width);
  }

  /// Writes them to `line`; all coordinates may lie outside the image.
  void stage(std::int64_t z, std::int64_t y, std::int64_t x_low, std::int64_t x_high, T* line) const {
    const std::int64_t source_z = job_.borders[0].source(z);
    const std::int64_t source_y = job_.borders[1].source(y);
    if (source_z < 0 || source_y < 0) {
      std::fill_n(line, (x_high - x_low) * step_, static_cast<T>(job_.constant_at({source_z, source_y, 0})));
      return;
    }
    const std::byte* from = row(source_z, source_y);
    const std::int64_t inside_low = std::clamp<std::int64_t>(0, x_low, x_high);
    const std::int64_t inside_high = std::clamp<std::int64_t>(in_.shape.width, inside_low, x_high);
    const auto outside = [&](std::int64_t low, std::int64_t high) {
      for (std::int64_t x = low; x < high; ++x) {
        T* to = line + (x - x_low) * step_;
        const std::int64_t source_x = job_.borders[2].source(x);
        if (source_x < 0) {
          std::fill_n(to, step_, static_cast<T>(job_.borders[2].constant()));
        } else if (source_x >= inside_low && source_x < inside_high) {
          copy_pixel(line + (source_x - x_low) * step_, step_, to);
        } else {
          copy(from, source_x, 1, to);
        }
      }
    };
    copy(from, inside_low, inside_high - inside_low, line + (inside_low - x_low) * step_);
    outside(x_low, inside_low);
    outside(inside_high, x_high);
  }

 private:
  static constexpr std::int64_t element = sizeof(T);

  const std::byte* row(std::int64_t z, std::int64_t y) const {
    return in_.data + z * in_.strides.depth + y * in_.strides.height;
  }
  void copy(const std::byte* row, std::int64_t x, std::int64_t pixels, T* to) const {
    const std::byte* from = row + x * in_.strides.width;
    if (stride_ == element && in_.strides.width == step_ * element) {
      copy_bytes(from, to, pixels * step_ * element);
      return;
    }
    for (std::int64_t i = 0; i < pixels; ++i, from += in_.strides.width) {
      for (std::int64_t c = 0; c < step_; ++c) *to++ = *reinterpret_cast<const T*>(from + c * stride_);
    }
  }

  const Job& job_;
  const ConstView& in_;
  std::int64_t step_;
  std::int64_t stride_;  // bytes from one sample to the next
};

/// body(rows, tile, scratch) for each tile of an image, by as many workers, each with its part of the workspace.
template <class T, class Body>
void for_each_tile(const Job& job, const Tiles& tiles, int workers, const ConstView& in, std::span<std::byte> workspace,
                   const Body& body) {
  parallel(workers, tiles.count(), [&](int worker, std::int64_t index) {
    const Tiles::Tile tile = tiles.tile(index);
    ConstView part = in.batch(tile.batch);
    if (tiles.step() == 1) part = part.channel(tile.channel);
    const PixelRows<T> rows(job, part, tiles.step());
    body(rows, tile, Scratch(workspace.data() + worker * tiles.scratch_bytes()));
  });
}

}  // namespace halation::cpu_backend
