// exr_test.cpp: OpenEXR files, odd ones made by OpenEXR itself.
#include <limits>

#include "odd_exr.h"

namespace halation::test {
namespace {

/// Alpha of 1, 1/2, 1/4 and 0 only, with which products and quotients are exact; colour is 0 where alpha is.
Page page_with_exact_alpha(Pixel pixel, ColourModel colour) {
  Page page = random_page(pixel, 8, 9, colour, true);
  const std::int64_t last = page.image.shape().channels - 1;
  for (std::int64_t y = 0; y < 8; ++y) {
    for (std::int64_t x = 0; x < 9; ++x) {
      const double alpha = std::vector<double>{1, 0.5, 0.25, 0}[static_cast<std::size_t>((x + y) % 4)];
      for (std::int64_t c = 0; c <= last; ++c) {
        if (c < last && alpha != 0) continue;
        if (pixel == Pixel::f16) page.image.view().at<f16>({.y = y, .x = x, .c = c}) = f16(c == last ? alpha : 0);
        if (pixel == Pixel::f32)
          page.image.view().at<float>({.y = y, .x = x, .c = c}) = static_cast<float>(c == last ? alpha : 0);
      }
    }
  }
  return page;
}

TEST(Exr, RoundTripsHalfAndFloatBitExactly) {
  const Folder folder;
  for (const Pixel pixel : {Pixel::f16, Pixel::f32}) {
    for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb}) {
      for (const auto& [height, width] : {std::pair{1, 1}, {1, 9}, {9, 1}, {70, 40}}) {
        const Page page = random_page(pixel, height, width, colour);
        write_one(folder / "a.exr", page);
        const Page back = read_one(folder / "a.exr");
        expect_same_pixels(back.image, page.image);
        EXPECT_EQ(back.colour, colour);
        EXPECT_FALSE(back.alpha);
        EXPECT_TRUE(back.linear_light);
      }
      const Page clear = page_with_exact_alpha(pixel, colour);
      write_one(folder / "b.exr", clear);
      const Page back = read_one(folder / "b.exr");
      expect_same_pixels(back.image, clear.image);
      EXPECT_EQ(back.colour, colour);
      EXPECT_TRUE(back.alpha);
    }
  }
}

TEST(Exr, StoresColourPremultiplied) {
  const Folder folder;
  Page page;
  page.image = Image({.width = 2, .channels = 4}, Pixel::f32);
  const float straight[] = {0.5F, 1.0F, 8.0F, 0.25F, 3.0F, 2.0F, 1.0F, 0.0F};
  std::memcpy(page.image.view().data, straight, sizeof straight);
  page.colour = ColourModel::rgb;
  page.alpha = true;
  write_one(folder / "a.exr", page);

  Imf::InputFile file((folder / "a.exr").c_str());
  float seen[8] = {};
  Imf::FrameBuffer frame;
  int c = 0;
  for (const char* name : {"R", "G", "B", "A"}) {
    frame.insert(name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(seen + c++), 16, 32));
  }
  file.setFrameBuffer(frame);
  file.readPixels(0, 0);
  EXPECT_THAT(seen, testing::ElementsAre(0.125F, 0.25F, 2.0F, 0.25F, 0, 0, 0, 0));
}

TEST(Exr, LeavesLightWithoutAlphaAsItIs) {
  const Folder folder;
  write_odd(folder / "a.exr", Imf::Header(2, 1),
            {{"A", {Imf::HALF, {0, 0.5F}}},
             {"R", {Imf::HALF, {3, 3}}},
             {"G", {Imf::HALF, {2, 2}}},
             {"B", {Imf::HALF, {1, 0}}}});
  const Page page = read_one(folder / "a.exr");
  std::vector<double> values;
  for (const f16 value : elements_of<f16>(page.image)) values.push_back(static_cast<double>(value));
  EXPECT_EQ(values, (std::vector<double>{3, 2, 1, 0, 6, 4, 0, 0.5}));
}

TEST(Exr, NanAndInfinityPassThrough) {
  const Folder folder;
  Image image({.width = 3}, Pixel::f32);
  const float values[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -1.0F};
  std::memcpy(image.view().data, values, sizeof values);
  write_image(folder / "a.exr", image);
  expect_same_pixels(read_image(folder / "a.exr"), image);
}

