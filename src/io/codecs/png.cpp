// png.cpp: PNG by libpng. Samples of 1, 2 and 4 bits and palettes become u8, a transparent colour becomes
// alpha.
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "halation/error.h"
#include "io/file.h"
#include "io/metadata/iptc.h"
#include "io/metadata/resolution.h"

namespace halation::io {
namespace {

constexpr char xmp_keyword[] = "XML:com.adobe.xmp";
constexpr char iptc_keyword[] = "Raw profile type iptc";

/// The first thing that libpng complained about.
struct Complaint {
  char sentence[200] = "";
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* complaint = static_cast<Complaint*>(png_get_error_ptr(png));
  std::snprintf(complaint->sentence, sizeof complaint->sentence, "%s", message);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

/// Runs `body`, which must own nothing: libpng leaves it by longjmp, past destructors.
template <class Body>
void guarded(png_structp png, const Complaint& complaint, const char* trouble, const Body& body) {
  if (setjmp(png_jmpbuf(png)) != 0) {
    throw Error(ErrorCode::io, std::string(trouble) + ": " + complaint.sentence);
  }
  body();
}

struct Reader {
  Complaint complaint;
  Bytes rest;
  png_structp png;
  png_infop info = nullptr;

  explicit Reader(Bytes file)
      : rest(file), png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &complaint, on_error, on_warning)) {
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) {
      png_destroy_read_struct(&png, nullptr, nullptr);
      throw Error(ErrorCode::out_of_memory, "libpng could not be started");
    }
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  template <class Body>
  void run(const Body& body) {
    guarded(png, complaint, "damaged or truncated PNG", body);
  }
};

struct Writer {
  Complaint complaint;
  png_structp png;
  png_infop info = nullptr;

  Writer() : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, &complaint, on_error, on_warning)) {
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) {
      png_destroy_write_struct(&png, nullptr);
      throw Error(ErrorCode::out_of_memory, "libpng could not be started");
    }
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

void read_bytes(png_structp png, png_bytep data, std::size_t size) {
  Bytes& rest = *static_cast<Bytes*>(png_get_io_ptr(png));
  if (size > rest.size()) png_error(png, "the file ends too early");
  std::memcpy(data, rest.data(), size);
  rest = rest.subspan(size);
}

void write_bytes(png_structp png, png_bytep data, std::size_t size) {
  if (!static_cast<Output*>(png_get_io_ptr(png))->write(data, size)) png_error(png, "write failed");
}

void flush_nothing(png_structp) {}

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";

bool recognises(Bytes file) { return begins_with(file, signature); }

std::size_t number_at(Bytes bytes, std::size_t at) { return big_endian(bytes, at, 4); }

/// A piece of a PNG: length, type, data, checksum.
struct Chunk {
  Bytes whole;

  /// The one that `rest` begins with; empty where it is longer than the rest.
  explicit Chunk(Bytes rest) {
    const std::size_t size = std::size_t{12} + number_at(rest, 0);
    if (size <= rest.size()) whole = rest.first(size);
  }
  bool is(std::string_view type) const { return begins_with(whole.subspan(4), type); }
  Bytes data() const { return whole.subspan(8, whole.size() - 12); }
  bool is_undamaged() const {
    const Bytes checked = whole.subspan(4, whole.size() - 8);
    return crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size()) == number_at(whole, whole.size() - 4);
  }
};

/// What a profile says better.
bool is_colour_without_profile(const Chunk& chunk) { return chunk.is("gAMA") || chunk.is("cHRM") || chunk.is("sRGB"); }

bool is_kept(const Chunk& chunk) {
  if (!chunk.is_undamaged()) return false;
  if (chunk.is("tEXt") || chunk.is("zTXt") || chunk.is("iTXt")) {
    const auto has_keyword = [&](std::string_view keyword) { return begins_with(chunk.data(), keyword); };
    return !has_keyword({xmp_keyword, sizeof xmp_keyword}) && !has_keyword({iptc_keyword, sizeof iptc_keyword});
  }
  return is_colour_without_profile(chunk) || chunk.is("cICP") || chunk.is("mDCV") || chunk.is("cLLI");
}

/// What all chunks say, without decoding any.
struct Outline {
  double pixel_bytes = 0;  ///< that hold pixels
  std::vector<std::byte> kept;
  std::int64_t frames = 0;  ///< of an animation
  bool shows_first_frame = false;  ///< the pixels are its first one
};

/// libpng would first clear as much memory as a chunk claims to fill.
Outline outline_of(Bytes file) {
  Outline outline;
  for (Bytes rest = file.subspan(signature.size());;) {
    const Chunk chunk(rest);
    if (chunk.whole.empty()) throw Error(ErrorCode::io, "damaged or truncated PNG: the file ends too early");
    if (chunk.is("IDAT")) outline.pixel_bytes += static_cast<double>(chunk.data().size());
    if (chunk.is("acTL")) outline.frames = number_at(chunk.data(), 0);
    if (chunk.is("fcTL") && outline.pixel_bytes == 0) outline.shows_first_frame = true;
    if (chunk.is("IEND")) return outline;
    if (is_kept(chunk)) outline.kept.insert(outline.kept.end(), chunk.whole.begin(), chunk.whole.end());
    rest = rest.subspan(chunk.whole.size());
  }
}

