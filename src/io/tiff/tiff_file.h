// tiff_file.h: libtiff on bytes in memory and on an `Output`, with its messages caught; Exif within a file.
#pragma once

#include <tiffio.h>

#include <memory>
#include <span>

#include "io/file.h"
#include "io/metadata/exif.h"

namespace halation::io {

/// The first error that libtiff reported. Warnings are dropped but those of rows that are missing.
struct TiffComplaint {
  char sentence[300] = "";
  bool rows_missing = false;
};
/// Says that the file ends too early.
void complain_of_end(TiffComplaint& complaint);

/// A file in memory being read.
struct TiffBytes {
  Bytes bytes;
  TiffComplaint& complaint;
  std::uint64_t position = 0;
  bool read_past_end = false;  ///< libtiff only warns of tags that lie beyond the end
};

using Tiff = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

/// Null where libtiff finds no TIFF. The arguments must outlive the result.
Tiff open_for_reading(TiffBytes& file);
/// The same where libtiff decodes strips from the bytes as they lie, without a copy of them. What lies beyond the end it then finds
/// itself, and `read_past_end` stays false.
Tiff open_mapped(TiffBytes& file);
Tiff open_for_writing(Output& output, bool big, TiffComplaint& complaint);

/// An entry whose tag libtiff does not know. It forgets such tags with the end of each directory.
void set_foreign(TIFF* tiff, const ExifEntry& entry);

/// Exif of the page that is being written to `output`, one of `pages`: texts go into its directory, but for a description that does not hold
/// of these, the others behind what has been written so far.
void write_exif(TIFF* tiff, Bytes exif, std::span<const PageView> pages, bool big, Output& output);

}  // namespace halation::io