TEST(Exr, ReadsTheDataWindowWhereverItLies) {
  const Folder folder;
  const Imath::Box2i display({0, 0}, {9, 9});
  write_odd(folder / "a.exr", Imf::Header(display, Imath::Box2i({-3, 5}, {-1, 6})),
            {{"Y", {Imf::FLOAT, {1, 2, 3, 4, 5, 6}}}});
  const Page page = read_one(folder / "a.exr");
  EXPECT_EQ(to_string(page.image.shape()), "2x3");
  EXPECT_EQ(elements_of<float>(page.image), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Exr, ReadsAnyNamesInAlphabeticalOrder) {
  const Folder folder;
  write_odd(
      folder / "a.exr", Imf::Header(2, 1),
      {{"Z", {Imf::FLOAT, {1e10F, 2}}}, {"A", {Imf::FLOAT, {0.5F, 0.5F}}}, {"left.R", {Imf::FLOAT, {5, 6}}}});
  const Page page = read_one(folder / "a.exr");
  EXPECT_EQ(page.colour, ColourModel::other);
  EXPECT_FALSE(page.alpha);
  EXPECT_EQ(elements_of<float>(page.image), (std::vector<float>{0.5F, 1e10F, 5, 0.5F, 2, 6}));
}

TEST(Exr, RoundTripsChannelsWithoutColour) {
  const Folder folder;
  for (const std::int64_t channels : {2, 4, 5, 12}) {
    Page page;
    page.image = random_image(Pixel::f16, {.height = 3, .width = 4, .channels = channels});
    write_one(folder / "a.exr", page);
    const Page back = read_one(folder / "a.exr");
    expect_same_pixels(back.image, page.image);
    EXPECT_EQ(back.colour, ColourModel::other);
  }
}

TEST(Exr, ReadsMixedChannelsAsFloat) {
  const Folder folder;
  write_odd(folder / "a.exr", Imf::Header(1, 1),
            {{"R", {Imf::HALF, {0.5F}}}, {"G", {Imf::FLOAT, {0.1F}}}, {"B", {Imf::HALF, {2}}}});
  EXPECT_EQ(elements_of<float>(read_image(folder / "a.exr")), (std::vector<float>{0.5F, 0.1F, 2}));
}

TEST(Exr, ReadsTilesAndEveryLosslessCompression) {
  const Folder folder;
  const Page page = random_page(Pixel::f32, 37, 50, ColourModel::gray);
  const auto samples = elements_of<float>(page.image);
  for (const Imf::Compression compression : {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION,
                                             Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION}) {
    Imf::Header header(50, 37);
    header.compression() = compression;
    write_odd(folder / "a.exr", header, {{"Y", {Imf::FLOAT, samples}}});
    expect_same_pixels(read_image(folder / "a.exr"), page.image);

    header.setTileDescription(Imf::TileDescription(16, 16, Imf::ONE_LEVEL));
    const Planes stored(header, {{"Y", {Imf::FLOAT, samples}}});
    {
      Imf::TiledOutputFile file((folder / "b.exr").c_str(), header);
      file.setFrameBuffer(stored.frame());
      file.writeTiles(0, file.numXTiles() - 1, 0, file.numYTiles() - 1);
    }
    expect_same_pixels(read_image(folder / "b.exr"), page.image);
  }
}

TEST(Exr, ReadsPartsAsPages) {
  const Folder folder;
  std::vector<Imf::Header> headers;
  std::vector<Planes> stored;
  for (int part = 0; part < 2; ++part) {
    headers.emplace_back(Imath::Box2i({0, 0}, {1, 1}), Imath::Box2i({0, 0}, {1, part}));
    headers.back().setName("part" + std::to_string(part));
    headers.back().setType(Imf::SCANLINEIMAGE);
    stored.emplace_back(headers.back(),
                        std::map<std::string, Plane>{{part == 0 ? "Y" : "Z", {Imf::FLOAT, {1, 2, 3, 4}}}});
  }
  {
    Imf::MultiPartOutputFile file((folder / "a.exr").c_str(), headers.data(), 2);
    for (int part = 0; part < 2; ++part) {
      Imf::OutputPart output(file, part);
      output.setFrameBuffer(stored[static_cast<std::size_t>(part)].frame());
      output.writePixels(1 + part);
    }
  }
  const std::vector<Page> pages = read_pages(folder / "a.exr");
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(elements_of<float>(pages[0].image), (std::vector<float>{1, 2}));
  EXPECT_EQ(elements_of<float>(pages[1].image), (std::vector<float>{1, 2, 3, 4}));
}

TEST(Exr, KeepsResolution) {
  const Folder folder;
  Page page = random_page(Pixel::f16, 3, 4, ColourModel::gray);
  page.metadata.dots_per_inch_x = 300;
  page.metadata.dots_per_inch_y = 150;
  write_one(folder / "a.exr", page);
  EXPECT_EQ(read_one(folder / "a.exr").metadata.dots_per_inch_x, 300);
  EXPECT_EQ(read_one(folder / "a.exr").metadata.dots_per_inch_y, 150);
}

TEST(Exr, SaysWhatItCannotRead) {
  const Folder folder;
  write_odd(folder / "a.exr", Imf::Header(1, 1), {{"id", {Imf::UINT, {7}}}});
  EXPECT_EQ(message_of([&] { read_image(folder / "a.exr"); }),
            (folder / "a.exr") + ": OpenEXR channel id holds 32-bit integers; halation reads half and float");

  Imf::Header header(2, 2);
  header.channels().insert("BY", Imf::Channel(Imf::HALF, 2, 2));
  const Imath::half sample(1);
  Imf::FrameBuffer frame;
  frame.insert("BY",
               Imf::Slice(Imf::HALF, const_cast<char*>(reinterpret_cast<const char*>(&sample)), 2, 2, 2, 2));
  {
    Imf::OutputFile file((folder / "b.exr").c_str(), header);
    file.setFrameBuffer(frame);
    file.writePixels(2);
  }
  EXPECT_EQ(message_of([&] { read_image(folder / "b.exr"); }),
            (folder / "b.exr") + ": OpenEXR channel BY is subsampled; halation reads full resolution");
}

}  // namespace
}  // namespace halation::test
