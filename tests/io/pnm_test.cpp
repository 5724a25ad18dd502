// pnm_test.cpp: PBM, PGM, PPM, PAM and PFM from files written out by hand, and there and back.
#include "pictures.h"

namespace halation::test {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

Page read_bytes(const std::string& bytes) {
  const Folder folder;
  return read_one(write_bytes(folder / "a.ppm", bytes));
}

std::string trouble_with(const std::string& bytes) {
  const Folder folder;
  const std::string path = write_bytes(folder / "a", bytes);
  const std::string sentence = message_of([&] { read_pages(path); });
  return sentence.starts_with(path + ": ") ? sentence.substr(path.size() + 2) : sentence;
}

std::vector<std::uint8_t> u8_of(const std::string& bytes) {
  return elements_of<std::uint8_t>(read_bytes(bytes).image);
}
std::vector<std::uint16_t> u16_of(const std::string& bytes) {
  return elements_of<std::uint16_t>(read_bytes(bytes).image);
}

TEST(Pnm, BitsAsTextAndPacked) {
  EXPECT_THAT(u8_of("P1 3 2\n1 0 1\n0 1 0\n"), ElementsAre(0, 255, 0, 255, 0, 255));
  EXPECT_THAT(u8_of("P1 #\n3 2 101010"), ElementsAre(0, 255, 0, 255, 0, 255));
  const Page page = read_bytes("P4\n10 2\n\xA5\x80\x00\x40"s);
  EXPECT_EQ(page.colour, ColourModel::gray);
  EXPECT_EQ(to_string(page.image.shape()), "2x10");
  EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAre(0, 255, 0, 255, 255, 0, 255, 0, 0, 255, 255,
                                                                 255, 255, 255, 255, 255, 255, 255, 255, 0));
}

TEST(Pnm, GrayAndColourAsText) {
  EXPECT_THAT(u8_of("P2\n# a comment\n2 2 # and another\n255\n0 1\n128#here\n255"),
              ElementsAre(0, 1, 128, 255));
  const Page page = read_bytes("P3 1 2 255 1 2 3 4 5 6");
  EXPECT_EQ(page.colour, ColourModel::rgb);
  EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(u16_of("P2 2 1 65535 258 65535"), ElementsAre(258, 65535));
}

TEST(Pnm, Binary) {
  EXPECT_THAT(u8_of("P5 3 1 255\n\x00\x0A\xFF"s), ElementsAre(0, 10, 255));
  EXPECT_THAT(u8_of("P6 1 1 255 \x01\x20\x03"s), ElementsAre(1, 32, 3));
  EXPECT_THAT(u16_of("P5 2 1 65535\n\x01\x02\xFF\x00"s), ElementsAre(0x0102, 0xFF00));
}

TEST(Pnm, OtherMaxvalsAreScaledToTheWholeRange) {
  EXPECT_THAT(u8_of("P5 4 1 15\n\x00\x01\x08\x0F"s), ElementsAre(0, 17, 136, 255));
  EXPECT_THAT(u8_of("P2 3 1 100 0 50 100"), ElementsAre(0, 128, 255));
  EXPECT_THAT(u16_of("P5 3 1 1023\n\x00\x00\x02\x00\x03\xFF"s), ElementsAre(0, 32800, 65535));
  EXPECT_THAT(u16_of("P2 2 1 256 1 256"), ElementsAre(256, 65535));
}

TEST(Pnm, Pam) {
  const Page page = read_bytes(
      "P7\n# made by hand\nWIDTH 1\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n12345678");
  EXPECT_EQ(page.colour, ColourModel::rgb);
  EXPECT_TRUE(page.alpha);
  EXPECT_THAT(elements_of<std::uint8_t>(page.image), ElementsAre('1', '2', '3', '4', '5', '6', '7', '8'));
  EXPECT_THAT(u8_of("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\x01\x00"s),
              ElementsAre(255, 0));
  const Page five = read_bytes("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\n12345");
  EXPECT_EQ(five.colour, ColourModel::other);
  EXPECT_FALSE(five.alpha);
}

TEST(Pnm, PicturesOneAfterTheOtherArePages) {
  const Folder folder;
  const std::string path = write_bytes(folder / "a.pgm", "P5 1 1 255\nAP6 1 1 255\nBCDP4 1 1\n\x80"s);
  const std::vector<Page> pages = read_pages(path);
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_THAT(elements_of<std::uint8_t>(pages[1].image), ElementsAre('B', 'C', 'D'));
  EXPECT_THAT(elements_of<std::uint8_t>(pages[2].image), ElementsAre(0));
  const std::vector<Page> second = read_pages(path, {.page = 2});
  ASSERT_EQ(second.size(), 1U);
  EXPECT_THAT(elements_of<std::uint8_t>(second[0].image), ElementsAre('B', 'C', 'D'));
  EXPECT_EQ(message_of([&] { read_pages(path, {.page = 4}); }),
            path + ": page 4 was asked for, the file has 3");
  EXPECT_EQ(message_of([&] { read_pages(path, {.page = -1}); }),
            path + ": pages are counted from 1, got -1");
}

