// webp.cpp: WebP by libwebp: lossy and lossless, always RGB or RGBA; gray is written as RGB.
//
// Animations are refused: to filter their first frame alone would lose the rest silently. A wholly opaque
// alpha channel is not stored.
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <memory>

#include "halation/error.h"
#include "io/file.h"
#include "io/metadata/resolution.h"

namespace halation::io {
namespace {

/// Effort of the lossless encoder, 0 to 9. Higher ones save some percent of the bytes for many times the
/// time.
constexpr int lossless_level = 1;
constexpr std::string_view exif_signature{"Exif\0\0", 6};

bool recognises(Bytes file) {
  return begins_with(file, "RIFF") && file.size() >= 12 && begins_with(file.subspan(8), "WEBP");
}

const std::uint8_t* as_u8(const std::byte* data) { return reinterpret_cast<const std::uint8_t*>(data); }

std::vector<std::byte> chunk_of(const WebPDemuxer* demuxer, const char* name) {
  WebPChunkIterator chunk;
  std::vector<std::byte> bytes;
  if (WebPDemuxGetChunk(demuxer, name, 1, &chunk) != 0) bytes = bytes_at(chunk.chunk.bytes, chunk.chunk.size);
  WebPDemuxReleaseChunkIterator(&chunk);
  return bytes;
}

/// What a frame takes. Lossless frames are decoded beside the image first, and may be of any size in a few
/// bytes; lossy ones spend two bits or more on each block of 16 by 16 pixels.
Claim claim_of(const WebPBitstreamFeatures& features, double coded_bytes) {
  constexpr int lossy_format = 1;
  constexpr double block_pixels = 16 * 16;
  const bool lossy = features.format == lossy_format;
  const double pixels = static_cast<double>(features.width) * static_cast<double>(features.height);
  return {.shape = {.height = features.height,
                    .width = features.width,
                    .channels = features.has_alpha != 0 ? 4 : 3},
          .beside_bytes = (lossy ? features.has_alpha != 0 ? 1 : 0 : sizeof(std::uint32_t)) * pixels,
          .plain_bytes = pixels,
          .coded_bytes = coded_bytes,
          .most_ratio = lossy ? block_pixels * 8 / 2 : std::numeric_limits<double>::infinity()};
}

std::vector<Page> decode(Bytes file, Reading& reading) {
  const WebPData data = {as_u8(file.data()), file.size()};
  const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> demuxer(WebPDemux(&data), &WebPDemuxDelete);
  if (demuxer == nullptr) throw Error(ErrorCode::io, "damaged or truncated WebP");
  const std::uint32_t frames = WebPDemuxGetI(demuxer.get(), WEBP_FF_FRAME_COUNT);
  if ((WebPDemuxGetI(demuxer.get(), WEBP_FF_FORMAT_FLAGS) & ANIMATION_FLAG) != 0) {
    throw Error(ErrorCode::unsupported,
                "an animated WebP of " + std::to_string(frames) + " frames; halation reads still pictures");
  }
  WebPIterator frame;
  const bool found = WebPDemuxGetFrame(demuxer.get(), 1, &frame) != 0;
  const std::unique_ptr<WebPIterator, decltype(&WebPDemuxReleaseIterator)> frame_owner(
      &frame, &WebPDemuxReleaseIterator);
  WebPBitstreamFeatures features;
  if (!found || WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &features) != VP8_STATUS_OK) {
    throw Error(ErrorCode::io, "damaged or truncated WebP");
  }

