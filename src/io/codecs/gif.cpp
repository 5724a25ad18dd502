// gif.cpp: GIF by giflib, read alone: the first picture of an animation or any other, as a viewer would show
// it then.
//
// RGB, with alpha only where a pixel of the picture is transparent. Each frame is drawn over what the ones
// before have left, by their disposal: kept, cleared (to transparent, as viewers do, not to the background
// colour), or put back as it was.
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "halation/error.h"
#include "io/codec.h"

namespace halation::io {
namespace {

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(ErrorCode::io, "damaged or truncated GIF: " + sentence);
}

int read_bytes(GifFileType* gif, GifByteType* data, int size) {
  Bytes& rest = *static_cast<Bytes*>(gif->UserData);
  const std::size_t count = std::min(static_cast<std::size_t>(std::max(size, 0)), rest.size());
  if (count > 0) std::memcpy(data, rest.data(), count);
  rest = rest.subspan(count);
  return static_cast<int>(count);
}

struct Closer {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};
using Gif = std::unique_ptr<GifFileType, Closer>;

[[noreturn]] void fail_by(const GifFileType& gif) {
  const char* sentence = GifErrorString(gif.Error);
  fail(sentence != nullptr ? sentence : "the file ends too early");
}

using Colour = std::array<std::uint8_t, 4>;  // red, green, blue, alpha
constexpr Colour transparent = {};

struct Rectangle {
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};

/// What frames are drawn on. What leaves it is cut off.
class Canvas {
 public:
  Canvas(std::int64_t width, std::int64_t height)
      : width_(width), height_(height), colours_(static_cast<std::size_t>(width * height)) {}

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  const std::vector<Colour>& colours() const { return colours_; }
  void put(std::int64_t x, std::int64_t y, const Colour& colour) {
    if (x < width_ && y < height_) colours_[static_cast<std::size_t>(y * width_ + x)] = colour;
  }
  void clear(const Rectangle& part) {
    for_each_in(part, [](Colour& colour) { colour = transparent; });
  }
  /// What lies where a picture is about to be drawn.
  std::vector<Colour> under(const Rectangle& part) {
    std::vector<Colour> kept;
    for_each_in(part, [&](const Colour& colour) { kept.push_back(colour); });
    return kept;
  }
  void put_back(const Rectangle& part, const std::vector<Colour>& kept) {
    auto next = kept.begin();
    for_each_in(part, [&](Colour& colour) { colour = *next++; });
  }

 private:
  template <class Visit>
  void for_each_in(const Rectangle& part, const Visit& visit) {
    for (std::int64_t y = part.y; y < std::min(part.y + part.height, height_); ++y) {
      for (std::int64_t x = part.x; x < std::min(part.x + part.width, width_); ++x)
        visit(colours_[static_cast<std::size_t>(y * width_ + x)]);
    }
  }

