// tiff_writing.cpp: pages become TIFF or BigTIFF by libtiff, in strips that are deflated.
#include "io/tiff/tiff_writing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "halation/error.h"
#include "io/metadata/orientation.h"
#include "io/tiff/tiff_file.h"

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

bool must_be_big(std::span<const PageView> pages) {
  double bytes = 0;
  for (const PageView& page : pages) {
    bytes += static_cast<double>(page.row_bytes()) * static_cast<double>(page.pixels.shape.height) +
             static_cast<double>(page.icc.size() + page.xmp.size() + page.exif.size());
  }
  return bytes > most_classic_bytes;
}

/// Gathers rows to strips. Parts of a page follow one another in memory's order, be they rows or pieces of the only one.
class StripsEncoder : public Encoder {
 public:
  StripsEncoder(std::span<const PageView> pages, Output& output)
      : pages_(pages.begin(), pages.end()),
        output_(output),
        big_(must_be_big(pages)),
        tiff_(open_for_writing(output, big_, complaint_)) {
    check(tiff_ != nullptr);
  }

  void write(const ConstView& part) override {
    const PageView& page = pages_[number_];
    if (!begun_) begin(page);
    const std::size_t row_bytes = static_cast<std::size_t>(part.shape.width * part.shape.channels) * bytes_of(part.pixel);
    for (std::int64_t y = 0; y < part.shape.height; ++y) {
      const std::byte* row = &part.at<std::byte>({.y = y});
      strip_.insert(strip_.end(), row, row + row_bytes);
      const std::int64_t rows = std::min(rows_per_strip_, page.pixels.shape.height - top_);
      if (strip_.size() == static_cast<std::size_t>(rows) * page.row_bytes()) write_strip(rows);
    }
    if (top_ == page.pixels.shape.height) end(page);
  }

  void finish() override { tiff_.reset(); }

 private:
  void check(bool fine) const {
    if (!fine) throw Error(ErrorCode::io, std::string("TIFF could not be written: ") + complaint_.sentence);
  }

  void begin(const PageView& page) {
    rows_per_strip_ =
        std::clamp<std::int64_t>(strip_bytes / static_cast<std::int64_t>(page.row_bytes()), 1, page.pixels.shape.height);
    set_fields(tiff_.get(), page, rows_per_strip_);
    if (pages_.size() > 1) {
      TIFFSetField(tiff_.get(), TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
      TIFFSetField(tiff_.get(), TIFFTAG_PAGENUMBER, static_cast<int>(number_), static_cast<int>(pages_.size()));
    }
    top_ = 0;
    begun_ = true;
  }

  void write_strip(std::int64_t rows) {
    check(TIFFWriteEncodedStrip(tiff_.get(), static_cast<std::uint32_t>(top_ / rows_per_strip_), strip_.data(),
                                static_cast<tmsize_t>(strip_.size())) >= 0);
    strip_.clear();
    top_ += rows;
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
  std::int64_t rows_per_strip_ = 1;
  std::int64_t top_ = 0;  // of the strip being gathered
  std::vector<std::byte> strip_;
};

}  // namespace

std::unique_ptr<Encoder> create_tiff(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  return std::make_unique<StripsEncoder>(pages, output);
}

}  // namespace halation::io
