// avif.cpp: AVIF by libavif, 8, 10 and 12 bits; built where libavif is found.
//
// Samples of 10 and 12 bits become u16, scaled to its range; u16 is written with 12 bits, the same scaled
// back. Written lossless unless a quality is asked for. What turns, mirrors and crops a picture is applied;
// the orientation in Exif, which AVIF has readers ignore, is not. Of a sequence the first picture is read, or
// any other by its number.
#include <avif/avif.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>

#include "halation/error.h"
#include "io/codecs/av1.h"
#include "io/codecs/media_brands.h"
#include "io/file.h"
#include "io/metadata/orientation.h"
#include "io/metadata/resolution.h"

namespace halation::io {
namespace {

constexpr int speed = 8;  // of 0 to 10: slower ones make files a few percent smaller
constexpr std::string_view exif_marker{"Exif\0\0", 6};

struct Free {
  void operator()(avifDecoder* decoder) const { avifDecoderDestroy(decoder); }
  void operator()(avifEncoder* encoder) const { avifEncoderDestroy(encoder); }
  void operator()(avifImage* image) const { avifImageDestroy(image); }
};

/// What the library gives, or an error where it gives nothing.
template <class T>
std::unique_ptr<T, Free> owned(T* made) {
  if (made == nullptr) throw Error(ErrorCode::out_of_memory, "libavif could not be started");
  return std::unique_ptr<T, Free>(made);
}

void check_read(avifResult result) {
  if (result == AVIF_RESULT_OUT_OF_MEMORY) throw Error(ErrorCode::out_of_memory, "not enough memory");
  if (result == AVIF_RESULT_NO_CODEC_AVAILABLE)
    throw Error(ErrorCode::unsupported, "libavif was built without a decoder");
  if (result != AVIF_RESULT_OK)
    throw Error(ErrorCode::io, std::string("damaged or truncated AVIF: ") + avifResultToString(result));
}

void check_written(avifResult result) {
  if (result != AVIF_RESULT_OK)
    throw Error(ErrorCode::io, std::string("AVIF could not be written: ") + avifResultToString(result));
}

int threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 64U)); }

/// Of an `avifImage`, const or not.
template <class Picture>
auto& mirror_of(Picture& image) {
#if AVIF_VERSION >= 1000000
  return image.imir.axis;
#else
  return image.imir.mode;
#endif
}

/// Rotation against the clock and then mirroring, as the orientation that Exif would give.
int orientation_of(const avifImage& image) {
  const int quarters = (image.transformFlags & AVIF_TRANSFORM_IROT) != 0 ? image.irot.angle & 3 : 0;
  constexpr int turned[] = {1, 8, 3, 6};
  constexpr int then_upside_down[] = {4, 5, 2, 7};
  constexpr int then_left_to_right[] = {2, 7, 4, 5};
  if ((image.transformFlags & AVIF_TRANSFORM_IMIR) == 0) return turned[quarters];
  return mirror_of(image) == 0 ? then_upside_down[quarters] : then_left_to_right[quarters];
}

/// Has the container show pixels that lie so.
void set_orientation_of(avifImage& image, int orientation) {
  struct Way {
    std::uint8_t quarters;
    int mirror;  // -1: none
  };
  constexpr Way ways[] = {{0, -1}, {0, 1}, {2, -1}, {0, 0}, {1, 0}, {3, -1}, {1, 1}, {1, -1}};
  const Way way = ways[orientation - 1];
  image.transformFlags = AVIF_TRANSFORM_NONE;
  if (way.quarters > 0) image.transformFlags |= AVIF_TRANSFORM_IROT;
  if (way.mirror >= 0) image.transformFlags |= AVIF_TRANSFORM_IMIR;
  image.irot.angle = way.quarters;
  mirror_of(image) = static_cast<std::uint8_t>(std::max(way.mirror, 0));
}

/// The part of the picture that is to be shown.
Region shown_part(const avifDecoder& decoder) {
  const avifImage& image = *decoder.image;
  Region all{.height = image.height, .width = image.width};
  avifCropRect rectangle = {};
  avifDiagnostics diagnostics;
  if ((image.transformFlags & AVIF_TRANSFORM_CLAP) == 0 ||
      avifCropRectConvertCleanApertureBox(&rectangle, &image.clap, image.width, image.height, image.yuvFormat,
                                          &diagnostics) == AVIF_FALSE)
    return all;
  return {.y = rectangle.y, .x = rectangle.x, .height = rectangle.height, .width = rectangle.width};
}

