// tiff_test.cpp: TIFF and BigTIFF files, odd ones made by libtiff itself.
#include "odd_tiff.h"

namespace halation::test {
namespace {

TEST(Tiff, RoundTripsEveryPixelColourAndAlphaBitExactly) {
  const Folder folder;
  unsigned seed = 0;
  for (const Pixel pixel : native_pixels) {
    for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb, ColourModel::cmyk}) {
      for (const bool alpha : {false, true}) {
        for (const auto& [height, width] : {std::pair{1, 1}, {1, 9}, {9, 1}, {40, 33}}) {
          const Page page = random_page(pixel, height, width, colour, alpha, ++seed);
          write_one(folder / "a.tif", page);
          const Page back = read_one(folder / "a.tif");
          expect_same_pixels(back.image, page.image);
          EXPECT_EQ(back.colour, colour);
          EXPECT_EQ(back.alpha, alpha);
        }
      }
    }
  }
}

TEST(Tiff, RoundTripsChannelsWithoutColour) {
  const Folder folder;
  for (const std::int64_t channels : {2, 4, 5, 6, 17}) {
    Page page;
    page.image = random_image(Pixel::u16, {.height = 7, .width = 5, .channels = channels});
    write_one(folder / "a.tif", page);
    const Page back = read_one(folder / "a.tif");
    expect_same_pixels(back.image, page.image);
    EXPECT_EQ(back.colour, ColourModel::other);
    EXPECT_FALSE(back.alpha);
  }
}

TEST(Tiff, WritesManyStrips) {
  const Folder folder;
  const Page page = random_page(Pixel::f32, 600, 400, ColourModel::rgb);
  write_one(folder / "a.tif", page);
  EXPECT_GT(TIFFNumberOfStrips(opened(folder / "a.tif", "r").get()), 5U);
  expect_same_pixels(read_image(folder / "a.tif"), page.image);
}

TEST(Tiff, NanAndInfinityPassThrough) {
  const Folder folder;
  Image image({.width = 4}, Pixel::f32);
  const float values[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -0.0F, 1e-40F};
  std::memcpy(image.view().data, values, sizeof values);
  write_image(folder / "a.tif", image);
  expect_same_pixels(read_image(folder / "a.tif"), image);
}

TEST(Tiff, WritesWhatLibtiffReads) {
  const Folder folder;
  const Page page = random_page(Pixel::u8, 21, 13, ColourModel::rgb, true);
  write_one(folder / "a.tif", page);
  const auto tiff = opened(folder / "a.tif", "r");
  std::vector<std::uint8_t> row(std::size_t{13} * 4), all;
  for (std::uint32_t y = 0; y < 21; ++y) {
    ASSERT_EQ(TIFFReadScanline(tiff.get(), row.data(), y, 0), 1);
    all.insert(all.end(), row.begin(), row.end());
  }
  EXPECT_EQ(all, elements_of<std::uint8_t>(page.image));
  std::uint16_t compression = 0, predictor = 0;
  TIFFGetField(tiff.get(), TIFFTAG_COMPRESSION, &compression);
  TIFFGetField(tiff.get(), TIFFTAG_PREDICTOR, &predictor);
  EXPECT_EQ(compression, COMPRESSION_ADOBE_DEFLATE);
  EXPECT_EQ(predictor, PREDICTOR_HORIZONTAL);
}

TEST(Tiff, ReadsStripsAndTilesOfEveryByteOrderPlanarityAndCompression) {
  const Folder folder;
  unsigned seed = 0;
  for (const Pixel pixel : native_pixels) {
    for (const char* mode : {"wl", "wb", "w8"}) {
      for (const bool planes_apart : {false, true}) {
        for (const bool tiled : {false, true}) {
          for (const int compression :
               {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS}) {
            const Image image = random_image(pixel, {.height = 37, .width = 45, .channels = 3}, ++seed);
            Odd odd{.mode = mode,
                    .bits = static_cast<int>(8 * bytes_of(pixel)),
                    .format = format_of(pixel),
                    .samples = 3,
                    .photometric = PHOTOMETRIC_RGB,
                    .compression = compression,
                    .planes_apart = planes_apart};
            if (tiled) odd.tile_width = 32, odd.tile_height = 16;
            write_odd(folder / "a.tif", odd, 37, 45, rows_of(image, planes_apart));
            SCOPED_TRACE(std::string(mode) + (tiled ? " tiles " : " strips ") + std::to_string(compression));
            const Page back = read_one(folder / "a.tif");
            expect_same_pixels(back.image, image);
            EXPECT_EQ(back.colour, ColourModel::rgb);
          }
        }
      }
    }
  }
}

