// tiff_stored.cpp: how the pages of a TIFF are stored.
#include "io/tiff/tiff_stored.h"

#include <algorithm>
#include <limits>

#include "halation/error.h"
#include "io/metadata/exif.h"
#include "io/metadata/iptc.h"
#include "io/metadata/resolution.h"
#include "io/tiff/geotiff.h"

namespace halation::io {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::unsupported, "TIFF with " + what);
}

Pixel pixel_of(unsigned bits, std::uint16_t format) {
  if (format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID) {
    if (bits >= 1 && bits <= 8) return Pixel::u8;
    if (bits <= 16) return Pixel::u16;
  }
  if (format == SAMPLEFORMAT_INT && bits == 16) return Pixel::i16;
  if (format == SAMPLEFORMAT_IEEEFP) {
    if (bits == 16) return Pixel::f16;
    if (bits == 32) return Pixel::f32;
    if (bits == 64) return Pixel::f64;
  }
  const char* kind = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID ? "unsigned integer"
                     : format == SAMPLEFORMAT_INT                               ? "signed integer"
                     : format == SAMPLEFORMAT_IEEEFP                            ? "floating point"
                                                                                : "complex";
  refuse(std::to_string(bits) + "-bit " + kind +
         " samples; halation reads unsigned ones up to 16 bits, signed ones of 16, and floating point of 16, "
         "32 and 64");
}

bool is_fax(std::uint16_t compression) {
  return compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTRLEW ||
         compression == COMPRESSION_CCITTFAX3 || compression == COMPRESSION_CCITTFAX4;
}

std::int64_t colours_of(std::uint16_t photometric) {
  switch (photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_PALETTE:
      return 1;
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_YCBCR:
      return 3;
    case PHOTOMETRIC_SEPARATED:
      return 4;
    default:
      refuse("photometric interpretation " + std::to_string(photometric) +
             "; halation reads gray, palette, RGB, CMYK and YCbCr within JPEG");
  }
}

/// How many times its compressed bytes a page's samples can take, where the method has a bound that is worth
/// checking.
double most_ratio(std::uint16_t compression) {
  switch (compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_CCITTRLE:  // of rows, in bits
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
      return 1;
    case COMPRESSION_PACKBITS:
      return 64;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
      return most_deflate_ratio;
    case COMPRESSION_LZW:
      return 4096;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

/// Bytes of the page's strips or tiles, as far as the file has them: several may lie in the same bytes.
double coded_bytes(TIFF* tiff, double file_bytes) {
  double bytes = 0;
  const std::uint32_t blocks = TIFFIsTiled(tiff) != 0 ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    bytes += std::min(static_cast<double>(TIFFGetStrileByteCount(tiff, block)), file_bytes);
  }
  return bytes;
}

Metadata metadata_of(TIFF* tiff) {
  Metadata kept;
  std::uint32_t size = 0;
  const void* data = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &size, &data) != 0) kept.icc = bytes_at(data, size);
  if (TIFFGetField(tiff, TIFFTAG_XMLPACKET, &size, &data) != 0) kept.xmp = bytes_at(data, size);
  const auto unit = tag<std::uint16_t>(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
  const Density density{static_cast<double>(tag<float>(tiff, TIFFTAG_XRESOLUTION, 0)),
                        static_cast<double>(tag<float>(tiff, TIFFTAG_YRESOLUTION, 0))};
  set_resolution(kept, density,
                 unit == RESUNIT_INCH         ? ResolutionUnit::inch
                 : unit == RESUNIT_CENTIMETER ? ResolutionUnit::centimetre
                                              : ResolutionUnit::unnamed);
  if (TIFFIsTiled(tiff) != 0) {
    kept.tiff.tile_width = tag<std::uint32_t>(tiff, TIFFTAG_TILEWIDTH, 0);
    kept.tiff.tile_height = tag<std::uint32_t>(tiff, TIFFTAG_TILELENGTH, 0);
  }
  kept.tiff.big = TIFFIsBigTIFF(tiff) != 0;
  return kept;
}

/// Those that hang on the page, as in OME's pyramids, which are all of one kind.
std::int64_t overviews_of(TIFF* tiff, Bytes file) {
  std::uint16_t count = 0;
  const std::uint64_t* directories = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_SUBIFD, &count, &directories) == 0 || count == 0) return 0;
  for (const ExifEntry& entry : directory_in(file, directories[0])) {
    if (entry.tag == TIFFTAG_SUBFILETYPE && (integer_in(entry) & FILETYPE_REDUCEDIMAGE) != 0) return count;
  }
  return 0;
}

}  // namespace

void fail(const TiffComplaint& complaint) {
  throw Error(ErrorCode::io,
              "damaged or truncated TIFF" +
                  (complaint.sentence[0] != '\0' ? std::string(": ") + complaint.sentence : ""));
}

