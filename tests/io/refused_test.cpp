// refused_test.cpp: formats that are known by name and not read or written.
#include "pictures.h"

namespace halation::test {
namespace {

using namespace std::string_literals;

std::string ftyp(const std::string& major, const std::string& compatible) {
  const auto size = static_cast<char>(16 + compatible.size());
  return "\0\0\0"s + size + "ftyp" + major + "\0\0\0\0"s + compatible + "\0\0\0\x08mdat"s;
}

TEST(Refused, HeicIsRefusedByName) {
  const Folder folder;
  const std::string sentence = ": HEIC is left out, for its decoder is under the GPL; use AVIF, JPEG or PNG";
  for (const std::string& bytes : {ftyp("heic", "mif1heic"), ftyp("mif1", "mif1heix"), ftyp("hevc", "")}) {
    const std::string path = write_bytes(folder / "photo.jpg", bytes);
    EXPECT_EQ(message_of([&] { read_pages(path); }), path + sentence);
  }
  for (const char* name : {"out.heic", "out.HEIF"}) {
    const std::string path = folder / name;
    EXPECT_EQ(message_of([&] { write_image(path, random_image(Pixel::u8, {.width = 3})); }), path + sentence);
  }
  EXPECT_EQ(message_of([&] {
              write_image(folder / "out", random_image(Pixel::u8, {.width = 3}), {.format = "heic"});
            }),
            (folder / "out") + sentence);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(Refused, GifAndPbmAreReadOnly) {
  const Folder folder;
  EXPECT_THAT(message_of([&] { write_image(folder / "out.gif", random_image(Pixel::u8, {.width = 3})); }),
              testing::StartsWith((folder / "out.gif") + ": GIF is read, not written; formats written: png, jpeg, "));
  const std::string name = folder / "out.ppm";
  EXPECT_THAT(message_of([&] { write_image(name, random_image(Pixel::u8, {.width = 3, .channels = 4})); }),
              testing::StartsWith(name + ": PPM holds 1 to 3 channels, got 4; write .png, .tif, "));
  EXPECT_THAT(message_of([&] { write_image(folder / "out.pgm", random_image(Pixel::u8, {.width = 3, .channels = 3})); }),
              testing::StartsWith((folder / "out.pgm") + ": PGM holds one channel, got 3; "));
  EXPECT_THAT(message_of([&] { write_image(folder / "out.pbm", random_image(Pixel::u8, {.width = 3})); }),
              testing::StartsWith((folder / "out.pbm") + ": PBM is read, not written; formats written: png, jpeg, "));
}

TEST(Refused, PicturesOfOtherFormatsByTheirFirstBytesAndByTheirEndings) {
  const Folder folder;
  const std::tuple<std::string, const char*, const char*> formats[] = {{std::string("\xFF\x0A and so on"), ".jxl", "JPEG XL"},
                                                                       {std::string("\0\0\0\x0CJXL \r\n\x87\n", 12), ".jxl", "JPEG XL"},
                                                                       {std::string("\0\0\0\x0CjP  \r\n\x87\n", 12), ".jp2", "JPEG 2000"},
                                                                       {"8BPS and so on", ".psd", "PSD"},
                                                                       {"%PDF-1.7", ".pdf", "PDF"},
                                                                       {"FUJIFILMCCD-RAW", ".raf", "camera raw"},
                                                                       {ftyp("crx ", "isom"), ".cr3", "camera raw"}};
  for (const auto& [bytes, ending, name] : formats) {
    const std::string path = write_bytes(folder / "a", bytes);
    const std::string sentence = std::string(": ") + name + " is neither read nor written; ";
    EXPECT_THAT(message_of([&] { read_pages(path); }), testing::StartsWith(path + sentence));
    const std::string out = folder / (std::string("out") + ending);
    EXPECT_THAT(message_of([&] { write_image(out, random_image(Pixel::u8, {.width = 3})); }), testing::StartsWith(out + sentence));
    EXPECT_EQ(unread_format(ending), name);
  }
  EXPECT_EQ(unread_format(".heic"), "HEIC");
  EXPECT_EQ(unread_format(".svg"), "SVG");
  EXPECT_EQ(unread_format(".png"), "");
  EXPECT_EQ(unread_format(".txt"), "");
}

#ifndef HALATION_AVIF
TEST(Refused, AvifWhereItWasNotBuilt) {
  const Folder folder;
  const std::string path = write_bytes(folder / "a", ftyp("avif", "mif1"));
  EXPECT_EQ(message_of([&] { read_pages(path); }), path +
                                                       ": AVIF needs libavif, which this build of halation "
                                                       "was made without; use PNG, or build with libavif");
}
#endif

}  // namespace
}  // namespace halation::test
