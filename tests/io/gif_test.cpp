// gif_test.cpp: GIFs made by giflib: palettes, interlace, transparency, and frames over what earlier ones
// left.
#include <gif_lib.h>

#include "pictures.h"

namespace halation::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

struct Frame {
  int x = 0, y = 0, width = 1, height = 1;
  std::vector<int> indices;
  int disposal = DISPOSAL_UNSPECIFIED;
  int transparent = NO_TRANSPARENT_COLOR;
  bool interlaced = false;
  std::vector<int> own_palette = {};  ///< red, green, blue of four colours
};

const std::vector<int> palette = {0, 0, 0, 200, 0, 0, 0, 200, 0, 0, 0, 200};  // black, red, green, blue

ColorMapObject* map_of(const std::vector<int>& colours) {
  ColorMapObject* map = GifMakeMapObject(4, nullptr);
  for (std::size_t i = 0; i < 4; ++i) {
    map->Colors[i] = {static_cast<GifByteType>(colours[3 * i]), static_cast<GifByteType>(colours[3 * i + 1]),
                      static_cast<GifByteType>(colours[3 * i + 2])};
  }
  return map;
}

int append(GifFileType* gif, const GifByteType* data, int size) {
  static_cast<std::string*>(gif->UserData)
      ->append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  return size;
}

/// The file of a screen and its frames.
std::string gif_of(int width, int height, const std::vector<Frame>& frames, bool screen_palette = true) {
  std::string bytes;
  int error = 0;
  GifFileType* gif = EGifOpen(&bytes, append, &error);
  EGifSetGifVersion(gif, true);
  ColorMapObject* screen = screen_palette ? map_of(palette) : nullptr;
  EXPECT_EQ(EGifPutScreenDesc(gif, width, height, 2, 0, screen), GIF_OK);
  for (const Frame& frame : frames) {
    GraphicsControlBlock control{frame.disposal, false, 5, frame.transparent};
    GifByteType extension[4];
    EGifGCBToExtension(&control, extension);
    EXPECT_EQ(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, extension), GIF_OK);
    ColorMapObject* own = frame.own_palette.empty() ? nullptr : map_of(frame.own_palette);
    EXPECT_EQ(EGifPutImageDesc(gif, frame.x, frame.y, frame.width, frame.height, frame.interlaced, own),
              GIF_OK);
    for (const int index : frame.indices)
      EXPECT_EQ(EGifPutPixel(gif, static_cast<GifPixelType>(index)), GIF_OK);
    GifFreeMapObject(own);
  }
  EXPECT_EQ(EGifCloseFile(gif, &error), GIF_OK);
  GifFreeMapObject(screen);
  return bytes;
}

Page read_bytes(const std::string& bytes, std::int64_t number = 0) {
  const Folder folder;
  std::vector<Page> pages = read_pages(write_bytes(folder / "a.gif", bytes), {.page = number});
  EXPECT_EQ(pages.size(), 1U);
  return std::move(pages.front());
}

/// One letter a pixel: black k, red r, green g, blue b, transparent a point.
std::string letters_of(const Page& page) {
  std::string letters;
  const ConstView view = page.image;
  for (std::int64_t y = 0; y < view.shape.height; ++y) {
    if (y > 0) letters += '/';
    for (std::int64_t x = 0; x < view.shape.width; ++x) {
      const bool there = !page.alpha || view.at<std::uint8_t>({.y = y, .x = x, .c = 3}) == 255;
      letters += !there                               ? '.'
                 : view.at<std::uint8_t>({.y = y, .x = x}) > 0 ? 'r'
                 : view.at<std::uint8_t>({.y = y, .x = x, .c = 1}) > 0 ? 'g'
                 : view.at<std::uint8_t>({.y = y, .x = x, .c = 2}) > 0 ? 'b'
                                                      : 'k';
    }
  }
  return letters;
}

TEST(Gif, OnePicture) {
  const Page page = read_bytes(gif_of(3, 2, {{.width = 3, .height = 2, .indices = {0, 1, 2, 3, 2, 1}}}));
  EXPECT_EQ(page.colour, ColourModel::rgb);
  EXPECT_FALSE(page.alpha);
  EXPECT_EQ(letters_of(page), "krg/bgr");
  EXPECT_EQ(page.image.view().at<std::uint8_t>({.y = 0, .x = 1}), 200);
}

TEST(Gif, APaletteOfItsOwn) {
  const std::vector<int> own = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  for (const bool screen : {true, false}) {
    const Page page =
        read_bytes(gif_of(2, 1, {{.width = 2, .height = 1, .indices = {3, 1}, .own_palette = own}}, screen));
    EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAre(10, 11, 12, 4, 5, 6));
  }
}

TEST(Gif, TransparentPixelsAreAlpha) {
  const Page page =
      read_bytes(gif_of(3, 1, {{.width = 3, .height = 1, .indices = {1, 2, 3}, .transparent = 2}}));
  EXPECT_TRUE(page.alpha);
  EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAre(200, 0, 0, 255, 0, 0, 0, 0, 0, 0, 200, 255));
  // Named, but of no pixel.
  EXPECT_FALSE(read_bytes(gif_of(1, 1, {{.indices = {1}, .transparent = 2}})).alpha);
}

