// parts_test.cpp: .npy and OpenEXR in parts, sinks, and what is read or written whole; tiff_parts_test.cpp has TIFF.
#include <sys/stat.h>

#include <limits>

#include "odd_exr.h"
#include "odd_npy.h"
#include "parts.h"

namespace halation::test {
namespace {

const Shape shapes_of_arrays[] = {{.width = 23},
                                  {.width = 1},
                                  {.height = 19, .width = 7},
                                  {.height = 19, .width = 1},
                                  {.height = 19, .width = 7, .channels = 3},
                                  {.depth = 11, .height = 5, .width = 7},
                                  {.depth = 11, .height = 1, .width = 7},
                                  {.depth = 11, .height = 5, .width = 7, .channels = 2}};

TEST(PartsOfNpy, EqualTheWhole) {
  const Folder folder;
  unsigned seed = 0;
  for (const Pixel pixel : all_pixels) {
    for (const Shape& shape : shapes_of_arrays) {
      Page page;
      page.image = random_image(pixel, shape, ++seed);
      page.layout = shape.channels == 1 ? ArrayLayout::by_rank : shape.depth > 1 ? ArrayLayout::dhwc : ArrayLayout::hwc;
      write_one(folder / "a.npy", page);
      expect_same_in_parts(folder / "a.npy", {.layout = page.layout}, seed);
      expect_same_written(folder / "b.npy", {&page, 1}, {}, seed);
    }
  }
}

TEST(PartsOfNpy, OfForeignElements) {
  const Folder folder;
  const std::string path = folder / "a.npy";
  std::vector<std::uint16_t> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i * 1001);
  const std::string elements = bytes_of_values(values, true);
  for (const int version : {1, 2}) {
    write_bytes(path, array(dictionary(">u2", "(10, 6)"), elements, version));
    expect_same_in_parts(path);
  }
  write_bytes(path, array(dictionary("|b1", "(30, 2, 2)"), elements));
  expect_same_in_parts(path);
  expect_same_in_parts(path, {.layout = ArrayLayout::hwc});
  write_bytes(path, array(dictionary(">u2", "(10, 6)", true), elements));
  EXPECT_TRUE(open_pages(path).empty());  // Fortran order
}

Page exr_page(Pixel pixel, std::int64_t height, std::int64_t width, ColourModel colour, bool alpha, unsigned seed) {
  Page page = random_page(pixel, height, width, colour, alpha, seed);
  page.metadata.dots_per_inch_x = 300;
  page.metadata.dots_per_inch_y = 150;
  return page;
}

TEST(PartsOfExr, EqualTheWhole) {
  const Folder folder;
  unsigned seed = 0;
  for (const Pixel pixel : {Pixel::f16, Pixel::f32}) {
    for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
      for (const bool alpha : {false, true}) {
        for (const auto& [height, width] : {std::pair{1, 1}, {1, 9}, {9, 1}, {70, 40}, {600, 3}}) {
          const Page page = exr_page(pixel, height, width, colour, alpha, ++seed);
          expect_same_written(folder / "a.exr", {&page, 1}, {}, seed);
          expect_same_in_parts(folder / "a.exr", {}, seed);
        }
      }
    }
  }
  Page other;
  other.image = random_image(Pixel::f16, {.height = 33, .width = 4, .channels = 5});
  expect_same_written(folder / "a.exr", {&other, 1});
  expect_same_in_parts(folder / "a.exr");
}

TEST(PartsOfExr, OfTilesCompressionsAndWindows) {
  const Folder folder;
  const auto samples = elements_of<float>(random_page(Pixel::f32, 37, 50, ColourModel::gray).image);
  for (const Imf::Compression compression :
       {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION, Imf::DWAB_COMPRESSION}) {
    Imf::Header header(50, 37);
    header.dataWindow() = Imath::Box2i({-7, -20}, {42, 16});
    header.compression() = compression;
    write_odd(folder / "a.exr", header, {{"Y", {Imf::FLOAT, samples}}, {"A", {Imf::HALF, samples}}});
    expect_same_in_parts(folder / "a.exr");

    header.setTileDescription(Imf::TileDescription(16, 16, Imf::ONE_LEVEL));
    const Planes stored(header, {{"Y", {Imf::FLOAT, samples}}});
    {
      Imf::TiledOutputFile file((folder / "b.exr").c_str(), header);
      file.setFrameBuffer(stored.frame());
      file.writeTiles(0, file.numXTiles() - 1, 0, file.numYTiles() - 1);
    }
    expect_same_in_parts(folder / "b.exr");
  }
}

