// avif_test.cpp: AVIF there and back, and files by libavif itself that are turned, mirrored, limited in range
// or sequences.
#include <avif/avif.h>

#include <cmath>

#include "pictures.h"

namespace halation::test {
namespace {

double largest_difference(ConstView a, ConstView b) {
  EXPECT_EQ(to_string(a.shape), to_string(b.shape));
  double largest = 0;
  for (std::int64_t y = 0; y < a.shape.height; ++y) {
    for (std::int64_t x = 0; x < a.shape.width; ++x) {
      for (std::int64_t c = 0; c < a.shape.channels; ++c) {
        const Position at{.y = y, .x = x, .c = c};
        largest = std::max(largest, static_cast<double>(std::abs(a.at<std::uint8_t>(at) - b.at<std::uint8_t>(at))));
      }
    }
  }
  return largest;
}

/// u16 as 12 bits hold them.
Page rounded_to_12_bits(Page page) {
  const View view = page.image;
  auto* samples = reinterpret_cast<std::uint16_t*>(view.data);
  for (std::int64_t i = 0; i < view.shape.elements(); ++i)
    samples[i] =
        static_cast<std::uint16_t>(std::lround(std::lround(samples[i] * 4095 / 65535.0) * 65535 / 4095.0));
  return page;
}

TEST(Avif, ThereAndBackWithoutLoss) {
  const Folder folder;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16}) {
    for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
      for (const bool alpha : {false, true}) {
        Page page = random_page(pixel, 21, 34, colour, alpha);
        if (pixel == Pixel::u16) page = rounded_to_12_bits(std::move(page));
        page.metadata = full_metadata(colour == ColourModel::gray ? "GRAY" : "RGB ");
        write_one(folder / "a.avif", page);
        const Page back = read_one(folder / "a.avif");
        expect_same_pixels(back.image, page.image);
        EXPECT_EQ(back.colour, colour);
        EXPECT_EQ(back.alpha, alpha);
        EXPECT_EQ(back.metadata.icc, page.metadata.icc);
        EXPECT_EQ(back.metadata.exif, page.metadata.exif);
        EXPECT_EQ(back.metadata.xmp, page.metadata.xmp);
        EXPECT_FALSE(back.linear_light);
      }
    }
  }
}

TEST(Avif, QualityMakesFilesSmaller) {
  const Folder folder;
  const Page page = {.image = squares(8, 8, 9), .colour = ColourModel::gray, .metadata = {}};
  const auto size_and_error = [&](int quality) {
    write_one(folder / "a.avif", page, {.quality = quality, .lossless = false});
    return std::pair(bytes_in(folder / "a.avif").size(),
                     largest_difference(read_image(folder / "a.avif"), page.image));
  };
  const auto [fine_size, fine_error] = size_and_error(95);
  const auto [coarse_size, coarse_error] = size_and_error(20);
  EXPECT_LT(coarse_size, fine_size);
  EXPECT_LE(fine_error, 12);
  EXPECT_LT(fine_error, coarse_error);
}

TEST(Avif, LinearLightIsSaid) {
  const Folder folder;
  Page page = random_page(Pixel::u8, 4, 4, ColourModel::rgb);
  page.linear_light = true;
  write_one(folder / "a.avif", page);
  EXPECT_TRUE(read_one(folder / "a.avif").linear_light);
}

