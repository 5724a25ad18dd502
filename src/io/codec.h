// codec.h: what a file format offers to the rest of io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "halation/io.h"

namespace halation::io {

class Output;

using Bytes = std::span<const std::byte>;

/// Whether the pixels of each row lie side by side, and the channels side by side in each.
inline bool rows_are_packed(const ConstView& pixels) {
  const auto element = static_cast<std::int64_t>(bytes_of(pixels.pixel));
  return (pixels.shape.channels == 1 || pixels.strides.channels == element) &&
         (pixels.shape.width == 1 || pixels.strides.width == element * pixels.shape.channels);
}

/// A page on its way into a file. Rows are packed and may begin anywhere. Where pixels are handed to an `Encoder`, only their shape and
/// kind are known.
struct PageView {
  ConstView pixels;
  ColourModel colour = ColourModel::other;
  bool alpha = false;
  bool linear_light = false;
  Bytes icc, exif, xmp;
  double dots_per_inch_y = 0;
  double dots_per_inch_x = 0;
  TiffLayout tiff = {};
  ResolutionUnit resolution_unit = ResolutionUnit::inch;
  Bytes iptc = {};
  ArrayLayout layout = ArrayLayout::by_rank;
  Bytes geotiff = {}, png_chunks = {};
  std::span<const std::vector<std::byte>> jpeg_comments = {};

  /// What it says of itself beside its pixels, by a `Page` or `PageFacts`, with which the metadata stay.
  template <class Facts>
  static PageView of(const ConstView& pixels, const Facts& page) {
    const Metadata& kept = page.metadata;
    return {pixels,
            page.colour,
            page.alpha,
            page.linear_light,
            kept.icc,
            kept.exif,
            kept.xmp,
            kept.dots_per_inch_y,
            kept.dots_per_inch_x,
            kept.tiff,
            kept.resolution_unit,
            kept.iptc,
            page.layout,
            kept.geotiff,
            kept.png_chunks,
            kept.jpeg_comments};
  }

  const std::byte* row(std::int64_t y, std::int64_t z = 0) const {
    return pixels.data + z * pixels.strides.depth + y * pixels.strides.height;
  }
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(pixels.shape.width * pixels.shape.channels) * bytes_of(pixels.pixel);
  }
};

/// What a format can hold; a page that does not fit never reaches `encode`.
struct Holds {
  std::span<const Pixel> pixels;     ///< the first is what the user is advised to convert to
  std::string_view pixels_in_words;  ///< "8-bit pixels"
  std::int64_t most_extent;          ///< largest width and height
  std::int64_t most_channels;        ///< above 4, channels may be without a colour model
  bool alpha;
  bool cmyk;
  bool pages;  ///< more than one
  bool volumes;

  bool colour_alone() const { return most_channels <= 4; }
};

/// What a header states of the pixels of one page.
struct Claim {
  Shape shape = {};
  Pixel pixel = Pixel::u8;
  double beside_bytes =
      0;  ///< what decoding them takes beside the image: the library's buffers, a second copy
  /// Where the coding has a largest ratio: samples as they are before it, the file's bytes that hold them,
  /// and that ratio.
  double plain_bytes = 0;
  double coded_bytes = 0;
  double most_ratio = std::numeric_limits<double>::infinity();
};

/// The largest ratio of deflate: a bit or more for each match of 258 bytes.
constexpr double most_deflate_ratio = 1032;

/// One call of `read_pages`: what was asked for, and how much memory it may still take.
class Reading {
 public:
  Reading(const ReadOptions& options, std::string_view title) : options_(options), title_(title) {}

  ArrayLayout layout() const { return options_.layout; }
  /// Whether the page of that number, from 1 on, is asked for.
  bool wants(std::size_t number) const { return options_.page == 0 || options_.page == static_cast<std::int64_t>(number); }
  /// Whether none behind it is.
  bool ends_with(std::size_t number) const { return options_.page != 0 && wants(number); }