/// Samples of 10 and 12 bits scaled to all of u16, each to the nearest; the library's own way is off by one
/// at times.
void widen(View pixels, std::uint32_t depth) {
  const std::int64_t most = (1 << depth) - 1;
  std::vector<std::uint16_t> levels;
  for (std::int64_t v = 0; v <= most; ++v)
    levels.push_back(static_cast<std::uint16_t>((v * 65535 + most / 2) / most));
  auto* samples = reinterpret_cast<std::uint16_t*>(pixels.data);
  std::transform(samples, samples + pixels.shape.elements(), samples,
                 [&](std::uint16_t v) { return levels[std::min<std::size_t>(v, levels.size() - 1)]; });
}

/// Colours (the first of three equal ones where the picture is gray) and alpha of a decoded picture.
Image pixels_of(const avifImage& image, bool gray, bool alpha) {
  const Pixel pixel = image.depth > 8 ? Pixel::u16 : Pixel::u8;
  Image decoded({.height = image.height, .width = image.width, .channels = alpha ? 4 : 3}, pixel);
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, &image);  // of the picture's depth
  rgb.format = alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
  const std::int64_t row_bytes = decoded.view().strides.height;
  if (row_bytes > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::unsupported, "rows beyond 4 GiB");
  rgb.rowBytes = static_cast<std::uint32_t>(row_bytes);
  rgb.pixels = reinterpret_cast<std::uint8_t*>(decoded.view().data);
  check_read(avifImageYUVToRGB(&image, &rgb));
  if (pixel == Pixel::u16) widen(decoded, image.depth);
  if (!gray) return decoded;

  Image gray_pixels({.height = image.height, .width = image.width, .channels = alpha ? 2 : 1}, pixel);
  copy(decoded.view().channel(0), gray_pixels.view().channel(0));
  if (alpha) copy(decoded.view().channel(3), gray_pixels.view().channel(1));
  return gray_pixels;
}

/// From the headers of the file alone.
Claim claim_of(const avifImage& image, bool alpha) {
  const bool gray = image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
  Claim claim{
      .shape = {.height = image.height, .width = image.width, .channels = (gray ? 1 : 3) + (alpha ? 1 : 0)},
      .pixel = image.depth > 8 ? Pixel::u16 : Pixel::u8};
  constexpr double decoder_bytes = 24;  // a pixel: frames in 16 bits, and what is known of their blocks
  // Beside them the library's planes, and colours that are cut or made gray.
  const double bytes = decoder_bytes + 8 * static_cast<double>(bytes_of(claim.pixel));
  claim.beside_bytes = static_cast<double>(image.width) * image.height * bytes;
  return claim;
}

/// The file for libavif. Decoders take the size of their frames from the coded pictures, whatever the file's
/// own headers say: once `most_pixels` is set, pictures of larger ones are not handed out.
struct Source {
  explicit Source(Bytes bytes) : file(bytes) {
    io.read = read;
    io.sizeHint = file.size();
    io.persistent = AVIF_TRUE;
    io.data = this;
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  static avifResult read(avifIO* io, std::uint32_t, std::uint64_t offset, std::size_t size, avifROData* out) {
    Source& source = *static_cast<Source*>(io->data);
    if (offset > source.file.size()) return AVIF_RESULT_IO_ERROR;
    const Bytes part = source.file.subspan(offset, std::min(size, source.file.size() - offset));
    if (source.most_pixels > 0 &&
        largest_av1_frame(part).value_or(source.most_pixels + 1) > source.most_pixels)
      return AVIF_RESULT_BMFF_PARSE_FAILED;
    *out = {.data = reinterpret_cast<const std::uint8_t*>(part.data()), .size = part.size()};
    return AVIF_RESULT_OK;
  }

  Bytes file;
  std::int64_t most_pixels = 0;
  avifIO io = {};
};

/// Calls each(name, content) for the boxes that lie side by side in `bytes`.
template <class Each>
void for_boxes(Bytes bytes, const Each& each) {
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    return value;
  };
  while (bytes.size() >= 16) {
    std::uint64_t size = number(0, 4);
    const std::size_t head = size == 1 ? 16 : 8;
    if (size == 1) size = number(8, 8);
    if (size == 0) size = bytes.size();  // up to the end
    size = std::clamp<std::uint64_t>(size, head, bytes.size());
    each(std::string_view(reinterpret_cast<const char*>(&bytes[4]), 4), bytes.subspan(head, size - head));
    bytes = bytes.subspan(size);
  }
}

