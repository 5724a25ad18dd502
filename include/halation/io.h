// io.h: image files. Needs the library halation::io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halation/by_name.h"
#include "halation/image.h"
#include "halation/strips.h"

namespace halation {

/// What the channels of a page mean, alpha apart. In `cmyk`, 0 is no ink.
enum class ColourModel { gray, rgb, cmyk, other };

/// In which unit of length a file counts its pixels. `unnamed`: in one that the file leaves open (ImageJ's description names it), or none,
/// where only the shape of a pixel is known.
enum class ResolutionUnit { inch, centimetre, unnamed };

/// How a TIFF is laid out, which another that is written of it keeps.
struct TiffLayout {
  std::int64_t tile_height = 0;  ///< 0: in strips
  std::int64_t tile_width = 0;
  bool big = false;  ///< BigTIFF

  bool operator==(const TiffLayout&) const = default;
};

/// What a file carries beside its pixels, as raw bytes of the standards named.
struct Metadata {
  ByName<Metadata> by_name = ByName<Metadata>();
  std::vector<std::byte> icc;   ///< ICC colour profile
  /// Exif, beginning with its TIFF header ("II" or "MM"); its orientation: 1, unless read as stored; read without its thumbnail.
  std::vector<std::byte> exif;
  std::vector<std::byte> xmp;   ///< XMP packet
  double dots_per_inch_y = 0;   ///< whatever the unit, but where it is unnamed: per that one; 0: unknown
  double dots_per_inch_x = 0;
  TiffLayout tiff = {};
  ResolutionUnit resolution_unit = ResolutionUnit::inch;  ///< of the file, and of others that can say it
  std::vector<std::byte> iptc = {};                       ///< IPTC-IIM, the press's captions and keywords, as a list of its datasets
  /// A TIFF's tags of GeoTIFF and GDAL (where on earth its pixels lie, which value means none) and ImageJ's (labels, ranges, colours, regions),
  /// as a TIFF header and a directory of them. A TIFF is written with them where that directory's width and height, if it has any, are the
  /// page's, with ImageJ's only beside its description.
  std::vector<std::byte> geotiff = {};
  /// A PNG's texts but XMP and IPTC, and what it says of its colours beside an ICC profile (gAMA, cHRM, sRGB, cICP, …): chunks as they lie in
  /// the file. A PNG is written with them, without gAMA, cHRM and sRGB beside a profile.
  std::vector<std::byte> png_chunks = {};
  std::vector<std::vector<std::byte>> jpeg_comments = {};  ///< a JPEG's, in no known encoding, which another JPEG keeps
};

/// The axes of an array, outermost first; `by_rank` is w, hw, dhw, dhwc for 1 to 4 axes.
enum class ArrayLayout { by_rank, w, hw, hwc, dhw, dhwc };

/// One picture of a file (a page of a TIFF, the only one of most others), upright: an orientation stored in the file has been applied
/// (`ReadOptions::upright`).
struct Page {
  Image image;               ///< batch 1; alpha, where there is one, is the last channel, not premultiplied
  ColourModel colour = ColourModel::other;
  bool alpha = false;
  bool linear_light = false;  ///< values are proportional to light (OpenEXR), not sRGB-encoded
  Metadata metadata;
  /// The axes that it has, be they as short as 1: those of the array read, `hw` of any picture. `by_rank`:
  /// those that are longer. A .npy file is written with them, and with others that are longer than 1.
  ArrayLayout layout = ArrayLayout::by_rank;
  std::int64_t pictures = 1;  ///< of an animation, of which this is one: how many there are
  /// Of a TIFF: smaller copies of the page, and masks of what shows of it, which are not read.
  std::int64_t overviews = 0, masks = 0;
  std::int64_t unread_frames = 0;  ///< of an animated PNG: how many there are beside it, which are not read
  std::int64_t bytes_behind = 0;   ///< of a JPEG: of other pictures or a video behind its own, which are not read
  std::string_view described_by = {};  ///< of a TIFF: the program, "ImageJ" or "OME", whose description its first page has
  bool lost_geotiff = false;       ///< of a TIFF turned upright: its tags of GeoTIFF, which are of the pixels as stored, are left out

  /// How many of the axes filters act on: 1, 2 or 3.
  int dims() const;
};

ArrayLayout array_layout_named(std::string_view name);
std::string_view name_of(ArrayLayout layout);

/// What is known of a page whose pixels are not in memory; the members are those of `Page`.
struct PageFacts {
  Shape shape;
  Pixel pixel = Pixel::u8;
  ColourModel colour = ColourModel::other;
  bool alpha = false;
  bool linear_light = false;
  Metadata metadata;
  ArrayLayout layout = ArrayLayout::by_rank;
  std::int64_t pictures = 1;
  std::int64_t overviews = 0, masks = 0;
  std::int64_t unread_frames = 0;
  std::int64_t bytes_behind = 0;
  std::string_view described_by = {};
  bool lost_geotiff = false;

