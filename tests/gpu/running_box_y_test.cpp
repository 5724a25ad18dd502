// running_box_y_test.cpp: windows of equal weights along y, of 18 to 4,096 rows, over images lower and higher
// than they are; and along both axes and x alone over pixels of every type. Windows along y are done by a
// ring and by rows that are read again, where these take them.
//
// Data and weights are integers small enough for f32 to hold every sum exactly, and scales are powers of 2,
// so that every pixel must be right to the bit. Right answers come from the CPU, which the sweep compares
// with the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Around whole groups of 8, 16 and 32 rows, and around where the ring of rows ends.
constexpr std::array<std::int64_t, 16> sizes{18, 33, 34, 49, 50, 64, 101, 224, 225, 226, 257, 320, 601, 1025, 2049, 4096};
Border border_of(Border::Mode mode) { return {mode, mode == Border::Mode::constant ? 9.0 : 0.0}; }

Filter window(const FilterSize& size) {
  return Filter::dense(size, std::vector<double>(static_cast<std::size_t>(size.taps()), 1.0));
}

/// How many jobs families did.
struct Done {
  int ring = 0, reread = 0;
};

/// Calls `use` with what a ring gives, where it takes the job; with what is found by reading rows again,
/// which takes 33 rows and more with sums in f32, which some integer outputs do not have; and where neither
/// does it, with what whichever should be quickest gives.
template <class Use>
void for_each_result(const Image& image, const Filter& filter, Options options, Done& done, const Use& use) {
  options.method = Method::box;
  const PlanSpec spec = spec_on_gpu(image, filter, options);
  const std::optional<Plan> reread = plan_by_or_none("running box, y reread", spec),
                            ring = plan_by_or_none("running box, y by a ring", spec);
  EXPECT_TRUE(reread || filter.size().height < 33 || !is_float(options.output.value_or(image.pixel())))
      << text(image, filter);
  if (reread) use(result_of(*reread, image), ", reread");
  if (ring) use(result_of(*ring, image), ", by a ring");
  if (!reread && !ring) use(on_gpu(image, filter, options), ", by another family");
  done.reread += reread.has_value();
  done.ring += ring.has_value();
}

void expect_same(const Image& expected, const Image& found, const Image& image, const Filter& filter,
                 const Options& options, const char* family) {
  EXPECT_TRUE(same_bits(expected, found))
      << text(image, filter) << ", border " << name_of(options.border.y.mode) << ", extent "
      << static_cast<int>(options.extent) << family;
}

void expect_same(const Image& image, const Filter& filter, Options options, Done& done) {
  options.method = Method::box;
  const Image expected = convolve(image, filter, options);
  for_each_result(image, filter, options, done, [&](const Image& found, const char* family) {
    expect_same(expected, found, image, filter, options, family);
  });
}

/// By families of several passes, which choose kernels for their parts: by this one, or where sums in f64
/// keep this from it, by the other.
void expect_same_by(const char* family, const char* in_f64, const Image& image, const Filter& filter,
                    Options options) {
  options.method = Method::box;
  const Image expected = convolve(image, filter, options);
  std::optional<Plan> plan = plan_by_or_none(family, spec_on_gpu(image, filter, options));
  if (!plan) {
    family = in_f64;
    options.sum = Sum::f64;
    plan = plan_by(family, spec_on_gpu(image, filter, options));
  }
  expect_same(expected, result_of(*plan, image), image, filter, options, family);
}

void expect_same_axis_by_axis(const Image& image, const Filter& filter, const Options& options) {
  expect_same_by("axis by axis", "axis by axis, pixels", image, filter, options);
}

void expect_same_along_x(const Image& image, const Filter& filter, const Options& options) {
  // Short ones are summed tap by tap.
  const bool is_short = filter.size().width < 65 || image.pixel() == Pixel::f32 || !copies_in_bulk();
  expect_same_by(is_short ? "one factor, dense" : "through f32", "one factor, dense", image, filter, options);
}

TEST(RunningBoxY, OfEverySizeOverEveryBorder) {
  Done done;
  for (const Shape& shape : {Shape{.height = 5, .width = 101}, Shape{.height = 300, .width = 132},
                             Shape{.height = 1501, .width = 65}, Shape{.height = 1501, .width = 68}}) {
    const Image image = whole_image(shape, Pixel::f32, 1);
    for (const std::int64_t size : sizes) {
      for (const Border::Mode mode : border_modes)
        expect_same(image, window({.height = size}), {.border = border_of(mode)}, done);
    }
  }
  EXPECT_GE(done.ring, copies_in_bulk() ? 60 : 0);
}