/// Pictures within the file's headers are not read from a `Source`. What belongs there are a few bytes on how
/// pictures are put together.
bool has_pictures_among_headers(Bytes file) {
  constexpr std::size_t most = 64;
  bool found = false;
  for_boxes(file, [&](std::string_view name, Bytes content) {
    if (name != "meta" || content.size() < 4) return;
    for_boxes(content.subspan(4), [&](std::string_view inner, Bytes data) {
      found = found || (inner == "idat" && data.size() > most);
    });
  });
  return found;
}

Page decode_frame(Bytes file, std::int64_t wanted, Reading& reading) {
  Source source(file);
  const auto decoder = owned(avifDecoderCreate());
  decoder->maxThreads = threads();
  // dav1d, somewhat quicker, prints what is wrong with a file on standard error.
  if (avifCodecName(AVIF_CODEC_CHOICE_AOM, AVIF_CODEC_FLAG_CAN_DECODE) != nullptr) {
    decoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
  }
  if (has_pictures_among_headers(file))
    throw Error(ErrorCode::unsupported,
                "AVIF with pictures among its headers; halation reads those that follow them");
  avifDecoderSetIO(decoder.get(), &source.io);
  check_read(avifDecoderParse(decoder.get()));
  if (wanted > decoder->imageCount) {
    throw Error(ErrorCode::invalid_argument, "page " + std::to_string(wanted) +
                                                 " was asked for, the file has " +
                                                 std::to_string(decoder->imageCount));
  }
  reading.check(claim_of(*decoder->image, decoder->alphaPresent == AVIF_TRUE));
  // Frames may be somewhat larger than what is shown of them, and tiles than the whole.
  source.most_pixels = 2 * std::int64_t{decoder->image->width} * decoder->image->height + (1 << 20);
  check_read(avifDecoderNthImage(decoder.get(), static_cast<std::uint32_t>(wanted - 1)));
  const avifImage& image = *decoder->image;

  Page page;
  page.pictures = decoder->imageCount;
  const bool gray = image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
  page.alpha = image.alphaPlane != nullptr;
  page.colour = gray ? ColourModel::gray : ColourModel::rgb;
  page.linear_light = image.transferCharacteristics == AVIF_TRANSFER_CHARACTERISTICS_LINEAR;
  page.image = pixels_of(image, gray, page.alpha);
  const Region part = shown_part(*decoder);
  if (part.width != image.width || part.height != image.height) {
    Image cut({.height = part.height, .width = part.width, .channels = page.image.shape().channels},
              page.image.pixel());
    copy(page.image.view().crop(part), cut);
    page.image = std::move(cut);
  }
  page.metadata.icc = bytes_at(image.icc.data, image.icc.size);
  page.metadata.xmp = bytes_at(image.xmp.data, image.xmp.size);
  Bytes exif = std::as_bytes(std::span(image.exif.data, image.exif.size));
  if (begins_with(exif, exif_marker)) exif = exif.subspan(exif_marker.size());
  page.metadata.exif.assign(exif.begin(), exif.end());
  set_orientation(page.metadata, 1);  // whatever Exif says
  reading.apply_orientation(page, orientation_of(image));
  return page;
}

std::vector<Page> decode(Bytes file, Reading& reading) {
  std::vector<Page> pages;
  pages.push_back(decode_frame(file, 1, reading));
  return pages;
}

bool recognises(Bytes file) { return has_brand(file, "avif") || has_brand(file, "avis"); }

/// Copies one channel into a plane of the library's, u16 rounded to 12 bits.
void fill_plane(ConstView channel, std::uint8_t* plane, std::uint32_t row_bytes) {
  for (std::int64_t y = 0; y < channel.shape.height; ++y) {
    std::uint8_t* row = plane + static_cast<std::size_t>(y) * row_bytes;
    for (std::int64_t x = 0; x < channel.shape.width; ++x) {
      if (channel.pixel == Pixel::u8) {
        row[x] = channel.at<std::uint8_t>({.y = y, .x = x});
      } else {
        const auto level =
            static_cast<std::uint16_t>(std::lround(channel.at<std::uint16_t>({.y = y, .x = x}) * 4095 / 65535.0));
        std::memcpy(row + 2 * x, &level, sizeof level);
      }
    }
  }
}