TEST(PartsOfExr, OfSeveralParts) {
  const Folder folder;
  std::vector<Imf::Header> headers;
  std::vector<Planes> stored;
  const auto samples = elements_of<float>(random_page(Pixel::f32, 40, 6, ColourModel::gray).image);
  for (int part = 0; part < 3; ++part) {
    headers.emplace_back(Imath::Box2i({0, 0}, {5, 39}), Imath::Box2i({0, 0}, {5, 19 + 10 * part}));
    headers.back().setName("part" + std::to_string(part));
    headers.back().setType(Imf::SCANLINEIMAGE);
    stored.emplace_back(headers.back(), std::map<std::string, Plane>{{part == 0 ? "Y" : "Z", {Imf::FLOAT, samples}}});
  }
  {
    Imf::MultiPartOutputFile file((folder / "a.exr").c_str(), headers.data(), 3);
    for (int part = 0; part < 3; ++part) {
      Imf::OutputPart output(file, part);
      output.setFrameBuffer(stored[static_cast<std::size_t>(part)].frame());
      output.writePixels(20 + 10 * part);
    }
  }
  expect_same_in_parts(folder / "a.exr");
  expect_same_in_parts(folder / "a.exr", {.page = 2});
}

/// Small files that are read in parts.
std::vector<std::string> samples(const Folder& folder) {
  const auto page = [](Pixel pixel, ColourModel colour, bool alpha) {
    Page made = random_page(pixel, 24, 11, colour, alpha);
    made.metadata = full_metadata(colour == ColourModel::gray ? "GRAY" : "RGB ");
    return made;
  };
  const auto add = [&](const std::string& name, const Page& made) { write_one(folder / name, made); };
  add("half.exr", page(Pixel::f16, ColourModel::rgb, true));
  add("float.exr", page(Pixel::f32, ColourModel::gray, false));
  add("rgb.npy", page(Pixel::f64, ColourModel::rgb, false));
  add("rgba.tif", page(Pixel::u8, ColourModel::rgb, true));
  add("float.tif", page(Pixel::f32, ColourModel::gray, false));
  return {"half.exr", "float.exr", "rgb.npy", "rgba.tif", "float.tif"};
}

std::string anew(const std::string& path, std::string_view bytes) {
  std::filesystem::remove(path);
  return write_bytes(path, bytes);
}

TEST(PartsOfDamagedFiles, TruncatedOnesAreRefusedInTheWordsOfTheWhole) {
  const Folder folder;
  for (const std::string& name : samples(folder)) {
    const std::string bytes = bytes_in(folder / name);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const std::string path = anew(folder / ("cut" + name), {bytes.data(), length});
      const std::string told = message_of([&] { read_pages(path); });
      ASSERT_NE(told, "no error");
      ASSERT_EQ(told_in_parts(path, {}, 5), told) << name << " cut to " << length;
    }
  }
}

