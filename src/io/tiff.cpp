// tiff.cpp: TIFF and BigTIFF by libtiff, and their reading: strips and tiles, planes together or apart, one page or many.
//
// Samples of 1 to 7 bits become u8 and those of 9 to 15 bits u16, spread over the full range; MINISWHITE is
// inverted; palettes become RGB. One extra sample that is alpha is alpha; where there are other or more extra
// samples, all channels are handed on as they are, without a colour model. Reduced pictures and masks that
// accompany a page are left out. Of Exif the texts of a page's directory, and the directories of photograph
// and place are kept.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>

#include "core/memory.h"
#include "halation/error.h"
#include "io/channels.h"
#include "io/exif.h"
#include "io/file.h"
#include "io/orientation.h"
#include "io/tiff_file.h"
#include "io/tiff_writing.h"

namespace halation::io {
namespace {

constexpr double centimetres_per_inch = 2.54;

[[noreturn]] void fail(const TiffComplaint& complaint) {
  throw Error(ErrorCode::io,
              "damaged or truncated TIFF" +
                  (complaint.sentence[0] != '\0' ? std::string(": ") + complaint.sentence : ""));
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::unsupported, "TIFF with " + what);
}

bool recognises(Bytes file) {
  using namespace std::string_view_literals;
  return begins_with(file, "II*\0"sv) || begins_with(file, "MM\0*"sv) || begins_with(file, "II+\0"sv) ||
         begins_with(file, "MM\0+"sv);
}

template <class T>
T tag(TIFF* tiff, std::uint32_t name, T otherwise) {
  T value = otherwise;
  return TIFFGetFieldDefaulted(tiff, name, &value) != 0 ? value : otherwise;
}

/// How one page is stored.
struct Stored {
  std::int64_t width = 0, height = 0, samples = 1;
  unsigned bits = 1;
  Pixel pixel = Pixel::u8;  // of the samples once spread to whole bytes
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t compression = COMPRESSION_NONE;
  bool planes_apart = false;
  std::vector<std::uint16_t> extras;
  std::uint16_t orientation = ORIENTATION_TOPLEFT;

