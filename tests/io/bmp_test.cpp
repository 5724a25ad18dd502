// bmp_test.cpp: BMP of every depth from files written out by hand, and there and back.
#include "pictures.h"

namespace halation::test {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

std::string number(std::uint32_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFF);
  return bytes;
}

struct Kind {
  int width = 1, height = 1;
  std::uint32_t bits = 8;
  std::uint32_t compression = 0;
  std::string palette = {};  ///< blue, green, red, 0 each
  std::string pixels = {};
  std::uint32_t header_bytes = 40;
  std::string masks = {};
  std::uint32_t used = 0;
};

std::string bmp_of(const Kind& kind) {
  std::string header = number(kind.header_bytes, 4);
  if (kind.header_bytes == 12) {
    header += number(static_cast<std::uint32_t>(kind.width), 2) +
              number(static_cast<std::uint32_t>(kind.height), 2);
    header += number(1, 2) + number(kind.bits, 2);
  } else {
    header += number(static_cast<std::uint32_t>(kind.width), 4) +
              number(static_cast<std::uint32_t>(kind.height), 4);
    header += number(1, 2) + number(kind.bits, 2) + number(kind.compression, 4) + number(0, 4);
    header += number(11811, 4) + number(5906, 4) + number(kind.used, 4) + number(0, 4) + kind.masks;
    if (header.size() < kind.header_bytes) header.resize(kind.header_bytes);
  }
  const auto at = static_cast<std::uint32_t>(14 + header.size() + kind.palette.size());
  return "BM" + number(at + static_cast<std::uint32_t>(kind.pixels.size()), 4) + number(0, 4) +
         number(at, 4) + header + kind.palette + kind.pixels;
}

Page read_kind(const Kind& kind) {
  const Folder folder;
  return read_one(write_bytes(folder / "a.bmp", bmp_of(kind)));
}
std::vector<std::uint8_t> u8_of(const Kind& kind) { return elements_of<std::uint8_t>(read_kind(kind).image); }
std::string trouble_with(const Kind& kind) {
  const Folder folder;
  const std::string path = write_bytes(folder / "a.bmp", bmp_of(kind));
  return message_of([&] { read_pages(path); }).substr(path.size() + 2);
}

const std::string grays = "\x00\x00\x00\x00\x40\x40\x40\x00\x80\x80\x80\x00\xFF\xFF\xFF\x00"s;
const std::string colours = "\x01\x02\x03\x00\x11\x12\x13\x00"s;

TEST(Bmp, PalettesOfGrayAreGray) {
  const Page page =
      read_kind({.width = 3, .height = 2, .palette = grays, .pixels = "\0\1\2\0\3\2\1\0"s, .used = 4});
  EXPECT_EQ(page.colour, ColourModel::gray);
  EXPECT_EQ(to_string(page.image.shape()), "2x3");
  EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAre(255, 128, 64, 0, 64, 128));
  EXPECT_NEAR(page.metadata.dots_per_inch_x, 300, 0.01);
  EXPECT_NEAR(page.metadata.dots_per_inch_y, 150, 0.02);
}

TEST(Bmp, OneFourAndEightBits) {
  const std::vector<std::uint8_t> wanted = {0x13, 0x12, 0x11, 3, 2, 1, 0x13, 0x12, 0x11};
  EXPECT_EQ(u8_of({.width = 3, .bits = 1, .palette = colours, .pixels = "\xA0\0\0\0"s, .used = 2}), wanted);
  EXPECT_EQ(u8_of({.width = 3, .bits = 4, .palette = colours, .pixels = "\x10\x10\0\0"s, .used = 2}), wanted);
  EXPECT_EQ(u8_of({.width = 3, .bits = 8, .palette = colours, .pixels = "\1\0\1\0"s, .used = 2}), wanted);
}