TiffStored stored_as(TIFF* tiff) {
  TiffStored stored;
  stored.directory = TIFFCurrentDirOffset(tiff);
  stored.width = tag<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH, 0);
  stored.height = tag<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH, 0);
  stored.samples = tag<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  stored.bits = tag<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE, 1);
  stored.compression = tag<std::uint16_t>(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  stored.planes_apart =
      tag<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE &&
      stored.samples > 1;
  stored.orientation = tag<std::uint16_t>(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  stored.photometric = tag<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC,
                                          stored.samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
  stored.pixel = pixel_of(stored.bits, tag<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT));
  if (stored.width == 0 || stored.height == 0 || stored.samples == 0) {
    throw Error(ErrorCode::io, "TIFF without pixels (" + to_string(stored.shape()) + ")");
  }
  if (TIFFIsCODECConfigured(stored.compression) == 0) {
    refuse("compression " + std::to_string(stored.compression) + ", which libtiff cannot undo");
  }
  if (tag<std::uint32_t>(tiff, TIFFTAG_IMAGEDEPTH, 1) != 1)
    refuse("a volume in one page; halation reads flat pages");

  const std::int64_t colours = colours_of(stored.photometric);
  if (stored.samples < colours) throw Error(ErrorCode::io, "damaged TIFF: too few samples for its colours");
  std::uint16_t count = 0;
  const std::uint16_t* kinds = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) != 0)
    stored.extras.assign(kinds, kinds + count);
  stored.extras.resize(static_cast<std::size_t>(stored.samples - colours), EXTRASAMPLE_UNSPECIFIED);

  if (is_fax(stored.compression) && (stored.samples != 1 || stored.bits != 1)) {
    throw Error(ErrorCode::io, "damaged TIFF: fax compression of more than one bit a pixel");
  }
  if (stored.photometric == PHOTOMETRIC_YCBCR && stored.compression != COMPRESSION_JPEG) {
    refuse("YCbCr outside JPEG compression");
  }
  if (stored.photometric == PHOTOMETRIC_SEPARATED &&
      tag<std::uint16_t>(tiff, TIFFTAG_INKSET, INKSET_CMYK) != INKSET_CMYK) {
    refuse("inks other than CMYK");
  }
  if (stored.photometric == PHOTOMETRIC_PALETTE && (stored.samples != 1 || stored.pixel != Pixel::u8)) {
    refuse("a palette of more than 8 bits or with alpha");
  }
  if (stored.photometric == PHOTOMETRIC_MINISWHITE && stored.pixel != Pixel::u8 &&
      stored.pixel != Pixel::u16) {
    refuse("white as zero in signed or floating-point samples");
  }
  set_decoding(tiff, stored);
  return stored;
}

void set_decoding(TIFF* tiff, const TiffStored& stored) {
  if (stored.photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
}

TiffBlocks blocks_of(TIFF* tiff, const TiffStored& stored, const TiffComplaint& complaint) {
  TiffBlocks blocks;
  blocks.tiled = TIFFIsTiled(tiff) != 0;
  blocks.width = blocks.tiled ? tag<std::uint32_t>(tiff, TIFFTAG_TILEWIDTH, 0) : stored.width;
  blocks.height = blocks.tiled ? tag<std::uint32_t>(tiff, TIFFTAG_TILELENGTH, 0)
                               : std::min<std::int64_t>(tag<std::uint32_t>(tiff, TIFFTAG_ROWSPERSTRIP, 0), stored.height);
  blocks.bytes = blocks.tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
  blocks.row_bytes = blocks.tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff);
  if (blocks.width < 1 || blocks.height < 1 || blocks.bytes < 1 || blocks.row_bytes < 1) fail(complaint);
  blocks.across = (stored.width + blocks.width - 1) / blocks.width;
  blocks.down = (stored.height + blocks.height - 1) / blocks.height;
  const std::int64_t samples_together = stored.planes_apart ? 1 : stored.samples;
  if ((blocks.width * samples_together * stored.bits + 7) / 8 > blocks.row_bytes) fail(complaint);
  // Tiles may reach beyond the image, but a tile of gigabytes over a small one is a lie.
  constexpr std::int64_t ordinary_block_bytes = std::int64_t{64} << 20;
  const double samples_bytes = static_cast<double>(stored.width) * static_cast<double>(stored.height) *
                               static_cast<double>(stored.samples) * static_cast<double>(bytes_of(stored.pixel));
  if (blocks.bytes > ordinary_block_bytes && static_cast<double>(blocks.bytes) > 4 * samples_bytes) {
    throw Error(ErrorCode::io, "damaged TIFF: tiles of " + std::to_string(blocks.height) + "x" +
                                   std::to_string(blocks.width) + " for " + to_string(stored.shape()) +
                                   " pixels");
  }
  return blocks;
}

Claim claim_of(TIFF* tiff, const TiffStored& stored, std::size_t file_bytes) {
  Shape shown = stored.shape();
  if (stored.palette()) shown.channels = 3;
  const auto height = static_cast<double>(stored.height);
  const double samples = static_cast<double>(stored.width) * height * static_cast<double>(stored.samples);
  // A row of fax, of any length, takes a bit or more.
  const double plain_bits = is_fax(stored.compression) ? height : samples * stored.bits;
  return {.shape = shown,
          .pixel = stored.pixel,
          .plain_bytes = plain_bits / 8,
          .coded_bytes = coded_bytes(tiff, static_cast<double>(file_bytes)),
          .most_ratio = most_ratio(stored.compression)};
}

PageFacts facts_of(TIFF* tiff, const TiffStored& stored, Bytes file) {
  PageFacts facts{.shape = stored.shape(), .pixel = stored.pixel, .alpha = stored.alpha(), .metadata = metadata_of(tiff)};
  const Exif exif = exif_in(file, stored.directory);
  if (!exif.is_only_resolution()) facts.metadata.exif = exif_bytes(exif);
  facts.metadata.iptc = iptc_in_tiff(file, stored.directory);
  facts.overviews = overviews_of(tiff, file);
  facts.metadata.geotiff = geotiff_in(file, stored.directory);
  if (stored.palette()) facts.shape.channels = 3;
  if (stored.extras.empty() || facts.alpha) {
    const std::int64_t colours = facts.shape.channels - (facts.alpha ? 1 : 0);
    facts.colour = colours == 1 ? ColourModel::gray : colours == 3 ? ColourModel::rgb : ColourModel::cmyk;
  }
  return facts;
}

}  // namespace halation::io
