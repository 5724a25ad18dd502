// iptc_test.cpp: IPTC on its way through the formats that have a place for it.
#include "odd_tiff.h"
#include "parts.h"

namespace halation::test {
namespace {

/// A keyword and a caption of some bytes, an odd number of them in all where `caption` is even.
std::string iptc_of(std::size_t caption) {
  std::string bytes("\x1C\x02\x19\x00\x06sunset\x1C\x02\x78", 14);
  bytes += static_cast<char>(caption >> 8);
  bytes += static_cast<char>(caption & 0xFF);
  return bytes + std::string(caption, 'x');
}

std::string resource(unsigned id, const std::string& name, const std::string& data) {
  std::string bytes = "8BIM";
  bytes += static_cast<char>(id >> 8);
  bytes += static_cast<char>(id & 0xFF);
  bytes += static_cast<char>(name.size());
  bytes += name;
  if (name.size() % 2 == 0) bytes += '\0';
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(data.size() >> shift & 0xFF);
  return bytes + data + std::string(data.size() % 2, '\0');
}

std::string segment(int marker, const std::string& data) {
  const std::size_t size = data.size() + 2;
  return std::string("\xFF") + static_cast<char>(marker) + static_cast<char>(size >> 8) + static_cast<char>(size & 0xFF) + data;
}

std::string iptc_in(const std::string& path) {
  const Page page = read_one(path);
  std::string bytes(reinterpret_cast<const char*>(page.metadata.iptc.data()), page.metadata.iptc.size());
  while (bytes.ends_with('\0')) bytes.pop_back();  // of TIFFs that count in fours
  return bytes;
}

/// A JPEG with these segments behind its first marker.
void write_jpeg(const std::string& path, const std::string& segments) {
  write_one(path, random_page(Pixel::u8, 8, 8, ColourModel::rgb));
  std::string bytes = bytes_in(path);
  write_bytes(path, bytes.insert(2, segments));
}

const std::string photoshop("Photoshop 3.0\0", 14);

TEST(Iptc, GoesFromJpegToEveryFormatThatHasAPlaceForItAndBack) {
  const Folder folder;
  for (const std::size_t caption : {1U, 2U, 3U, 4U, 30000U}) {
    const std::string iptc = iptc_of(caption);
    write_jpeg(folder / "in.jpg", segment(0xED, photoshop + resource(0x03ED, "", "0123456789abcdef") + resource(0x0404, "odd", iptc)));
    for (const std::string ending : {".jpg", ".tif", ".png"}) {
      SCOPED_TRACE(ending);
      write_pages(folder / ("a" + ending), read_pages(folder / "in.jpg"));
      EXPECT_EQ(iptc_in(folder / ("a" + ending)), iptc);
      write_pages(folder / "back.jpg", read_pages(folder / ("a" + ending)));
      EXPECT_EQ(iptc_in(folder / "back.jpg"), iptc);
      EXPECT_NE(bytes_in(folder / "back.jpg").find(photoshop + "8BIM\x04\x04"), std::string::npos);
    }
  }
}

TEST(Iptc, OfMoreThanASegmentIsCutAndJoined) {
  const Folder folder;
  const std::string iptc = iptc_of(32000) + iptc_of(32000) + iptc_of(32000);
  const std::string resources = resource(0x0404, "", iptc);
  write_jpeg(folder / "in.jpg", segment(0xED, photoshop + resources.substr(0, 50000)) + segment(0xED, photoshop + resources.substr(50000)));
  EXPECT_EQ(iptc_in(folder / "in.jpg"), iptc);
  write_pages(folder / "out.jpg", read_pages(folder / "in.jpg"));
  EXPECT_EQ(iptc_in(folder / "out.jpg"), iptc);
}

TEST(Iptc, OfTiffOfEitherByteOrderAndOfPhotoshopsResources) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 5, .width = 7});
  std::string iptc = iptc_of(9);
  iptc.resize((iptc.size() + 3) / 4 * 4);
  for (const char* mode : {"wl", "wb", "w8l", "w8b"}) {
    SCOPED_TRACE(mode);
    const auto more = [&](TIFF* t) { TIFFSetField(t, TIFFTAG_RICHTIFFIPTC, static_cast<std::uint32_t>(iptc.size()), iptc.data()); };
    write_odd(folder / "a.tif", {.mode = mode, .more = more}, 5, 7, rows_of(image, false));
    EXPECT_EQ(iptc_in(folder / "a.tif"), iptc_of(9));
    expect_same_in_parts(folder / "a.tif");
    // The same bytes as numbers of 32 bits, as Adobe's programs write them whatever the byte order.
    const bool little = mode[std::strlen(mode) - 1] == 'l';
    std::string bytes = bytes_in(folder / "a.tif");
    const std::size_t entry = bytes.find(little ? std::string("\xBB\x83\x07\0", 4) : std::string("\x83\xBB\0\x07", 4));
    ASSERT_NE(entry, std::string::npos);
    bytes[entry + (little ? 2 : 3)] = 4;
    const std::size_t count = entry + 4 + (little ? 0 : mode[1] == '8' ? 7 : 3);
    ASSERT_EQ(bytes[count], static_cast<char>(iptc.size()));
    bytes[count] = static_cast<char>(iptc.size() / 4);
    write_bytes(folder / "a.tif", bytes);
    EXPECT_EQ(iptc_in(folder / "a.tif"), iptc_of(9));
    expect_same_in_parts(folder / "a.tif");
    const std::string resources = resource(0x0404, "", iptc_of(9));
    const auto as_resources = [&](TIFF* t) {
      TIFFSetField(t, TIFFTAG_PHOTOSHOP, static_cast<std::uint32_t>(resources.size()), resources.data());
    };
    write_odd(folder / "a.tif", {.mode = mode, .more = as_resources}, 5, 7, rows_of(image, false));
    EXPECT_EQ(iptc_in(folder / "a.tif"), iptc_of(9));
    write_pages(folder / "out.tif", read_pages(folder / "a.tif"));
    EXPECT_EQ(iptc_in(folder / "out.tif"), iptc_of(9));
  }
}

TEST(Iptc, OfEveryPageOfATiffInWholeAndInParts) {
  const Folder folder;
  std::vector<Page> pages;
  for (const std::size_t caption : {5U, 0U, 6U}) {
    pages.push_back(random_page(Pixel::u8, 20, 30, ColourModel::gray));
    if (caption > 0) pages.back().metadata.iptc = to_bytes(iptc_of(caption));
  }
  expect_same_written(folder / "a.tif", pages);
  const std::vector<Page> back = read_pages(folder / "a.tif");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(back[i].metadata.iptc, pages[i].metadata.iptc);
}

TEST(Iptc, ThatIsDamagedIsLeftOut) {
  const Folder folder;
  const std::string whole = resource(0x0404, "", iptc_of(20));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_jpeg(folder / "a.jpg", segment(0xED, photoshop + whole.substr(0, size)));
    EXPECT_EQ(iptc_in(folder / "a.jpg"), "") << size;
  }
  std::mt19937 random(3);
  for (int run = 0; run < 500; ++run) {
    std::string changed = resource(0x03ED, "ab", "1234") + whole;
    for (int i = 0; i < 3; ++i) changed[random() % changed.size()] = static_cast<char>(random());
    write_jpeg(folder / "a.jpg", segment(0xED, photoshop + changed));
    read_one(folder / "a.jpg");
  }
}

}  // namespace
}  // namespace halation::test
