// webp_test.cpp: WebP files, odd ones made by libwebp itself.
#include <webp/decode.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "pictures.h"

namespace halation::test {
namespace {

TEST(WebP, LosslessRoundTripsBitExactly) {
  const Folder folder;
  unsigned seed = 0;
  for (const bool alpha : {false, true}) {
    for (const auto& [height, width] : {std::pair{1, 1}, {1, 9}, {9, 1}, {33, 41}}) {
      const Page page = random_page(Pixel::u8, height, width, ColourModel::rgb, alpha, ++seed);
      write_one(folder / "a.webp", page);
      const Page back = read_one(folder / "a.webp");
      expect_same_pixels(back.image, page.image);  // colour under full transparency too
      EXPECT_EQ(back.colour, ColourModel::rgb);
      EXPECT_EQ(back.alpha, alpha);
    }
  }
}

TEST(WebP, KeepsColourUnderFullTransparency) {
  const Folder folder;
  const Page page = u8_page({.width = 3, .channels = 4}, {1, 2, 3, 0, 200, 100, 50, 0, 9, 8, 7, 255});
  write_one(folder / "a.webp", page);
  expect_same_pixels(read_image(folder / "a.webp"), page.image);
}

TEST(WebP, WritesGrayAsRgb) {
  const Folder folder;
  write_one(folder / "gray.webp", u8_page({.width = 2}, {7, 200}));
  EXPECT_EQ(elements_of<std::uint8_t>(read_image(folder / "gray.webp")),
            (std::vector<std::uint8_t>{7, 7, 7, 200, 200, 200}));
  Page page = u8_page({.width = 2, .channels = 2}, {7, 30, 200, 255});
  page.metadata.icc = profile_of("GRAY");
  write_one(folder / "alpha.webp", page);
  const Page back = read_one(folder / "alpha.webp");
  EXPECT_EQ(elements_of<std::uint8_t>(back.image),
            (std::vector<std::uint8_t>{7, 7, 7, 30, 200, 200, 200, 255}));
  EXPECT_TRUE(back.metadata.icc.empty());
}

TEST(WebP, WritesWhatLibwebpReads) {
  const Folder folder;
  const Page page = random_page(Pixel::u8, 12, 10, ColourModel::rgb, true);
  write_one(folder / "a.webp", page);
  const std::string bytes = bytes_in(folder / "a.webp");
  int width = 0, height = 0;
  std::uint8_t* pixels =
      WebPDecodeRGBA(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &width, &height);
  ASSERT_NE(pixels, nullptr);
  EXPECT_EQ(width, 10);
  EXPECT_EQ(height, 12);
  EXPECT_EQ(std::vector<std::uint8_t>(pixels, pixels + std::size_t{10} * 12 * 4),
            elements_of<std::uint8_t>(page.image));
  WebPFree(pixels);
}

TEST(WebP, LossyFollowsQuality) {
  const Folder folder;
  Page page = random_page(Pixel::u8, 64, 64, ColourModel::rgb, true);
  for (std::int64_t i = 0; i < page.image.shape().elements(); ++i)
    page.image.view().data[i] = static_cast<std::byte>(100 + i / 256 + i % 4);
  write_one(folder / "low.webp", page, {.quality = 5, .lossless = false});
  write_one(folder / "high.webp", page, {.quality = 100, .lossless = false});
  const Image high = read_image(folder / "high.webp");
  ASSERT_EQ(to_string(high.shape()), "64x64x4");
  const auto wanted = elements_of<std::uint8_t>(page.image), got = elements_of<std::uint8_t>(high);
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 4) << i;

  const Page noise = random_page(Pixel::u8, 64, 64, ColourModel::rgb);
  write_one(folder / "low.webp", noise, {.quality = 5, .lossless = false});
  write_one(folder / "high.webp", noise, {.quality = 95, .lossless = false});
  EXPECT_LT(2 * bytes_in(folder / "low.webp").size(), bytes_in(folder / "high.webp").size());
}

TEST(WebP, KeepsMetadata) {
  const Folder folder;
  for (const bool lossless : {true, false}) {
    Page page = random_page(Pixel::u8, 5, 6, ColourModel::rgb, true);
    page.metadata = full_metadata("RGB ");
    page.metadata.icc = profile_of("RGB ", 17);  // an odd number of bytes, which RIFF pads
    write_one(folder / "a.webp", page, {.lossless = lossless});
    const Metadata back = read_one(folder / "a.webp").metadata;
    EXPECT_EQ(back.icc, page.metadata.icc);
    EXPECT_EQ(back.exif, page.metadata.exif);
    EXPECT_EQ(back.xmp, page.metadata.xmp);
  }
}

TEST(WebP, AppliesTheOrientationInExif) {
  const Folder folder;
  for (int orientation = 1; orientation <= 8; ++orientation) {
    Page page = random_page(Pixel::u8, 5, 7, ColourModel::rgb);
    page.metadata.exif = exif_with(orientation);
    if (orientation % 2 == 0) {  // as some writers have it
      const auto signature = to_bytes(std::string("Exif\0\0", 6));
      page.metadata.exif.insert(page.metadata.exif.begin(), signature.begin(), signature.end());
    }
    write_one(folder / "a.webp", page);
    const Page back = read_one(folder / "a.webp");
    expect_upright(back.image, page.image, orientation);
    EXPECT_EQ(back.metadata.exif, exif_with(1));
  }
}

TEST(WebP, RefusesAnimations) {
  const Folder folder;
  WebPAnimEncoderOptions options;
  WebPAnimEncoderOptionsInit(&options);
  WebPAnimEncoder* encoder = WebPAnimEncoderNew(8, 8, &options);
  WebPPicture picture;
  WebPPictureInit(&picture);
  picture.use_argb = 1;
  picture.width = picture.height = 8;
  ASSERT_NE(WebPPictureAlloc(&picture), 0);
  for (int frame = 0; frame < 3; ++frame) {
    for (int i = 0; i < 64; ++i) picture.argb[i] = 0xFF000000U + static_cast<unsigned>(i * (frame + 1));
    ASSERT_NE(WebPAnimEncoderAdd(encoder, &picture, frame * 100, nullptr), 0);
  }
  ASSERT_NE(WebPAnimEncoderAdd(encoder, nullptr, 300, nullptr), 0);
  WebPData data;
  WebPDataInit(&data);
  ASSERT_NE(WebPAnimEncoderAssemble(encoder, &data), 0);
  write_bytes(folder / "a.webp", {reinterpret_cast<const char*>(data.bytes), data.size});
  WebPDataClear(&data);
  WebPPictureFree(&picture);
  WebPAnimEncoderDelete(encoder);
  EXPECT_EQ(message_of([&] { read_image(folder / "a.webp"); }),
            (folder / "a.webp") + ": an animated WebP of 3 frames; halation reads still pictures");
}

}  // namespace
}  // namespace halation::test