TEST(Tiff, ReadsPredictors) {
  const Folder folder;
  for (const Pixel pixel : native_pixels) {
    for (const int compression : {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
      const Image image = random_image(pixel, {.height = 9, .width = 11, .channels = 3});
      const int predictor = is_float(pixel) ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL;
      write_odd(folder / "a.tif",
                {.bits = static_cast<int>(8 * bytes_of(pixel)),
                 .format = format_of(pixel),
                 .samples = 3,
                 .photometric = PHOTOMETRIC_RGB,
                 .compression = compression,
                 .more = [&](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_PREDICTOR, predictor); }},
                9, 11, rows_of(image, false));
      expect_same_pixels(read_image(folder / "a.tif"), image);
    }
  }
}

TEST(Tiff, SpreadsSmallSamplesOverTheFullRange) {
  const Folder folder;
  const auto read_u8 = [&](const Odd& odd, int width, std::string row) {
    write_odd(folder / "a.tif", odd, 1, width, packed_rows({std::move(row)}));
    return elements_of<std::uint8_t>(read_image(folder / "a.tif"));
  };
  EXPECT_EQ(read_u8({.bits = 1}, 10, "\xA5\x40"),
            (std::vector<std::uint8_t>{255, 0, 255, 0, 0, 255, 0, 255, 0, 255}));
  EXPECT_EQ(read_u8({.bits = 2}, 5, "\x1B\xC0"), (std::vector<std::uint8_t>{0, 85, 170, 255, 255}));
  EXPECT_EQ(read_u8({.bits = 4}, 3, "\x1F\x80"), (std::vector<std::uint8_t>{17, 255, 136}));
  EXPECT_EQ(read_u8({.bits = 6, .samples = 1}, 4, std::string("\x00\x1F\xFF", 3)),
            (std::vector<std::uint8_t>{0, 4, 255, 255}));  // 0 1 63 63
  EXPECT_EQ(read_u8({.bits = 4, .samples = 3, .photometric = PHOTOMETRIC_RGB}, 1, "\x12\x30"),
            (std::vector<std::uint8_t>{17, 34, 51}));

  write_odd(folder / "a.tif", {.bits = 12}, 1, 2, packed_rows({std::string("\xFF\xF8\x00", 3)}));
  EXPECT_EQ(elements_of<std::uint16_t>(read_image(folder / "a.tif")),
            (std::vector<std::uint16_t>{65535, 32776}));  // 2048 · 65535 / 4095
}

TEST(Tiff, InvertsWhiteAsZero) {
  const Folder folder;
  write_odd(folder / "a.tif", {.bits = 1, .photometric = PHOTOMETRIC_MINISWHITE}, 1, 3,
            packed_rows({"\xA0"}));
  EXPECT_EQ(elements_of<std::uint8_t>(read_image(folder / "a.tif")), (std::vector<std::uint8_t>{0, 255, 0}));
  const Image image = random_image(Pixel::u16, {.height = 2, .width = 3, .channels = 2});
  write_odd(
      folder / "b.tif",
      {.bits = 16, .samples = 2, .photometric = PHOTOMETRIC_MINISWHITE, .extras = {EXTRASAMPLE_UNASSALPHA}},
      2, 3, rows_of(image, false));
  const Page page = read_one(folder / "b.tif");
  EXPECT_TRUE(page.alpha);
  const auto stored = elements_of<std::uint16_t>(image), shown = elements_of<std::uint16_t>(page.image);
  for (std::size_t i = 0; i < stored.size(); ++i)
    EXPECT_EQ(shown[i], i % 2 == 0 ? 65535 - stored[i] : stored[i]);
}