TEST(RunningBoxY, OfEveryAnchorAndExtent) {
  Done done;
  const Image on_none = whole_image({.height = 1300, .width = 77}, Pixel::f32, 2);
  const Image on_boundaries = whole_image({.height = 1300, .width = 76}, Pixel::f32, 2);
  for (const std::int64_t size : {100, 220, 601, 1025}) {
    for (const std::int64_t anchor : {std::int64_t{0}, std::int64_t{7}, size - 1}) {
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
        for (const Image* image : {&on_none, &on_boundaries}) {
          expect_same(*image, window({.height = size}).with_anchor({.y = anchor}),
                      {.border = Border::reflect101(), .extent = extent}, done);
        }
      }
    }
  }
  EXPECT_GE(done.ring, copies_in_bulk() ? 9 : 0);
}

TEST(RunningBoxY, OverChannelsVolumesAndManyStrips) {
  Done done;
  for (const std::int64_t size : {18, 101, 601, 4096}) {
    const Options options{.border = Border::reflect()};
    for (const std::int64_t channels : {2, 3, 4, 17}) {
      expect_same(whole_image({.height = 400, .width = 75, .channels = channels}, Pixel::f32, 3),
                  window({.height = size}), options, done);
    }
    for (const std::int64_t width : {130, 132}) {
      expect_same(whole_image({.height = 300, .width = width, .channels = 3}, Pixel::f32, 4, Layout::planar),
                  window({.height = size}), options, done);
    }
    for (const std::int64_t width : {41, 44}) {
      expect_same(whole_image({.batch = 2, .depth = 3, .height = 211, .width = width}, Pixel::f32, 5),
                  window({.height = size}), options, done);
    }
    expect_same_by("depth for height", "depth for height",
                   whole_image({.depth = 130, .height = 9, .width = 70}, Pixel::f32, 6),
                   window({.depth = size}), options);
    expect_same(whole_image({.height = 9001, .width = 36}, Pixel::f32, 7), window({.height = size}), options,
                done);
  }
  EXPECT_GE(done.ring, copies_in_bulk() ? 3 : 0);
}

TEST(RunningBoxY, OverViewsOfEveryStride) {
  const Image image = whole_image({.height = 700, .width = 90}, Pixel::f32, 8);
  const Image there = to_device(image, cuda());
  for (const std::int64_t size : {50, 601}) {
    // Every second column, rows from the last to the first.
    ConstView view = there.view();
    view.data += (view.shape.height - 1) * view.strides.height + 4;
    view.shape.width = 44;
    view.strides.width = 8;
    view.strides.height = -view.strides.height;
    const Options options{.border = Border::replicate(), .method = Method::box};
    const Plan plan = plan_by("running box, y reread", {.shape = view.shape,
                                                        .pixel = Pixel::f32,
                                                        .filters = {window({.height = size})},
                                                        .device = cuda(),
                                                        .options = options});
    Image out = allocate(view.shape, Pixel::f32, cuda(), Layout::interleaved);
    plan.run(view, out.view());
    ConstView same = image.view();
    same.data += (same.shape.height - 1) * same.strides.height + 4;
    same.shape = view.shape;
    same.strides = view.strides;
    EXPECT_TRUE(same_bits(convolve(same, window({.height = size}), {.border = Border::replicate()}), to_device(out, cpu())))
        << size;
  }
}

TEST(RunningBoxY, LetsNothingThatIsNotFiniteOut) {
  Done done;
  for (const auto& [width, bad] : {std::pair{53, std::numeric_limits<float>::quiet_NaN()},
                                   std::pair{53, std::numeric_limits<float>::infinity()},
                                   std::pair{52, std::numeric_limits<float>::quiet_NaN()},
                                   std::pair{52, std::numeric_limits<float>::infinity()}}) {
    const Shape shape{.height = 2100, .width = width};
    Image image = whole_image(shape, Pixel::f32, 9);
    auto* numbers = reinterpret_cast<float*>(image.view().data);
    for (const std::int64_t row : {0, 700, 715, 2099}) numbers[row * shape.width + row % 50] = bad;
    for (const std::int64_t size : sizes) {
      const Options options{.border = Border::constant(1)};
      const Image expected = convolve(image, window({.height = size}), options);
      const auto* right = reinterpret_cast<const float*>(expected.view().data);
      for_each_result(image, window({.height = size}), options, done,
                      [&](const Image& found, const char* family) {
                        const auto* got = reinterpret_cast<const float*>(found.view().data);
                        std::int64_t wrong = 0;
                        for (std::int64_t i = 0; i < shape.elements(); ++i)
                          wrong += std::isfinite(right[i]) ? got[i] != right[i] : std::isfinite(got[i]);
                        EXPECT_EQ(wrong, 0) << size << " rows" << family;
                      });
    }
  }
  EXPECT_GE(done.ring, copies_in_bulk() ? 12 : 0);
}

