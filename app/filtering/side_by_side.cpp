// side_by_side.cpp: original and result in one picture.
#include "side_by_side.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "converted.h"
#include "io/channels.h"
#include "pipeline/colour/srgb.h"
#include "shown_range.h"

namespace halation::app {
namespace {

constexpr std::int64_t gap_px = 8;
constexpr std::uint8_t white = 255;

/// `image` with the range of `scale` stretched over that of `pixel`.
Image stretched(ConstView image, Pixel scale, Pixel pixel) {
  const ShownRange from = shown_range(scale);
  const double factor = largest(pixel) / (from.white - from.black);
  return converted(image, pixel, factor, -from.black * factor);
}

Image srgb_from_light(ConstView light, Pixel scale) {
  std::vector<std::uint8_t> table(65536);
  for (int level = 0; level <= 65535; ++level)
    table[level] = static_cast<std::uint8_t>(std::lround(srgb_encode(level / 65535.0) * 255));
  const Image levels = stretched(light, scale, Pixel::u16);
  Image encoded(levels.shape(), Pixel::u8);
  const auto* from = reinterpret_cast<const std::uint16_t*>(levels.view().data);
  std::transform(from, from + levels.shape().elements(), reinterpret_cast<std::uint8_t*>(encoded.view().data),
                 [&](std::uint16_t level) { return table[level]; });
  return encoded;
}

std::int64_t colours_of(const PageKind& kind) {
  const std::int64_t colours = kind.shape.channels - (kind.alpha ? 1 : 0);
  return colours >= 3 ? 3 : 1;
}

/// The middle slice with `count` channels from `first` on.
ConstView channels_of(ConstView view, std::int64_t first, std::int64_t count) {
  const Shape& shape = view.shape;
  ConstView part = view.crop({.z = shape.depth / 2, .height = shape.height, .width = shape.width});
  part.data += first * part.strides.channels;
  part.shape.channels = count;
  return part;
}

/// Copies gray or RGB, and alpha if there is one, into a part of the picture.
void paste(const Page& page, Pixel scale, View part) {
  const PageKind kind = kind_of(page);
  const std::int64_t colours = colours_of(kind);
  const Image rgb = page.colour == ColourModel::cmyk ? io::rgb_from_cmyk(page.image) : Image();
  const ConstView source = channels_of(rgb.empty() ? page.image.view() : rgb.view(), 0, colours);
  const Image shown =
      page.linear_light ? srgb_from_light(source, scale) : stretched(source, scale, Pixel::u8);
  const Image alpha =
      page.alpha ? stretched(channels_of(page.image, kind.shape.channels - 1, 1), page.image.pixel(), Pixel::u8)
                 : Image();

  const std::int64_t channels = part.shape.channels;
  const std::int64_t shown_colours = channels >= 3 ? 3 : 1;
  for (std::int64_t y = 0; y < part.shape.height; ++y) {
    for (std::int64_t x = 0; x < part.shape.width; ++x) {
      for (std::int64_t c = 0; c < shown_colours; ++c)
        part.at<std::uint8_t>({.y = y, .x = x, .c = c}) =
            shown.view().at<std::uint8_t>({.y = y, .x = x, .c = std::min(c, colours - 1)});
      if (!alpha.empty())
        part.at<std::uint8_t>({.y = y, .x = x, .c = channels - 1}) = alpha.view().at<std::uint8_t>({.y = y, .x = x});
    }
  }
}

}  // namespace

PageKind kind_of(const Page& page) {
  return {.shape = page.image.shape(), .colour = page.colour, .alpha = page.alpha};
}

PageKind kind_of_side_by_side(const PageKind& original, const PageKind& result) {
  const std::int64_t colours = std::max(colours_of(original), colours_of(result));
  const bool alpha = original.alpha || result.alpha;
  return {.shape = {.height = std::max(original.shape.height, result.shape.height),
                    .width = original.shape.width + gap_px + result.shape.width,
                    .channels = colours + (alpha ? 1 : 0)},
          .colour = colours == 3 ? ColourModel::rgb : ColourModel::gray,
          .alpha = alpha};
}

Page side_by_side(const Page& original, const Page& result, Pixel original_scale, Pixel result_scale) {
  const PageKind kind = kind_of_side_by_side(kind_of(original), kind_of(result));
  Page picture{
      .image = Image(kind.shape, Pixel::u8), .colour = kind.colour, .alpha = kind.alpha, .metadata = {}};
  picture.metadata.icc = original.metadata.icc;
  const View all = picture.image;
  std::memset(all.data, white, static_cast<std::size_t>(kind.shape.elements()));
  const auto centred = [&](const Shape& shape, std::int64_t x) {
    return all.crop(
        {.y = (kind.shape.height - shape.height) / 2, .x = x, .height = shape.height, .width = shape.width});
  };
  const Shape& left = original.image.shape();
  paste(original, original_scale, centred(left, 0));
  paste(result, result_scale, centred(result.image.shape(), left.width + gap_px));
  return picture;
}

}  // namespace halation::app