/// Frames of one gray level each, by libavif.
std::string frames_of(const std::vector<int>& levels, int depth, avifRange range) {
  avifEncoder* encoder = avifEncoderCreate();
  encoder->speed = 10;
  encoder->minQuantizer = encoder->maxQuantizer = AVIF_QUANTIZER_LOSSLESS;
  for (const int level : levels) {
    avifImage* image = avifImageCreate(16, 16, static_cast<std::uint32_t>(depth), AVIF_PIXEL_FORMAT_YUV400);
    image->yuvRange = range;
    avifImageAllocatePlanes(image, AVIF_PLANES_YUV);
    for (std::uint32_t y = 0; y < 16; ++y) {
      for (std::uint32_t x = 0; x < 16; ++x) {
        std::uint8_t* row = image->yuvPlanes[0] + std::size_t{y} * image->yuvRowBytes[0];
        if (depth == 8) row[x] = static_cast<std::uint8_t>(level);
        const auto wide = static_cast<std::uint16_t>(level);
        if (depth > 8) std::memcpy(row + std::size_t{2} * x, &wide, 2);
      }
    }
    const avifAddImageFlags flags =
        levels.size() == 1 ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE;
    EXPECT_EQ(avifEncoderAddImage(encoder, image, 1, flags), AVIF_RESULT_OK);
    avifImageDestroy(image);
  }
  avifRWData coded = AVIF_DATA_EMPTY;
  EXPECT_EQ(avifEncoderFinish(encoder, &coded), AVIF_RESULT_OK);
  avifEncoderDestroy(encoder);
  std::string bytes(reinterpret_cast<const char*>(coded.data), coded.size);
  avifRWDataFree(&coded);
  return bytes;
}

TEST(Avif, TenAndTwelveBitsBecomeU16) {
  const Folder folder;
  for (const auto& [depth, level, wanted] :
       {std::tuple(10, 1023, 65535), {10, 512, 32800}, {12, 4095, 65535}, {12, 1, 16}}) {
    const Page page = read_one(write_bytes(folder / "a.avif", frames_of({level}, depth, AVIF_RANGE_FULL)));
    ASSERT_EQ(page.image.pixel(), Pixel::u16);
    EXPECT_EQ(page.image.view().at<std::uint16_t>({.y = 3, .x = 5}), wanted);
  }
}

TEST(Avif, LimitedRangeIsWidened) {
  const Folder folder;
  for (const auto& [level, wanted] : {std::pair(16, 0), {235, 255}, {126, 128}}) {
    const Page page = read_one(write_bytes(folder / "a.avif", frames_of({level}, 8, AVIF_RANGE_LIMITED)));
    EXPECT_EQ(page.image.view().at<std::uint8_t>({.y = 3, .x = 5}), wanted);
  }
}

TEST(Avif, PicturesOfASequenceByNumber) {
  const Folder folder;
  const std::string path = write_bytes(folder / "a.avif", frames_of({10, 200, 90}, 8, AVIF_RANGE_FULL));
  const auto level = [&](std::int64_t number) {
    return int{read_pages(path, {.page = number}).front().image.view().at<std::uint8_t>({.y = 3, .x = 5})};
  };
  EXPECT_EQ(read_pages(path).front().pictures, 3);
  EXPECT_EQ(level(0), 10);
  EXPECT_EQ(level(1), 10);
  EXPECT_NEAR(level(2), 200, 2);
  EXPECT_NEAR(level(3), 90, 2);
  EXPECT_EQ(message_of([&] { level(4); }), path + ": page 4 was asked for, the file has 3");
}

