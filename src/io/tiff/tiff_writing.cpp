// tiff_writing.cpp: pages become TIFF or BigTIFF by libtiff, in strips or tiles that are deflated.
#include "io/tiff/tiff_writing.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "halation/error.h"
#include "io/metadata/orientation.h"
#include "io/metadata/resolution.h"
#include "io/tiff/geotiff.h"
#include "io/tiff/imagej.h"
#include "io/tiff/stack_description.h"
#include "io/tiff/tiff_file.h"

namespace halation::io {
namespace {

/// Bytes of samples in a strip that is written; libdeflate compresses whole strips.
constexpr std::int64_t strip_bytes = 1 << 18;
/// The most that a row of tiles may take before it is compressed.
constexpr double most_tile_row_bytes = 256 << 20;
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

/// Strips, or tiles of a width.
struct Blocks {
  std::int64_t rows = 1;
  std::int64_t tile_width = 0;  // 0: strips
};

/// As the page asks for, sides of tiles as multiples of 16, which the format wants.
Blocks blocks_for(const PageView& page) {
  const auto whole_sixteens = [](std::int64_t side) { return side > std::numeric_limits<std::int32_t>::max() ? 0 : (side + 15) / 16 * 16; };
  const Blocks tiles{whole_sixteens(page.tiff.tile_height), whole_sixteens(page.tiff.tile_width)};
  const auto width = static_cast<double>(std::max(tiles.tile_width, page.pixels.shape.width));
  const double row_bytes = width * static_cast<double>(page.pixels.shape.channels) * static_cast<double>(bytes_of(page.pixels.pixel));
  if (tiles.rows > 0 && tiles.tile_width > 0 && static_cast<double>(tiles.rows) * row_bytes <= most_tile_row_bytes) return tiles;
  return {std::clamp<std::int64_t>(strip_bytes / static_cast<std::int64_t>(page.row_bytes()), 1, page.pixels.shape.height), 0};
}

void set_fields(TIFF* tiff, const PageView& page, const Blocks& blocks) {
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
  if (blocks.tile_width > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(blocks.tile_width));
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(blocks.rows));
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(blocks.rows));
  }
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
  set_bytes(tiff, TIFFTAG_RICHTIFFIPTC, page.iptc);
  if (has_named_resolution(page) || has_unnamed_resolution(page)) {
    const bool metric = page.resolution_unit == ResolutionUnit::centimetre;
    const double scale = metric ? 1 / centimetres_per_inch : 1;
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, metric ? RESUNIT_CENTIMETER : has_named_resolution(page) ? RESUNIT_INCH : RESUNIT_NONE);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, page.dots_per_inch_x * scale);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, page.dots_per_inch_y * scale);
  }
}

bool must_be_big(std::span<const PageView> pages) {
  double bytes = 0;
  for (const PageView& page : pages) {
    if (page.tiff.big) return true;
    bytes += static_cast<double>(page.row_bytes()) * static_cast<double>(page.pixels.shape.height) +
             static_cast<double>(page.icc.size() + page.xmp.size() + page.exif.size() + page.iptc.size() + page.geotiff.size());
  }
  return bytes > most_classic_bytes;
}

/// Gathers rows to strips or rows of tiles. Parts of a page follow one another in memory's order, be they rows or pieces of the only one.
class BlocksEncoder : public Encoder {
 public:
  BlocksEncoder(std::span<const PageView> pages, Output& output)
      : pages_(pages.begin(), pages.end()), output_(output), big_(must_be_big(pages)), tiff_(open_for_writing(output, big_, complaint_)) {
    check(tiff_ != nullptr);
  }

  void write(const ConstView& part) override {
    const PageView& page = pages_[number_];
    if (!begun_) begin(page);
    const std::size_t row_bytes = static_cast<std::size_t>(part.shape.width * part.shape.channels) * bytes_of(part.pixel);
    for (std::int64_t y = 0; y < part.shape.height; ++y) {
      const std::byte* row = &part.at<std::byte>({.y = y});
      rows_.insert(rows_.end(), row, row + row_bytes);
      const std::int64_t rows = std::min(blocks_.rows, page.pixels.shape.height - top_);
      if (rows_.size() == static_cast<std::size_t>(rows) * page.row_bytes()) write_rows(page, rows);
    }
    if (top_ == page.pixels.shape.height) end(page);
  }

  void finish() override { tiff_.reset(); }

 private:
  void check(bool fine) const {
    if (!fine) throw Error(ErrorCode::io, std::string("TIFF could not be written: ") + complaint_.sentence);
  }

  void begin(const PageView& page) {
    blocks_ = blocks_for(page);
    set_fields(tiff_.get(), page, blocks_);
    const bool is_of_imagej = stack_program(kept_description(pages_, page)) == "ImageJ";
    for (const ExifEntry& entry : geotiff_for(page.geotiff, page.pixels.shape)) {
      if (!is_imagej(entry) || is_of_imagej) set_foreign(tiff_.get(), entry);
    }
    if (pages_.size() > 1) {
      TIFFSetField(tiff_.get(), TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
      TIFFSetField(tiff_.get(), TIFFTAG_PAGENUMBER, static_cast<int>(number_), static_cast<int>(pages_.size()));
    }
    top_ = 0;
    begun_ = true;
  }

  void write_rows(const PageView& page, std::int64_t rows) {
    if (blocks_.tile_width > 0) {
      write_tiles(page, static_cast<std::size_t>(rows));
    } else {
      check(TIFFWriteEncodedStrip(tiff_.get(), static_cast<std::uint32_t>(top_ / blocks_.rows), rows_.data(),
                                  static_cast<tmsize_t>(rows_.size())) >= 0);
    }
    rows_.clear();
    top_ += rows;
  }

  /// Zeros fill those that reach beyond the page.
  void write_tiles(const PageView& page, std::size_t rows) {
    const std::size_t row_bytes = page.row_bytes();
    const std::size_t tile_row_bytes =
        row_bytes / static_cast<std::size_t>(page.pixels.shape.width) * static_cast<std::size_t>(blocks_.tile_width);
    auto number =
        static_cast<std::uint32_t>(top_ / blocks_.rows * ((page.pixels.shape.width + blocks_.tile_width - 1) / blocks_.tile_width));
    for (std::size_t left = 0; left < row_bytes; left += tile_row_bytes) {
      tile_.assign(tile_row_bytes * static_cast<std::size_t>(blocks_.rows), std::byte{0});
      for (std::size_t y = 0; y < rows; ++y)
        std::memcpy(&tile_[y * tile_row_bytes], &rows_[y * row_bytes + left], std::min(tile_row_bytes, row_bytes - left));
      check(TIFFWriteEncodedTile(tiff_.get(), number++, tile_.data(), static_cast<tmsize_t>(tile_.size())) >= 0);
    }
  }

  void end(const PageView& page) {
    write_exif(tiff_.get(), page.exif, pages_, big_, output_);
    check(TIFFWriteDirectory(tiff_.get()) != 0);
    begun_ = false;
    ++number_;
  }

  std::vector<PageView> pages_;
  Output& output_;
  bool big_;
  TiffComplaint complaint_;
  Tiff tiff_;
  std::size_t number_ = 0;
  bool begun_ = false;
  Blocks blocks_;
  std::int64_t top_ = 0;  // of the rows being gathered
  std::vector<std::byte> rows_, tile_;
};

}  // namespace

std::unique_ptr<Encoder> create_tiff(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  return std::make_unique<BlocksEncoder>(pages, output);
}

}  // namespace halation::io
