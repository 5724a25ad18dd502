// running_box_x_test.cpp: windows of equal weights along x alone, of 33 to 4,096 columns, over signals and
// images; and those over rows on no 16-byte boundary, which the family refuses, by whichever should be
// quickest.
//
// Data and weights are integers small enough for f32 to hold every sum exactly, so that every pixel must
// be right to the bit. Right answers come from the CPU, which the sweep compares with the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

using testing::ElementsAre;

/// Where whole groups of 20, words of 4 and tiles of more outputs begin, and the shortest and longest window.
constexpr std::array<std::int64_t, 18> sizes{33,  34,  35,  36,  40,  41,  59,   60,   61,
                                             129, 255, 320, 321, 601, 660, 1025, 4095, 4096};
Filter window(std::int64_t columns) {
  return Filter::dense({.width = columns}, std::vector<double>(static_cast<std::size_t>(columns), 1.0));
}

/// The family asks for sums in f32, which some integer outputs do not have, and for rows on 16-byte
/// boundaries: of one channel, whose lengths are whole pieces of 4 elements, or of a signal.
Image by_sums(const Image& image, const Filter& filter, Options options) {
  options.method = Method::box;
  const PlanSpec spec = spec_on_gpu(image, filter, options);
  const Shape& shape = image.shape();
  const bool begin_on_boundaries = shape.elements() == shape.width || shape.width % 4 == 0;
  const bool is_apart = shape.channels == 1 || layout_of(image) == Layout::planar;
  const std::optional<Plan> plan = plan_by_or_none("running box, x", spec);
  EXPECT_TRUE(plan || !copies_in_bulk() || !begin_on_boundaries || !is_apart ||
              !is_float(options.output.value_or(Pixel::f32)))
      << text(image, filter);
  return plan ? result_of(*plan, image) : on_gpu(image, filter, options);
}

void expect_same(const Image& image, const Filter& filter, const Options& options) {
  Options direct = options;
  direct.method = Method::direct;
  EXPECT_TRUE(same_bits(convolve(image, filter, direct), by_sums(image, filter, options)))
      << filter.size().width << " columns over " << to_string(image.shape()) << ", border "
      << name_of(options.border.x.mode) << ", extent " << static_cast<int>(options.extent);
}

TEST(RunningBoxX, OfEverySizeOverEveryWidthAndBorder) {
  for (const std::int64_t width :
       {96, 100, 256, 636, 640, 644, 645, 1280, 1284, 1920, 2556, 2560, 2564, 5124}) {
    const Image image = whole_image({.height = 5, .width = width}, Pixel::f32, 1);
    for (const std::int64_t size : sizes) {
      for (const Border::Mode mode : border_modes) {
        expect_same(image, window(size),
                    {.border = Border{mode, mode == Border::Mode::constant ? 9.0 : 0.0}});
      }
    }
  }
}

TEST(RunningBoxX, OverSignals) {
  for (const std::int64_t width : {65'536, 100'003}) {
    const Image signal = whole_image({.width = width}, Pixel::f32, 2);
    for (const std::int64_t size : sizes) expect_same(signal, window(size), {.border = Border::reflect101()});
  }
}

TEST(RunningBoxX, OfEveryAnchorAndExtent) {
  const Image image = whole_image({.height = 3, .width = 1500}, Pixel::f32, 3);
  for (const std::int64_t size : {33, 62, 133, 700}) {
    for (const std::int64_t anchor :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, size - 1}) {
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
        expect_same(image, window(size).with_anchor({.x = anchor}),
                    {.border = Border::replicate(), .extent = extent});
      }
    }
  }
}

TEST(RunningBoxX, AsEveryPixelOfOutput) {
  const Image image = whole_image({.height = 7, .width = 1412}, Pixel::f32, 4);
  for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const std::int64_t size : {64, 512}) {
      expect_same(image, window(size),
                  {.border = Border::wrap(), .output = output, .scale = 1.0 / 512, .offset = 3});
    }
  }
}

TEST(RunningBoxX, OverPlanesVolumesAndManyTiles) {
  for (const std::int64_t size : {33, 101, 601, 4096}) {
    const Options options{.border = Border::reflect()};
    expect_same(whole_image({.height = 33, .width = 1028, .channels = 3}, Pixel::f32, 5, Layout::planar),
                window(size), options);
    expect_same(whole_image({.height = 21, .width = 700, .channels = 3}, Pixel::f32, 6), window(size),
                options);
    expect_same(whole_image({.batch = 2, .depth = 3, .height = 6, .width = 1284}, Pixel::f32, 7),
                window(size), options);
    expect_same(whole_image({.height = 1027, .width = 4112}, Pixel::f32, 8), window(size), options);
  }
}

TEST(RunningBoxX, LetNothingThatIsNotFiniteOut) {
  for (const Shape& shape : {Shape{.width = 30'001}, Shape{.height = 4, .width = 5200}}) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Image image = whole_image(shape, Pixel::f32, 9);
      auto* numbers = reinterpret_cast<float*>(image.view().data);
      for (const std::int64_t at :
           {std::int64_t{0}, std::int64_t{2600}, std::int64_t{2661}, shape.elements() - 1})
        numbers[at] = bad;
      for (const std::int64_t size : sizes) {
        const Options options{.border = Border::constant(1)};
        const Image expected = convolve(image, window(size), options);
        const Image found = by_sums(image, window(size), options);
        const auto* right = reinterpret_cast<const float*>(expected.view().data);
        const auto* got = reinterpret_cast<const float*>(found.view().data);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < shape.elements(); ++i) {
          wrong += std::isfinite(right[i]) ? got[i] != right[i] : std::isfinite(got[i]);
        }
        EXPECT_EQ(wrong, 0) << size << " columns, width " << shape.width;
      }
    }
  }
}

TEST(RunningBoxX, AreChosenForF32) {
  for (const std::int64_t size : {33, 101, 4096}) {
    const Plan plan({.shape = {.height = 512, .width = 4096},
                     .pixel = Pixel::f32,
                     .filters = {window(size)},
                     .device = cuda(),
                     .options = {}});
    EXPECT_THAT(plan.methods(), ElementsAre(Method::box));
  }
}

}  // namespace
}  // namespace halation::gpu_test