/// A picture stored with a rotation and a mirror of its container.
std::string turned_file(ConstView stored, int quarters, int mirror) {
  avifImage* image =
      avifImageCreate(static_cast<std::uint32_t>(stored.shape.width),
                      static_cast<std::uint32_t>(stored.shape.height), 8, AVIF_PIXEL_FORMAT_YUV400);
  image->yuvRange = AVIF_RANGE_FULL;
  avifImageAllocatePlanes(image, AVIF_PLANES_YUV);
  for (std::int64_t y = 0; y < stored.shape.height; ++y)
    std::memcpy(image->yuvPlanes[0] + y * image->yuvRowBytes[0], &stored.at<std::uint8_t>({.y = y}),
                static_cast<std::size_t>(stored.shape.width));
  const std::vector<std::byte> exif = exif_with(3);  // which readers of AVIF ignore
  avifImageSetMetadataExif(image, reinterpret_cast<const std::uint8_t*>(exif.data()), exif.size());
  image->transformFlags = AVIF_TRANSFORM_NONE;
  if (quarters > 0) image->transformFlags |= AVIF_TRANSFORM_IROT;
  if (mirror >= 0) image->transformFlags |= AVIF_TRANSFORM_IMIR;
  image->irot.angle = static_cast<std::uint8_t>(quarters);
#if AVIF_VERSION >= 1000000
  image->imir.axis = static_cast<std::uint8_t>(std::max(mirror, 0));
#else
  image->imir.mode = static_cast<std::uint8_t>(std::max(mirror, 0));
#endif
  avifEncoder* encoder = avifEncoderCreate();
  encoder->speed = 10;
  encoder->minQuantizer = encoder->maxQuantizer = AVIF_QUANTIZER_LOSSLESS;
  avifRWData coded = AVIF_DATA_EMPTY;
  EXPECT_EQ(avifEncoderWrite(encoder, image, &coded), AVIF_RESULT_OK);
  std::string bytes(reinterpret_cast<const char*>(coded.data), coded.size);
  avifRWDataFree(&coded);
  avifEncoderDestroy(encoder);
  avifImageDestroy(image);
  return bytes;
}

TEST(Avif, TurnsAndMirrorsAreApplied) {
  const Folder folder;
  const Image stored = squares(2, 3, 8);
  const std::int64_t height = 16, width = 24;
  for (int quarters = 0; quarters < 4; ++quarters) {
    for (int mirror = -1; mirror < 2; ++mirror) {
      const Page page = read_one(write_bytes(folder / "a.avif", turned_file(stored, quarters, mirror)));
      const ConstView shown = page.image;
      const bool sideways = quarters % 2 == 1;
      ASSERT_EQ(shown.shape.height, sideways ? width : height);
      ASSERT_EQ(shown.shape.width, sideways ? height : width);
      for (std::int64_t row = 0; row < height; ++row) {
        for (std::int64_t column = 0; column < width; ++column) {
          std::int64_t y = row, x = column, rows = height, columns = width;
          for (int turn = 0; turn < quarters; ++turn) {  // a quarter against the clock
            std::tie(y, x) = std::pair(columns - 1 - x, y);
            std::swap(rows, columns);
          }
          if (mirror == 0) y = rows - 1 - y;  // top and bottom change places
          if (mirror == 1) x = columns - 1 - x;
          ASSERT_EQ(shown.at<std::uint8_t>({.y = y, .x = x}), stored.view().at<std::uint8_t>({.y = row, .x = column}))
              << quarters << ", " << mirror;
        }
      }
      EXPECT_EQ(page.metadata.exif, exif_with(1));
      const Page untouched = as_stored(folder / "a.avif");
      expect_same_pixels(untouched.image, stored);
      write_one(folder / "a.png", untouched);
      expect_same_pixels(read_image(folder / "a.png"), page.image);
    }
  }
}

/// A small file of a small header around frames that would take gigabytes.
TEST(Avif, FramesLargerThanTheHeaderSaysAreNotDecoded) {
  const Folder folder;
  Page page;
  page.image = Image({.height = 1024, .width = 2048}, Pixel::u8);
  write_pages(folder / "a.avif", {&page, 1});
  std::string file = bytes_in(folder / "a.avif");
  const std::string path = write_bytes(folder / "b.avif", file);
  EXPECT_EQ(message_of([&] { read_pages(path); }), "no error");
  const std::size_t extents = file.find("ispe") + 8;
  file.replace(extents, 8, std::string("\0\0\0\x20\0\0\0\x20", 8));
  write_bytes(path, file);
  EXPECT_THAT(message_of([&] { read_pages(path); }),
              testing::StartsWith(path + ": damaged or truncated AVIF: "));
}

}  // namespace
}  // namespace halation::test
