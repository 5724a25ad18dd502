// view.h: the extents of images, how their elements lie in memory, and views on them.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

#include "halation/by_name.h"
#include "halation/device.h"
#include "halation/pixel.h"

namespace halation {

// Axes have one order everywhere, that of arrays: batch, depth (z), height (y), width (x), channels. Extents, strides and
// anchors may be listed in it; all else that takes a value for each of several axes takes them by name alone.

/// The extents of an image, outermost axis first. A signal has height 1, a volume has depth > 1.
struct Shape {
  std::int64_t batch = 1;
  std::int64_t depth = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;
  std::int64_t channels = 1;

  /// Number of elements. Throws `Error{invalid_argument}` where it does not fit 63 bits.
  std::int64_t elements() const;
  /// 3 where depth > 1, else 2 where height > 1, else 1.
  int dims() const;
  /// {depth, height, width}: the axes that filters act on.
  std::array<std::int64_t, 3> space() const { return {depth, height, width}; }

  bool operator==(const Shape&) const = default;
};

/// "4x512x512x3" style: batch and depth only where they are not 1, channels where not 1.
std::string to_string(const Shape& shape);

/// Bytes from one element to the next along each axis; may be negative.
struct Strides {
  std::int64_t batch = 0;
  std::int64_t depth = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;

  bool operator==(const Strides&) const = default;
};

/// How channels lie: side by side in each pixel (RGBRGB), or each as a plane of its own.
enum class Layout { interleaved, planar };

/// Strides of an image whose rows begin every `row_bytes` bytes (0: packed, no gap between rows).
Strides strides_of(const Shape& shape, Pixel pixel, Layout layout = Layout::interleaved,
                   std::int64_t row_bytes = 0);

/// A part of an image: where it begins and how far it reaches along depth, height and width. By name alone:
/// `{.y = 40, .x = 160, .height = 200, .width = 160}`.
struct Region {
  ByName<Region> by_name = ByName<Region>();
  std::int64_t z = 0;
  std::int64_t y = 0;
  std::int64_t x = 0;
  std::int64_t depth = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;

  bool operator==(const Region&) const = default;
};

/// One element of an image: image of the batch, plane, row, column, channel. By name alone: `{.y = 3, .x = 4, .c = 1}`.
struct Position {
  ByName<Position> by_name = ByName<Position>();
  std::int64_t b = 0;
  std::int64_t z = 0;
  std::int64_t y = 0;
  std::int64_t x = 0;
  std::int64_t c = 0;

  bool operator==(const Position&) const = default;
};

/// A window that can be read: pointer, five extents, a stride for each, pixel and device. It owns nothing and
/// costs nothing to copy.
struct ConstView {
  const std::byte* data = nullptr;
  Shape shape;
  Strides strides;
  Pixel pixel = Pixel::u8;
  Device device = cpu();

  /// The sub-rectangle (or box), without copying. Throws `Error{invalid_argument}` if it leaves the view.
  ConstView crop(const Region& region) const;
  /// One channel, one image of a batch.
  ConstView channel(std::int64_t index) const;
  ConstView batch(std::int64_t index) const;

  /// One element, as in `view.at<float>({.y = 3, .x = 4})`; host memory only, unchecked.
  template <class T>
  const T& at(const Position& p) const {
    return *reinterpret_cast<const T*>(data + p.b * strides.batch + p.z * strides.depth + p.y * strides.height +
                                       p.x * strides.width + p.c * strides.channels);
  }
};

/// A window that can be written.
struct View {
  std::byte* data = nullptr;
  Shape shape;
  Strides strides;
  Pixel pixel = Pixel::u8;
  Device device = cpu();

  operator ConstView() const { return {data, shape, strides, pixel, device}; }

  View crop(const Region& region) const;
  View channel(std::int64_t index) const;
  View batch(std::int64_t index) const;

  template <class T>
  T& at(const Position& p) const {
    return const_cast<T&>(ConstView(*this).at<T>(p));
  }
};

/// A view on the caller's packed elements: `view_of(p, {.height = 480, .width = 640})`.
template <class T>
struct PixelOf;
template <> struct PixelOf<std::uint8_t> { static constexpr Pixel value = Pixel::u8; };
template <> struct PixelOf<std::uint16_t> { static constexpr Pixel value = Pixel::u16; };
template <> struct PixelOf<std::int16_t> { static constexpr Pixel value = Pixel::i16; };
template <> struct PixelOf<f16> { static constexpr Pixel value = Pixel::f16; };
template <> struct PixelOf<float> { static constexpr Pixel value = Pixel::f32; };
template <> struct PixelOf<double> { static constexpr Pixel value = Pixel::f64; };
template <>
struct PixelOf<std::int8_t> {
  static constexpr Pixel value = Pixel::i8;
};
template <>
struct PixelOf<std::uint32_t> {
  static constexpr Pixel value = Pixel::u32;
};
template <>
struct PixelOf<std::int32_t> {
  static constexpr Pixel value = Pixel::i32;
};
template <>
struct PixelOf<std::uint64_t> {
  static constexpr Pixel value = Pixel::u64;
};
template <>
struct PixelOf<std::int64_t> {
  static constexpr Pixel value = Pixel::i64;
};
template <>
struct PixelOf<std::complex<float>> {
  static constexpr Pixel value = Pixel::c64;
};
template <>
struct PixelOf<std::complex<double>> {
  static constexpr Pixel value = Pixel::c128;
};

template <class T>
ConstView view_of(const T* data, const Shape& shape, Layout layout = Layout::interleaved) {
  constexpr Pixel pixel = PixelOf<T>::value;
  return {reinterpret_cast<const std::byte*>(data), shape, strides_of(shape, pixel, layout), pixel,
          cpu()};
}
template <class T>
View view_of(T* data, const Shape& shape, Layout layout = Layout::interleaved) {
  constexpr Pixel pixel = PixelOf<T>::value;
  return {reinterpret_cast<std::byte*>(data), shape, strides_of(shape, pixel, layout), pixel,
          cpu()};
}

}  // namespace halation