TEST(Bmp, TopDown) {
  EXPECT_THAT(u8_of({.width = 1, .height = -2, .palette = grays, .pixels = "\1\0\0\0\3\0\0\0"s, .used = 4}),
              ElementsAre(64, 255));
  EXPECT_THAT(u8_of({.width = 1, .height = 2, .palette = grays, .pixels = "\1\0\0\0\3\0\0\0"s, .used = 4}),
              ElementsAre(255, 64));
}

TEST(Bmp, SixteenBits) {
  // 5, 5, 5 bits without fields: 31 << 10, 1 << 5, 16.
  EXPECT_THAT(u8_of({.width = 2, .bits = 16, .pixels = number(0x7C00, 2) + number(0x0030, 2)}),
              ElementsAre(255, 0, 0, 0, 8, 132));
  const std::string five_six_five = number(0xF800, 4) + number(0x07E0, 4) + number(0x001F, 4);
  EXPECT_THAT(u8_of({.width = 2,
                     .bits = 16,
                     .compression = 3,
                     .pixels = number(0xF81F, 2) + number(0x07E0, 2),
                     .masks = five_six_five}),
              ElementsAre(255, 0, 255, 0, 255, 0));
}

TEST(Bmp, TwentyFourAndThirtyTwoBits) {
  EXPECT_THAT(u8_of({.width = 1, .height = 2, .bits = 24, .pixels = "\1\2\3\0\4\5\6\0"s}),
              ElementsAre(6, 5, 4, 3, 2, 1));
  const Page page = read_kind({.bits = 32, .pixels = "\1\2\3\x80"s});  // the fourth byte means nothing
  EXPECT_FALSE(page.alpha);
  EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAre(3, 2, 1));
}

TEST(Bmp, FieldsOfAnyPlaceAndSizeAndAlphaWhereTheHeaderHasIt) {
  const std::string rgba = number(0xFF, 4) + number(0xFF00, 4) + number(0xFF0000, 4) + number(0xFF000000, 4);
  for (const std::uint32_t header_bytes : {56U, 108U, 124U}) {
    const Page page = read_kind(
        {.bits = 32, .compression = 3, .pixels = "\1\2\3\x80"s, .header_bytes = header_bytes, .masks = rgba});
    EXPECT_TRUE(page.alpha);
    EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAre(1, 2, 3, 128));
  }
  EXPECT_TRUE(read_kind({.bits = 32, .compression = 6, .pixels = "abcd", .masks = rgba}).alpha);
  // Ten bits each, rounded to eight.
  const std::string tens = number(0x3FF00000, 4) + number(0xFFC00, 4) + number(0x3FF, 4);
  EXPECT_THAT(u8_of({.bits = 32, .compression = 3, .pixels = number(0x3FF80002, 4), .masks = tens}),
              ElementsAre(255, 128, 0));
}

