// resolution.h: how large pixels are, in the units of files.
#pragma once

#include <cstdint>
#include <utility>

#include "io/codec.h"

namespace halation::io {

constexpr double centimetres_per_inch = 2.54;
constexpr double inches_per_metre = 1 / 0.0254;

/// Along x and y, in the unit of a file.
struct Density {
  double x = 0, y = 0;
};

/// Notes what a file says, counted per `unit`; nothing where that is no resolution.
void set_resolution(Metadata& metadata, Density density, ResolutionUnit unit);

/// Where one is known and its unit is named: pixels per inch.
bool has_named_resolution(const PageView& page);
/// Where the unit is not named.
bool has_unnamed_resolution(const PageView& page);

/// Two integers from 1 to `most` in the ratio of the page's densities, or the nearest; {1, 1} where pixels are square.
std::pair<std::uint32_t, std::uint32_t> ratio_of_density(const PageView& page, std::uint32_t most);

/// What Exif says, where the metadata say nothing themselves.
void take_resolution_of_exif(Metadata& metadata);

/// The page's Exif, for formats that have no other place for resolution: one that says it where there is none.
std::vector<std::byte> exif_with_resolution(const PageView& page);

}  // namespace halation::io