/// The chunks that a page is written with.
std::vector<Chunk> chunks_of(const PageView& page) {
  std::vector<Chunk> chunks;
  for (Bytes rest = page.png_chunks; !rest.empty();) {
    const Chunk chunk(rest);
    if (chunk.whole.empty()) break;
    if (is_kept(chunk) && (page.icc.empty() || !is_colour_without_profile(chunk))) chunks.push_back(chunk);
    rest = rest.subspan(chunk.whole.size());
  }
  return chunks;
}

Metadata metadata_of(png_structp png, png_infop info) {
  Metadata kept;
  png_charp profile_name = nullptr;
  int compression = 0;
  png_bytep profile = nullptr;
  png_uint_32 profile_bytes = 0;
  if (png_get_iCCP(png, info, &profile_name, &compression, &profile, &profile_bytes) != 0) {
    kept.icc = bytes_at(profile, profile_bytes);
  }
  png_uint_32 exif_bytes = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(png, info, &exif_bytes, &exif) != 0) kept.exif = bytes_at(exif, exif_bytes);
  png_textp texts = nullptr;
  const int count = png_get_text(png, info, &texts, nullptr);
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(texts[i].key, xmp_keyword) == 0) {
      kept.xmp = bytes_at(texts[i].text, std::max(texts[i].text_length, texts[i].itxt_length));
    }
    if (std::strcmp(texts[i].key, iptc_keyword) == 0) kept.iptc = iptc_in_profile_text({texts[i].text, texts[i].text_length});
  }
  png_uint_32 per_metre_x = 0, per_metre_y = 0;
  int unit = PNG_RESOLUTION_UNKNOWN;
  if (png_get_pHYs(png, info, &per_metre_x, &per_metre_y, &unit) != 0) {
    const bool named = unit == PNG_RESOLUTION_METER;
    const double scale = named ? 1 / inches_per_metre : 1;
    if (named || per_metre_x != per_metre_y)
      set_resolution(kept, {per_metre_x * scale, per_metre_y * scale}, named ? ResolutionUnit::inch : ResolutionUnit::unnamed);
  }
  return kept;
}

/// The size, the colours as they come out of `png_set_expand`, and what decoding takes, of a header that has
/// been read.
Claim claim_of(png_structp png, png_infop info, double coded_bytes) {
  const auto height = static_cast<std::int64_t>(png_get_image_height(png, info));
  const auto width = static_cast<std::int64_t>(png_get_image_width(png, info));
  const int type = png_get_color_type(png, info);
  const bool alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  const std::int64_t channels = ((type & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1) + (alpha ? 1 : 0);
  const Pixel pixel = png_get_bit_depth(png, info) == 16 ? Pixel::u16 : Pixel::u8;
  const double row_bytes = static_cast<double>(width * channels) * static_cast<double>(bytes_of(pixel));
  return {.shape = {.height = height, .width = width, .channels = channels},
          .pixel = pixel,
          .beside_bytes = 2 * row_bytes,  // libpng keeps the row above
          .plain_bytes = static_cast<double>(height) * static_cast<double>(png_get_rowbytes(png, info)),
          .coded_bytes = coded_bytes,
          .most_ratio = most_deflate_ratio};
}

std::vector<Page> decode(Bytes file, Reading& reading) {
  const Outline outline = outline_of(file);
  Reader reader(file);
  png_structp png = reader.png;
  png_infop info = reader.info;
  Claim claim;
  reader.run([&] {
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_read_fn(png, &reader.rest, read_bytes);
    png_read_info(png, info);
    claim = claim_of(png, info, outline.pixel_bytes);
  });
  Page page;
  page.image = reading.image(claim);
  page.colour = claim.shape.channels <= 2 ? ColourModel::gray : ColourModel::rgb;
  page.alpha = claim.shape.channels == 2 || claim.shape.channels == 4;
  const View pixels = page.image;
  reader.run([&] {
    png_set_expand(png);
    if constexpr (std::endian::native == std::endian::little) png_set_swap(png);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != static_cast<std::size_t>(pixels.strides.height))
      png_error(png, "rows of another size");
    for (int pass = 0; pass < passes; ++pass) {
      for (std::int64_t y = 0; y < pixels.shape.height; ++y)
        png_read_row(png, &pixels.at<png_byte>({.y = y}), nullptr);
    }
    png_read_end(png, info);
  });
  page.metadata = metadata_of(png, info);
  page.metadata.png_chunks = outline.kept;
  page.unread_frames = std::max<std::int64_t>(outline.frames - (outline.shows_first_frame ? 1 : 0), 0);
  std::vector<Page> pages;
  pages.push_back(std::move(page));
  return pages;
}