TEST(Gif, InterlacedRowsComeInFourPasses) {
  for (const int height : {1, 2, 3, 5, 8, 19}) {
    std::vector<int> straight, passes;
    for (int y = 0; y < height; ++y) straight.push_back(y * 7 % 4);
    for (const auto& [first, step] : {std::pair(0, 8), {4, 8}, {2, 4}, {1, 2}}) {
      for (int y = first; y < height; y += step) passes.push_back(straight[static_cast<std::size_t>(y)]);
    }
    const Page plain = read_bytes(gif_of(1, height, {{.height = height, .indices = straight}}));
    const Page woven =
        read_bytes(gif_of(1, height, {{.height = height, .indices = passes, .interlaced = true}}));
    EXPECT_EQ(letters_of(woven), letters_of(plain)) << height;
  }
}

TEST(Gif, APictureSmallerThanTheScreenLeavesTheRestTransparent) {
  EXPECT_EQ(letters_of(read_bytes(gif_of(3, 3, {{.x = 1, .y = 1, .indices = {2}}}))), ".../.g./...");
}

TEST(Gif, AFirstPictureLargerThanTheScreenWidensIt) {
  EXPECT_EQ(letters_of(read_bytes(gif_of(1, 1, {{.width = 2, .height = 2, .indices = {0, 1, 2, 3}}}))),
            "kr/gb");
}

TEST(Gif, FramesAreDrawnOverWhatDisposalLeaves) {
  const std::vector<int> reds(9, 1);
  const auto second = [](int disposal) {
    return Frame{.x = 1,
                 .y = 0,
                 .width = 2,
                 .height = 2,
                 .indices = {2, 0, 0, 2},
                 .disposal = disposal,
                 .transparent = 0};
  };
  const Frame third{.x = 0, .y = 2, .indices = {3}};
  const auto shown = [&](int disposal, std::int64_t number) {
    const std::string bytes = gif_of(
        3, 3,
        {{.width = 3, .height = 3, .indices = reds, .disposal = DISPOSE_DO_NOT}, second(disposal), third});
    return letters_of(read_bytes(bytes, number));
  };
  for (const int disposal : {DISPOSAL_UNSPECIFIED, DISPOSE_DO_NOT, DISPOSE_BACKGROUND, DISPOSE_PREVIOUS}) {
    EXPECT_EQ(shown(disposal, 0), "rrr/rrr/rrr");
    EXPECT_EQ(shown(disposal, 1), "rrr/rrr/rrr");
    EXPECT_EQ(shown(disposal, 2), "rgr/rrg/rrr");
  }
  EXPECT_EQ(shown(DISPOSAL_UNSPECIFIED, 3), "rgr/rrg/brr");
  EXPECT_EQ(shown(DISPOSE_DO_NOT, 3), "rgr/rrg/brr");
  EXPECT_EQ(shown(DISPOSE_BACKGROUND, 3), "r../r../brr");
  EXPECT_EQ(shown(DISPOSE_PREVIOUS, 3), "rrr/rrr/brr");
}

TEST(Gif, LargerPicturesComeBack) {
  std::mt19937 random(5);
  std::vector<int> indices(60000);
  for (int& index : indices) index = static_cast<int>(random() % 4);
  const Page page = read_bytes(gif_of(300, 200, {{.width = 300, .height = 200, .indices = indices}}));
  std::vector<std::uint8_t> wanted;
  for (const int index : indices)
    for (std::size_t c = 0; c < 3; ++c)
      wanted.push_back(static_cast<std::uint8_t>(palette[3 * static_cast<std::size_t>(index) + c]));
  EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAreArray(wanted));
}

TEST(Gif, WhatIsWrongIsSaid) {
  const Folder folder;
  const std::string good = gif_of(2, 1, {{.width = 2, .height = 1, .indices = {3, 1}}, {.indices = {1}}});
  const auto trouble = [&](const std::string& bytes, std::int64_t number = 0) {
    const std::string path = write_bytes(folder / "a.gif", bytes);
    return message_of([&] { read_pages(path, {.page = number}); }).substr(path.size() + 2);
  };
  EXPECT_EQ(trouble(good, 3), "page 3 was asked for, the file has 2");
  EXPECT_EQ(trouble(gif_of(2, 2, {})), "damaged or truncated GIF: no picture in it");
  using namespace std::string_literals;
  const std::string colourless = "GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2\x4c\1\0;"s;
  EXPECT_EQ(trouble(colourless), "damaged or truncated GIF: a picture without colours");
  const std::string huge = gif_of(65535, 65535, {{.indices = {1}}});
  EXPECT_EQ(trouble(huge), "damaged or truncated GIF: too short for 65535x65535x4 pixels");
  for (std::size_t length = 6; length < good.size(); ++length)
    EXPECT_THAT(trouble(good.substr(0, length)), testing::StartsWith("damaged or truncated GIF: ")) << length;
}

}  // namespace
}  // namespace halation::test
