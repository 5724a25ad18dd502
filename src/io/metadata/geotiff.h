// geotiff.h: where on earth the pixels of a TIFF lie, and what GDAL says of them.
#pragma once

#include <cstdint>
#include <vector>

#include "io/metadata/exif.h"

namespace halation::io {

/// The tags of GeoTIFF and GDAL in the directory of `file` at `at`, with its width and height, as `Metadata::geotiff`; empty where there are
/// none. Statistics of pixels are left out.
std::vector<std::byte> geotiff_in(Bytes file, std::uint64_t at);

/// Whether those bytes are of an image of that height and width, or say no size.
bool geotiff_fits(Bytes geotiff, const Shape& shape);

/// Their tags, for a page that they fit; none for another.
ExifDirectory geotiff_for(Bytes geotiff, const Shape& shape);

}  // namespace halation::io