int colour_type_of(std::int64_t channels) {
  switch (channels) {
    case 1:
      return PNG_COLOR_TYPE_GRAY;
    case 2:
      return PNG_COLOR_TYPE_GRAY_ALPHA;
    case 3:
      return PNG_COLOR_TYPE_RGB;
    case 4:
      return PNG_COLOR_TYPE_RGB_ALPHA;
    default:
      throw Error(ErrorCode::unsupported, "PNG holds 1 to 4 channels, got " + std::to_string(channels));
  }
}

png_uint_32 per_metre(double dots_per_inch) {
  return static_cast<png_uint_32>(
      std::clamp(std::round(dots_per_inch * inches_per_metre), 0.0, double{PNG_UINT_31_MAX}));
}

void encode(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  const PageView& page = pages.front();
  const Shape& shape = page.pixels.shape;
  const bool wide = page.pixels.pixel == Pixel::u16;
  const int colour_type = colour_type_of(shape.channels);
  std::string xmp(reinterpret_cast<const char*>(page.xmp.data()), page.xmp.size());
  std::string keyword = xmp_keyword;
  std::string iptc_key = iptc_keyword, iptc = profile_text_with(page.iptc);
  png_text text = {}, iptc_text = {};
  text.compression = PNG_ITXT_COMPRESSION_NONE;
  text.key = keyword.data();
  text.text = xmp.data();
  iptc_text.compression = PNG_TEXT_COMPRESSION_zTXt;
  iptc_text.key = iptc_key.data();
  iptc_text.text = iptc.data();
  iptc_text.text_length = iptc.size();
  const std::vector<Chunk> chunks = chunks_of(page);
  std::vector<std::byte> exif(page.exif.begin(), page.exif.end());  // libpng wants it writable

  Writer writer;
  png_structp png = writer.png;
  png_infop info = writer.info;
  guarded(png, writer.complaint, "PNG could not be written", [&] {
    png_set_write_fn(png, &output, write_bytes, flush_nothing);
    png_set_benign_errors(png, 1);  // an ICC profile that libpng finds damaged is left out
    // On photographs twice as fast as a search for matches under all filters, and as small.
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_AVG);
    png_set_compression_strategy(png, Z_RLE);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, info, static_cast<png_uint_32>(shape.width), static_cast<png_uint_32>(shape.height),
                 wide ? 16 : 8, colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (!page.icc.empty()) {
      png_set_iCCP(png, info, "ICC profile", PNG_COMPRESSION_TYPE_BASE,
                   reinterpret_cast<png_const_bytep>(page.icc.data()),
                   static_cast<png_uint_32>(page.icc.size()));
    }
    if (!exif.empty()) {
      png_set_eXIf_1(png, info, static_cast<png_uint_32>(exif.size()),
                     reinterpret_cast<png_bytep>(exif.data()));
    }
    if (!xmp.empty()) png_set_text(png, info, &text, 1);
    if (!iptc.empty()) png_set_text(png, info, &iptc_text, 1);
    if (has_named_resolution(page)) {
      png_set_pHYs(png, info, per_metre(page.dots_per_inch_x), per_metre(page.dots_per_inch_y),
                   PNG_RESOLUTION_METER);
    } else if (has_unnamed_resolution(page)) {
      const auto [x, y] = ratio_of_density(page, PNG_UINT_31_MAX);
      if (x != y) png_set_pHYs(png, info, x, y, PNG_RESOLUTION_UNKNOWN);
    }
    png_write_info(png, info);
    for (const Chunk& chunk : chunks) {
      png_write_chunk(png, reinterpret_cast<png_const_bytep>(chunk.whole.data() + 4), reinterpret_cast<png_const_bytep>(chunk.data().data()),
                      chunk.data().size());
    }
    if (wide && std::endian::native == std::endian::little) png_set_swap(png);
    for (std::int64_t y = 0; y < shape.height; ++y) {
      png_write_row(png, reinterpret_cast<png_const_bytep>(page.row(y)));
    }
    png_write_end(png, nullptr);  // with `info` libpng 1.6.39 writes Exif a second time
  });
}

constexpr std::string_view endings[] = {".png"};
constexpr Pixel pixels[] = {Pixel::u8, Pixel::u16};

}  // namespace

constinit const Codec png_codec = {
    .name = "png",
    .title = "PNG",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = encode,
    .holds = {.pixels = pixels,
              .pixels_in_words = "8-bit and unsigned 16-bit pixels",
              .most_extent = PNG_UINT_31_MAX,
              .most_channels = 4,
              .alpha = true,
              .cmyk = false,
              .pages = false,
              .volumes = false},
};

}  // namespace halation::io
