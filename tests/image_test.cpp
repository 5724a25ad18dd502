// image_test.cpp: shapes, strides, views without copies, ownership, and memory that does not exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halation/error.h"
#include "halation/image.h"
#include "message_of.h"

namespace halation {
namespace {

TEST(Shape, DimensionsFollowTheExtents) {
  EXPECT_EQ((Shape{.width = 9}).dims(), 1);
  EXPECT_EQ((Shape{.height = 2, .width = 9}).dims(), 2);
  EXPECT_EQ((Shape{.depth = 2}).dims(), 3);
  EXPECT_EQ(to_string(Shape{.batch = 4, .height = 5, .width = 6, .channels = 3}), "4x1x5x6x3");
  EXPECT_EQ(to_string(Shape{.height = 5, .width = 6}), "5x6");
}

TEST(Shape, CountsElementsOrSaysThatTheyAreTooMany) {
  EXPECT_EQ((Shape{2, 3, 4, 5, 6}).elements(), 720);
  const Shape huge{.depth = std::int64_t{1} << 31, .height = std::int64_t{1} << 31, .width = 4};
  EXPECT_EQ(message_of([&] { (void)huge.elements(); }),
            "image 2147483648x2147483648x4 has more elements than 63 bits count");
}

TEST(Strides, PackedPitchedInterleavedPlanar) {
  const Shape shape{.batch = 2, .depth = 3, .height = 4, .width = 5, .channels = 3};
  EXPECT_EQ(strides_of(shape, Pixel::u16), (Strides{.batch = 360, .depth = 120, .height = 30, .width = 6, .channels = 2}));
  EXPECT_EQ(strides_of(shape, Pixel::u16, Layout::planar),
            (Strides{.batch = 360, .depth = 40, .height = 10, .width = 2, .channels = 120}));
  EXPECT_EQ(strides_of(shape, Pixel::u16, Layout::interleaved, 64).depth, 256);
  EXPECT_EQ(message_of([&] { strides_of(shape, Pixel::u16, Layout::interleaved, 29); }),
            "row pitch must be at least 30 bytes for image 2x3x4x5x3, got 29");
}

TEST(View, CropsAndPicksWithoutCopying) {
  Image image({.height = 4, .width = 5, .channels = 2}, Pixel::u8);
  for (int i = 0; i < 40; ++i) reinterpret_cast<std::uint8_t*>(image.view().data)[i] = static_cast<std::uint8_t>(i);
  const View part = image.view().crop({.y = 2, .x = 1, .height = 2, .width = 3});
  EXPECT_EQ(part.at<std::uint8_t>({.y = 0, .x = 0}), 22);
  EXPECT_EQ(part.channel(1).at<std::uint8_t>({.y = 1, .x = 2}), 37);
  part.at<std::uint8_t>({.y = 0, .x = 0}) = 99;
  EXPECT_EQ(image.view().at<std::uint8_t>({.y = 2, .x = 1}), 99);
  EXPECT_EQ(message_of([&] { (void)image.view().crop({.x = 3, .width = 3}); }),
            "crop: region (z 0+1, y 0+1, x 3+3) leaves the image 4x5x2");
  EXPECT_EQ(message_of([&] { (void)image.view().channel(2); }), "channel: index must be in [0, 2), got 2");
  EXPECT_EQ(message_of([&] { (void)image.view().batch(-1); }), "batch: index must be in [0, 1), got -1");
}

TEST(Image, IsAlignedAndPitched) {
  const Image image({.height = 3, .width = 5}, Pixel::f32, Layout::interleaved, 64);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.view().data) % 64, 0U);
  EXPECT_EQ(image.view().strides.height, 64);
}

TEST(Image, FreesAdoptedMemoryOnceByItsOwner) {
  int released = 0;
  std::byte memory[6];
  {
    const Shape shape{.height = 2, .width = 3};
    Image image({memory, shape, strides_of(shape, Pixel::u8), Pixel::u8, cpu()}, [&](std::byte* p) {
      EXPECT_EQ(p, memory);
      ++released;
    });
    Image moved = std::move(image);
    EXPECT_EQ(released, 0);
    EXPECT_FALSE(moved.empty());
  }
  EXPECT_EQ(released, 1);
}

TEST(Image, CloneIsPackedAndIndependent) {
  Image planar({.height = 2, .width = 2, .channels = 2}, Pixel::i16, Layout::planar, 16);
  for (int c = 0; c < 2; ++c)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 2; ++x) {
        planar.view().at<std::int16_t>({.y = y, .x = x, .c = c}) = static_cast<std::int16_t>(100 * c + 10 * y + x);
      }
  const Image twin = planar.clone();
  EXPECT_EQ(twin.view().strides, strides_of(twin.shape(), Pixel::i16));
  planar.view().at<std::int16_t>({.y = 1, .x = 1, .c = 1}) = -1;
  EXPECT_EQ(twin.view().at<std::int16_t>({.y = 1, .x = 1, .c = 1}), 111);
}

TEST(Image, RefusesNonsenseAndWhatTheMachineDoesNotHave) {
  EXPECT_EQ(message_of([] { Image({.height = 0, .width = 5}, Pixel::u8); }), "image extents must be at least 1, got 0x5");
  try {
    const Image huge({.height = 1 << 24, .width = 1 << 24}, Pixel::f64);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_THAT(error.what(), testing::StartsWith("image 16777216x16777216 f64 needs 2251799.8 GB of memory, "));
  }
}

TEST(Copy, NeedsEqualShapesAndPixels) {
  const Image a({.width = 4}, Pixel::u8);
  Image b({.width = 4}, Pixel::u16);
  EXPECT_EQ(message_of([&] { copy(a, b); }), "copy: shape and pixel must be equal, got 1x4 u8 and 1x4 u16");
}

}  // namespace
}  // namespace halation