  std::int64_t width_, height_;
  std::vector<Colour> colours_;
};

/// Of a screen and the first picture on it. A small file may leave most of its screen empty, and has one of
/// 64 MB at most for that.
Claim claim_of(std::int64_t width, std::int64_t height, const Rectangle& first, std::size_t file_bytes) {
  constexpr double most_empty = 1 << 24;
  const double pixels = static_cast<double>(width) * static_cast<double>(height);
  const double drawn = static_cast<double>(first.width) * static_cast<double>(first.height);
  return {.shape = {.height = height, .width = width, .channels = 4},
          .beside_bytes = pixels * sizeof(Colour),  // the canvas
          .plain_bytes = pixels > most_empty ? pixels : drawn,
          .coded_bytes = static_cast<double>(file_bytes),
          .most_ratio = 4095 * 8 / 12.0};  // 12 bits stand for at most 4,095 pixels
}

/// Row `i` of the stored ones, of a picture in four passes or one.
std::vector<std::int64_t> rows_in_order(std::int64_t height, bool interlaced) {
  std::vector<std::int64_t> rows;
  const auto add = [&](std::int64_t first, std::int64_t step) {
    for (std::int64_t y = first; y < height; y += step) rows.push_back(y);
  };
  if (!interlaced) {
    add(0, 1);
    return rows;
  }
  add(0, 8), add(4, 8), add(2, 4), add(1, 2);
  return rows;
}

/// Draws the frame whose description has been read.
void draw(GifFileType& gif, int transparent_index, Canvas& canvas) {
  const GifImageDesc& frame = gif.Image;
  const ColorMapObject* map = frame.ColorMap != nullptr ? frame.ColorMap : gif.SColorMap;
  if (map == nullptr) fail("a picture without colours");
  std::vector<GifPixelType> line(static_cast<std::size_t>(frame.Width));
  for (const std::int64_t y : rows_in_order(frame.Height, frame.Interlace)) {
    if (DGifGetLine(&gif, line.data(), frame.Width) == GIF_ERROR) fail_by(gif);
    for (std::int64_t x = 0; x < frame.Width; ++x) {
      const int index = line[static_cast<std::size_t>(x)];
      if (index == transparent_index) continue;
      if (index >= map->ColorCount)
        fail("colour " + std::to_string(index) + " of a palette of " + std::to_string(map->ColorCount));
      const GifColorType& colour = map->Colors[index];
      canvas.put(frame.Left + x, frame.Top + y, {colour.Red, colour.Green, colour.Blue, 255});
    }
  }
}

/// Passes over the pixels of a frame that nobody asked for.
void skip_pixels(GifFileType& gif) {
  int code_size = 0;
  GifByteType* block = nullptr;
  if (DGifGetCode(&gif, &code_size, &block) == GIF_ERROR) fail_by(gif);
  while (block != nullptr) {
    if (DGifGetCodeNext(&gif, &block) == GIF_ERROR) fail_by(gif);
  }
}

/// Takes the extension that comes next; `control` becomes what it says of the next frame, if it does.
void read_extension(GifFileType& gif, GraphicsControlBlock& control) {
  int code = 0;
  GifByteType* block = nullptr;
  if (DGifGetExtension(&gif, &code, &block) == GIF_ERROR) fail_by(gif);
  if (code == GRAPHICS_EXT_FUNC_CODE && block != nullptr && block[0] == 4)
    DGifExtensionToGCB(block[0], block + 1, &control);
  while (block != nullptr) {
    if (DGifGetExtensionNext(&gif, &block) == GIF_ERROR) fail_by(gif);
  }
}

Page page_of(const Canvas& canvas) {
  const std::vector<Colour>& colours = canvas.colours();
  Page page;
  page.colour = ColourModel::rgb;
  page.alpha =
      std::any_of(colours.begin(), colours.end(), [](const Colour& colour) { return colour[3] == 0; });
  const std::int64_t channels = page.alpha ? 4 : 3;
  page.image = Image({.height = canvas.height(), .width = canvas.width(), .channels = channels}, Pixel::u8);
  auto* to = reinterpret_cast<std::uint8_t*>(page.image.view().data);
  for (const Colour& colour : colours) to = std::copy_n(colour.begin(), channels, to);
  return page;
}

constexpr GraphicsControlBlock no_control = {.DisposalMode = DISPOSAL_UNSPECIFIED,
                                             .UserInputFlag = false,
                                             .DelayTime = 0,
                                             .TransparentColor = NO_TRANSPARENT_COLOR};

/// Picture `wanted`, from 1 on. The file is read to its end, so that what was cut off is told.
Page decode_frame(Bytes file, std::int64_t wanted, Reading& reading) {
  Bytes rest = file;
  int error = 0;
  const Gif gif(DGifOpen(&rest, read_bytes, &error));
  if (gif == nullptr) fail(GifErrorString(error) != nullptr ? GifErrorString(error) : "no header");

  std::unique_ptr<Canvas> canvas;
  Page page;
  GraphicsControlBlock control = no_control;
  std::int64_t frames = 0;
  for (;;) {
    GifRecordType record = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(gif.get(), &record) == GIF_ERROR) fail_by(*gif);
    if (record == TERMINATE_RECORD_TYPE) break;
    if (record == EXTENSION_RECORD_TYPE) read_extension(*gif, control);
    if (record != IMAGE_DESC_RECORD_TYPE) continue;
    if (DGifGetImageDesc(gif.get()) == GIF_ERROR) fail_by(*gif);
    if (++frames > wanted) {
      skip_pixels(*gif);
      continue;
    }
    const Rectangle part{gif->Image.Left, gif->Image.Top, gif->Image.Width, gif->Image.Height};
    if (part.width == 0 || part.height == 0) fail("a picture of 0 pixels");
    if (canvas == nullptr) {  // a first picture that is larger than the screen counts
      const std::int64_t width = std::max<std::int64_t>(gif->SWidth, part.x + part.width);
      const std::int64_t height = std::max<std::int64_t>(gif->SHeight, part.y + part.height);
      reading.check(claim_of(width, height, part, file.size()));
      canvas = std::make_unique<Canvas>(width, height);
    }
    const bool restores = control.DisposalMode == DISPOSE_PREVIOUS && frames < wanted;
    const std::vector<Colour> before = restores ? canvas->under(part) : std::vector<Colour>();
    draw(*gif, control.TransparentColor, *canvas);
    if (frames == wanted) page = page_of(*canvas);
    if (restores) canvas->put_back(part, before);
    if (control.DisposalMode == DISPOSE_BACKGROUND) canvas->clear(part);
    control = no_control;
  }
  if (frames == 0) fail("no picture in it");
  if (frames < wanted) {
    throw Error(ErrorCode::invalid_argument,
                "page " + std::to_string(wanted) + " was asked for, the file has " + std::to_string(frames));
  }
  page.pictures = frames;
  return page;
}

std::vector<Page> decode(Bytes file, Reading& reading) {
  std::vector<Page> pages;
  pages.push_back(decode_frame(file, 1, reading));
  return pages;
}

bool recognises(Bytes file) { return begins_with(file, "GIF87a") || begins_with(file, "GIF89a"); }

constexpr std::string_view endings[] = {".gif"};

}  // namespace

constinit const Codec gif_codec = {
    .name = "gif",
    .title = "GIF",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = nullptr,
    .holds = {},
    .decode_frame = decode_frame,
};

}  // namespace halation::io
