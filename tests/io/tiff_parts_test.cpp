// tiff_parts_test.cpp: TIFF of every kind in parts.
#include "odd_tiff.h"
#include "parts.h"

namespace halation::test {
namespace {

TEST(PartsOfTiff, AreWrittenAsTheWhole) {
  const Folder folder;
  unsigned seed = 0;
  for (const Pixel pixel : native_pixels) {
    for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb, ColourModel::cmyk}) {
      for (const bool alpha : {false, true}) {
        for (const auto& [height, width] : {std::pair{1, 1}, {1, 9}, {9, 1}, {40, 33}}) {
          const Page page = random_page(pixel, height, width, colour, alpha, ++seed);
          expect_same_written(folder / "a.tif", {&page, 1}, {}, seed);
          expect_same_in_parts(folder / "a.tif", {}, seed);
        }
      }
    }
  }
  Page page = random_page(Pixel::f32, 600, 400, ColourModel::rgb);  // many strips
  page.metadata = full_metadata("RGB ");
  expect_same_written(folder / "a.tif", {&page, 1});
  expect_same_in_parts(folder / "a.tif");
}

TEST(PartsOfTiff, OfSeveralPages) {
  const Folder folder;
  std::vector<Page> pages;
  pages.push_back(random_page(Pixel::u8, 50, 6, ColourModel::rgb));
  pages.push_back(random_page(Pixel::f32, 70, 3, ColourModel::gray, true));
  pages.push_back(random_page(Pixel::i16, 1, 12, ColourModel::cmyk));
  pages[1].metadata = full_metadata("GRAY");
  expect_same_written(folder / "a.tif", pages);
  expect_same_in_parts(folder / "a.tif");
  for (const std::int64_t page : {1, 2, 3}) expect_same_in_parts(folder / "a.tif", {.page = page});
  EXPECT_EQ(message_of([&] { open_pages(folder / "a.tif", {.page = 4}); }),
            (folder / "a.tif") + ": page 4 was asked for, the file has 3");

  std::vector<PageFacts> facts;
  facts.reserve(pages.size());
  for (const Page& page : pages) facts.push_back(facts_of(page));
  const auto sink = create_pages(folder / "b.tif", facts);
  sink->page(0).write(0, part_of(pages[0].image.view(), 0, 49));
  EXPECT_EQ(message_of([&] { sink->page(1); }), (folder / "b.tif") + ": page 1 is not complete: 49 of 50 have been written");
  sink->page(0).write(49, part_of(pages[0].image.view(), 49, 1));
  sink->page(1).write(0, pages[1].image);
  EXPECT_EQ(message_of([&] { sink->commit(); }), (folder / "b.tif") + ": 2 of 3 pages have been written");
}

TEST(PartsOfTiff, OfAFileWithADamagedPage) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 40, .width = 33});
  std::uint64_t damaged = 0;
  {
    const auto tiff = opened(folder / "a.tif", "w");
    for (int page = 0; page < 3; ++page) {
      write_page(tiff.get(), {.compression = COMPRESSION_ADOBE_DEFLATE, .rows_per_strip = 40}, 40, 33, rows_of(image, false));
    }
  }
  {
    const auto tiff = opened(folder / "a.tif", "r");
    TIFFSetDirectory(tiff.get(), 1);
    damaged = TIFFGetStrileOffset(tiff.get(), 0);
  }
  std::string bytes = bytes_in(folder / "a.tif");
  write_bytes(folder / "a.tif", bytes.replace(damaged, 100, 100, '\xFF'));
  for (const std::int64_t page : {1, 3}) {
    expect_same_pixels(read_image(folder / "a.tif", {.page = page}), image);
    expect_same_in_parts(folder / "a.tif", {.page = page});
  }
  const auto names_page = testing::StartsWith((folder / "a.tif") + ": page 2: damaged or truncated TIFF: ");
  EXPECT_THAT(message_of([&] { read_pages(folder / "a.tif"); }), names_page);
  EXPECT_THAT(message_of([&] { read_pages(folder / "a.tif", {.page = 2}); }), names_page);
  EXPECT_THAT(told_in_parts(folder / "a.tif", {}, 7), names_page);
}

TEST(PartsOfTiff, OfAFileWithAPageThatIsNotRead) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 6, .width = 8});
  const Image wide = random_image(Pixel::f32, {.height = 6, .width = 8});
  {
    const auto tiff = opened(folder / "a.tif", "w");
    write_page(tiff.get(), {.bits = 32}, 6, 8, rows_of(wide, false));  // integers of 32 bits
    write_page(tiff.get(), {}, 6, 8, rows_of(image, false));
  }
  expect_same_pixels(read_image(folder / "a.tif", {.page = 2}), image);
  expect_same_in_parts(folder / "a.tif", {.page = 2});
  for (const std::int64_t page : {0, 1}) {
    EXPECT_THAT(message_of([&] { read_pages(folder / "a.tif", {.page = page}); }), testing::StartsWith((folder / "a.tif") + ": page 1: TIFF with 32-bit"));
  }
}

