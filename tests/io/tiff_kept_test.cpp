// tiff_kept_test.cpp: how a TIFF is laid out, and how large its pixels are, stays on the way through halation.
#include "halation/filter_file.h"
#include "halation/filters.h"
#include "odd_tiff.h"
#include "parts.h"

namespace halation::test {
namespace {

/// One after the other: what libtiff says of tiles (0: strips) of each page.
std::vector<std::pair<int, int>> tiles_in(const std::string& path) {
  std::vector<std::pair<int, int>> tiles;
  const auto tiff = opened(path, "r");
  do {
    std::uint32_t height = 0, width = 0;
    TIFFGetField(tiff.get(), TIFFTAG_TILELENGTH, &height);
    TIFFGetField(tiff.get(), TIFFTAG_TILEWIDTH, &width);
    tiles.emplace_back(height, width);
  } while (TIFFReadDirectory(tiff.get()) != 0);
  return tiles;
}

bool is_big(const std::string& path) { return TIFFIsBigTIFF(opened(path, "r").get()) != 0; }

/// A page that asks for tiles.
Page tiled_page(Pixel pixel, std::int64_t height, std::int64_t width, std::int64_t tile_height, std::int64_t tile_width) {
  Page page = random_page(pixel, height, width, ColourModel::rgb, true);
  page.metadata.tiff = {.tile_height = tile_height, .tile_width = tile_width};
  return page;
}

TEST(TiffLayout, TilesOfAFileAreThoseOfWhatIsWrittenOfIt) {
  const Folder folder;
  const Image image = random_image(Pixel::u16, {.height = 100, .width = 75, .channels = 3});
  {
    const auto tiff = opened(folder / "in.tif", "w");
    for (const auto& [height, width] : {std::pair{32, 16}, {0, 0}, {16, 128}}) {  // the last one wider than the page
      const Odd odd{.bits = 16, .samples = 3, .photometric = PHOTOMETRIC_RGB, .tile_width = width, .tile_height = height};
      write_page(tiff.get(), odd, 100, 75, rows_of(image, false));
    }
  }
  const std::vector<Page> pages = read_pages(folder / "in.tif");
  EXPECT_EQ(pages[0].metadata.tiff, (TiffLayout{.tile_height = 32, .tile_width = 16}));
  EXPECT_EQ(pages[1].metadata.tiff, TiffLayout{});
  write_pages(folder / "out.tif", pages);
  EXPECT_EQ(tiles_in(folder / "out.tif"), (std::vector<std::pair<int, int>>{{32, 16}, {0, 0}, {16, 128}}));
  const std::vector<Page> back = read_pages(folder / "out.tif");
  ASSERT_EQ(back.size(), 3U);
  for (const Page& page : back) expect_same_pixels(page.image, image);
  expect_same_written(folder / "parts.tif", pages);
  expect_same_in_parts(folder / "out.tif");
}

TEST(TiffLayout, TilesOfEveryPixelInWholeAndInParts) {
  const Folder folder;
  for (const Pixel pixel : all_pixels) {
    for (const auto& [height, width] : {std::pair{1, 1}, {1, 90}, {90, 1}, {48, 32}, {49, 33}}) {
      const Page page = tiled_page(pixel, height, width, 16, 32);
      expect_same_written(folder / "a.tif", {&page, 1});
      EXPECT_EQ(tiles_in(folder / "a.tif"), (std::vector<std::pair<int, int>>{{16, 32}}));
      expect_same_pixels(read_image(folder / "a.tif"), page.image);
    }
  }
}

TEST(TiffLayout, TilesTurnWithThePicture) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 40, .width = 70});
  const auto more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_RIGHTTOP); };
  write_odd(folder / "in.tif", {.tile_width = 16, .tile_height = 32, .more = more}, 40, 70, rows_of(image, false));
  EXPECT_EQ(read_one(folder / "in.tif").metadata.tiff, (TiffLayout{.tile_height = 16, .tile_width = 32}));
}

TEST(TiffLayout, TilesThatTiffCannotHoldBecomeTheNearest) {
  const Folder folder;
  write_one(folder / "a.tif", tiled_page(Pixel::u8, 50, 40, 17, 30));
  EXPECT_EQ(tiles_in(folder / "a.tif"), (std::vector<std::pair<int, int>>{{32, 32}}));
  for (const auto& [height, width] : {std::pair<std::int64_t, std::int64_t>{0, 16}, {16, 0}, {-16, 16}, {std::int64_t{1} << 31, 16}, {16, std::int64_t{1} << 40}}) {
    const Page page = tiled_page(Pixel::u8, 50, 40, height, width);
    write_one(folder / "a.tif", page);
    EXPECT_EQ(tiles_in(folder / "a.tif"), (std::vector<std::pair<int, int>>{{0, 0}}));
    expect_same_pixels(read_image(folder / "a.tif"), page.image);
  }
}

TEST(TiffLayout, BigTiffStaysBig) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 5, .width = 7});
  for (const char* mode : {"w", "w8"}) {
    write_odd(folder / "in.tif", {.mode = mode}, 5, 7, rows_of(image, false));
    write_pages(folder / "out.tif", read_pages(folder / "in.tif"));
    EXPECT_EQ(is_big(folder / "out.tif"), std::string(mode) == "w8");
    expect_same_pixels(read_image(folder / "out.tif"), image);
  }
}

TEST(TiffLayout, StaysWhereAFileIsFilteredWholeAndInStrips) {
  const Folder folder;
  for (const auto& [height, width] : {std::pair{60, 50}, {2100, 2050}}) {  // the second is more than 8 MiB
    const Image image = random_image(Pixel::u16, {.height = height, .width = width});
    write_odd(folder / "in.tif", {.mode = "w8", .bits = 16, .tile_width = 256, .tile_height = 128}, height, width, rows_of(image, false));
    filter_file(make_filter("identity"), folder / "in.tif", folder / "out.tif");
    EXPECT_EQ(tiles_in(folder / "out.tif"), (std::vector<std::pair<int, int>>{{128, 256}}));
    EXPECT_TRUE(is_big(folder / "out.tif"));
    expect_same_pixels(read_image(folder / "out.tif"), image);
  }
}

}  // namespace
}  // namespace halation::test
