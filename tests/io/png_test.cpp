// png_test.cpp: PNG files, odd ones made by libpng itself.
#include <png.h>
#include <zlib.h>

#include <algorithm>

#include "pictures.h"

namespace halation::test {
namespace {

struct Odd {
  int bits = 8;
  int type = PNG_COLOR_TYPE_GRAY;
  bool interlaced = false;
  std::vector<png_color> palette = {};
  std::vector<png_byte> palette_alpha = {};
  int transparent_gray = -1;
};

/// Writes rows that are packed as PNG stores them.
void write_odd(const std::string& path, const Odd& odd, std::vector<std::vector<png_byte>> rows,
               unsigned width) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, width, static_cast<png_uint_32>(rows.size()), odd.bits, odd.type,
               odd.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (!odd.palette.empty()) png_set_PLTE(png, info, odd.palette.data(), static_cast<int>(odd.palette.size()));
  if (!odd.palette_alpha.empty()) {
    png_set_tRNS(png, info, odd.palette_alpha.data(), static_cast<int>(odd.palette_alpha.size()), nullptr);
  }
  if (odd.transparent_gray >= 0) {
    png_color_16 colour = {};
    colour.gray = static_cast<png_uint_16>(odd.transparent_gray);
    png_set_tRNS(png, info, nullptr, 0, &colour);
  }
  std::vector<png_bytep> pointers;
  std::transform(rows.begin(), rows.end(), std::back_inserter(pointers),
                 [](auto& row) { return row.data(); });
  png_set_rows(png, info, pointers.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

TEST(Png, RoundTripsEveryPixelAndChannelCountBitExactly) {
  const Folder folder;
  unsigned seed = 0;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16}) {
    for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
      for (const bool alpha : {false, true}) {
        for (const auto& [height, width] : {std::pair{1, 1}, {1, 9}, {9, 1}, {13, 17}, {64, 65}}) {
          const Page page = random_page(pixel, height, width, colour, alpha, ++seed);
          write_one(folder / "a.png", page);
          const Page back = read_one(folder / "a.png");
          expect_same_pixels(back.image, page.image);
          EXPECT_EQ(back.colour, colour);
          EXPECT_EQ(back.alpha, alpha);
          EXPECT_FALSE(back.linear_light);
        }
      }
    }
  }
}

TEST(Png, WritesWhatLibpngReads) {
  const Folder folder;
  const Page page = random_page(Pixel::u8, 11, 7, ColourModel::rgb, true);
  write_one(folder / "a.png", page);
  png_image seen = {};
  seen.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&seen, (folder / "a.png").c_str()), 0);
  EXPECT_EQ(seen.format & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_LINEAR),
            unsigned{PNG_FORMAT_RGBA});
  seen.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(seen));
  ASSERT_NE(png_image_finish_read(&seen, nullptr, pixels.data(), 0, nullptr), 0);
  EXPECT_EQ(pixels, elements_of<std::uint8_t>(page.image));
}

TEST(Png, SpreadsSmallSamplesOverAllOfU8) {
  const Folder folder;
  write_odd(folder / "1.png", {.bits = 1}, {{0b10110000}, {0b01000000}}, 4);
  EXPECT_EQ(elements_of<std::uint8_t>(read_image(folder / "1.png")),
            (std::vector<std::uint8_t>{255, 0, 255, 255, 0, 255, 0, 0}));
  write_odd(folder / "2.png", {.bits = 2}, {{0b00011011}}, 4);
  EXPECT_EQ(elements_of<std::uint8_t>(read_image(folder / "2.png")),
            (std::vector<std::uint8_t>{0, 85, 170, 255}));
  write_odd(folder / "4.png", {.bits = 4}, {{0x07, 0xF0}}, 3);
  EXPECT_EQ(elements_of<std::uint8_t>(read_image(folder / "4.png")),
            (std::vector<std::uint8_t>{0, 119, 255}));
}

TEST(Png, ReadsBigEndianSamplesOf16Bits) {
  const Folder folder;
  write_odd(folder / "a.png", {.bits = 16}, {{0x01, 0x02, 0xFF, 0xFE}}, 2);
  EXPECT_EQ(elements_of<std::uint16_t>(read_image(folder / "a.png")),
            (std::vector<std::uint16_t>{0x0102, 0xFFFE}));
}

