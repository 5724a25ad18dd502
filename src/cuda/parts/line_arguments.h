// line_arguments.h: views and a job as what kernels over lines get.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "core/job.h"
#include "cuda/parts/lines.cuh"
#include "cuda/parts/placed_taps.h"
#include "halation/error.h"

namespace halation::cuda_backend {

/// How a kernel cuts images.
struct BlockShape {
  int groups;         ///< of 4 pixels in a block's row, channels together
  int rows;           ///< of outputs in a block
  bool fold;          ///< whether a signal may be folded into rows
  bool side_by_side;  ///< whether a block may take several channels
};

inline LineArguments line_arguments(const ConstView& in, const View& out, const Job& job, const BlockShape& cut) {
  const auto packed = [](const ConstView& view, std::int64_t channels) {
    const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
    return (view.shape.width == 1 || view.strides.width == element * channels) &&
           (channels == 1 || view.strides.channels == element);
  };
  LineArguments lines{};
  const std::int64_t channels = in.shape.channels;
  const bool side_by_side = cut.side_by_side && channels <= 16 && (packed(in, channels) || packed(out, channels));
  lines.channels = side_by_side ? static_cast<int>(channels) : 1;
  lines.by_channels = ((1 << 16) + lines.channels - 1) / lines.channels;
  lines.in = in.data;
  lines.in_strides = in.strides;
  lines.out_strides = out.strides;
  lines.out = out.shape;
  for (std::size_t axis = 0; axis < 3; ++axis) lines.borders[axis] = DeviceBorder(job.borders[axis]);
  lines.scale = job.scale;
  lines.offset = job.offset;
  lines.in_pixel = in.pixel;
  lines.out_pixel = out.pixel;
  lines.rounding = job.rounding;
  lines.out_packed = packed(out, lines.channels);
  const std::int64_t widest = cut.groups / lines.channels * 4;
  lines.width = static_cast<int>(std::min(widest, (out.shape.width + 3) / 4 * 4));
  const std::int64_t row_places = 1024 * (std::abs(in.strides.width) + (lines.channels > 1 ? std::abs(in.strides.channels) : 0));
  lines.long_strides = row_places > 0x7fffffff;
  const Shape& n = in.shape;
  lines.folded = cut.fold && n.height == 1 && n.depth == 1 && out.shape.height == 1 && out.shape.depth == 1 &&
                 out.shape.width > widest;
  const auto blocks = [](std::int64_t count, std::int64_t per_block) { return (count + per_block - 1) / per_block; };
  const std::int64_t across = blocks(out.shape.width, lines.width);
  const std::int64_t down = blocks(lines.folded ? across : out.shape.height, cut.rows);
  lines.blocks_x = Divisor(lines.folded ? 1 : across);
  lines.blocks_y = Divisor(down);
  lines.depth = Divisor(out.shape.depth);
  lines.batch = Divisor(out.shape.batch);
  const std::int64_t planes = out.shape.depth * out.shape.batch * (channels / lines.channels);
  if (static_cast<double>(lines.blocks_x.by) * static_cast<double>(down) * static_cast<double>(planes) > 0x7fffffff) {
    throw Error(ErrorCode::unsupported, "image " + to_string(out.shape) + " has more blocks than a launch can have");
  }
  return lines;
}

/// Whether all rows are f32 and begin on 16-byte boundaries.
template <class AnyView>
bool begins_aligned16(const AnyView& view) {
  return view.pixel == Pixel::f32 && rows_begin_on(view, 16, false);
}

/// Whether all groups of the output are f32 of one channel on 16-byte boundaries.
inline bool stores_aligned16(const LineArguments& lines, const View& out) {
  return lines.channels == 1 && lines.out_packed && out.shape.width % 4 == 0 && begins_aligned16(out);
}

/// Blocks of a launch: those of a plane, for all planes, images and channels.
inline unsigned blocks_of(const LineArguments& lines) {
  return lines.blocks_x.by * lines.blocks_y.by * lines.depth.by * lines.batch.by *
         static_cast<unsigned>(lines.out.channels / lines.channels);
}

}  // namespace halation::cuda_backend