  /// Every codec asks before it, or its library, takes memory for pixels, page after page. Throws `Error{io}`
  /// where the file is too short for what its header states, `Error{out_of_memory}` where that is more than
  /// may be used.
  void check(const Claim& claim);
  /// The same where rows are read in parts: what is beside the image must fit the memory, the image need not unless it is the only row.
  void check_in_parts(const Claim& claim) const;
  /// The image, not yet filled, once the claim has passed.
  Image image(const Claim& claim) {
    check(claim);
    return {claim.shape, claim.pixel};
  }
  /// Turns a page that was stored with `orientation` upright, by a copy beside it; where pixels are wanted as
  /// they were stored, its metadata say the orientation. What is none of 2 to 8 changes nothing.
  void apply_orientation(Page& page, int orientation);
  /// What is left of that where pixels are not in memory. False where they would have to be turned.
  bool apply_orientation(Metadata& metadata, int orientation) const;

 private:
  void check_size(const Claim& claim) const;
  void check_memory(double bytes, const Shape& shape, Pixel pixel) const;

  ReadOptions options_;
  std::string_view title_;
  double held_bytes_ = 0;  // by the pages before
};

/// Reads parts (halation/strips.h) of one page. The part lies within the page; its view may have any strides, and what it shows is what
/// `decode` puts there.
class PartReader {
 public:
  virtual ~PartReader() = default;
  virtual void read(std::int64_t first, View to) = 0;
};

/// A page of a file whose pixels have not been read.
struct OpenPage {
  PageFacts facts;
  int orientation = 1;                 ///< as for `Reading::apply_orientation`; that in Exif is left to the caller
  std::unique_ptr<PartReader> reader;  ///< null where the page is read whole or not at all
};

/// A file that is being encoded from pieces of pixels, page after page.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// The part (halation/strips.h) behind the one before, of packed rows. With its last part a page is complete, and the next one begins.
  virtual void write(const ConstView& part) = 0;
  /// After the last page.
  virtual void finish() = 0;
};

/// One file format. Errors thrown by its functions do not name the file; io.cpp puts the name in front.
struct Codec {
  std::string_view name;                                      ///< as in `WriteOptions::format`
  std::string_view title;                                     ///< as in sentences
  std::span<const std::string_view> endings;                  ///< lower case, the usual one first
  bool (*recognises)(Bytes file) = nullptr;                   ///< by the first bytes; none where another codec reads its files
  std::vector<Page> (*decode)(Bytes file, Reading& reading) = nullptr;  ///< orientation in Exif is left to the caller
  /// None where the format is only read, `holds` is empty then, and where `create` does it.
  void (*encode)(std::span<const PageView> pages, const WriteOptions& options, Output& output) = nullptr;
  Holds holds = {};
  /// Where `decode` gives only the first of several pictures (an animation): the picture of a number, from 1
  /// on.
  Page (*decode_frame)(Bytes file, std::int64_t number, Reading& reading) = nullptr;
  /// The pages of `decode`, to be read in parts while the bytes stay; none where the format is always read whole.
  std::vector<OpenPage> (*open)(Bytes file, Reading& reading) = nullptr;
  /// None where pages are written whole. The metadata of `pages`, and the output, must outlive the result.
  std::unique_ptr<Encoder> (*create)(std::span<const PageView> pages, const WriteOptions& options, Output& output) = nullptr;

  bool is_written() const { return encode != nullptr || create != nullptr; }
};

extern const Codec png_codec;
extern const Codec jpeg_codec;
extern const Codec tiff_codec;
extern const Codec webp_codec;
extern const Codec exr_codec;
extern const Codec npy_codec;
extern const Codec bmp_codec;
extern const Codec pnm_codec;
extern const Codec pfm_codec;
extern const Codec gif_codec;
extern const Codec ppm_codec, pgm_codec, pbm_codec;
extern const Codec avif_codec;  ///< where libavif was found (HALATION_AVIF)

/// True where `file` begins with `magic`.
inline bool begins_with(Bytes file, std::string_view magic) {
  return file.size() >= magic.size() &&
         std::string_view(reinterpret_cast<const char*>(file.data()), magic.size()) == magic;
}

/// A big-endian number of `size` bytes; 0 where it reaches beyond the end.
inline std::size_t big_endian(Bytes bytes, std::size_t at, std::size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return 0;
  std::size_t number = 0;
  for (const std::byte each : bytes.subspan(at, size)) number = number << 8 | std::to_integer<std::size_t>(each);
  return number;
}

/// A copy of what a codec library owns.
inline std::vector<std::byte> bytes_at(const void* data, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(data);
  return {first, first + size};
}

}  // namespace halation::io