TEST(Png, LooksPalettesUp) {
  const Folder folder;
  const std::vector<png_color> palette = {{1, 2, 3}, {40, 50, 60}, {250, 251, 252}};
  write_odd(folder / "a.png", {.bits = 2, .type = PNG_COLOR_TYPE_PALETTE, .palette = palette}, {{0b10000100}},
            3);
  const Page opaque = read_one(folder / "a.png");
  EXPECT_EQ(opaque.colour, ColourModel::rgb);
  EXPECT_FALSE(opaque.alpha);
  EXPECT_EQ(elements_of<std::uint8_t>(opaque.image),
            (std::vector<std::uint8_t>{250, 251, 252, 1, 2, 3, 40, 50, 60}));

  write_odd(folder / "b.png", {.type = PNG_COLOR_TYPE_PALETTE, .palette = palette, .palette_alpha = {9, 128}},
            {{0, 1, 2}}, 3);
  const Page clear = read_one(folder / "b.png");
  EXPECT_TRUE(clear.alpha);
  EXPECT_EQ(elements_of<std::uint8_t>(clear.image),
            (std::vector<std::uint8_t>{1, 2, 3, 9, 40, 50, 60, 128, 250, 251, 252, 255}));
}

TEST(Png, TurnsATransparentGrayIntoAlpha) {
  const Folder folder;
  write_odd(folder / "a.png", {.transparent_gray = 7}, {{6, 7, 8}}, 3);
  const Page page = read_one(folder / "a.png");
  EXPECT_EQ(page.colour, ColourModel::gray);
  EXPECT_TRUE(page.alpha);
  EXPECT_EQ(elements_of<std::uint8_t>(page.image), (std::vector<std::uint8_t>{6, 255, 7, 0, 8, 255}));
}

TEST(Png, ReadsInterlacedFiles) {
  const Folder folder;
  std::vector<std::vector<png_byte>> rows;
  std::vector<std::uint8_t> expected;
  for (int y = 0; y < 19; ++y) {
    rows.emplace_back();
    for (int x = 0; x < 23 * 3; ++x) {
      rows.back().push_back(static_cast<png_byte>(y * 31 + x * 7));
      expected.push_back(rows.back().back());
    }
  }
  write_odd(folder / "a.png", {.type = PNG_COLOR_TYPE_RGB, .interlaced = true}, rows, 23);
  EXPECT_EQ(elements_of<std::uint8_t>(read_image(folder / "a.png")), expected);
}

TEST(Png, KeepsMetadata) {
  const Folder folder;
  for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
    Page page = random_page(Pixel::u16, 5, 6, colour, true);
    page.metadata = full_metadata(colour == ColourModel::gray ? "GRAY" : "RGB ");
    write_one(folder / "a.png", page);
    const Metadata back = read_one(folder / "a.png").metadata;
    EXPECT_EQ(back.icc, page.metadata.icc);
    EXPECT_EQ(back.exif, page.metadata.exif);
    EXPECT_EQ(back.xmp, page.metadata.xmp);
    EXPECT_NEAR(back.dots_per_inch_x, 300, 0.0127);  // PNG counts whole dots per metre
    EXPECT_NEAR(back.dots_per_inch_y, 150, 0.0127);
  }
}

/// "IHDR", "IDAT", ... in their order, an image's several IDAT as one.
std::vector<std::string> chunks_of(const std::string& path) {
  const std::string bytes = bytes_in(path);
  std::vector<std::string> names;
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + i])); };
    std::string name = bytes.substr(at + 4, 4);
    if (names.empty() || names.back() != name || name != "IDAT") names.push_back(std::move(name));
    at += 12 + (byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3));
  }
  return names;
}

TEST(Png, WritesEachChunkOnceAndBeforeThePixels) {
  const Folder folder;
  Page page = random_page(Pixel::u8, 50, 60, ColourModel::rgb);
  page.metadata = full_metadata("RGB ");
  page.metadata.iptc = to_bytes(std::string("\x1C\x02\x19\x00\x03sky", 8));
  write_one(folder / "a.png", page);
  EXPECT_THAT(chunks_of(folder / "a.png"), testing::ElementsAre("IHDR", "iCCP", "eXIf", "pHYs", "iTXt", "zTXt", "IDAT", "IEND"));
}

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string checked = type + data;
  return big_endian(data.size()) + checked + big_endian(crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
}

