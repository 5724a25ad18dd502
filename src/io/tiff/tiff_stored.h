// tiff_stored.h: how the pages of a TIFF are stored.
#pragma once

#include <cstdint>
#include <vector>

#include "io/tiff/tiff_file.h"

namespace halation::io {

/// Throws `Error{io}` with what libtiff complained of.
[[noreturn]] void fail(const TiffComplaint& complaint);

/// A field of the directory that `tiff` is at.
template <class T>
T tag(TIFF* tiff, std::uint32_t name, T otherwise) {
  T value = otherwise;
  return TIFFGetFieldDefaulted(tiff, name, &value) != 0 ? value : otherwise;
}

/// How one page is stored.
struct TiffStored {
  std::int64_t width = 0, height = 0, samples = 1;
  unsigned bits = 1;
  Pixel pixel = Pixel::u8;  // of the samples once spread to whole bytes
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t compression = COMPRESSION_NONE;
  bool planes_apart = false;
  std::vector<std::uint16_t> extras;
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
  std::uint64_t directory = 0;  // its offset

  Shape shape() const { return {.height = height, .width = width, .channels = samples}; }  // of the samples
  bool palette() const { return photometric == PHOTOMETRIC_PALETTE; }
  bool associated_alpha() const { return extras == std::vector<std::uint16_t>{EXTRASAMPLE_ASSOCALPHA}; }
  bool alpha() const { return associated_alpha() || extras == std::vector<std::uint16_t>{EXTRASAMPLE_UNASSALPHA}; }
};

/// Of the directory that `tiff` is at. Throws `Error{unsupported}` for what halation does not read, `Error{io}` for contradictions.
TiffStored stored_as(TIFF* tiff);

/// Has libtiff decode the directory that `tiff` is at as halation reads it; to be repeated where a directory is gone to again.
void set_decoding(TIFF* tiff, const TiffStored& stored);

/// The strips or tiles of a page. Bytes are of samples as they are stored.
struct TiffBlocks {
  bool tiled = false;
  std::int64_t width = 0, height = 0;
  std::int64_t across = 0, down = 0;  ///< how many
  std::int64_t bytes = 0, row_bytes = 0;
};

TiffBlocks blocks_of(TIFF* tiff, const TiffStored& stored, const TiffComplaint& complaint);

/// What the page states, without what decoding it takes beside the image.
Claim claim_of(TIFF* tiff, const TiffStored& stored, std::size_t file_bytes);

/// What is known of the page in `file` that `tiff` is at.
PageFacts facts_of(TIFF* tiff, const TiffStored& stored, Bytes file);

}  // namespace halation::io