TEST(Tiff, LooksPalettesUp) {
  const Folder folder;
  std::uint16_t red[16], green[16], blue[16];
  for (const bool wide : {true, false}) {
    for (std::uint16_t i = 0; i < 16; ++i) {
      red[i] = static_cast<std::uint16_t>(i * 10 * (wide ? 257 : 1));
      green[i] = static_cast<std::uint16_t>(i * 2 * (wide ? 256 : 1));
      blue[i] = static_cast<std::uint16_t>((255 - i) * (wide ? 257 : 1));
    }
    write_odd(folder / "a.tif",
              {.bits = 4,
               .photometric = PHOTOMETRIC_PALETTE,
               .more = [&](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_COLORMAP, red, green, blue); }},
              1, 3, packed_rows({"\x0F\x30"}));
    const Page page = read_one(folder / "a.tif");
    EXPECT_EQ(page.colour, ColourModel::rgb);
    EXPECT_EQ(elements_of<std::uint8_t>(page.image),
              (std::vector<std::uint8_t>{0, 0, 255, 150, 30, 240, 30, 6, 252}));
  }
}

TEST(Tiff, DividesByAssociatedAlpha) {
  const Folder folder;
  const Page page = u8_page({.width = 4, .channels = 2}, {50, 100, 0, 0, 77, 255, 200, 100});
  write_odd(folder / "a.tif", {.samples = 2, .extras = {EXTRASAMPLE_ASSOCALPHA}}, 1, 4,
            rows_of(page.image, false));
  const Page back = read_one(folder / "a.tif");
  EXPECT_TRUE(back.alpha);
  // 50 · 255 / 100 = 127.5, to even; colour beyond alpha saturates
  EXPECT_EQ(elements_of<std::uint8_t>(back.image),
            (std::vector<std::uint8_t>{128, 100, 0, 0, 77, 255, 255, 100}));

  Image floats({.width = 1, .channels = 4}, Pixel::f32);
  const float values[] = {0.25F, 0.5F, 1.0F, 0.5F};
  std::memcpy(floats.view().data, values, sizeof values);
  write_odd(folder / "b.tif",
            {.bits = 32,
             .format = SAMPLEFORMAT_IEEEFP,
             .samples = 4,
             .photometric = PHOTOMETRIC_RGB,
             .extras = {EXTRASAMPLE_ASSOCALPHA}},
            1, 1, rows_of(floats, false));
  EXPECT_EQ(elements_of<float>(read_image(folder / "b.tif")), (std::vector<float>{0.5F, 1.0F, 2.0F, 0.5F}));
}

TEST(Tiff, HandsOtherExtraSamplesOnAsTheyAre) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 3, .width = 4, .channels = 5});
  write_odd(folder / "a.tif",
            {.samples = 5,
             .photometric = PHOTOMETRIC_RGB,
             .extras = {EXTRASAMPLE_ASSOCALPHA, EXTRASAMPLE_UNSPECIFIED}},
            3, 4, rows_of(image, false));
  const Page page = read_one(folder / "a.tif");
  EXPECT_EQ(page.colour, ColourModel::other);
  EXPECT_FALSE(page.alpha);
  expect_same_pixels(page.image, image);
}

TEST(Tiff, AppliesTheOrientationTag) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 5, .width = 7, .channels = 3});
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const auto more = [&](TIFF* tiff) {
      TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation);
      TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 100.0);
      TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 200.0);
      TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
    };
    write_odd(folder / "a.tif", {.samples = 3, .photometric = PHOTOMETRIC_RGB, .more = more}, 5, 7,
              rows_of(image, false));
    const Page page = read_one(folder / "a.tif");
    expect_upright(page.image, image, orientation);
    EXPECT_NEAR(page.metadata.dots_per_inch_x, orientation >= 5 ? 508 : 254, 1e-4);
    EXPECT_NEAR(page.metadata.dots_per_inch_y, orientation >= 5 ? 254 : 508, 1e-4);
    const Page stored = as_stored(folder / "a.tif");
    expect_same_pixels(stored.image, image);
    EXPECT_EQ(stored.metadata.exif.empty(), orientation == 1);  // made for the orientation alone
    EXPECT_NEAR(stored.metadata.dots_per_inch_x, 254, 1e-4);
    write_one(folder / "b.tif", stored);
    expect_same_pixels(read_image(folder / "b.tif"), page.image);
  }
}