  int dims() const;
};
PageFacts facts_of(const Page& page);

/// What a reader may be told.
struct ReadOptions {
  ArrayLayout layout = ArrayLayout::by_rank;
  /// The most that the pixels of all pages, with what decoding one takes beside them, may need; 0: what the
  /// machine has free.
  std::size_t memory_bytes = 0;
  /// That page, or picture of an animation, alone, counted from 1; 0: all pages, of an animation the first picture.
  std::int64_t page = 0;
  /// Whether to apply an orientation that the file gives (Exif, TIFF's tag, AVIF's turns and mirrors); otherwise
  /// pixels come as they were stored, and Exif says how they lie.
  bool upright = true;
};

/// Reads the pages of a PNG, JPEG, TIFF, BigTIFF, WebP, OpenEXR, .npy, BMP, PNM (PBM, PGM, PPM, PAM) or PFM file, and
/// a picture of a GIF and, where built with libavif, of an AVIF. The format is known by the first bytes, never by the
/// name; "-" reads standard input. Palettes and 1 to 7-bit samples become u8, those of 9 to 15 bits in PNM and AVIF
/// u16, scaled to its range; premultiplied alpha becomes straight. Throws `Error`: io for a missing, empty, truncated
/// or unknown file, and for a header that states more pixels than the file's bytes can hold; out_of_memory for more
/// than may be used, both known from the header, before memory is taken; invalid_argument for a page that is not
/// there; unsupported for HEIC (its decoder is under the GPL).
std::vector<Page> read_pages(const std::string& path, const ReadOptions& options = {});
inline std::vector<Page> read_pages(const std::string& path, ArrayLayout layout) {
  return read_pages(path, ReadOptions{layout});
}

/// A page that is read in parts (halation/strips.h).
class PageSource : public Source {
 public:
  virtual const PageFacts& facts() const = 0;
  const Shape& shape() const final { return facts().shape; }
  Pixel pixel() const final { return facts().pixel; }
};

/// The pages of a file, their pixels not yet read: the same pages and pixels that `read_pages` gives. Of .npy in C order, TIFF and BigTIFF
/// of strips or tiles, and OpenEXR of scan lines or tiles, whose pages are stored upright (or `options.upright` is false); none of any
/// other, which must be read whole, and none of "-" or a pipe, which is left unread. The sources share the file: one thread asks at a time.
/// Throws as `read_pages`, but of memory: a part takes the buffer of the caller's, and one strip or tile, or row of tiles, as the file has
/// them; of a TIFF or OpenEXR of a single row, cut along it, that row.
std::vector<std::unique_ptr<PageSource>> open_pages(const std::string& path, const ReadOptions& options = {});

/// The pixels of the first page.
Image read_image(const std::string& path, const ReadOptions& options = {});

/// Endings of files, such as ".png", in lower case: of the formats that are read, and of those that are written.
std::vector<std::string> readable_endings();
std::vector<std::string> writable_endings();

/// The name of a picture format that halation knows and does not read, by an ending in lower case: "HEIC" for ".heic"; empty for others.
std::string_view unread_format(std::string_view ending);

/// What a writer may be told.
struct WriteOptions {
  /// "png", "jpeg", "tiff", "webp", "exr", "npy", "bmp", "pnm", "ppm", "pgm", "pam", "pfm", "avif"; empty: by the path's ending
  std::string format = {};
  int quality = 92;         ///< JPEG and lossy WebP and AVIF, 1 to 100
  bool lossless = true;     ///< WebP and AVIF
};

/// Throws `Error{unsupported}` now, before any work, if such pages could not be written: "out.jpg: JPEG holds 8-bit pixels, got u16; …".
void check_writable(const std::string& path, Pixel pixel, const Shape& shape, bool alpha, ColourModel colour, std::size_t pages,
                    const WriteOptions& options = {});

/// The file appears at `path`, or where a link there points, once it is complete, so that nothing half-written stays; "-" writes
/// standard output. Metadata and profile are kept as far as the format carries them, and so is an orientation that Exif says. A TIFF is
/// tiled and big where its metadata say so (tiles of more than 256 MiB a row become strips), and big where it could have more than 4 GiB.
/// Pixel values are never rescaled.
void write_pages(const std::string& path, std::span<const Page> pages, const WriteOptions& options = {});

/// A file whose pages are written in parts (halation/strips.h).
class PagesSink {
 public:
  virtual ~PagesSink() = default;
  /// Where the parts of a page go. Page after page: the one before must be complete. The reference lasts until the next call.
  virtual Sink& page(std::size_t number) = 0;
  /// The file appears, as by `write_pages`. Without it nothing stays. Throws `Error{invalid_argument}` where a page is not complete.
  virtual void commit() = 0;
};

/// Whether `create_pages` can: formats .npy, TIFF and OpenEXR, and no pages that have to be changed first (CMYK for a format without it).
bool is_written_in_parts(const std::string& path, std::span<const PageFacts> pages, const WriteOptions& options = {});

/// The file that `write_pages` would write, byte for byte, of pages of which nothing but the facts is known yet. Throws as `write_pages`;
/// `Error{unsupported}` where the format must be written whole.
std::unique_ptr<PagesSink> create_pages(const std::string& path, std::vector<PageFacts> pages, const WriteOptions& options = {});

/// One image without metadata: 1 channel is gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
void write_image(const std::string& path, ConstView image, const WriteOptions& options = {});

}  // namespace halation