void set_quality(avifEncoder& encoder, const WriteOptions& options) {
#if AVIF_VERSION >= 1000000
  encoder.quality = options.lossless ? AVIF_QUALITY_LOSSLESS : options.quality;
  encoder.qualityAlpha = AVIF_QUALITY_LOSSLESS;
#else
  const int quantizer =
      options.lossless ? AVIF_QUANTIZER_LOSSLESS : ((100 - options.quality) * 63 + 50) / 100;
  encoder.minQuantizer = encoder.maxQuantizer = quantizer;
  encoder.minQuantizerAlpha = encoder.maxQuantizerAlpha = AVIF_QUANTIZER_LOSSLESS;
#endif
}

void set_metadata(avifImage& image, const PageView& page) {
  const auto data = [](Bytes bytes) { return reinterpret_cast<const std::uint8_t*>(bytes.data()); };
  if (!page.icc.empty()) avifImageSetProfileICC(&image, data(page.icc), page.icc.size());
  const std::vector<std::byte> exif = exif_with_resolution(page);
  if (!exif.empty()) avifImageSetMetadataExif(&image, data(exif), exif.size());
  if (!page.xmp.empty()) avifImageSetMetadataXMP(&image, data(page.xmp), page.xmp.size());
  set_orientation_of(image, orientation_in(page.exif));
}

void encode(std::span<const PageView> pages, const WriteOptions& options, Output& output) {
  const PageView& page = pages.front();
  const Shape& shape = page.pixels.shape;
  const bool wide = page.pixels.pixel == Pixel::u16;
  const bool gray = shape.channels <= 2;
  const auto image =
      owned(avifImageCreate(static_cast<std::uint32_t>(shape.width), static_cast<std::uint32_t>(shape.height),
                            wide ? 12 : 8, gray ? AVIF_PIXEL_FORMAT_YUV400 : AVIF_PIXEL_FORMAT_YUV444));
  image->yuvRange = AVIF_RANGE_FULL;
  image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
  image->transferCharacteristics =
      page.linear_light ? AVIF_TRANSFER_CHARACTERISTICS_LINEAR : AVIF_TRANSFER_CHARACTERISTICS_SRGB;
  image->matrixCoefficients =
      options.lossless && !gray ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601;
  set_metadata(*image, page);
  if (gray) {
    check_written(avifImageAllocatePlanes(image.get(), page.alpha ? AVIF_PLANES_ALL : AVIF_PLANES_YUV));
    fill_plane(page.pixels.channel(0), image->yuvPlanes[AVIF_CHAN_Y], image->yuvRowBytes[AVIF_CHAN_Y]);
    if (page.alpha) fill_plane(page.pixels.channel(1), image->alphaPlane, image->alphaRowBytes);
  } else {
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image.get());
    rgb.depth = wide ? 16 : 8;
    rgb.format = page.alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
    rgb.rowBytes = static_cast<std::uint32_t>(page.pixels.strides.height);
    rgb.pixels =
        const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(page.pixels.data));  // only read
    check_written(avifImageRGBToYUV(image.get(), &rgb));
  }

  const auto encoder = owned(avifEncoderCreate());
  encoder->maxThreads = threads();
  encoder->speed = speed;
  set_quality(*encoder, options);
  struct Coded {
    avifRWData data = AVIF_DATA_EMPTY;
    ~Coded() { avifRWDataFree(&data); }
  } coded;
  check_written(avifEncoderWrite(encoder.get(), image.get(), &coded.data));
  output.write(coded.data.data, coded.data.size);
}

constexpr std::string_view endings[] = {".avif"};
constexpr Pixel pixels[] = {Pixel::u8, Pixel::u16};

}  // namespace

constinit const Codec avif_codec = {
    .name = "avif",
    .title = "AVIF",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = encode,
    .holds = {.pixels = pixels,
              .pixels_in_words = "8-bit and unsigned 16-bit pixels",
              .most_extent = 65536,
              .most_channels = 4,
              .alpha = true,
              .cmyk = false,
              .pages = false,
              .volumes = false},
    .decode_frame = decode_frame,
};

}  // namespace halation::io
