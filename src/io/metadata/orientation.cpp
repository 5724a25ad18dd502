// orientation.cpp: pictures that were stored turned or mirrored.
#include "io/metadata/orientation.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "io/metadata/exif.h"
#include "io/metadata/exif_in_place.h"
#include "io/metadata/xmp.h"

namespace halation::io {
namespace {

constexpr std::uint16_t orientation_tag = 0x0112;

/// Where the 16-bit value of the orientation lies.
std::optional<std::size_t> find_orientation(Bytes exif) {
  const auto entry = find_entry(exif, first_directory(exif), orientation_tag);
  if (!entry || exif_number(exif, *entry + 2, 2) != short_type) return {};
  return *entry + 8;
}

void set_exif_orientation(std::vector<std::byte>& exif, int orientation) {
  if (const auto position = find_orientation(exif)) {
    const bool little = exif[0] == std::byte{'I'};
    exif[*position] = static_cast<std::byte>(little ? orientation : 0);
    exif[*position + 1] = static_cast<std::byte>(little ? 0 : orientation);
  } else if (orientation != 1) {
    const auto value = static_cast<std::uint16_t>(orientation);
    Exif with = exif_in(exif);
    with.own.push_back({orientation_tag, short_type, 1, bytes_at(&value, sizeof value)});
    exif = exif_bytes(with);
  }
}

/// The view that shows the stored pixels upright.
ConstView upright_view(ConstView view, int orientation) {
  if (mirrors_rows(orientation)) {
    view.data += (view.shape.height - 1) * view.strides.height;
    view.strides.height = -view.strides.height;
  }
  if (mirrors_columns(orientation)) {
    view.data += (view.shape.width - 1) * view.strides.width;
    view.strides.width = -view.strides.width;
  }
  if (swaps_sides(orientation)) {
    std::swap(view.shape.height, view.shape.width);
    std::swap(view.strides.height, view.strides.width);
  }
  return view;
}

/// Moves whole pixels; in square blocks, so that a turn by 90 degrees does not miss the cache at each of
/// them.
template <class PixelBytes>
void copy_pixels(const ConstView& from, const View& to, PixelBytes pixel_bytes) {
  constexpr std::int64_t block = 32;
  for (std::int64_t top = 0; top < to.shape.height; top += block) {
    const std::int64_t bottom = std::min(top + block, to.shape.height);
    for (std::int64_t left = 0; left < to.shape.width; left += block) {
      const std::int64_t right = std::min(left + block, to.shape.width);
      for (std::int64_t y = top; y < bottom; ++y) {
        for (std::int64_t x = left; x < right; ++x) {
          std::memcpy(to.data + y * to.strides.height + x * to.strides.width,
                      from.data + y * from.strides.height + x * from.strides.width, pixel_bytes);
        }
      }
    }
  }
}

template <std::size_t bytes>
using Constant = std::integral_constant<std::size_t, bytes>;

Image upright(const ConstView& stored, int orientation) {
  const ConstView turned = upright_view(stored, orientation);
  Image image(turned.shape, turned.pixel);
  const auto pixel_bytes = static_cast<std::size_t>(turned.shape.channels) * bytes_of(turned.pixel);
  switch (pixel_bytes) {  // the sizes of gray and RGB photographs; memcpy of a known size is one move
    case 1:
      copy_pixels(turned, image, Constant<1>{});
      break;
    case 2:
      copy_pixels(turned, image, Constant<2>{});
      break;
    case 3:
      copy_pixels(turned, image, Constant<3>{});
      break;
    case 4:
      copy_pixels(turned, image, Constant<4>{});
      break;
    case 6:
      copy_pixels(turned, image, Constant<6>{});
      break;
    case 8:
      copy_pixels(turned, image, Constant<8>{});
      break;
    default:
      copy_pixels(turned, image, pixel_bytes);
      break;
  }
  return image;
}

}  // namespace

int orientation_in(Bytes exif) {
  const auto position = find_orientation(exif);
  const std::uint32_t value = position ? exif_number(exif, *position, 2) : 1;
  return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
}

void turn_upright(Page& page, int orientation) {
  turn_subject(page.metadata.exif, orientation, page.image.shape());
  page.image = upright(page.image, orientation);
  if (swaps_sides(orientation)) {
    std::swap(page.metadata.dots_per_inch_x, page.metadata.dots_per_inch_y);
    std::swap(page.metadata.tiff.tile_width, page.metadata.tiff.tile_height);
    swap_sides(page.metadata.exif);
  }
  page.lost_geotiff = page.lost_geotiff || !page.metadata.geotiff.empty();
  page.metadata.geotiff.clear();
  set_orientation(page.metadata, 1);
}

void set_orientation(Metadata& metadata, int orientation) {
  set_exif_orientation(metadata.exif, orientation);
  set_xmp_digit(metadata.xmp, "tiff:Orientation", orientation);
}

}  // namespace halation::io