TEST(Pnm, WhatIsWrongIsSaid) {
  const std::string damaged = "damaged or truncated PNM: ";
  EXPECT_EQ(trouble_with("P5 0 1 255\n"), damaged + "the width must be 1 to 2147483647, got '0'");
  EXPECT_EQ(trouble_with("P5 3 x 255\n"), damaged + "the height must be 1 to 2147483647, got 'x'");
  EXPECT_EQ(trouble_with("P5 3 1 65536\n"), damaged + "maxval must be 1 to 65535, got '65536'");
  EXPECT_EQ(trouble_with("P5 3 1 255\nab"), damaged + "too short for 1x3 pixels");
  EXPECT_EQ(trouble_with("P6 2147483647 2147483647 65535\nab"),
            damaged + "too short for 2147483647x2147483647x3 pixels");
  EXPECT_EQ(trouble_with("P1 2147483647 2147483647 1 1 1"),
            damaged + "too short for 2147483647x2147483647 pixels");
  EXPECT_EQ(trouble_with("P5 1 1 7\n\x09"s), damaged + "a sample of 9 is above maxval, 7");
  EXPECT_EQ(trouble_with("P2 1 1 7 8"), damaged + "a sample of 8 is above maxval, 7");
  EXPECT_EQ(trouble_with("P1 2 1 1 2"), damaged + "a bit must be 0 or 1");
  EXPECT_EQ(trouble_with("P5 1 1 255"), damaged + "the file ends too early");
  EXPECT_EQ(trouble_with("P7\nWIDTH 1\nENDHDR\n"),
            damaged + "the header lacks WIDTH, HEIGHT, DEPTH or MAXVAL");
  EXPECT_EQ(trouble_with("P7 332\n"), damaged + "unknown header line '332'");
  EXPECT_EQ(trouble_with("Pf 1 1 0\nabcd"),
            damaged + "the scale of a PFM must be a number other than 0, got '0'");
  EXPECT_EQ(trouble_with("PF 9 9 -1\nabcd"), "damaged or truncated PFM: too short for 9x9x3 pixels");
}

TEST(Pnm, ThereAndBack) {
  const Folder folder;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16}) {
    for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
      for (const bool alpha : {false, true}) {
        const Page page = random_page(pixel, 5, 7, colour, alpha);
        for (const char* name : {"a.pnm", "a.ppm", "a.pgm", "a.pam"}) {
          const std::string_view ending(name + 2);
          if ((ending == "ppm" && alpha) || (ending == "pgm" && (alpha || colour == ColourModel::rgb))) continue;
          write_one(folder / name, page);
          const Page back = read_one(folder / name);
          expect_same_pixels(back.image, page.image);
          EXPECT_EQ(back.colour, colour);
          EXPECT_EQ(back.alpha, alpha);
        }
      }
    }
  }
}

TEST(Pnm, FilesAreWhatOthersExpect) {
  const Folder folder;
  write_one(folder / "a.pgm", u8_page({.height = 2, .width = 3}, {'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(bytes_in(folder / "a.pgm"), "P5\n3 2\n255\nabcdef");
  Image deep({.width = 1, .channels = 3}, Pixel::u16);
  for (int c = 0; c < 3; ++c) deep.view().at<std::uint16_t>({.y = 0, .x = 0, .c = c}) = static_cast<std::uint16_t>(0x4142 + c);
  write_image(folder / "a.ppm", deep);
  EXPECT_EQ(bytes_in(folder / "a.ppm"), "P6\n1 1\n65535\nABACAD");
}

TEST(Pfm, RowsGoFromTheBottomUpInEitherByteOrder) {
  const Page page = read_bytes("Pf\n1 2\n-1.0\n\x00\x00\x80\x3F\x00\x00\x00\x40"s);
  EXPECT_EQ(page.colour, ColourModel::gray);
  EXPECT_TRUE(page.linear_light);
  EXPECT_THAT(elements_of<float>(page.image), ElementsAre(2, 1));
  EXPECT_THAT(elements_of<float>(read_bytes("Pf 1 2 2.5\n\x3F\x80\x00\x00\x40\x00\x00\x00"s).image),
              ElementsAre(2, 1));
}

TEST(Pfm, ThereAndBack) {
  const Folder folder;
  for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
    const Page page = random_page(Pixel::f32, 5, 7, colour);
    write_one(folder / "a.pfm", page);
    const Page back = read_one(folder / "a.pfm");
    expect_same_pixels(back.image, page.image);
    EXPECT_EQ(back.colour, colour);
  }
  write_image(folder / "b.pfm", Image(random_image(Pixel::f32, {.height = 2, .width = 3})));
  EXPECT_EQ(bytes_in(folder / "b.pfm").substr(0, 12), "Pf\n3 2\n-1.0\n");
}

}  // namespace
}  // namespace halation::test
