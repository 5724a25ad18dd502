// stack_description_test.cpp: what an ImageDescription says of all pages of a TIFF stays only where it still holds.
#include "odd_tiff.h"

namespace halation::test {
namespace {

constexpr const char* imagej = "ImageJ=1.11a\nimages=3\nslices=3\nloop=false\n";
constexpr const char* ome = R"(<?xml version="1.0"?><OME><Image ID="Image:0"><Pixels ID="P" SizeX="8" SizeY="6" SizeZ="3" SizeC="1" SizeT="1" Type="uint8"/></Image></OME>)";
constexpr const char* tifffile = R"({"shape": [3, 6, 8], "axes": "ZYX"})";

/// A file of so many pages of 6×8 u8, the first of which is described so.
std::vector<Page> stack(const std::string& path, const std::string& description, int pages) {
  const Image image = random_image(Pixel::u8, {.height = 6, .width = 8});
  {
    const auto tiff = opened(path, "w");
    for (int i = 0; i < pages; ++i) {
      const auto more = [&](TIFF* t) { TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION, description.c_str()); };
      write_page(tiff.get(), i == 0 ? Odd{.more = more} : Odd{}, 6, 8, rows_of(image, false));
    }
  }
  return read_pages(path);
}

/// The description of the first page of what is written.
std::string description_of(const std::string& path, const std::vector<Page>& pages) {
  write_pages(path, pages);
  const auto tiff = opened(path, "r");
  const char* found = "";
  return TIFFGetField(tiff.get(), TIFFTAG_IMAGEDESCRIPTION, &found) != 0 ? found : "";
}

TEST(StackDescription, StaysWhereItHoldsOfTheWrittenPages) {
  const Folder folder;
  for (const char* text : {imagej, ome, tifffile, "a cell", "ImageJ=1.54f\nunit=micron\n"}) {
    SCOPED_TRACE(text);
    const bool counts = std::string_view(text).find('3') != std::string_view::npos && std::string_view(text).find("micron") == std::string_view::npos;
    std::vector<Page> pages = stack(folder / "in.tif", text, std::string_view(text).starts_with("ImageJ=1.54f") ? 1 : 3);
    EXPECT_EQ(description_of(folder / "out.tif", pages), text);
    pages.resize(1);
    EXPECT_EQ(description_of(folder / "out.tif", pages), counts ? "" : text);
  }
}

TEST(StackDescription, GoesWithAnotherSizeOrPixelThatItNames) {
  const Folder folder;
  for (const char* text : {imagej, ome, tifffile}) {
    SCOPED_TRACE(text);
    const bool is_imagej = text == imagej;  // which says only how many images there are
    std::vector<Page> pages = stack(folder / "in.tif", text, 3);
    for (Page& page : pages) page.image = random_image(Pixel::u8, {.height = 8, .width = 6});
    EXPECT_EQ(description_of(folder / "out.tif", pages), is_imagej ? text : "");
    for (Page& page : pages) page.image = random_image(Pixel::f32, {.height = 6, .width = 8});
    EXPECT_EQ(description_of(folder / "out.tif", pages), text == ome ? "" : text);
  }
}

TEST(StackDescription, NamesItsProgramOnEveryPage) {
  const Folder folder;
  for (const auto& [text, program] : {std::pair{imagej, "ImageJ"}, {ome, "OME"}, {tifffile, ""}, {"a cell by ImageJ=1", ""}}) {
    for (const Page& page : stack(folder / "in.tif", text, 3)) EXPECT_EQ(page.described_by, program);
    for (const auto& page : open_pages(folder / "in.tif", {.page = 2})) EXPECT_EQ(page->facts().described_by, program);
    EXPECT_EQ(read_pages(folder / "in.tif", {.page = 3})[0].described_by, program);
  }
}

TEST(StackDescription, OfImagesInOnePageIsRefused) {
  const Folder folder;
  const Image image = random_image(Pixel::u8, {.height = 18, .width = 8});
  const auto write = [&](int height, int compression) {
    const auto more = [](TIFF* t) { TIFFSetField(t, TIFFTAG_IMAGEDESCRIPTION, imagej); };
    write_odd(folder / "a.tif", {.compression = compression, .rows_per_strip = 18, .more = more}, height, 8, rows_of(image, false));
  };
  // The samples of all three, of which the page names a third.
  write(18, COMPRESSION_NONE);
  {
    const auto tiff = opened(folder / "a.tif", "r+");
    TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, 6);
    ASSERT_EQ(TIFFRewriteDirectory(tiff.get()), 1);
  }
  const std::string sentence =
      (folder / "a.tif") + ": TIFF of 3 images in one page, as ImageJ writes stacks of more than 4 GB; save it as OME-TIFF, or as BigTIFF with a page for each";
  EXPECT_EQ(message_of([&] { read_pages(folder / "a.tif"); }), sentence);
  EXPECT_EQ(message_of([&] { open_pages(folder / "a.tif"); }), sentence);
  write(18, COMPRESSION_ADOBE_DEFLATE);
  EXPECT_EQ(read_pages(folder / "a.tif").size(), 1U);
}

}  // namespace
}  // namespace halation::test
