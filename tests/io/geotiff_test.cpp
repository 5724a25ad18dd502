// geotiff_test.cpp: tags of GeoTIFF and GDAL stay on the way through halation, while they say where the pixels lie.
#include "halation/filter_file.h"
#include "halation/filters.h"
#include "io/tiff/geotiff.h"
#include "odd_tiff.h"
#include "parts.h"

namespace halation::test {
namespace {

const std::vector<double> scale = {0.5, 0.25, 0}, tie = {0, 0, 0, 12.5, 47.125, 0}, matrix(16, 1.5), parameters = {6378137, 298.257};
const std::vector<std::uint16_t> keys = {1, 1, 0, 2, 1024, 0, 1, 2, 1026, 34737, 6, 0};
const std::string words = "WGS 84|", nodata = "-9999";
const std::string xml = "<GDALMetadata>\n  <Item name=\"AREA\">north</Item>\n</GDALMetadata>\n";
const std::string counted =
    "<GDALMetadata>\n  <Item name=\"STATISTICS_MAXIMUM\" sample=\"0\">255</Item>\n  <Item name=\"STATISTICS_MEAN\" sample=\"0\">9</Item>\n"
    "  <Item name=\"AREA\">north</Item>\n</GDALMetadata>\n";

char no_name[] = "";
constexpr short many = TIFF_VARIABLE2, text = TIFF_VARIABLE;
const TIFFFieldInfo fields[] = {{33550, many, many, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, no_name}, {33922, many, many, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, no_name},
                                {34264, many, many, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, no_name}, {34735, many, many, TIFF_SHORT, FIELD_CUSTOM, 1, 1, no_name},
                                {34736, many, many, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, no_name}, {34737, text, text, TIFF_ASCII, FIELD_CUSTOM, 1, 0, no_name},
                                {42112, text, text, TIFF_ASCII, FIELD_CUSTOM, 1, 0, no_name},  {42113, text, text, TIFF_ASCII, FIELD_CUSTOM, 1, 0, no_name}};

template <class T>
void set(TIFF* tiff, std::uint32_t tag, const std::vector<T>& values) {
  TIFFSetField(tiff, tag, static_cast<std::uint32_t>(values.size()), values.data());
}

void set_all(TIFF* tiff) {
  TIFFMergeFieldInfo(tiff, fields, std::size(fields));
  set(tiff, 33550, scale);
  set(tiff, 33922, tie);
  set(tiff, 34264, matrix);
  set(tiff, 34735, keys);
  set(tiff, 34736, parameters);
  TIFFSetField(tiff, 34737, words.c_str());
  TIFFSetField(tiff, 42112, counted.c_str());
  TIFFSetField(tiff, 42113, nodata.c_str());
}

template <class T>
std::vector<T> values_of(TIFF* tiff, std::uint32_t tag) {
  std::uint32_t count = 0;
  const T* values = nullptr;
  return TIFFGetField(tiff, tag, &count, &values) != 0 ? std::vector<T>(values, values + count) : std::vector<T>();
}

std::string text_of(TIFF* tiff, std::uint32_t tag) {
  const std::vector<char> found = values_of<char>(tiff, tag);
  return found.empty() ? "" : found.data();
}

/// By libtiff, which hands out tags that it does not know with their number of values, of the page that it is at.
void expect_all(TIFF* tiff) {
  EXPECT_EQ(values_of<double>(tiff, 33550), scale);
  EXPECT_EQ(values_of<double>(tiff, 33922), tie);
  EXPECT_EQ(values_of<double>(tiff, 34264), matrix);
  EXPECT_EQ(values_of<std::uint16_t>(tiff, 34735), keys);
  EXPECT_EQ(values_of<double>(tiff, 34736), parameters);
  EXPECT_EQ(text_of(tiff, 34737), words);
  EXPECT_EQ(text_of(tiff, 42112), xml);
  EXPECT_EQ(text_of(tiff, 42113), nodata);
}

TEST(GeoTiff, StaysOfEitherByteOrderAndEveryPage) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 5, .width = 7});
  for (const char* mode : {"wl", "wb", "w8l", "w8b"}) {
    SCOPED_TRACE(mode);
    {
      const auto tiff = opened(folder / "in.tif", mode);
      write_page(tiff.get(), {.more = set_all}, 5, 7, rows_of(image, false));
      write_page(tiff.get(), {}, 5, 7, rows_of(image, false));
      write_page(tiff.get(), {.more = set_all}, 5, 7, rows_of(image, false));
    }
    const std::vector<Page> pages = read_pages(folder / "in.tif");
    EXPECT_TRUE(pages[1].metadata.geotiff.empty());
    write_pages(folder / "out.tif", pages);
    EXPECT_TRUE(same_metadata(read_pages(folder / "out.tif")[2].metadata, pages[2].metadata));
    const auto tiff = opened(folder / "out.tif", "r");
    expect_all(tiff.get());
    TIFFSetDirectory(tiff.get(), 1);
    EXPECT_EQ(text_of(tiff.get(), 42113), "");
    TIFFSetDirectory(tiff.get(), 2);
    expect_all(tiff.get());
    expect_same_written(folder / "parts.tif", pages);
    expect_same_in_parts(folder / "in.tif");
  }
}