TEST(Bmp, CoreHeaderOfOs2) {
  EXPECT_THAT(u8_of({.width = 2,
                     .height = 1,
                     .bits = 1,
                     .palette = "\1\2\3\4\5\6"s,
                     .pixels = "\x40\0\0\0"s,
                     .header_bytes = 12}),
              ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(u8_of({.bits = 24, .pixels = "\1\2\3\0"s, .header_bytes = 12}), ElementsAre(3, 2, 1));
}

TEST(Bmp, RunLengthsOfEightBits) {
  // 3 × colour 1; end of line; two as they are and a filling byte; skip one to the right; end.
  const std::string runs = "\3\1\0\0\0\3\2\3\1\0\0\1"s;
  EXPECT_THAT(u8_of({.width = 3, .height = 2, .compression = 1, .palette = grays, .pixels = runs, .used = 4}),
              ElementsAre(128, 255, 64, 64, 64, 64));
  const std::string skips =
      "\0\2\1\1\1\3\0\1"s;  // one to the right and one up, then a 3; what is skipped is colour 0
  EXPECT_THAT(
      u8_of({.width = 3, .height = 2, .compression = 1, .palette = grays, .pixels = skips, .used = 4}),
      ElementsAre(0, 255, 0, 0, 0, 0));
}

TEST(Bmp, RunLengthsOfFourBits) {
  const std::string runs = "\5\x12\0\0\0\5\x30\x12\x30\0\0\1"s;
  EXPECT_THAT(u8_of({.width = 5,
                     .height = 2,
                     .bits = 4,
                     .compression = 2,
                     .palette = grays,
                     .pixels = runs,
                     .used = 4}),
              ElementsAre(255, 0, 64, 128, 255, 64, 128, 64, 128, 64));
}

TEST(Bmp, WhatIsWrongIsSaid) {
  const std::string damaged = "damaged or truncated BMP: ";
  EXPECT_EQ(trouble_with({.width = 0}), damaged + "a side of 0 pixels");
  EXPECT_EQ(trouble_with({.bits = 7}), damaged + "7 bits a pixel; there are 1, 4, 8, 16, 24 and 32");
  EXPECT_EQ(trouble_with({.header_bytes = 13}), damaged + "a header of 13 bytes");
  EXPECT_EQ(trouble_with({.bits = 4, .compression = 1}),
            damaged + "compression 1 does not go with 4 bits a pixel");
  EXPECT_EQ(trouble_with({.compression = 4}),
            "BMP around a JPEG or PNG; halation reads plain ones, bit fields and run lengths");
  EXPECT_EQ(trouble_with({.width = 65536, .height = 65536, .bits = 24, .pixels = "abcd"}),
            damaged + "too short for 65536x65536x3 pixels");
  EXPECT_EQ(trouble_with({.width = 65536,
                          .height = 65536,
                          .compression = 1,
                          .palette = grays,
                          .pixels = "\0\1"s,
                          .used = 4}),
            damaged + "too short for 65536x65536 pixels");
  EXPECT_EQ(trouble_with({.palette = grays, .pixels = "\4\0\0\0"s, .used = 4}),
            damaged + "colour 4 of a palette of 4");
  EXPECT_EQ(trouble_with({.width = 3, .compression = 1, .palette = grays, .pixels = "\4\1\0\1"s, .used = 4}),
            damaged + "a run leaves the picture");
  EXPECT_EQ(trouble_with({.width = 3, .compression = 1, .palette = grays, .pixels = "\3\1"s, .used = 4}),
            damaged + "the file ends too early");
  EXPECT_EQ(trouble_with({.bits = 16,
                          .compression = 3,
                          .pixels = "abcd",
                          .masks = number(0xF0F, 4) + number(1, 4) + number(2, 4)}),
            damaged + "a bit field is empty or has gaps");
}

TEST(Bmp, ThereAndBack) {
  const Folder folder;
  for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
    for (const bool alpha : {false, true}) {
      for (const bool profile : {false, true}) {
        Page page = random_page(Pixel::u8, 5, 7, colour, alpha);
        page.metadata.dots_per_inch_x = 300;
        page.metadata.dots_per_inch_y = 150;
        if (profile) page.metadata.icc = profile_of(colour == ColourModel::gray ? "GRAY" : "RGB ");
        write_one(folder / "a.bmp", page);
        const Page back = read_one(folder / "a.bmp");
        EXPECT_EQ(back.alpha, alpha);
        EXPECT_EQ(back.metadata.icc, page.metadata.icc);
        EXPECT_NEAR(back.metadata.dots_per_inch_x, 300, 0.02);
        EXPECT_NEAR(back.metadata.dots_per_inch_y, 150, 0.02);
        if (colour == ColourModel::gray && alpha) {  // there is no gray with alpha
          for (int c = 0; c < 3; ++c)
            expect_same_pixels(back.image.view().channel(c), page.image.view().channel(0));
          expect_same_pixels(back.image.view().channel(3), page.image.view().channel(1));
          continue;
        }
        EXPECT_EQ(back.colour, colour);
        expect_same_pixels(back.image, page.image);
      }
    }
  }
}

}  // namespace
}  // namespace halation::test
