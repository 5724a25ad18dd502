// tiff_writing.cpp: pages become TIFF or BigTIFF by libtiff, in strips that are deflated.
#include "io/tiff_writing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "halation/error.h"
#include "io/orientation.h"
#include "io/tiff_file.h"

namespace halation::io {
namespace {

/// Bytes of samples in a strip that is written; libdeflate compresses whole strips.
constexpr std::int64_t strip_bytes = 1 << 18;
/// deflate's level. Higher ones save some percent of the bytes for many times the time.
constexpr int deflate_level = 3;
/// Offsets of classic TIFF have 32 bits; a little is left for directories and for what deflate cannot
/// compress.
constexpr double most_classic_bytes = 4.2e9;

std::uint16_t sample_format(Pixel pixel) {
  return is_float(pixel) ? SAMPLEFORMAT_IEEEFP : pixel == Pixel::i16 ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
}

/// The photometric interpretation, and how many channels it takes.
std::pair<std::uint16_t, std::int64_t> photometric_of(const PageView& page) {
  const std::int64_t channels = page.pixels.shape.channels;
  switch (page.colour) {
    case ColourModel::gray:
      return {PHOTOMETRIC_MINISBLACK, 1};
    case ColourModel::rgb:
      return {PHOTOMETRIC_RGB, 3};
    case ColourModel::cmyk:
      return {PHOTOMETRIC_SEPARATED, 4};
    case ColourModel::other:
      break;
  }
  if (channels == 3 || channels == 4) return {PHOTOMETRIC_RGB, 3};
  return {PHOTOMETRIC_MINISBLACK, 1};
}

void set_bytes(TIFF* tiff, std::uint32_t name, Bytes bytes) {
  if (!bytes.empty()) TIFFSetField(tiff, name, static_cast<std::uint32_t>(bytes.size()), bytes.data());
}

void set_fields(TIFF* tiff, const PageView& page, std::int64_t rows_per_strip) {
  const Shape& shape = page.pixels.shape;
  const auto [photometric, colours] = photometric_of(page);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(shape.width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(shape.height));
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(shape.channels));
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * bytes_of(page.pixels.pixel)));
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, sample_format(page.pixels.pixel));
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation_in(page.exif));
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows_per_strip));
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, deflate_level);
  TIFFSetField(tiff, TIFFTAG_PREDICTOR,
               is_float(page.pixels.pixel) ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
  const std::vector<std::uint16_t> extras(static_cast<std::size_t>(shape.channels - colours),
                                          page.alpha ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_UNSPECIFIED);
  if (!extras.empty())
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(extras.size()), extras.data());
  if (photometric == PHOTOMETRIC_SEPARATED) TIFFSetField(tiff, TIFFTAG_INKSET, INKSET_CMYK);
  set_bytes(tiff, TIFFTAG_ICCPROFILE, page.icc);
  set_bytes(tiff, TIFFTAG_XMLPACKET, page.xmp);
  if (page.dots_per_inch_x > 0 && page.dots_per_inch_y > 0) {
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, page.dots_per_inch_x);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, page.dots_per_inch_y);
  }
}

}  // namespace

void encode_tiff(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  double bytes = 0;
  for (const PageView& page : pages) {
    bytes += static_cast<double>(page.row_bytes()) * static_cast<double>(page.pixels.shape.height) +
             static_cast<double>(page.icc.size() + page.xmp.size() + page.exif.size());
  }
  TiffComplaint complaint;
  const auto check = [&](bool fine) {
    if (!fine) throw Error(ErrorCode::io, std::string("TIFF could not be written: ") + complaint.sentence);
  };
  const bool big = bytes > most_classic_bytes;
  const Tiff tiff = open_for_writing(output, big, complaint);
  check(tiff != nullptr);
  std::vector<std::byte> strip;
  for (std::size_t number = 0; number < pages.size(); ++number) {
    const PageView& page = pages[number];
    const std::int64_t height = page.pixels.shape.height;
    const std::int64_t rows_per_strip =
        std::clamp<std::int64_t>(strip_bytes / static_cast<std::int64_t>(page.row_bytes()), 1, height);
    set_fields(tiff.get(), page, rows_per_strip);
    if (pages.size() > 1) {
      TIFFSetField(tiff.get(), TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
      TIFFSetField(tiff.get(), TIFFTAG_PAGENUMBER, static_cast<int>(number), static_cast<int>(pages.size()));
    }
    for (std::int64_t top = 0; top < height; top += rows_per_strip) {
      strip.clear();
      for (std::int64_t y = top; y < std::min(top + rows_per_strip, height); ++y) {
        strip.insert(strip.end(), page.row(y), page.row(y) + page.row_bytes());
      }
      check(TIFFWriteEncodedStrip(tiff.get(), static_cast<std::uint32_t>(top / rows_per_strip), strip.data(),
                                  static_cast<tmsize_t>(strip.size())) >= 0);
    }
    write_exif(tiff.get(), page.exif, big, output);
    check(TIFFWriteDirectory(tiff.get()) != 0);
  }
}

}  // namespace halation::io