  Page page;
  page.colour = ColourModel::rgb;
  page.alpha = features.has_alpha != 0;
  page.image = reading.image(claim_of(features, static_cast<double>(file.size())));
  const View pixels = page.image;
  const auto bytes = static_cast<std::size_t>(pixels.shape.elements());
  const auto decode_into = page.alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (decode_into(frame.fragment.bytes, frame.fragment.size, &pixels.at<std::uint8_t>({.y = 0, .x = 0}), bytes,
                  static_cast<int>(pixels.strides.height)) == nullptr) {
    throw Error(ErrorCode::io, "damaged or truncated WebP");
  }
  page.metadata.icc = chunk_of(demuxer.get(), "ICCP");
  page.metadata.xmp = chunk_of(demuxer.get(), "XMP ");
  page.metadata.exif = chunk_of(demuxer.get(), "EXIF");
  if (begins_with(page.metadata.exif,
                  exif_signature)) {  // JPEG's signature does not belong here, yet some writers copy it
    page.metadata.exif.erase(page.metadata.exif.begin(),
                             page.metadata.exif.begin() + static_cast<std::ptrdiff_t>(exif_signature.size()));
  }
  std::vector<Page> pages;
  pages.push_back(std::move(page));
  return pages;
}

struct Picture : WebPPicture {
  Picture() {
    if (WebPPictureInit(this) == 0)
      throw Error(ErrorCode::unsupported, "libwebp has another version than its headers");
  }
  ~Picture() { WebPPictureFree(this); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;
};

struct MemoryWriter : WebPMemoryWriter {
  MemoryWriter() { WebPMemoryWriterInit(this); }
  ~MemoryWriter() { WebPMemoryWriterClear(this); }
  MemoryWriter(const MemoryWriter&) = delete;
  MemoryWriter& operator=(const MemoryWriter&) = delete;
};

/// The page's samples as packed RGB or RGBA.
std::vector<std::byte> packed_colour(const PageView& page) {
  const Shape& shape = page.pixels.shape;
  const bool gray = shape.channels <= 2;
  std::vector<std::byte> packed;
  packed.reserve(static_cast<std::size_t>(shape.height * shape.width * (page.alpha ? 4 : 3)));
  for (std::int64_t y = 0; y < shape.height; ++y) {
    const std::byte* row = page.row(y);
    if (!gray) {
      packed.insert(packed.end(), row, row + page.row_bytes());
      continue;
    }
    for (const std::byte* pixel = row; pixel < row + page.row_bytes(); pixel += shape.channels) {
      packed.insert(packed.end(), 3, pixel[0]);
      if (page.alpha) packed.push_back(pixel[1]);
    }
  }
  return packed;
}

[[noreturn]] void fail(const std::string& reason) {
  throw Error(ErrorCode::io, "WebP could not be written: " + reason);
}

void set_chunk(WebPMux* mux, const char* name, Bytes bytes) {
  const WebPData data = {as_u8(bytes.data()), bytes.size()};
  if (!bytes.empty() && WebPMuxSetChunk(mux, name, &data, 0) != WEBP_MUX_OK) fail("metadata refused");
}

void encode(std::span<const PageView> pages, const WriteOptions& options, Output& output) {
  const PageView& page = pages.front();
  WebPConfig config;
  if (WebPConfigInit(&config) == 0) fail("libwebp has another version than its headers");
  config.quality = static_cast<float>(options.quality);
  if (options.lossless) WebPConfigLosslessPreset(&config, lossless_level);
  config.exact = 1;  // colour under full transparency is kept

  Picture picture;
  picture.use_argb = options.lossless ? 1 : 0;
  picture.width = static_cast<int>(page.pixels.shape.width);
  picture.height = static_cast<int>(page.pixels.shape.height);
  const std::vector<std::byte> packed = packed_colour(page);
  const auto import = page.alpha ? WebPPictureImportRGBA : WebPPictureImportRGB;
  if (import(&picture, as_u8(packed.data()), picture.width * (page.alpha ? 4 : 3)) == 0)
    fail("not enough memory");
  MemoryWriter coded;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &coded;
  if (WebPEncode(&config, &picture) == 0) fail("libwebp error " + std::to_string(picture.error_code));

  const Bytes icc =
      page.colour == ColourModel::rgb ? page.icc : Bytes{};  // a gray profile does not describe RGB
  const std::vector<std::byte> exif = exif_with_resolution(page);
  if (icc.empty() && exif.empty() && page.xmp.empty()) {
    output.write(coded.mem, coded.size);
    return;
  }
  const WebPData bitstream = {coded.mem, coded.size};
  const std::unique_ptr<WebPMux, decltype(&WebPMuxDelete)> mux(WebPMuxNew(), &WebPMuxDelete);
  if (mux == nullptr || WebPMuxSetImage(mux.get(), &bitstream, 0) != WEBP_MUX_OK) fail("not enough memory");
  set_chunk(mux.get(), "ICCP", icc);
  set_chunk(mux.get(), "EXIF", exif);
  set_chunk(mux.get(), "XMP ", page.xmp);
  WebPData assembled;
  WebPDataInit(&assembled);
  const std::unique_ptr<WebPData, decltype(&WebPDataClear)> owner(&assembled, &WebPDataClear);
  if (WebPMuxAssemble(mux.get(), &assembled) != WEBP_MUX_OK) fail("metadata refused");
  output.write(assembled.bytes, assembled.size);
}

constexpr std::string_view endings[] = {".webp"};
constexpr Pixel pixels[] = {Pixel::u8};

}  // namespace

constinit const Codec webp_codec = {
    .name = "webp",
    .title = "WebP",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = encode,
    .holds = {.pixels = pixels,
              .pixels_in_words = "8-bit pixels",
              .most_extent = WEBP_MAX_DIMENSION,
              .most_channels = 4,
              .alpha = true,
              .cmyk = false,
              .pages = false,
              .volumes = false},
};

}  // namespace halation::io