TEST(Tiff, KeepsMetadata) {
  const Folder folder;
  for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb, ColourModel::cmyk}) {
    Page page = random_page(Pixel::u16, 5, 6, colour, true);
    page.metadata = full_metadata(colour == ColourModel::gray  ? "GRAY"
                                  : colour == ColourModel::rgb ? "RGB "
                                                               : "CMYK");
    write_one(folder / "a.tif", page);
    const Metadata back = read_one(folder / "a.tif").metadata;
    EXPECT_EQ(back.icc, page.metadata.icc);
    EXPECT_EQ(back.xmp, page.metadata.xmp);
    EXPECT_EQ(back.dots_per_inch_x, 300);
    EXPECT_EQ(back.dots_per_inch_y, 150);
  }
}

TEST(Tiff, RoundTripsPagesOfDifferentKinds) {
  const Folder folder;
  std::vector<Page> pages;
  pages.push_back(random_page(Pixel::u8, 5, 6, ColourModel::rgb));
  pages.push_back(random_page(Pixel::f32, 7, 3, ColourModel::gray, true));
  pages.push_back(random_page(Pixel::i16, 1, 1, ColourModel::cmyk));
  pages[1].metadata.xmp = xmp_with(1);
  write_pages(folder / "a.tif", pages);
  const std::vector<Page> back = read_pages(folder / "a.tif");
  ASSERT_EQ(back.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_same_pixels(back[i].image, pages[i].image);
    EXPECT_EQ(back[i].colour, pages[i].colour);
    EXPECT_EQ(back[i].alpha, pages[i].alpha);
    EXPECT_EQ(back[i].metadata.xmp, pages[i].metadata.xmp);
  }
  const auto tiff = opened(folder / "a.tif", "r");
  ASSERT_EQ(TIFFSetDirectory(tiff.get(), 2), 1);
  std::uint16_t number = 0, count = 0;
  ASSERT_EQ(TIFFGetField(tiff.get(), TIFFTAG_PAGENUMBER, &number, &count), 1);
  EXPECT_EQ(number, 2);
  EXPECT_EQ(count, 3);
}

TEST(Tiff, LeavesReducedPicturesAndMasksOutAndCountsThem) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 6, .width = 8});
  {
    const auto tiff = opened(folder / "a.tif", "w");
    constexpr int smaller_mask = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK;
    for (const int kind : {0, FILETYPE_REDUCEDIMAGE, FILETYPE_REDUCEDIMAGE, FILETYPE_MASK, smaller_mask, FILETYPE_PAGE}) {
      write_page(tiff.get(), {.more = [&](TIFF* t) { TIFFSetField(t, TIFFTAG_SUBFILETYPE, kind); }}, 6, 8,
                 rows_of(image, false));
    }
  }
  const std::vector<Page> pages = read_pages(folder / "a.tif");
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(std::pair(pages[0].overviews, pages[0].masks), (std::pair<std::int64_t, std::int64_t>(2, 1)));
  EXPECT_EQ(std::pair(pages[1].overviews, pages[1].masks), (std::pair<std::int64_t, std::int64_t>(0, 0)));
  std::uint64_t none[] = {0, 0, 0};
  {
    const auto tiff = opened(folder / "a.tif", "w");
    write_page(tiff.get(), {.more = [&](TIFF* t) { TIFFSetField(t, TIFFTAG_SUBIFD, 3, none); }}, 6, 8, rows_of(image, false));
    for (int i = 0; i < 3; ++i)
      write_page(tiff.get(), {.more = [](TIFF* t) { TIFFSetField(t, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE); }}, 6, 8, rows_of(image, false));
  }
  EXPECT_EQ(read_one(folder / "a.tif").overviews, 3);
}