TEST(PartsOfTiff, OfStripsAndTilesOfEveryByteOrderPlanarityAndCompression) {
  const Folder folder;
  unsigned seed = 0;
  for (const Pixel pixel : native_pixels) {
    for (const char* mode : {"wl", "wb", "w8"}) {
      for (const bool planes_apart : {false, true}) {
        for (const bool tiled : {false, true}) {
          for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
            const Image image = random_image(pixel, {.height = 37, .width = 45, .channels = 3}, ++seed);
            Odd odd{.mode = mode,
                    .bits = static_cast<int>(8 * bytes_of(pixel)),
                    .format = format_of(pixel),
                    .samples = 3,
                    .photometric = PHOTOMETRIC_RGB,
                    .compression = compression,
                    .planes_apart = planes_apart,
                    .rows_per_strip = seed % 2 == 0 ? 5 : 37};
            if (tiled) odd.tile_width = 32, odd.tile_height = 16;
            write_odd(folder / "a.tif", odd, 37, 45, rows_of(image, planes_apart));
            SCOPED_TRACE(std::string(mode) + (tiled ? " tiles " : " strips ") + std::to_string(compression));
            expect_same_in_parts(folder / "a.tif", {}, seed);
          }
        }
      }
    }
  }
}

TEST(PartsOfTiff, OfSamplesThatAreChanged) {
  const Folder folder;
  const std::string path = folder / "a.tif";
  constexpr int height = 21, width = 13;
  std::mt19937 random(8);
  const auto packed = [&](int bits, int samples, bool planes_apart) {
    std::vector<std::string> rows(height);
    for (std::string& row : rows) {
      const int count = bits * (planes_apart ? 1 : samples) * width;
      for (int i = 0; i < (count + 7) / 8; ++i) row += static_cast<char>(random());
    }
    return packed_rows(rows);
  };
  for (const int bits : {1, 2, 4, 6, 12, 16}) {
    for (const int samples : {1, 3}) {
      for (const bool planes_apart : {false, true}) {
        SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(samples) + " samples");
        write_odd(path,
                  {.bits = bits,
                   .samples = samples,
                   .photometric = samples == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISWHITE,
                   .compression = COMPRESSION_LZW,
                   .planes_apart = planes_apart && samples == 3,
                   .rows_per_strip = 8},
                  height, width, packed(bits, samples, planes_apart && samples == 3));
        expect_same_in_parts(path);
      }
    }
  }
  std::uint16_t colours[3][256];
  for (auto& map : colours) {
    for (std::uint16_t& value : map) value = static_cast<std::uint16_t>(random());
  }
  for (const int bits : {1, 4, 8}) {
    write_odd(path,
              {.bits = bits,
               .photometric = PHOTOMETRIC_PALETTE,
               .more = [&](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_COLORMAP, colours[0], colours[1], colours[2]); }},
              height, width, packed(bits, 1, false));
    expect_same_in_parts(path);
  }
  for (const bool planes_apart : {false, true}) {
    for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::f32}) {
      const Image image = random_image(pixel, {.height = height, .width = width, .channels = 4});
      write_odd(path,
                {.bits = static_cast<int>(8 * bytes_of(pixel)),
                 .format = format_of(pixel),
                 .samples = 4,
                 .photometric = PHOTOMETRIC_RGB,
                 .planes_apart = planes_apart,
                 .rows_per_strip = 4,
                 .extras = {EXTRASAMPLE_ASSOCALPHA}},
                height, width, rows_of(image, planes_apart));
      expect_same_in_parts(path);
    }
  }
  write_odd(path, {.bits = 1, .photometric = PHOTOMETRIC_MINISWHITE, .compression = COMPRESSION_CCITTFAX4, .rows_per_strip = 9},
            height, width, packed(1, 1, false));
  expect_same_in_parts(path);
}

TEST(PartsOfTiff, OfPagesWithinJpeg) {
  if (TIFFIsCODECConfigured(COMPRESSION_JPEG) == 0) GTEST_SKIP() << "libtiff without JPEG";
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 50, .width = 32, .channels = 3});
  const Image gray = random_image(Pixel::u8, {.height = 50, .width = 32});
  {
    const auto tiff = opened(folder / "a.tif", "w");
    Odd odd{.samples = 3,
            .photometric = PHOTOMETRIC_YCBCR,
            .compression = COMPRESSION_JPEG,
            .rows_per_strip = 16,
            .more = [](TIFF* t) {
              TIFFSetField(t, TIFFTAG_YCBCRSUBSAMPLING, 2, 2);
              TIFFSetField(t, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
            }};
    write_page(tiff.get(), odd, 50, 32, rows_of(image, false));
    write_page(tiff.get(), {.compression = COMPRESSION_JPEG, .rows_per_strip = 8}, 50, 32, rows_of(gray, false));
    odd.tile_width = odd.tile_height = 16;
    write_page(tiff.get(), odd, 50, 32, rows_of(image, false));
  }
  expect_same_in_parts(folder / "a.tif");
}