  Shape shape() const { return {.height = height, .width = width, .channels = samples}; }
};

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

Stored stored_as(TIFF* tiff) {
  Stored stored;
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
  if (stored.photometric == PHOTOMETRIC_YCBCR) {
    if (stored.compression != COMPRESSION_JPEG) refuse("YCbCr outside JPEG compression");
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
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
  return stored;
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

/// Reads `count` samples of `bits` bits, most significant bit first, and spreads them over all values of T
/// where `spread`.
template <class T>
void unpack(const std::uint8_t* from, unsigned bits, bool spread, std::int64_t count, std::byte* to,
            std::int64_t step) {
  const std::uint32_t most = (1U << bits) - 1;
  std::uint32_t window = 0;
  unsigned held = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (; held < bits; held += 8) window = window << 8 | *from++;
    held -= bits;
    const std::uint32_t value = window >> held & most;
    const auto whole = static_cast<T>(
        spread ? (value * std::uint32_t{std::numeric_limits<T>::max()} + most / 2) / most : value);
    std::memcpy(to + i * step, &whole, sizeof whole);
  }
}

/// The same for single bits side by side in a row, eight at a time: fax codes a row of any length in one bit.
void unpack_bits(const std::uint8_t* from, std::uint8_t one, std::int64_t count, std::byte* to) {
  for (std::int64_t i = 0; i < count; i += 8) {
    // Bit 7 − k of the byte comes to the top of byte k; no two bits meet.
    std::uint64_t eight = (*from++ * std::uint64_t{0x8040201008040201} >> 7 & 0x0101010101010101) * one;
    if constexpr (std::endian::native == std::endian::big) {
      std::reverse(reinterpret_cast<std::byte*>(&eight), reinterpret_cast<std::byte*>(&eight + 1));
    }
    std::memcpy(to + i, &eight, static_cast<std::size_t>(std::min<std::int64_t>(8, count - i)));
  }
}

/// Moves the samples of one row of a strip or tile into place; `step` bytes lie between them there.
void place_row(const std::byte* from, const Stored& stored, std::int64_t count, std::byte* to,
               std::int64_t step) {
  const auto element = static_cast<std::int64_t>(bytes_of(stored.pixel));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  const bool spread = stored.photometric != PHOTOMETRIC_PALETTE;
  if (stored.bits == 1 && step == 1) {
    unpack_bits(bytes, spread ? 255 : 1, count, to);
  } else if (stored.bits < 8) {
    unpack<std::uint8_t>(bytes, stored.bits, spread, count, to, step);
  } else if (stored.bits > 8 && stored.bits < 16) {
    unpack<std::uint16_t>(bytes, stored.bits, spread, count, to, step);
  } else if (step == element) {
    std::memcpy(to, from, static_cast<std::size_t>(count * element));
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * step, from + i * element, static_cast<std::size_t>(element));
  }
}

/// All samples of a page as they are stored, spread to whole bytes.
Image read_samples(TIFF* tiff, const Stored& stored, std::size_t file_bytes, Reading& reading,
                   const TiffComplaint& complaint) {
  const bool tiled = TIFFIsTiled(tiff) != 0;
  const std::int64_t block_width = tiled ? tag<std::uint32_t>(tiff, TIFFTAG_TILEWIDTH, 0) : stored.width;
  const std::int64_t block_height =
      tiled ? tag<std::uint32_t>(tiff, TIFFTAG_TILELENGTH, 0)
            : std::min<std::int64_t>(tag<std::uint32_t>(tiff, TIFFTAG_ROWSPERSTRIP, 0), stored.height);
  const tmsize_t block_bytes = tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
  const std::int64_t block_row_bytes = tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff);
  if (block_width < 1 || block_height < 1 || block_bytes < 1 || block_row_bytes < 1) fail(complaint);
  const std::int64_t samples_together = stored.planes_apart ? 1 : stored.samples;
  if ((block_width * samples_together * stored.bits + 7) / 8 > block_row_bytes) fail(complaint);
  // Tiles may reach beyond the image, but a tile of gigabytes over a small one is a lie.
  constexpr std::int64_t ordinary_block_bytes = std::int64_t{64} << 20;
  const double pixels_across = static_cast<double>(stored.width) * static_cast<double>(stored.height);
  const double samples = pixels_across * static_cast<double>(stored.samples);
  const double samples_bytes = samples * static_cast<double>(bytes_of(stored.pixel));
  if (block_bytes > ordinary_block_bytes && static_cast<double>(block_bytes) > 4 * samples_bytes) {
    throw Error(ErrorCode::io, "damaged TIFF: tiles of " + std::to_string(block_height) + "x" +
                                   std::to_string(block_width) + " for " + to_string(stored.shape()) +
                                   " pixels");
  }
  const bool palette = stored.photometric == PHOTOMETRIC_PALETTE;
  Shape shown = stored.shape();
  if (palette) shown.channels = 3;
  // A row of fax, of any length, takes a bit or more.
  const double plain_bits =
      is_fax(stored.compression) ? static_cast<double>(stored.height) : samples * stored.bits;
  reading.check({.shape = shown,
                 .pixel = stored.pixel,
                 .beside_bytes = static_cast<double>(block_bytes) + (palette ? samples_bytes : 0),
                 .plain_bytes = plain_bits / 8,
                 .coded_bytes = coded_bytes(tiff, static_cast<double>(file_bytes)),
                 .most_ratio = most_ratio(stored.compression)});
  Image image(stored.shape(), stored.pixel);
  const View pixels = image;
  const Memory block = allocate_host(static_cast<std::size_t>(block_bytes), "a strip or tile of a TIFF");
  const auto element = static_cast<std::int64_t>(bytes_of(stored.pixel));
  const std::int64_t step = stored.planes_apart ? pixels.strides.width : element;

  std::uint32_t number = 0;
  for (std::int64_t plane = 0; plane < (stored.planes_apart ? stored.samples : 1); ++plane) {
    for (std::int64_t top = 0; top < stored.height; top += block_height) {
      for (std::int64_t left = 0; left < stored.width; left += block_width, ++number) {
        const std::int64_t rows = std::min(block_height, stored.height - top);
        const std::int64_t columns = std::min(block_width, stored.width - left);
        const tmsize_t got = tiled ? TIFFReadEncodedTile(tiff, number, block.get(), block_bytes)
                                   : TIFFReadEncodedStrip(tiff, number, block.get(), block_bytes);
        if (got < rows * block_row_bytes || complaint.rows_missing) fail(complaint);
        for (std::int64_t y = 0; y < rows; ++y) {
          place_row(block.get() + y * block_row_bytes, stored, columns * samples_together,
                    &pixels.at<std::byte>({.y = top + y, .x = left, .c = plane}), step);
        }
      }
    }
  }
  return image;
}

Image through_palette(TIFF* tiff, const Stored& stored, const Image& indices,
                      const TiffComplaint& complaint) {
  std::uint16_t* map[3] = {};
  if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]) == 0) fail(complaint);
  const std::size_t entries = std::size_t{1} << stored.bits;
  // The map holds 16-bit values; some writers put 8-bit ones into it.
  const bool wide = std::any_of(map, map + 3, [&](const std::uint16_t* values) {
    return std::any_of(values, values + entries, [](std::uint16_t value) { return value > 255; });
  });
  Image image({.height = stored.height, .width = stored.width, .channels = 3}, Pixel::u8);
  const ConstView from = indices;
  const View to = image;
  for (std::int64_t y = 0; y < stored.height; ++y) {
    for (std::int64_t x = 0; x < stored.width; ++x) {
      const std::uint8_t index = from.at<std::uint8_t>({.y = y, .x = x});
      for (int c = 0; c < 3; ++c)
        to.at<std::uint8_t>({.y = y, .x = x, .c = c}) = static_cast<std::uint8_t>(map[c][index] >> (wide ? 8 : 0));
    }
  }
  return image;
}

