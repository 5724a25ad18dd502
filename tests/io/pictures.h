// pictures.h: folders, pages and metadata for the tests of files.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../message_of.h"
#include "../temporary_folder.h"
#include "halation/io.h"

namespace halation::test {

inline std::vector<std::byte> to_bytes(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// The only page of a file.
inline Page read_one(const std::string& path, ArrayLayout layout = ArrayLayout::by_rank) {
  std::vector<Page> pages = read_pages(path, layout);
  EXPECT_EQ(pages.size(), 1U) << path;
  return std::move(pages.front());
}

/// Not turned upright.
inline Page as_stored(const std::string& path) {
  return std::move(read_pages(path, {.upright = false}).front());
}

inline void write_one(const std::string& path, const Page& page, const WriteOptions& options = {}) {
  write_pages(path, {&page, 1}, options);
}

/// Random values: all bit patterns of integers, finite floats in [−1, 2).
inline Image random_image(Pixel pixel, const Shape& shape, unsigned seed = 1) {
  Image image(shape, pixel);
  std::mt19937 random(seed);
  std::byte* data = image.view().data;
  const auto count = static_cast<std::size_t>(shape.elements());
  for (std::size_t i = 0; i < count; ++i) {
    const double number = static_cast<double>(random()) / 4294967296.0 * 3 - 1;
    const auto store = [&](auto value) { std::memcpy(data + i * sizeof value, &value, sizeof value); };
    switch (pixel) {
      case Pixel::u8:
        store(static_cast<std::uint8_t>(random()));
        break;
      case Pixel::u16:
        store(static_cast<std::uint16_t>(random()));
        break;
      case Pixel::i16:
        store(static_cast<std::int16_t>(random()));
        break;
      case Pixel::f16:
        store(f16(number));
        break;
      case Pixel::f32:
        store(static_cast<float>(number));
        break;
      case Pixel::f64:
        store(number);
        break;
      default:
        for (std::size_t byte = 0; byte < bytes_of(pixel); ++byte)
          data[i * bytes_of(pixel) + byte] = static_cast<std::byte>(random() >> 8);
    }
  }
  return image;
}

inline std::int64_t channels_of(ColourModel colour, bool alpha) {
  const int colours = colour == ColourModel::gray ? 1 : colour == ColourModel::rgb ? 3 : 4;
  return colours + (alpha ? 1 : 0);
}

inline Page random_page(Pixel pixel, std::int64_t height, std::int64_t width, ColourModel colour,
                        bool alpha = false, unsigned seed = 1) {
  Page page;
  page.image =
      random_image(pixel, {.height = height, .width = width, .channels = channels_of(colour, alpha)}, seed);
  page.colour = colour;
  page.alpha = alpha;
  return page;
}

/// A page of u8 samples, row by row.
inline Page u8_page(const Shape& shape, const std::vector<int>& samples) {
  Page page;
  page.image = Image(shape, Pixel::u8);
  EXPECT_EQ(static_cast<std::int64_t>(samples.size()), shape.elements());
  for (std::size_t i = 0; i < samples.size(); ++i)
    page.image.view().data[i] = static_cast<std::byte>(samples[i]);
  const std::int64_t channels = shape.channels;
  page.alpha = channels == 2 || channels == 4;
  page.colour = channels <= 2 ? ColourModel::gray : ColourModel::rgb;
  return page;
}

/// All elements of an image in row-major order.
template <class T>
std::vector<T> elements_of(const Image& image) {
  EXPECT_EQ(image.pixel(), PixelOf<T>::value);
  const Image packed = image.clone();
  std::vector<T> elements(static_cast<std::size_t>(packed.shape().elements()));
  std::memcpy(elements.data(), packed.view().data, elements.size() * sizeof(T));
  return elements;
}

/// Equal shape, pixel and bits.
inline void expect_same_pixels(ConstView actual, ConstView expected) {
  ASSERT_EQ(to_string(actual.shape), to_string(expected.shape));
  ASSERT_EQ(name_of(actual.pixel), name_of(expected.pixel));
  Image a(actual.shape, actual.pixel), b(expected.shape, expected.pixel);
  copy(actual, a);
  copy(expected, b);
  const std::size_t bytes = static_cast<std::size_t>(a.shape().elements()) * bytes_of(a.pixel());
  EXPECT_EQ(std::memcmp(a.view().data, b.view().data, bytes), 0);
}

/// `width` by `height` gray squares of `side` pixels a side, each of another level: 10, 20, 30, …
inline Image squares(std::int64_t height, std::int64_t width, std::int64_t side) {
  Image image({.height = height * side, .width = width * side}, Pixel::u8);
  for (std::int64_t y = 0; y < height * side; ++y) {
    for (std::int64_t x = 0; x < width * side; ++x) {
      image.view().at<std::uint8_t>({.y = y, .x = x}) = static_cast<std::uint8_t>(10 * (1 + y / side * width + x / side));
    }
  }
  return image;
}

/// Where Exif (tag 274: which edges the first row and column show) puts the stored pixel (row, column) of an
/// image of height by width.
inline std::pair<std::int64_t, std::int64_t> place_by_exif(int orientation, std::int64_t row,
                                                           std::int64_t column, std::int64_t height,
                                                           std::int64_t width) {
  switch (orientation) {
    case 1:
      return {row, column};  // top, left
    case 2:
      return {row, width - 1 - column};  // top, right
    case 3:
      return {height - 1 - row, width - 1 - column};  // bottom, right
    case 4:
      return {height - 1 - row, column};  // bottom, left
    case 5:
      return {column, row};  // left, top
    case 6:
      return {column, height - 1 - row};  // right, top
    case 7:
      return {width - 1 - column, height - 1 - row};  // right, bottom
    default:
      return {width - 1 - column, row};  // left, bottom
  }
}

/// `shown` is `stored` turned upright; u8, within `tolerance`.
inline void expect_upright(ConstView shown, ConstView stored, int orientation, int tolerance = 0) {
  const std::int64_t height = stored.shape.height, width = stored.shape.width;
  ASSERT_EQ(shown.shape.height, orientation >= 5 ? width : height);
  ASSERT_EQ(shown.shape.width, orientation >= 5 ? height : width);
  for (std::int64_t row = 0; row < height; ++row) {
    for (std::int64_t column = 0; column < width; ++column) {
      const auto [y, x] = place_by_exif(orientation, row, column, height, width);
      for (std::int64_t c = 0; c < stored.shape.channels; ++c) {
        ASSERT_NEAR(shown.at<std::uint8_t>({.y = y, .x = x, .c = c}),
                    stored.at<std::uint8_t>({.y = row, .x = column, .c = c}), tolerance)
            << orientation << ": " << row << ", " << column;
      }
    }
  }
}

/// Exif with two entries in its first directory: the maker "halation" before, and the orientation.
inline std::vector<std::byte> exif_with(int orientation, bool little = true) {
  std::string bytes = little ? "II" : "MM";
  const auto number = [&](unsigned value, int size) {
    for (int i = 0; i < size; ++i)
      bytes += static_cast<char>(value >> 8 * (little ? i : size - 1 - i) & 0xFF);
  };
  number(42, 2), number(8, 4), number(2, 2);
  number(0x010F, 2), number(2, 2), number(9, 4), number(38, 4);
  number(0x0112, 2), number(3, 2), number(1, 4), number(static_cast<unsigned>(orientation), 2), number(0, 2);
  number(0, 4);
  bytes.append("halation", 9);
  return to_bytes(bytes);
}

inline std::vector<std::byte> xmp_with(int orientation) {
  return to_bytes("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:Description tiff:Make=\"7\" tiff:Orientation=\"" +
                  std::to_string(orientation) + "\"/></x:xmpmeta>");
}

/// The smallest profile that ICC.1 allows, of the colour space given, followed by `filling` bytes of one
/// private tag.
inline std::vector<std::byte> profile_of(std::string_view space, std::size_t filling = 16) {
  std::string bytes(128 + 4 + 12, '\0');
  const auto put = [&](std::size_t at, std::size_t value) {
    for (int i = 0; i < 4; ++i)
      bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (24 - 8 * i) & 0xFF);
  };
  const auto name = [&](std::size_t at, std::string_view text) { bytes.replace(at, text.size(), text); };
  put(0, bytes.size() + filling);
  put(8, 0x02400000);  // version 2.4
  name(12, "mntr"), name(16, space), name(20, "XYZ "), name(36, "acsp");
  put(68, 0xF6D6), put(72, 0x10000), put(76, 0xD32D);  // D50
  put(128, 1), name(132, "priv"), put(136, 144), put(140, filling);
  std::mt19937 random(7);
  for (std::size_t i = 0; i < filling; ++i) bytes += static_cast<char>(random());
  return to_bytes(bytes);
}

inline Metadata full_metadata(std::string_view space) {
  Metadata metadata;
  metadata.icc = profile_of(space);
  metadata.exif = exif_with(1);
  metadata.xmp = xmp_with(1);
  metadata.dots_per_inch_x = 300;
  metadata.dots_per_inch_y = 150;
  return metadata;
}

}  // namespace halation::test
