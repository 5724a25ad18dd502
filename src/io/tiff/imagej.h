// imagej.h: ImageJ's own tags of a TIFF: labels of its images, ranges and colours of their display, regions.
#pragma once

#include "io/metadata/exif.h"

namespace halation::io {

constexpr std::uint16_t imagej_sizes_tag = 50838, imagej_data_tag = 50839;

inline bool is_imagej(const ExifEntry& entry) { return entry.tag == imagej_sizes_tag || entry.tag == imagej_data_tag; }

/// Turns the data, which lie as bytes in the byte order of their file, into the machine's, where that is another one. Both tags go where they
/// are damaged.
void turn_imagej_data(ExifDirectory& entries, bool file_is_little);

}  // namespace halation::io
