// past_caches_test.cpp: what is copied past the caches is what was to be copied, of any rows, and nothing else.
#include "pipeline/strips/past_caches.h"

#include <gtest/gtest.h>

#include <cstring>

#include "halation/error.h"

namespace halation {
namespace {

Image noise(const Shape& shape, Pixel pixel) {
  Image image(shape, pixel);
  const std::int64_t bytes = shape.elements() * static_cast<std::int64_t>(bytes_of(pixel));
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < bytes; ++i) {
    state = state * 1664525U + 1013904223U;
    image.view().data[i] = static_cast<std::byte>(state >> 24U);
  }
  return image;
}

bool are_equal(const Image& a, const Image& b) {
  const std::int64_t bytes = a.shape().elements() * static_cast<std::int64_t>(bytes_of(a.pixel()));
  return std::memcmp(a.view().data, b.view().data, static_cast<std::size_t>(bytes)) == 0;
}

TEST(PastCaches, IsACopy) {
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::f32, Pixel::f64}) {
    for (const std::int64_t width : {1, 3, 15, 16, 17, 64, 100, 256, 1000, 4099}) {
      for (const std::int64_t channels : {1, 3, 4}) {
        for (const Shape& shape : {Shape{.height = 5, .width = width, .channels = channels}, Shape{.depth = 3, .height = 2, .width = width, .channels = channels}}) {
          const Image in = noise(shape, pixel);
          Image out(shape, pixel);
          std::memset(out.view().data, 0xEE, static_cast<std::size_t>(shape.elements()) * bytes_of(pixel));
          copy_past_caches(in.view(), out.view());
          EXPECT_TRUE(are_equal(in, out)) << to_string(shape) << " " << name_of(pixel);
        }
      }
    }
  }
}

TEST(PastCaches, LeavesWhatLiesBeside) {
  const Image in = noise({.height = 40, .width = 128}, Pixel::u8);
  for (const std::int64_t x : {0, 1, 16, 31}) {
    Image expected = noise({.height = 60, .width = 256}, Pixel::u8);
    Image found = expected.clone();
    const auto part = [&](Image& image) { return image.view().crop({.y = 7, .x = x, .height = 40, .width = 128}); };
    copy(in.view(), part(expected));
    copy_past_caches(in.view(), part(found));
    EXPECT_TRUE(are_equal(expected, found)) << x;
  }
}

TEST(PastCaches, TakesAnyStrides) {
  const Image in = noise({.height = 33, .width = 64, .channels = 3}, Pixel::u16);
  Image planar(in.shape(), in.pixel(), Layout::planar);
  copy_past_caches(in.view(), planar.view());
  Image back(in.shape(), in.pixel());
  copy_past_caches(planar.view(), back.view());
  EXPECT_TRUE(are_equal(in, back));
  View upside_down = back.view();
  upside_down.data += (upside_down.shape.height - 1) * upside_down.strides.height;
  upside_down.strides.height = -upside_down.strides.height;
  copy_past_caches(in.view(), upside_down);
  const std::size_t row = std::size_t{64} * 3 * 2;
  for (std::int64_t y = 0; y < 33; ++y)
    EXPECT_EQ(std::memcmp(back.view().data + (32 - y) * in.view().strides.height, in.view().data + y * in.view().strides.height, row), 0);
}

TEST(PastCaches, RefusesUnlikeImages) {
  Image in({.height = 4, .width = 64}, Pixel::u8), out({.height = 4, .width = 65}, Pixel::u8);
  EXPECT_THROW(copy_past_caches(in.view(), out.view()), Error);
}

}  // namespace
}  // namespace halation