TEST(RunningBoxY, OfAndAsEveryPixel) {
  Done done;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    const Image image = whole_image({.height = 401, .width = 75, .channels = 3}, pixel, 10);
    for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
      for (const std::int64_t size : {18, 64, 601}) {
        const Options options{
            .border = Border::wrap(), .output = output, .scale = 1.0 / 1024, .offset = 3, .rounding = Rounding::half_even};
        expect_same(image, window({.height = size}), options, done);
      }
    }
  }
}

/// Sums of windows become numbers of about 8 bits, exactly.
Options options_for(const Borders& border, const FilterSize& size, Rounding rounding = Rounding::half_even) {
  return {.border = border, .scale = std::exp2(-std::ilogb(static_cast<double>(size.taps()))), .rounding = rounding};
}

TEST(BoxesOfPixels, OfEverySizePixelAndBorder) {
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16}) {
    for (const std::int64_t channels : {1, 3}) {
      const Image image = whole_image({.height = 203, .width = 307, .channels = channels}, pixel, 11);
      for (const std::int64_t size : {35, 64, 101, 255}) {
        for (const Border::Mode mode : border_modes) {
          // Neither is a pixel of 8 bits.
          for (const double constant : {9.5, -80.0}) {
            if (mode != Border::Mode::constant && constant < 0) continue;
            const Border border{mode, mode == Border::Mode::constant ? constant : 0.0};
            for (const FilterSize& window_size :
                 {FilterSize{.height = size, .width = size}, FilterSize{.height = 18, .width = size},
                  FilterSize{.height = size, .width = 2}, FilterSize{.width = size}}) {
              const auto expect_right =
                  window_size.height > 1 ? expect_same_axis_by_axis : expect_same_along_x;
              expect_right(image, window(window_size), options_for(border, window_size));
            }
          }
        }
      }
    }
  }
}

TEST(BoxesOfPixels, OfBordersThatDifferByAxis) {
  for (const Pixel pixel : {Pixel::u8, Pixel::f32}) {
    const Image image = whole_image({.height = 150, .width = 217}, pixel, 12);
    for (const Border::Mode y : border_modes) {
      for (const Border::Mode x : border_modes) {
        const Border border_x{x, x == Border::Mode::constant ? -31.0 : 0.0};
        const FilterSize size{.height = 64, .width = 75};
        expect_same_axis_by_axis(
            image, window(size),
            options_for({.z = Border::replicate(), .y = border_of(y), .x = border_x}, size));
      }
    }
  }
}

TEST(BoxesOfPixels, OfEveryExtentAnchorAndLayout) {
  const Filter filter = window({.height = 40, .width = 101}).with_anchor({.y = 3, .x = 100});
  for (const Pixel pixel : {Pixel::u8, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
      for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
        Options options = options_for(Border::reflect(), filter.size(), rounding);
        options.extent = extent;
        for (const Layout layout : {Layout::interleaved, Layout::planar})
          expect_same_axis_by_axis(
              whole_image({.height = 133, .width = 301, .channels = 3}, pixel, 13, layout), filter, options);
        expect_same_axis_by_axis(whole_image({.batch = 2, .depth = 2, .height = 90, .width = 259}, pixel, 14),
                                 filter, options);
        expect_same_along_x(whole_image({.height = 2, .width = 3001}, pixel, 15), window({.width = 101}),
                            options);
      }
    }
  }
}

TEST(BoxesOfPixels, SayHowTheyGo) {
  const auto explained = [](Pixel pixel, const FilterSize& size) {
    const Plan plan({.shape = {.height = 2048, .width = 2048},
                     .pixel = pixel,
                     .filters = {window(size)},
                     .device = cuda(),
                     .options = {.scale = 1.0 / 16384}});
    EXPECT_THAT(plan.methods(), ElementsAre(Method::box));
    return plan.explain();
  };
  EXPECT_THAT(explained(Pixel::u8, {.height = 101, .width = 101}), HasSubstr("along columns, sums of whole groups of 16"));
  EXPECT_THAT(explained(Pixel::u8, {.width = 101}), HasSubstr("pixels as f32; then running box, x, along rows"));
  EXPECT_THAT(explained(Pixel::f32, {.height = 601}), HasSubstr("along columns, sums of whole groups of 16"));
  EXPECT_THAT(explained(Pixel::f32, {.height = 4096}), HasSubstr("along columns, sums of whole groups of 32"));
}

}  // namespace
}  // namespace halation::gpu_test