TEST(PartsOfDamagedFiles, DamagedOnesGiveTheWordsOrPixelsOfTheWhole) {
  const Folder folder;
  std::mt19937 random(5);
  int read = 0, refused = 0;
  for (const std::string& name : samples(folder)) {
    const std::string bytes = bytes_in(folder / name);
    for (int run = 0; run < 400; ++run) {
      std::string damaged = bytes;
      const unsigned flips = 1 + random() % 4;
      for (unsigned i = 0; i < flips; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
      const std::string path = anew(folder / ("bad" + name), damaged);
      std::vector<Page> pages;
      const std::string told = message_of([&] { pages = read_pages(path, {.upright = true}); });
      if (told.find(" of memory") != std::string::npos || told.find("not an image") != std::string::npos) continue;
      if (told == "no error" && open_pages(path).empty()) continue;  // Fortran order, turned
      (told == "no error" ? read : refused) += 1;
      SCOPED_TRACE(name + ", run " + std::to_string(run));
      const std::string told_at_once = told_in_parts(path, pages, std::numeric_limits<std::int64_t>::max());
      const std::string told_in_sevens = told_in_parts(path, pages, 7);
      // Of several damages another may be met first.
      if (flips == 1) {
        ASSERT_EQ(told_at_once, told);
      }
      ASSERT_EQ(told_at_once == "no error", told == "no error");
      ASSERT_EQ(told_in_sevens == "no error", told == "no error");
    }
  }
  EXPECT_GT(read, 200);
  EXPECT_GT(refused, 200);
}

TEST(OpenPages, ThrowsAsReadPagesAndLeavesTheOthersToIt) {
  const Folder folder;
  const std::string text = write_bytes(folder / "text.png", "hello"), empty = write_bytes(folder / "empty.tif", "");
  for (const std::string& path : {folder / "none.tif", text, empty, std::string("/tmp")}) {
    EXPECT_EQ(message_of([&] { open_pages(path); }), message_of([&] { read_pages(path); }));
  }
  const Page page = random_page(Pixel::u8, 4, 5, ColourModel::rgb);
  for (const char* name : {"a.png", "a.jpg", "a.webp", "a.bmp", "a.pnm"}) {
    write_one(folder / name, page);
    EXPECT_TRUE(open_pages(folder / name).empty());
  }
  EXPECT_TRUE(open_pages("-").empty());
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(open_pages(folder / "pipe").empty());
  write_one(folder / "a.npy", page);
  const std::string path = folder / "a.npy";
  for (const ReadOptions& options : {ReadOptions{.page = 2}, ReadOptions{.page = -1}, ReadOptions{.layout = ArrayLayout::hw}}) {
    EXPECT_NE(message_of([&] { open_pages(path, options); }), "no error");
    EXPECT_EQ(message_of([&] { open_pages(path, options); }), message_of([&] { read_pages(path, options); }));
  }
}

TEST(OpenPages, ChecksParts) {
  const Folder folder;
  const std::string path = folder / "a.npy";
  write_one(path, random_page(Pixel::u8, 6, 5, ColourModel::gray));
  const auto sources = open_pages(path);
  const auto told = [&](std::int64_t first, const Shape& shape, Pixel pixel) {
    Image part(shape, pixel);
    return message_of([&] { sources.front()->read(first, part); });
  };
  EXPECT_EQ(told(5, {.height = 1, .width = 5}, Pixel::u8), "no error");
  EXPECT_EQ(told(5, {.height = 2, .width = 5}, Pixel::u8), path + ": a part 5+2 of an image that is 6 long");
  EXPECT_EQ(told(-1, {.height = 2, .width = 5}, Pixel::u8), path + ": a part -1+2 of an image that is 6 long");
  EXPECT_EQ(told(0, {.height = 2, .width = 4}, Pixel::u8), path + ": a part 2x4 u8 of an image 6x5 u8");
  EXPECT_EQ(told(0, {.height = 2, .width = 5}, Pixel::u16), path + ": a part 2x5 u16 of an image 6x5 u8");
}

TEST(OpenPages, NeedsNoMemoryForTheImage) {
  const Folder folder;
  for (const char* name : {"a.npy", "a.tif", "a.exr"}) {
    const Page page = random_page(Pixel::f32, 3000, 100, ColourModel::gray);
    write_one(folder / name, page);
    const ReadOptions little = {.memory_bytes = 1000000};
    EXPECT_THAT(message_of([&] { read_pages(folder / name, little); }), testing::HasSubstr(" of memory, "));
    EXPECT_EQ(open_pages(folder / name, little).size(), 1U) << name;
  }
}

TEST(CreatePages, AppearsWhenItIsCommittedAlone) {
  const Folder folder;
  for (const char* name : {"a.npy", "a.tif", "a.exr"}) {
    const std::string path = folder / name;
    const Page page = random_page(Pixel::f32, 9, 5, ColourModel::gray);
    const auto rows = [&](std::int64_t first, std::int64_t count) { return part_of(page.image.view(), first, count); };
    for (const bool existing : {false, true}) {
      if (existing) write_bytes(path, "what was there");
      {
        const auto sink = create_pages(path, {facts_of(page)});
        sink->page(0).write(0, rows(0, 4));
        EXPECT_EQ(message_of([&] { sink->page(0).write(5, rows(5, 1)); }),
                  path + ": a part begins at 5, the one before ended at 4");
        EXPECT_EQ(message_of([&] { sink->commit(); }), path + ": page 1 is not complete: 4 of 9 have been written");
        EXPECT_EQ(message_of([&] { sink->page(1); }), path + ": page 2 of 1 does not follow page 1");
        sink->page(0).write(4, rows(4, 5));
        EXPECT_NE(message_of([&] { sink->page(0).write(9, rows(0, 1)); }), "no error");
      }
      EXPECT_EQ(bytes_in(path), existing ? "what was there" : "");
      EXPECT_EQ(folder.files(), existing ? 1U : 0U);
      const auto sink = create_pages(path, {facts_of(page)});
      sink->page(0).write(0, page.image);
      sink->commit();
      EXPECT_NE(message_of([&] { sink->commit(); }), "no error");
      expect_same_pixels(read_image(path), page.image);
      std::filesystem::remove(path);
    }
  }
}

TEST(CreatePages, SaysWhatIsWrittenWhole) {
  const Folder folder;
  const Page page = random_page(Pixel::u8, 4, 5, ColourModel::rgb);
  const std::vector<PageFacts> facts = {facts_of(page)};
  EXPECT_FALSE(is_written_in_parts(folder / "a.png", facts));
  EXPECT_TRUE(is_written_in_parts(folder / "a.png", facts, {.format = "npy"}));
  EXPECT_FALSE(is_written_in_parts(folder / "a.what", facts));
  EXPECT_TRUE(is_written_in_parts(folder / "a.TIF", facts));
  EXPECT_EQ(message_of([&] { create_pages(folder / "a.png", facts); }),
            (folder / "a.png") + ": PNG is written whole, not in parts; .npy, .tif and .exr are written in parts");
  const Page cmyk = random_page(Pixel::f32, 4, 5, ColourModel::cmyk);
  EXPECT_FALSE(is_written_in_parts(folder / "a.exr", std::vector{facts_of(cmyk)}));
  EXPECT_TRUE(is_written_in_parts(folder / "a.tif", std::vector{facts_of(cmyk)}));
  EXPECT_EQ(message_of([&] { create_pages(folder / "a.exr", {facts_of(cmyk)}); }),
            (folder / "a.exr") +
                ": OpenEXR of CMYK pages is written whole, not in parts; .npy, .tif and .exr are written in parts");
  // As `write_pages` refuses
  for (const std::string& path : {folder / "a.exr", folder / "a.what", folder / "none/a.npy"}) {
    EXPECT_EQ(message_of([&] { create_pages(path, facts); }), message_of([&] { write_one(path, page); }));
  }
  EXPECT_EQ(message_of([&] { create_pages(folder / "a.npy", {}); }), (folder / "a.npy") + ": no pages to write");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(CreatePages, SaysWhyTheSystemCannotWrite) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const Page page = random_page(Pixel::f32, 200, 500, ColourModel::gray);
  for (const char* format : {"npy", "tiff", "exr"}) {
    const auto sink = create_pages("/dev/full", {facts_of(page)}, {.format = format});
    sink->page(0).write(0, page.image);
    EXPECT_EQ(message_of([&] { sink->commit(); }), "/dev/full: cannot be written: No space left on device");
  }
}

}  // namespace
}  // namespace halation::test
