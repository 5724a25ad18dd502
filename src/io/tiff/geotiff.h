// geotiff.h: where on earth the pixels of a TIFF lie, and what GDAL and ImageJ say of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/metadata/exif.h"

namespace halation::io {

/// The tags of GeoTIFF, GDAL and ImageJ in the directory of `file` at `at`, with its width and height, as `Metadata::geotiff`; empty where there are
/// none. Statistics of pixels are left out.
std::vector<std::byte> geotiff_in(Bytes file, std::uint64_t at);

/// What they are called in sentences: "GeoTIFF tags", unless all are ImageJ's.
std::string_view title_of_geotiff(Bytes geotiff);

/// Whether those bytes are of an image of that height and width, or say no size.
bool geotiff_fits(Bytes geotiff, const Shape& shape);

/// Their tags, for a page that they fit; none for another.
ExifDirectory geotiff_for(Bytes geotiff, const Shape& shape);

}  // namespace halation::io