TEST(PartsOfTiff, OfPagesThatLieUpright) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 5, .width = 7, .channels = 3});
  {
    const auto tiff = opened(folder / "a.tif", "w");
    for (const int orientation : {1, 6}) {
      write_page(tiff.get(),
                 {.samples = 3,
                  .photometric = PHOTOMETRIC_RGB,
                  .more = [&](TIFF* t) { TIFFSetField(t, TIFFTAG_ORIENTATION, orientation); }},
                 5, 7, rows_of(image, false));
    }
  }
  EXPECT_TRUE(open_pages(folder / "a.tif").empty());
  EXPECT_TRUE(open_pages(folder / "a.tif", {.page = 2}).empty());
  expect_same_in_parts(folder / "a.tif", {.page = 1});
  expect_same_in_parts(folder / "a.tif", {.upright = false});
  EXPECT_FALSE(open_pages(folder / "a.tif", {.page = 2, .upright = false}).front()->facts().metadata.exif.empty());
  const std::vector<Page> pages = read_pages(folder / "a.tif", {.upright = false});
  expect_same_written(folder / "b.tif", pages);
}

TEST(PartsOfTiff, WithoutReducedPicturesAndMasks) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 6, .width = 8});
  {
    const auto tiff = opened(folder / "a.tif", "w");
    for (const int kind : {FILETYPE_REDUCEDIMAGE, 0, FILETYPE_MASK, FILETYPE_PAGE}) {
      write_page(tiff.get(), {.more = [&](TIFF* t) { TIFFSetField(t, TIFFTAG_SUBFILETYPE, kind); }}, 6, 8, rows_of(image, false));
    }
  }
  EXPECT_EQ(open_pages(folder / "a.tif").size(), 2U);
  expect_same_in_parts(folder / "a.tif");
}

/// Strips of all rows that are too long to be kept: periodic rows, quickly made.
void write_long_strip(const std::string& path, const Odd& odd, int height, int width) {
  std::string period(1 << 14, '\0');
  std::mt19937 random(2);
  for (char& byte : period) byte = static_cast<char>(random());
  while (period.size() < static_cast<std::size_t>(width) + 1024) period += period;
  write_odd(path, odd, height, width, [&](int plane, int row, int, int columns) {
    return period.substr(static_cast<std::size_t>((row * 7 + plane * 300) % 1024), static_cast<std::size_t>(columns));
  });
}

TEST(PartsOfTiff, OfLongStrips) {
  const Folder folder;
  const std::string path = folder / "a.tif";
  constexpr int height = 4500, width = 5700;  // 4000 rows of 3 planes are 68 MB
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_PACKBITS, COMPRESSION_JPEG}) {
    if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0) continue;
    const bool seeks = compression == COMPRESSION_NONE;
    std::filesystem::remove(path);
    write_long_strip(path,
                     {.samples = 3,
                      .photometric = PHOTOMETRIC_RGB,
                      .compression = compression,
                      .planes_apart = true,
                      .rows_per_strip = compression == COMPRESSION_PACKBITS ? 4000 : height},
                     height, width);
    const Page page = read_one(path);
    const auto sources = open_pages(path);
    ASSERT_EQ(sources.size(), 1U);
    for (std::int64_t first = 0; first < height; first += 900) {
      expect_same_part(*sources[0], page, first, 900, first == 900 ? 1U : 0U);
    }
    for (const std::int64_t first : {4100, 60, 70, seeks ? 4400 : 80}) expect_same_part(*sources[0], page, first, 20, 0);
  }
}

TEST(PartsOfTiff, OfALongStripThatEndsEarlyOrIsDamaged) {
  const Folder folder;
  const std::string path = folder / "a.tif";
  write_long_strip(path, {.compression = COMPRESSION_ADOBE_DEFLATE, .rows_per_strip = 8200}, 8200, 8200);
  const Page page = read_one(path);
  EXPECT_EQ(told_in_parts(path, {}, 8200), "no error");
  expect_same_part(*open_pages(path).front(), page, 3, 8000, 0);
  std::string bytes = bytes_in(path);
  const std::size_t middle = bytes.size() / 2;
  bytes.replace(middle, 64, std::string(64, '\x5A'));
  write_bytes(folder / "b.tif", bytes);
  EXPECT_NE(told_in_parts(folder / "b.tif", {}, 1000), "no error");
  const auto sources = open_pages(folder / "b.tif");
  Image part({.height = 100, .width = 8200}, Pixel::u8);
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(message_of([&] { sources[0]->read(0, part); }), "no error");  // what lies before the damage
    Image all(page.image.shape(), Pixel::u8);
    EXPECT_THAT(message_of([&] { sources[0]->read(0, all); }), testing::HasSubstr("damaged or truncated TIFF: "));
  }
}

}  // namespace
}  // namespace halation::test