constexpr std::size_t behind_header = 33;

/// Writes a page, with chunks between its header and all others.
void write_with(const std::string& path, const Page& page, const std::string& chunks) {
  write_one(path, page);
  write_bytes(path, bytes_in(path).insert(behind_header, chunks));
}

bool has(const std::string& path, const std::string& chunk) {
  const std::string bytes = bytes_in(path);
  const std::size_t found = bytes.find(chunk);
  return found != std::string::npos && bytes.find(chunk, found + 1) == std::string::npos;
}

TEST(Png, KeepsTextsAndWhatItSaysOfColoursOnce) {
  const Folder folder;
  using namespace std::string_literals;
  const std::string texts = chunk("tEXt", "Title\0f\xFCr immer"s) + chunk("tEXt", "parameters\0steps: 20"s) +
                            chunk("iTXt", "Author\0\0\0de\0Autor\0J\xC3\xB6rg"s);
  std::string primaries;
  for (const int value : {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000}) primaries += big_endian(value);
  const std::string colours = chunk("gAMA", big_endian(45455)) + chunk("cHRM", primaries);
  const std::string srgb = chunk("sRGB", "\0"s);
  const std::string others = chunk("cICP", "\x09\x10\0\x01"s);
  Page page = random_page(Pixel::u8, 5, 7, ColourModel::rgb, false);
  write_with(folder / "in.png", page, colours + srgb + others + texts);
  write_pages(folder / "out.png", read_pages(folder / "in.png"));
  EXPECT_TRUE(has(folder / "out.png", colours + srgb + others + texts));
  page.metadata = full_metadata("RGB ");
  write_with(folder / "in.png", page, colours + others + texts);
  write_pages(folder / "out.png", read_pages(folder / "in.png"));
  EXPECT_TRUE(has(folder / "out.png", others + texts));
  for (const char* once : {"gAMA", "cHRM", "Title"}) EXPECT_EQ(has(folder / "out.png", once), once == "Title"s) << once;
  for (const char* once : {"iCCP", "XML:com.adobe.xmp"}) EXPECT_TRUE(has(folder / "out.png", once)) << once;
  EXPECT_EQ(read_one(folder / "out.png").metadata.xmp, page.metadata.xmp);
}

TEST(Png, LeavesOutChunksThatAreDamagedOrNotItsOwn) {
  const Folder folder;
  Page page = random_page(Pixel::u8, 5, 7, ColourModel::rgb, false);
  std::string damaged = chunk("tEXt", "Title");
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  const std::string chunks = damaged + chunk("tIME", "1234567") + chunk("tEXt", "Kept");
  write_with(folder / "in.png", page, chunks);
  EXPECT_EQ(read_one(folder / "in.png").metadata.png_chunks, to_bytes(chunk("tEXt", "Kept")));
  page.metadata.png_chunks = to_bytes(chunks + "\xFF\xFF\xFF\xFFtEXt");
  write_one(folder / "out.png", page);
  EXPECT_EQ(read_one(folder / "out.png").metadata.png_chunks, to_bytes(chunk("tEXt", "Kept")));
}

TEST(Png, LeavesOutADamagedProfile) {
  const Folder folder;
  Page page = random_page(Pixel::u8, 5, 6, ColourModel::rgb);
  page.metadata.icc = profile_of("RGB ");
  page.metadata.icc[36] = std::byte{'x'};  // no longer "acsp"
  write_one(folder / "a.png", page);
  const Page back = read_one(folder / "a.png");
  EXPECT_TRUE(back.metadata.icc.empty());
  expect_same_pixels(back.image, page.image);
}