TEST(GeoTiff, StaysWhereAFileIsFilteredWholeAndInStrips) {
  const Folder folder;
  for (const auto& [height, width] : {std::pair{60, 50}, {2100, 2050}}) {  // the second is more than 8 MiB
    const Image image = random_image(Pixel::u16, {.height = height, .width = width});
    write_odd(folder / "in.tif", {.bits = 16, .more = set_all}, height, width, rows_of(image, false));
    filter_file(make_filter("gaussian"), folder / "in.tif", folder / "out.tif");
    expect_all(opened(folder / "out.tif", "r").get());
    filter_file(make_filter("gaussian"), folder / "in.tif", folder / "out.tif", {.options = {.extent = Extent::valid}});
    EXPECT_TRUE(read_pages(folder / "out.tif")[0].metadata.geotiff.empty());
  }
}

TEST(GeoTiff, OfAnotherSizeOrTurnedIsLeftOut) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 5, .width = 7});
  write_odd(folder / "in.tif", {.more = set_all}, 5, 7, rows_of(image, false));
  Page page = std::move(read_pages(folder / "in.tif")[0]);
  EXPECT_TRUE(io::geotiff_fits(page.metadata.geotiff, {.height = 5, .width = 7}));
  EXPECT_FALSE(io::geotiff_fits(page.metadata.geotiff, {.height = 7, .width = 5}));
  page.image = random_image(Pixel::u8, {.height = 5, .width = 6});
  write_one(folder / "out.tif", page);
  EXPECT_TRUE(read_one(folder / "out.tif").metadata.geotiff.empty());
  const auto turned = [](TIFF* tiff) {
    set_all(tiff);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_BOTLEFT);
  };
  write_odd(folder / "in.tif", {.more = turned}, 5, 7, rows_of(image, false));
  EXPECT_TRUE(read_one(folder / "in.tif").metadata.geotiff.empty());
  EXPECT_TRUE(read_one(folder / "in.tif").lost_geotiff);
  EXPECT_FALSE(as_stored(folder / "in.tif").metadata.geotiff.empty());
  EXPECT_FALSE(as_stored(folder / "in.tif").lost_geotiff);
}

TEST(GeoTiff, WithoutASizeIsWrittenAndWhatIsDamagedIsNot) {
  const Folder folder;
  Page page = random_page(Pixel::u8, 5, 7, ColourModel::gray, false);
  const io::ExifEntry value{.tag = 42113, .type = io::text_type, .count = 2, .value = to_bytes(std::string_view("0\0", 2))};
  const io::ExifEntry other_type{.tag = 33550, .type = io::text_type, .count = 2, .value = to_bytes(std::string_view("0\0", 2))};
  const io::ExifEntry endless{.tag = 34737, .type = io::text_type, .count = 2, .value = to_bytes("ab")};
  const io::ExifEntry foreign{.tag = 305, .type = io::text_type, .count = 2, .value = to_bytes(std::string_view("a\0", 2))};
  page.metadata.geotiff = io::exif_bytes({.own = {foreign, other_type, endless, value}, .photo = {}, .place = {}});
  write_one(folder / "out.tif", page);
  const io::ExifDirectory found = io::geotiff_for(read_one(folder / "out.tif").metadata.geotiff, {.height = 5, .width = 7});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].tag, 42113);
  page.metadata.geotiff = to_bytes("no TIFF at all");
  write_one(folder / "out.tif", page);
  EXPECT_TRUE(read_one(folder / "out.tif").metadata.geotiff.empty());
}

}  // namespace
}  // namespace halation::test
