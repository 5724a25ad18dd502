// imagej_test.cpp: ImageJ's labels, ranges, colours and regions stay beside its description.
#include <bit>

#include "odd_tiff.h"
#include "parts.h"

namespace halation::test {
namespace {

constexpr const char* description = "ImageJ=1.54f\nimages=3\nslices=3\nunit=micron\n";
constexpr std::uint32_t sizes_tag = 50838, data_tag = 50839;
char no_name[] = "";
const TIFFFieldInfo fields[] = {{sizes_tag, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_LONG, FIELD_CUSTOM, 1, 1, no_name},
                                {data_tag, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_BYTE, FIELD_CUSTOM, 1, 1, no_name}};

/// What ImageJ's TiffEncoder writes in a byte order: a list of kinds, then of each kind its pieces.
struct Written {
  explicit Written(bool little) {
    const auto number = [&](std::uint64_t value, int size) {
      for (int i = 0; i < size; ++i) data += static_cast<char>(value >> 8 * (little ? i : size - 1 - i) & 0xFF);
    };
    const auto end_piece = [&] {
      std::uint32_t before = 0;
      for (const std::uint32_t size : sizes) before += size;
      sizes.push_back(static_cast<std::uint32_t>(data.size()) - before);
    };
    number(0x494A494A, 4);                         // "IJIJ"
    number(0x6C61626C, 4), number(2, 4);           // "labl"
    number(0x72616E67, 4), number(1, 4);           // "rang"
    number(0x6C757473, 4), number(1, 4);           // "luts"
    number(0x726F6920, 4), number(1, 4);           // "roi "
    end_piece();
    for (const std::string label : {"red", "nuclei"}) {
      for (const char letter : label) number(static_cast<std::uint8_t>(letter), 2);
      end_piece();
    }
    for (const double limit : {0.5, 4095.0}) number(std::bit_cast<std::uint64_t>(limit), 8);
    end_piece();
    for (int level = 0; level < 768; ++level) data += static_cast<char>(level);
    end_piece();
    data += "Iout and more";  // a region, in one order always
    end_piece();
  }
  std::vector<std::uint32_t> sizes;
  std::string data;
};

void write_stack(const std::string& path, const char* mode, const Written& tags) {
  const Image image = random_image(Pixel::u8, {.height = 6, .width = 8});
  const auto tiff = opened(path, mode);
  for (int i = 0; i < 3; ++i) {
    const auto more = [&](TIFF* t) {
      TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION, description);
      TIFFMergeFieldInfo(t, fields, std::size(fields));
      TIFFSetField(t, sizes_tag, static_cast<std::uint32_t>(tags.sizes.size()), tags.sizes.data());
      TIFFSetField(t, data_tag, static_cast<std::uint32_t>(tags.data.size()), tags.data.data());
    };
    write_page(tiff.get(), i == 0 ? Odd{.more = more} : Odd{}, 6, 8, rows_of(image, false));
  }
}

/// By libtiff, of the first page.
template <class T>
std::vector<T> values_of(const std::string& path, std::uint32_t tag) {
  const auto tiff = opened(path, "r");
  std::uint32_t count = 0;
  const T* values = nullptr;
  return TIFFGetField(tiff.get(), tag, &count, &values) != 0 ? std::vector<T>(values, values + count) : std::vector<T>();
}

TEST(ImageJ, TagsStayOfEitherByteOrder) {
  const Folder folder;
  const Written here(std::endian::native == std::endian::little);
  for (const std::string mode : {"wl", "wb", "w8l", "w8b"}) {
    SCOPED_TRACE(mode);
    write_stack(folder / "in.tif", mode.c_str(), Written(mode.back() == 'l'));
    const std::vector<Page> pages = read_pages(folder / "in.tif");
    write_pages(folder / "out.tif", pages);
    EXPECT_EQ(values_of<std::uint32_t>(folder / "out.tif", sizes_tag), here.sizes);
    EXPECT_EQ(values_of<char>(folder / "out.tif", data_tag), std::vector<char>(here.data.begin(), here.data.end()));
    expect_same_in_parts(folder / "in.tif");
    expect_same_written(folder / "parts.tif", pages);
  }
}

TEST(ImageJ, TagsGoWithTheDescriptionAndWithAnotherSize) {
  const Folder folder;
  write_stack(folder / "in.tif", "wl", Written(true));
  const auto expect_none = [&](const std::vector<Page>& pages) {
    write_pages(folder / "out.tif", pages);
    EXPECT_TRUE(values_of<std::uint32_t>(folder / "out.tif", sizes_tag).empty());
    EXPECT_TRUE(values_of<char>(folder / "out.tif", data_tag).empty());
  };
  std::vector<Page> pages = read_pages(folder / "in.tif");
  for (Page& page : pages) page.image = random_image(Pixel::u8, {.height = 6, .width = 7});
  expect_none(pages);
  expect_none(read_pages(folder / "in.tif", {.page = 1}));
}

TEST(ImageJ, TagsThatContradictEachOtherGo) {
  const Folder folder;
  std::mt19937 random(3);
  for (int run = 0; run < 300; ++run) {
    Written tags(false);
    if (run % 3 == 0) tags.sizes.resize(random() % (tags.sizes.size() - 1) + 1);
    if (run % 3 == 1) tags.sizes[random() % tags.sizes.size()] += static_cast<std::uint32_t>(random());
    if (run % 3 == 2) tags.data.resize(random() % (tags.data.size() - 1) + 1);
    write_stack(folder / "in.tif", "wb", tags);
    EXPECT_TRUE(read_pages(folder / "in.tif")[0].metadata.geotiff.empty());
  }
}

}  // namespace
}  // namespace halation::test
