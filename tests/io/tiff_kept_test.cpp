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
  for (const Pixel pixel : native_pixels) {
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
  for (const auto& [height, width] :
       {std::pair<std::int64_t, std::int64_t>{0, 16}, {16, 0}, {-16, 16}, {std::int64_t{1} << 31, 16}, {16, std::int64_t{1} << 40}}) {
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

/// What libtiff says: x, y and the unit.
struct Said {
  float x = 0, y = 0;
  int unit = 0;
};

Said resolution_in(const std::string& path) {
  const auto tiff = opened(path, "r");
  Said said;
  std::uint16_t unit = 0;
  TIFFGetField(tiff.get(), TIFFTAG_XRESOLUTION, &said.x);
  TIFFGetField(tiff.get(), TIFFTAG_YRESOLUTION, &said.y);
  if (TIFFGetField(tiff.get(), TIFFTAG_RESOLUTIONUNIT, &unit) != 0) said.unit = unit;
  return said;
}

/// A file of two pages that says so of the second only.
void write_with_resolution(const std::string& path, float x, float y, int unit) {
  const Image image = random_image(Pixel::u8, {.height = 5, .width = 7});
  const auto tiff = opened(path, "w");
  write_page(tiff.get(), {}, 5, 7, rows_of(image, false));
  const auto more = [&](TIFF* t) {
    TIFFSetField(t, TIFFTAG_XRESOLUTION, x);
    TIFFSetField(t, TIFFTAG_YRESOLUTION, y);
    TIFFSetField(t, TIFFTAG_RESOLUTIONUNIT, unit);
  };
  write_page(tiff.get(), {.more = more}, 5, 7, rows_of(image, false));
}

TEST(TiffResolution, StaysInItsUnit) {
  const Folder folder;
  for (const int unit : {RESUNIT_INCH, RESUNIT_CENTIMETER, RESUNIT_NONE}) {
    for (const auto& [x, y] : {std::pair{300.0F, 150.0F}, {118.11F, 118.11F}, {15.384615F, 15.384615F}, {0.25F, 1e6F}}) {
      write_with_resolution(folder / "in.tif", x, y, unit);
      const std::vector<Page> pages = read_pages(folder / "in.tif");
      EXPECT_EQ(pages[0].metadata.dots_per_inch_x, 0);
      write_pages(folder / "out.tif", {&pages[1], 1});
      const Said said = resolution_in(folder / "out.tif");
      EXPECT_NEAR(said.x, x, 1e-6F * x);
      EXPECT_NEAR(said.y, y, 1e-6F * y);
      EXPECT_EQ(said.unit, unit);
      write_pages(folder / "both.tif", pages);
      EXPECT_EQ(resolution_in(folder / "both.tif").x, 0);
      EXPECT_EQ(read_pages(folder / "both.tif")[1].metadata.dots_per_inch_x, pages[1].metadata.dots_per_inch_x);
      expect_same_written(folder / "parts.tif", pages);
      expect_same_in_parts(folder / "in.tif");
    }
  }
}

TEST(TiffResolution, OfMicroscopesStaysBesideTheDescriptionThatNamesItsUnit) {
  const Folder folder;
  const std::string description = "ImageJ=1.54f\nunit=micron\nspacing=0.5\n";
  const Image image = random_image(Pixel::u16, {.height = 5, .width = 7});
  const auto more = [&](TIFF* t) {
    TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION, description.c_str());
    TIFFSetField(t, TIFFTAG_XRESOLUTION, 15.384615);
    TIFFSetField(t, TIFFTAG_YRESOLUTION, 15.384615);
    TIFFSetField(t, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
  };
  write_odd(folder / "in.tif", {.bits = 16, .more = more}, 5, 7, rows_of(image, false));
  write_pages(folder / "out.tif", read_pages(folder / "in.tif"));
  const auto tiff = opened(folder / "out.tif", "r");
  const char* found = "";
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEDESCRIPTION, &found);
  EXPECT_EQ(found, description);
  EXPECT_NEAR(resolution_in(folder / "out.tif").x, 15.384615, 1e-5);
  EXPECT_EQ(resolution_in(folder / "out.tif").unit, RESUNIT_NONE);
}

TEST(TiffResolution, NamesOfPagesStay) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 5, .width = 7});
  write_odd(folder / "in.tif", {.more = [](TIFF* t) { TIFFSetField(t, TIFFTAG_PAGENAME, "slice 4"); }}, 5, 7, rows_of(image, false));
  write_pages(folder / "out.tif", read_pages(folder / "in.tif"));
  const auto tiff = opened(folder / "out.tif", "r");
  const char* found = "";
  TIFFGetField(tiff.get(), TIFFTAG_PAGENAME, &found);
  EXPECT_EQ(std::string(found), "slice 4");
}

}  // namespace
}  // namespace halation::test
