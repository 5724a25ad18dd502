// row_layout.cpp: how the rows of a run's input and outputs lie, as kernels tell them apart.
#include "cuda/row_layout.h"

#include <algorithm>
#include <stdexcept>

#include "core/channels_apart.h"
#include "halation/pixel.h"

namespace halation::cuda_backend {
namespace {

std::int64_t element_of(const ConstView& view) { return static_cast<std::int64_t>(bytes_of(view.pixel)); }

/// Whether planes go up, or 32 bits do not hold the bytes of one.
bool is_far(const ConstView& view) {
  return view.strides.height < 0 || view.strides.height * view.shape.height > 0x7fffffff;
}

}  // namespace

std::string_view words_for(RowLayout layout) {
  switch (layout) {
    case RowLayout::aligned:
      return "rows on 16-byte boundaries";
    case RowLayout::aligned_far:
      return "such rows of planes beyond 2 GiB or upside down";
    case RowLayout::aligned_input:
      return "outputs on no 16-byte boundaries";
    case RowLayout::aligned_gather:
      return "outputs with gaps between elements";
    case RowLayout::aligned_pixels:
      return "interleaved channels on 16-byte boundaries";
    case RowLayout::packed:
      return "rows on no 16-byte boundaries";
    case RowLayout::packed_pixels:
      return "interleaved channels on no 16-byte boundaries";
    case RowLayout::strided:
      return "gaps between elements";
  }
  throw std::logic_error("no such row layout");
}

std::int64_t output_boundary(Pixel in, Pixel out) {
  return std::min<std::int64_t>(
      16, 16 / static_cast<std::int64_t>(bytes_of(in)) * static_cast<std::int64_t>(bytes_of(out)));
}

RowEnd row_end_of(const ConstView& view, std::int64_t boundary) {
  const std::int64_t element = element_of(view);
  const std::int64_t channels = view.shape.channels;
  const auto steps = [&](std::int64_t bytes) { return view.shape.width == 1 || view.strides.width == bytes; };
  if (channels > 1 && channels <= 4 && view.strides.channels == element && steps(element * channels))
    return alignment_of(view, false) >= boundary ? RowEnd::aligned_pixels : RowEnd::packed_pixels;
  if (!steps(element)) return RowEnd::apart;
  return alignment_of(view, true) >= boundary ? RowEnd::aligned : RowEnd::packed;
}

RowLayout joined(RowEnd in, RowEnd out) {
  const auto has_pixels = [](RowEnd end) {
    return end == RowEnd::aligned_pixels || end == RowEnd::packed_pixels;
  };
  if (has_pixels(in) && has_pixels(out))
    return in == RowEnd::aligned_pixels && out == RowEnd::aligned_pixels ? RowLayout::aligned_pixels
                                                                         : RowLayout::packed_pixels;
  // Beside planes of channels the elements of a channel are apart.
  const bool apart = out == RowEnd::apart || has_pixels(out);
  if (in == RowEnd::packed) return apart ? RowLayout::strided : RowLayout::packed;
  if (in != RowEnd::aligned) return RowLayout::strided;
  return apart                   ? RowLayout::aligned_gather
         : out == RowEnd::packed ? RowLayout::aligned_input
                                 : RowLayout::aligned;
}

namespace {

template <class Joined>
std::vector<RowLayout> layouts_of(const Joined& joined_with) {
  std::vector<RowLayout> list;
  const auto add = [&](RowLayout layout) {
    if (std::find(list.begin(), list.end(), layout) == list.end()) list.push_back(layout);
  };
  for (const RowEnd other :
       {RowEnd::aligned, RowEnd::packed, RowEnd::apart, RowEnd::aligned_pixels, RowEnd::packed_pixels}) {
    add(joined_with(other));
    if (list.back() == RowLayout::aligned) add(RowLayout::aligned_far);
  }
  return list;
}

}  // namespace

std::vector<RowLayout> layouts_to(RowEnd out) {
  return layouts_of([out](RowEnd in) { return joined(in, out); });
}

std::vector<RowLayout> layouts_from(RowEnd in) {
  return layouts_of([in](RowEnd out) { return joined(in, out); });
}

RowEnd input_end(RowLayout layout) {
  switch (layout) {
    case RowLayout::aligned:
    case RowLayout::aligned_far:
    case RowLayout::aligned_input:
    case RowLayout::aligned_gather:
      return RowEnd::aligned;
    case RowLayout::aligned_pixels:
      return RowEnd::aligned_pixels;
    case RowLayout::packed:
      return RowEnd::packed;
    case RowLayout::packed_pixels:
      return RowEnd::packed_pixels;
    case RowLayout::strided:
      return RowEnd::apart;
  }
  throw std::logic_error("no such row layout");
}

RowEnd output_end(RowLayout layout) {
  switch (layout) {
    case RowLayout::aligned:
    case RowLayout::aligned_far:
      return RowEnd::aligned;
    case RowLayout::aligned_pixels:
      return RowEnd::aligned_pixels;
    case RowLayout::aligned_input:
    case RowLayout::packed:
      return RowEnd::packed;
    case RowLayout::packed_pixels:
      return RowEnd::packed_pixels;
    case RowLayout::aligned_gather:
    case RowLayout::strided:
      return RowEnd::apart;
  }
  throw std::logic_error("no such row layout");
}

RowLayout row_layout_of(const ConstView& in, std::span<const View> outs) {
  const RowEnd from = row_end_of(in, 16);
  const std::int64_t boundary = output_boundary(in.pixel, outs[0].pixel);
  RowLayout layout = joined(from, row_end_of(outs[0], boundary));
  bool far = is_far(in);
  for (const View& out : outs) {
    // Of the classes for one input the last is the one that all outputs are of at least.
    layout = std::max(layout, joined(from, row_end_of(out, boundary)));
    far = far || is_far(out);
  }
  return layout == RowLayout::aligned && far ? RowLayout::aligned_far : layout;
}

}  // namespace halation::cuda_backend