template <class T>
void invert_first_channel(View pixels) {
  for (std::int64_t y = 0; y < pixels.shape.height; ++y) {
    for (std::int64_t x = 0; x < pixels.shape.width; ++x)
      pixels.at<T>({.y = y, .x = x}) = static_cast<T>(~pixels.at<T>({.y = y, .x = x}));
  }
}

Metadata metadata_of(TIFF* tiff) {
  Metadata kept;
  std::uint32_t size = 0;
  const void* data = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &size, &data) != 0) kept.icc = bytes_at(data, size);
  if (TIFFGetField(tiff, TIFFTAG_XMLPACKET, &size, &data) != 0) kept.xmp = bytes_at(data, size);
  const auto unit = tag<std::uint16_t>(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
  if (unit == RESUNIT_INCH || unit == RESUNIT_CENTIMETER) {
    const double scale = unit == RESUNIT_INCH ? 1 : centimetres_per_inch;
    kept.dots_per_inch_x = scale * static_cast<double>(tag<float>(tiff, TIFFTAG_XRESOLUTION, 0));
    kept.dots_per_inch_y = scale * static_cast<double>(tag<float>(tiff, TIFFTAG_YRESOLUTION, 0));
  }
  return kept;
}

Page read_page(TIFF* tiff, Bytes file, Reading& reading, const TiffComplaint& complaint) {
  const Stored stored = stored_as(tiff);
  Page page;
  page.image = read_samples(tiff, stored, file.size(), reading, complaint);
  page.metadata = metadata_of(tiff);
  page.metadata.exif = exif_bytes(exif_in(file, TIFFCurrentDirOffset(tiff)));
  if (stored.photometric == PHOTOMETRIC_PALETTE) {
    page.image = through_palette(tiff, stored, page.image, complaint);
    page.colour = ColourModel::rgb;
  } else if (stored.photometric == PHOTOMETRIC_MINISWHITE) {
    stored.pixel == Pixel::u8 ? invert_first_channel<std::uint8_t>(page.image)
                              : invert_first_channel<std::uint16_t>(page.image);
  }
  const bool associated = stored.extras == std::vector<std::uint16_t>{EXTRASAMPLE_ASSOCALPHA};
  page.alpha = associated || stored.extras == std::vector<std::uint16_t>{EXTRASAMPLE_UNASSALPHA};
  if (associated) divide_by_alpha(page.image);
  if (stored.extras.empty() || page.alpha) {
    const std::int64_t colours = page.image.shape().channels - (page.alpha ? 1 : 0);
    page.colour = colours == 1 ? ColourModel::gray : colours == 3 ? ColourModel::rgb : ColourModel::cmyk;
  }
  reading.apply_orientation(page, stored.orientation);
  return page;
}

std::vector<Page> decode(Bytes bytes, Reading& reading) {
  TiffComplaint complaint;
  TiffBytes file{bytes, complaint};
  const Tiff tiff = open_for_reading(file);
  if (tiff == nullptr) fail(complaint);
  constexpr std::uint32_t companion = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK;
  std::vector<Page> pages;
  for (;;) {
    if ((tag<std::uint32_t>(tiff.get(), TIFFTAG_SUBFILETYPE, 0) & companion) == 0) {
      pages.push_back(read_page(tiff.get(), bytes, reading, complaint));
    }
    if (file.read_past_end) fail(complaint);
    if (TIFFLastDirectory(tiff.get()) != 0) break;
    if (TIFFReadDirectory(tiff.get()) == 0) fail(complaint);
  }
  if (pages.empty()) refuse("nothing but reduced pictures and masks");
  return pages;
}

constexpr std::string_view endings[] = {".tif", ".tiff"};

}  // namespace

constinit const Codec tiff_codec = {
    .name = "tiff",
    .title = "TIFF",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = encode_tiff,
    .holds =
        {.pixels = all_pixels,
         .pixels_in_words = "all pixels",
         .most_extent =
             std::numeric_limits<std::int32_t>::max(),  // libtiff counts a row's bytes in 32 bits at places
         .most_channels = std::numeric_limits<std::uint16_t>::max(),
         .alpha = true,
         .cmyk = true,
         .pages = true,
         .volumes = false},
};

}  // namespace halation::io
