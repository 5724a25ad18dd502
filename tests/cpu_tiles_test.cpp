// cpu_tiles_test.cpp: images of several tiles on the CPU: those that are read where they lie, and outputs that go past the caches
// (src/cpu). The sweep's images are too small for either.
//
// Data and weights are whole numbers small enough for every sum to be exact, so that every pixel must be right to the bit.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "halation/halation.h"
#include "numbers.h"

namespace halation {
namespace {

template <class T>
Image whole_image(const Shape& shape, Pixel pixel, Layout layout = Layout::interleaved) {
  Image image(shape, pixel, layout);
  Numbers numbers(1);
  auto* to = reinterpret_cast<T*>(image.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) to[i] = static_cast<T>(numbers.below(256));
  return image;
}

Filter whole_filter(std::int64_t height, std::int64_t width) {
  Numbers numbers(2);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < height * width; ++i) weights.push_back(static_cast<double>(numbers.below(9)) - 4);
  weights.back() = 1;
  return Filter::dense({.height = height, .width = width}, std::move(weights));
}

void expect_same(const Image& image, const Filter& filter, Options options) {
  options.method = Method::direct;
  const Image expected = convolve(image, filter, options, reference());
  for (const int threads : {1, 2}) {
    options.threads = threads;
    const Image found = convolve(image, filter, options, cpu());
    const auto bytes = static_cast<std::size_t>(expected.shape().elements()) * bytes_of(expected.pixel());
    EXPECT_EQ(std::memcmp(expected.view().data, found.view().data, bytes), 0)
        << filter.size().height << "x" << filter.size().width << " over " << to_string(image.shape()) << " " << name_of(image.pixel())
        << ", border " << name_of(options.border.axes[2].mode) << ", " << threads << " threads";
  }
}

constexpr Border::Mode modes[] = {Border::Mode::constant, Border::Mode::replicate, Border::Mode::reflect, Border::Mode::reflect101,
                                  Border::Mode::wrap};

TEST(CpuTiles, RowsReadWhereTheyLie) {
  for (const std::int64_t width : {511, 513, 600, 1151, 1152, 1153, 2200}) {
    const Image f32 = whole_image<float>({.height = 23, .width = width}, Pixel::f32);
    const Image f64 = whole_image<double>({.height = 23, .width = width}, Pixel::f64);
    const Image three = whole_image<float>({.height = 23, .width = width, .channels = 3}, Pixel::f32);
    const Image planar = whole_image<float>({.height = 23, .width = width, .channels = 3}, Pixel::f32, Layout::planar);
    for (const std::int64_t taps : {2, 3, 5, 6, 7, 8}) {
      for (const Border::Mode mode : modes) {
        const Options options{.border = Border{mode, mode == Border::Mode::constant ? 7.0 : 0.0}};
        for (const Image* image : {&f32, &f64, &three, &planar}) expect_same(*image, whole_filter(taps, taps + 1), options);
      }
    }
  }
}

TEST(CpuTiles, FoldedRowsAboveAndBelow) {
  const Image image = whole_image<float>({.height = 2, .width = 700}, Pixel::f32);
  for (const Border::Mode mode : modes) expect_same(image, whole_filter(7, 7), {.border = Border{mode, 0}});
}

TEST(CpuTiles, ScaledAndOffset) {
  const Image image = whole_image<float>({.height = 31, .width = 1300}, Pixel::f32);
  for (const double offset : {0.0, 3.0})
    expect_same(image, whole_filter(5, 5), {.border = Border::reflect(), .scale = 0.25, .offset = offset});
}

TEST(CpuTiles, OutputsPastTheCaches) {
  for (const std::int64_t width : {2048, 2051}) {
    const Image image = whole_image<float>({.height = 1100, .width = width}, Pixel::f32);
    for (const std::int64_t taps : {3, 9}) expect_same(image, whole_filter(taps, taps), {.border = Border::reflect101()});
  }
}

}  // namespace
}  // namespace halation