TEST(Tiff, ReadsYCbCrWithinJpeg) {
  const Folder folder;
  if (TIFFIsCODECConfigured(COMPRESSION_JPEG) == 0) GTEST_SKIP() << "libtiff without JPEG";
  Image image({.height = 32, .width = 32, .channels = 3}, Pixel::u8);
  for (std::int64_t i = 0; i < image.shape().elements(); ++i)
    image.view().data[i] = static_cast<std::byte>(i % 3 == 0 ? 200 : 60 + i / 3 / 32);
  const auto more = [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, 100);
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  };
  write_odd(folder / "a.tif",
            {.samples = 3,
             .photometric = PHOTOMETRIC_YCBCR,
             .compression = COMPRESSION_JPEG,
             .rows_per_strip = 16,
             .more = more},
            32, 32, rows_of(image, false));
  const Page page = read_one(folder / "a.tif");
  EXPECT_EQ(page.colour, ColourModel::rgb);
  const auto shown = elements_of<std::uint8_t>(page.image), stored = elements_of<std::uint8_t>(image);
  ASSERT_EQ(shown.size(), stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) ASSERT_NEAR(shown[i], stored[i], 6);
}

TEST(Tiff, SaysWhatItCannotRead) {
  const Folder folder;
  const auto told = [&](const Odd& odd) {
    write_odd(
        folder / "a.tif", odd, 1, 1,
        packed_rows({std::string(64, '\0').substr(0, static_cast<std::size_t>(odd.samples * odd.bits / 8))}));
    return message_of([&] { read_image(folder / "a.tif"); });
  };
  const std::string accepted =
      "; halation reads unsigned ones up to 16 bits, signed ones of 16, and floating point of 16, 32 and 64";
  const std::string start = (folder / "a.tif") + ": TIFF with ";
  EXPECT_EQ(told({.bits = 32}), start + "32-bit unsigned integer samples" + accepted);
  EXPECT_EQ(told({.format = SAMPLEFORMAT_INT}), start + "8-bit signed integer samples" + accepted);
  EXPECT_EQ(told({.bits = 24, .format = SAMPLEFORMAT_IEEEFP}),
            start + "24-bit floating point samples" + accepted);
  EXPECT_EQ(told({.bits = 64, .format = SAMPLEFORMAT_COMPLEXIEEEFP}),
            start + "64-bit complex samples" + accepted);
  EXPECT_THAT(told({.samples = 3, .photometric = PHOTOMETRIC_CIELAB}),
              testing::StartsWith(start + "photometric interpretation 8; "));
  EXPECT_EQ(told({.samples = 3,
                  .photometric = PHOTOMETRIC_YCBCR,
                  .more = [](TIFF* t) { TIFFSetField(t, TIFFTAG_YCBCRSUBSAMPLING, 1, 1); }}),
            start + "YCbCr outside JPEG compression");
  EXPECT_EQ(told({.bits = 16, .format = SAMPLEFORMAT_INT, .photometric = PHOTOMETRIC_MINISWHITE}),
            start + "white as zero in signed or floating-point samples");
  EXPECT_EQ(told({.samples = 4,
                  .photometric = PHOTOMETRIC_SEPARATED,
                  .more = [](TIFF* t) { TIFFSetField(t, TIFFTAG_INKSET, INKSET_MULTIINK); }}),
            start + "inks other than CMYK");
}

TEST(Tiff, BecomesBigBeyondFourGigabytes) {
  const Folder folder;
  // One row that stands for all rows: 4.3 GB to the writer, almost nothing in memory and, compressed, in the
  // file.
  Image row({.width = 1 << 20}, Pixel::u8);
  std::memset(row.view().data, 0, 1 << 20);
  ConstView tall = std::as_const(row);
  tall.shape.height = 4100;
  tall.strides.height = 0;
  write_image(folder / "big.tif", tall);
  EXPECT_EQ(bytes_in(folder / "big.tif").substr(0, 4), std::string("II+\0", 4));
  const auto tiff = opened(folder / "big.tif", "r");
  std::uint32_t height = 0;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  EXPECT_EQ(height, 4100U);

  write_image(folder / "small.tif", row);
  EXPECT_EQ(bytes_in(folder / "small.tif").substr(0, 4), std::string("II*\0", 4));
}

}  // namespace
}  // namespace halation::test