TEST(Png, AppliesTheOrientationInExif) {
  const Folder folder;
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
      for (const bool alpha : {false, true}) {
        Page page = random_page(Pixel::u8, 35, 70, colour, alpha);
        page.metadata = full_metadata(colour == ColourModel::gray ? "GRAY" : "RGB ");
        page.metadata.exif = exif_with(orientation, orientation % 2 == 0);
        page.metadata.xmp = xmp_with(orientation);
        write_one(folder / "a.png", page);
        const Page back = read_one(folder / "a.png");
        expect_upright(back.image, page.image, orientation);
        EXPECT_EQ(back.metadata.exif, exif_with(1, orientation % 2 == 0));
        EXPECT_EQ(back.metadata.xmp, xmp_with(1));
        EXPECT_NEAR(back.metadata.dots_per_inch_x, orientation >= 5 ? 150 : 300, 0.0127);
      }
    }
  }
}

TEST(Png, TurnsPixelsOfEverySize) {
  const Folder folder;
  Page page = random_page(Pixel::u16, 33, 40, ColourModel::rgb);
  page.metadata.exif = exif_with(6);
  write_one(folder / "a.png", page);
  const Image shown = read_image(folder / "a.png");
  const ConstView stored = page.image, upright = shown;
  ASSERT_EQ(to_string(upright.shape), "40x33x3");
  for (std::int64_t y = 0; y < 40; ++y) {
    for (std::int64_t x = 0; x < 33; ++x) {
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(upright.at<std::uint16_t>({.y = y, .x = x, .c = c}), stored.at<std::uint16_t>({.y = 32 - x, .x = y, .c = c}));
    }
  }
}

TEST(Png, IgnoresExifThatMakesNoSense) {
  const Folder folder;
  const Page picture = random_page(Pixel::u8, 4, 5, ColourModel::gray);
  std::vector<std::vector<std::byte>> exifs = {exif_with(0), exif_with(9), to_bytes("II*\0"), exif_with(6)};
  exifs[3].resize(24);  // ends within the orientation's entry
  exifs.push_back(exif_with(6));
  exifs[4][4] = exifs[4][5] = exifs[4][6] = std::byte{0xFF};  // a directory far behind the end
  for (const auto& exif : exifs) {
    Page page = random_page(Pixel::u8, 4, 5, ColourModel::gray);
    page.metadata.exif = exif;
    write_one(folder / "a.png", page);
    expect_same_pixels(read_image(folder / "a.png"), picture.image);
  }
}

TEST(Png, WritesAnyView) {
  const Folder folder;
  const Image planar_twin = random_image(Pixel::u8, {.height = 9, .width = 8, .channels = 3});
  Image planar(planar_twin.shape(), Pixel::u8, Layout::planar);
  copy(planar_twin, planar);
  write_image(folder / "planar.png", planar);
  expect_same_pixels(read_image(folder / "planar.png"), planar_twin);

  ConstView flipped = planar_twin;
  flipped.data += 8 * flipped.strides.height;
  flipped.strides.height = -flipped.strides.height;
  write_image(folder / "flipped.png", flipped);
  expect_same_pixels(read_image(folder / "flipped.png"), flipped);

  const ConstView part = planar_twin.view().crop({.y = 3, .x = 2, .height = 4, .width = 5});
  write_image(folder / "part.png", part);
  expect_same_pixels(read_image(folder / "part.png"), part);
  write_image(folder / "green.png", part.channel(1));
  expect_same_pixels(read_image(folder / "green.png"), part.channel(1));
}

TEST(Png, RefusesAHeaderThatPromisesMoreThanTheFileCanHold) {
  const Folder folder;
  write_image(folder / "a.png", random_image(Pixel::u8, {.height = 3, .width = 3}));
  std::string bytes = bytes_in(folder / "a.png");
  // IHDR lies at 8: length, type, width, height. 100,000 by 100,000, and its CRC made right.
  bytes.replace(16, 8, std::string("\0\1\x86\xA0\0\1\x86\xA0", 8));
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= static_cast<unsigned char>(bytes[i]);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc % 2 != 0 ? 0xEDB88320U : 0U);
  }
  for (int i = 0; i < 4; ++i)
    bytes[29 + static_cast<std::size_t>(i)] = static_cast<char>(~crc >> (24 - 8 * i) & 0xFF);
  write_bytes(folder / "b.png", bytes);
  EXPECT_EQ(message_of([&] { read_image(folder / "b.png"); }),
            (folder / "b.png") + ": damaged or truncated PNG: too short for 100000x100000 pixels");
}

}  // namespace
}  // namespace halation::test
