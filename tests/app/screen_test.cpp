// screen_test.cpp: what the studio shows of a picture, beside means taken sample by sample in double.
#include "app/studio/picture/screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "app/filtering/shown_range.h"
#include "app/studio/picture/histogram.h"
#include "core/convert.h"
#include "halation/error.h"
#include "pipeline/colour/srgb.h"
#include "tests/message_of.h"

namespace halation::app {
namespace {

/// Values within what is shown, a few beyond it.
Image random_picture(const Shape& shape, Pixel pixel, unsigned seed, Layout layout = Layout::interleaved) {
  Image image(shape, pixel, layout);
  std::mt19937 random(seed);
  const ShownRange range = shown_range(pixel);
  std::uniform_real_distribution<double> values(is_float(pixel) ? -0.1 : range.black, is_float(pixel) ? 1.1 : range.white);
  const View view = image;
  visit_pixel(pixel, [&](auto like) {
    using T = decltype(like);
    for (std::int64_t z = 0; z < shape.depth; ++z)
      for (std::int64_t y = 0; y < shape.height; ++y)
        for (std::int64_t x = 0; x < shape.width; ++x)
          for (std::int64_t c = 0; c < shape.channels; ++c)
            view.at<T>({.z = z, .y = y, .x = x, .c = c}) = to_element<T>(values(random), Rounding::half_even);
  });
  return image;
}

double value_at(const ConstView& view, const Position& at) {
  return visit_pixel(view.pixel, [&](auto like) { return static_cast<double>(view.at<decltype(like)>(at)); });
}

/// How much of [i, i + 1) lies in [from, to).
double share(double i, double from, double to) { return std::max(0.0, std::min(i + 1, to) - std::max(i, from)); }

/// The definition in screen.h, in levels.
std::vector<double> expected(const PageFacts& page, const ConstView& view, Pixel scale, const Region& part, std::int64_t width, std::int64_t height) {
  const ShownRange range = shown_range(scale), own = shown_range(page.pixel);
  const std::int64_t all = page.shape.channels, colours = all - (page.alpha ? 1 : 0);
  const std::int64_t summed = page.colour == ColourModel::cmyk ? 4 : colours >= 3 ? 3 : 1;
  std::vector<double> levels;
  for (std::int64_t oy = 0; oy < height; ++oy) {
    for (std::int64_t ox = 0; ox < width; ++ox) {
      const double fy = static_cast<double>(part.height) / static_cast<double>(height), fx = static_cast<double>(part.width) / static_cast<double>(width);
      std::vector<double> sums(4);
      double covered = 0, area = 0;
      for (std::int64_t y = 0; y < part.height; ++y) {
        for (std::int64_t x = 0; x < part.width; ++x) {
          const double weight = share(static_cast<double>(y), static_cast<double>(oy) * fy, static_cast<double>(oy + 1) * fy) *
                                share(static_cast<double>(x), static_cast<double>(ox) * fx, static_cast<double>(ox + 1) * fx);
          if (weight == 0) continue;
          const auto at = [&](std::int64_t c) { return value_at(view, {.z = part.z, .y = part.y + y, .x = part.x + x, .c = c}); };
          const double alpha = page.alpha ? (at(all - 1) - own.black) / (own.white - own.black) : 1;
          for (std::int64_t c = 0; c < summed; ++c) sums[static_cast<std::size_t>(c)] += weight * alpha * at(c);
          covered += weight * alpha;
          area += weight;
        }
      }
      std::vector<double> shown(4);
      for (std::int64_t c = 0; c < summed; ++c)
        shown[static_cast<std::size_t>(c)] = covered > 0 ? (sums[static_cast<std::size_t>(c)] / covered - range.black) / (range.white - range.black) : 0;
      if (summed == 4) {
        for (std::size_t c = 0; c < 3; ++c) shown[c] = (1 - shown[c]) * (1 - shown[3]);
      }
      for (std::size_t c = 0; c < 3; ++c) {
        const double value = shown[summed == 1 ? 0 : c];
        levels.push_back(255 * std::clamp(page.linear_light ? srgb_encode(value) : value, 0.0, 1.0));
      }
      levels.push_back(page.alpha ? 255 * std::clamp(covered / area, 0.0, 1.0) : 255);
    }
  }
  return levels;
}

void check(const PageFacts& page, const ConstView& view, Pixel scale, const Look& look, std::int64_t part_length) {
  Screen screen(page, scale, look);
  const std::int64_t length = length_of(page.shape);
  for (std::int64_t first = 0; first < length; first += part_length)
    screen.take(part_of(view, first, std::min(part_length, length - first)), first);
  const std::vector<std::uint8_t> shown = screen.rgba();
  const std::vector<double> wanted = expected(page, view, scale, look.part, screen.width(), screen.height());
  ASSERT_EQ(shown.size(), wanted.size());
  for (std::size_t i = 0; i < shown.size(); ++i) ASSERT_NEAR(shown[i], wanted[i], 0.51) << "sample " << i % 4 << " of pixel " << i / 4;
}

PageFacts facts(const Shape& shape, Pixel pixel, ColourModel colour, bool alpha = false, bool linear_light = false) {
  return {.shape = shape, .pixel = pixel, .colour = colour, .alpha = alpha, .linear_light = linear_light, .metadata = {}};
}

TEST(Screen, IsTheMeanOfWhatAPixelCovers) {
  for (const Pixel pixel : native_pixels) {
    for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
      const Shape shape{.height = 37, .width = 53, .channels = channels};
      const bool alpha = channels == 2 || channels == 4;
      const PageFacts page = facts(shape, pixel, channels >= 3 ? ColourModel::rgb : ColourModel::gray, alpha);
      const Image image = random_picture(shape, pixel, static_cast<unsigned>(channels));
      for (const std::int64_t width : {1, 7, 26, 52, 53, 900}) {
        SCOPED_TRACE(std::string(name_of(pixel)) + ", channels " + std::to_string(channels) + ", width " + std::to_string(width));
        check(page, image, pixel, {.part = whole_of(shape), .width = width}, 37);
        check(page, image, pixel, {.part = {.y = 5, .x = 11, .height = 29, .width = 31}, .width = width}, 4);
      }
    }
  }
}

TEST(Screen, TakesVolumesSignalsPlanesAndLight) {
  const Shape volume{.depth = 7, .height = 9, .width = 11};
  const Image slices = random_picture(volume, Pixel::u16, 3);
  for (const std::int64_t z : {0, 3, 6})
    check(facts(volume, Pixel::u16, ColourModel::gray), slices, Pixel::u16, {.part = {.z = z, .height = 9, .width = 11}, .width = 5}, 2);
  const Shape signal{.width = 1000};
  check(facts(signal, Pixel::f32, ColourModel::gray), random_picture(signal, Pixel::f32, 4), Pixel::f32, {.part = whole_of(signal), .width = 77}, 130);
  const Shape column{.height = 1000, .width = 1};
  check(facts(column, Pixel::u8, ColourModel::gray), random_picture(column, Pixel::u8, 5), Pixel::u8, {.part = whole_of(column), .width = 77}, 130);
  const Shape planes{.height = 20, .width = 30, .channels = 3};
  check(facts(planes, Pixel::u8, ColourModel::rgb), random_picture(planes, Pixel::u8, 6, Layout::planar), Pixel::u8, {.part = whole_of(planes), .width = 12}, 20);
  check(facts(planes, Pixel::f32, ColourModel::rgb, false, true), random_picture(planes, Pixel::f32, 7), Pixel::f32, {.part = whole_of(planes), .width = 12}, 6);
  const Shape tall{.height = 1500, .width = 300, .channels = 3};  // more rows an output than 16 bits can add up
  Image white(tall, Pixel::u8);
  std::fill_n(white.view().data, tall.elements(), std::byte{255});
  check(facts(tall, Pixel::u8, ColourModel::rgb), white, Pixel::u8, {.part = whole_of(tall), .width = 1}, 1500);
  const Shape wide{.height = 9, .width = 3000, .channels = 3};  // than sums are held at a time
  check(facts(wide, Pixel::u8, ColourModel::rgb), random_picture(wide, Pixel::u8, 9), Pixel::u8, {.part = whole_of(wide), .width = 1100}, 9);
  const Shape inks{.height = 20, .width = 30, .channels = 4};
  check(facts(inks, Pixel::u8, ColourModel::cmyk), random_picture(inks, Pixel::u8, 8), Pixel::u8, {.part = whole_of(inks), .width = 9}, 20);
}

TEST(Screen, ShowsNotANumberAsBlackAndInfinityAsTheEnds) {
  const Shape shape{.width = 3};
  const std::vector<float> values = {std::nanf(""), INFINITY, -INFINITY};
  Screen screen(facts(shape, Pixel::f32, ColourModel::gray), Pixel::f32, {.part = whole_of(shape), .width = 3});
  screen.take(view_of(values.data(), shape), 0);
  EXPECT_EQ(screen.rgba(), (std::vector<std::uint8_t>{0, 0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 255}));
}

TEST(Screen, NotANumberIsSeenWhereItIsAlone) {
  const Shape shape{.height = 1, .width = 4, .channels = 3};  // the first pixel of three covers less than two, the second what is not a number
  std::vector<float> values(12, 1.0F);
  values[6] = std::nanf("");  // red of the third pixel
  Screen screen(facts(shape, Pixel::f32, ColourModel::rgb), Pixel::f32, {.part = whole_of(shape), .width = 3});
  screen.take(view_of(values.data(), shape), 0);
  EXPECT_EQ(screen.rgba(), (std::vector<std::uint8_t>{255, 255, 255, 255, 0, 255, 255, 255, 0, 255, 255, 255}));
}

TEST(Screen, RefusesPartsThatLeaveThePicture) {
  const PageFacts page = facts({.height = 4, .width = 6}, Pixel::u8, ColourModel::gray);
  const auto refused = [&](const Region& part, std::int64_t width) {
    return message_of([&] { Screen(page, Pixel::u8, {.part = part, .width = width}); });
  };
  EXPECT_EQ(refused({.x = 3, .height = 4, .width = 4}, 1), "crop is x,y,width,height within 6x4, got 3,0,4,4");
  EXPECT_EQ(refused({.y = -1, .height = 2, .width = 2}, 1), "crop is x,y,width,height within 6x4, got 0,-1,2,2");
  EXPECT_EQ(refused({.x = INT64_MAX, .height = 1, .width = 1}, 1), "crop is x,y,width,height within 6x4, got 9223372036854775807,0,1,1");
  EXPECT_EQ(refused({.height = 4, .width = 6}, 0), "w is a number of pixels, got 0");
}

TEST(Histogram, CountsEverySampleOnce) {
  for (const Pixel pixel : native_pixels) {
    const Shape shape{.depth = 2, .height = 300, .width = 401, .channels = 3};
    const Image image = random_picture(shape, pixel, 11);
    Histogram histogram(facts(shape, pixel, ColourModel::rgb));
    for (std::int64_t z = 0; z < 2; ++z) histogram.take(part_of(image, z, 1));
    const ShownRange range = shown_range(pixel);
    std::vector<Histogram::Counts> wanted(3, Histogram::Counts(Histogram::levels));
    for (std::int64_t z = 0; z < shape.depth; ++z)
      for (std::int64_t y = 0; y < shape.height; ++y)
        for (std::int64_t x = 0; x < shape.width; ++x)
          for (std::int64_t c = 0; c < shape.channels; ++c) {
            const double level = 255 * (value_at(image, {.z = z, .y = y, .x = x, .c = c}) - range.black) / (range.white - range.black);
            ++wanted[static_cast<std::size_t>(c)][static_cast<std::size_t>(std::lround(std::clamp(level, 0.0, 255.0)))];
          }
    std::int64_t apart = 0, all = 0;  // values between two levels may fall to either
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t level = 0; level < Histogram::levels; ++level) {
        apart += std::abs(histogram.channels()[c][level] - wanted[c][level]);
        all += histogram.channels()[c][level];
      }
    EXPECT_EQ(all, shape.elements()) << name_of(pixel);
    EXPECT_LE(apart, 4) << name_of(pixel);
  }
}

TEST(Histogram, LeavesOutNotANumber) {
  const std::vector<float> values = {std::nanf(""), INFINITY, -1, 0.5F};
  Histogram histogram(facts({.width = 4}, Pixel::f32, ColourModel::gray));
  histogram.take(view_of(values.data(), {.width = 4}));
  EXPECT_EQ(histogram.not_numbers(), 1);
  EXPECT_EQ(histogram.channels().front().front(), 1);
  EXPECT_EQ(histogram.channels().front().back(), 1);
}

}  // namespace
}  // namespace halation::app
