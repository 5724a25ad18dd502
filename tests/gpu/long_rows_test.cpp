// long_rows_test.cpp: filters along x, of every number of taps to 40 and some to 5,000, over signals
// and images, in bulk and not: by each of both families that takes the job, and by whichever should be
// quickest where none does.
//
// Right answers come from the CPU, which the sweep compares with the reference. Where data and weights are
// integers small enough for f32 to hold every sum exactly, every pixel must be right to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

/// Around the lengths at which weights, parts and methods change.
const std::vector<std::int64_t>& tap_counts() {
  static const std::vector<std::int64_t> counts = [] {
    std::vector<std::int64_t> list(40);
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<std::int64_t>(i) + 1;
    for (const std::int64_t taps :
         {64, 65, 127, 128, 129, 256, 257, 300, 511, 512, 513, 1000, 3000, 4096, 4097, 5000}) {
      list.push_back(taps);
    }
    return list;
  }();
  return counts;
}

Filter whole_line(std::int64_t taps, std::uint64_t seed) { return whole_filter({.width = taps}, seed); }

/// How many jobs the two families did.
struct Done {
  int in_bulk = 0, staged = 0;
};

/// Calls `use` with every plan that is to be tested, and words for it.
template <class Use>
void for_each_plan(const PlanSpec& spec, Done& done, const Use& use) {
  const std::optional<Plan> in_bulk = plan_by_or_none("long rows, in bulk", spec),
                            staged = plan_by_or_none("long rows", spec);
  if (in_bulk) use(*in_bulk, ", in bulk");
  if (staged) use(*staged, ", staged");
  if (!in_bulk && !staged) use(Plan(spec), ", by another family");
  done.in_bulk += in_bulk.has_value();
  done.staged += staged.has_value();
}

/// By sums of integers, which are exact in any order; long filters would be transformed.
void expect_same(const Image& image, const Filter& filter, Options options, const std::string& what,
                 Done& done) {
  options.method = Method::direct;
  const Image expected = convolve(image, filter, options);
  for_each_plan(spec_on_gpu(image, filter, options), done, [&](const Plan& plan, const char* by) {
    EXPECT_TRUE(same_bits(expected, result_of(plan, image)))
        << filter.size().width << " taps, " << what << by;
  });
}

TEST(Rows, EveryNumberOfTaps) {
  Done done;
  struct Case {
    Shape shape;
    Pixel pixel;
    const char* what;
  };
  const Case cases[] = {
      {{.width = 100'003}, Pixel::f32, "a signal of odd length"},
      {{.width = 65'536}, Pixel::f32, "a signal of whole words"},
      {{.width = 20'011}, Pixel::u8, "a signal of bytes"},
      {{.height = 37, .width = 1032}, Pixel::f32, "rows on 16-byte boundaries"},
      {{.height = 35, .width = 1031}, Pixel::f32, "rows on none"},
      {{.batch = 2, .depth = 3, .height = 6, .width = 700}, Pixel::f16, "rows of halves in volumes"},
      {{.height = 19, .width = 700, .channels = 3}, Pixel::f32, "three channels"},
  };
  std::uint64_t seed = 0;
  for (const auto& [shape, pixel, what] : cases) {
    const Image image = whole_image(shape, pixel, 7);
    for (const std::int64_t taps : tap_counts()) {
      ++seed;
      const Options options{.border = Border{border_modes[seed % border_modes.size()], 9}, .output = Pixel::f32};
      expect_same(image, whole_line(taps, seed), options, what, done);
    }
  }
  EXPECT_GE(done.in_bulk, copies_in_bulk() ? 150 : 0);
  EXPECT_GE(done.staged, 350);
}

TEST(Rows, EveryAnchorAndExtent) {
  Done done;
  const Image signal = whole_image({.width = 9001}, Pixel::f32, 3);
  const Image image = whole_image({.height = 9, .width = 516}, Pixel::f32, 4);
  std::uint64_t seed = 0;
  for (const std::int64_t taps : {2, 3, 5, 8, 13, 17, 65}) {
    for (std::int64_t anchor = 0; anchor<taps; anchor += taps> 20 ? 7 : 1) {
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
        const Options options{.border = Border{border_modes[++seed % border_modes.size()], -3}, .extent = extent};
        const Filter filter = whole_line(taps, seed).with_anchor({.x = anchor});
        expect_same(signal, filter, options, "signal, anchor " + std::to_string(anchor), done);
        expect_same(image, filter, options, "image, anchor " + std::to_string(anchor), done);
      }
    }
  }
  EXPECT_GE(done.in_bulk, copies_in_bulk() ? 340 : 0);
  EXPECT_GE(done.staged, 340);
}

TEST(Rows, EveryPixelOfOutput) {
  Done done;
  const Image signal = whole_image({.width = 10'007}, Pixel::f32, 5);
  const Image rows = whole_image({.height = 21, .width = 1100}, Pixel::f32, 6);
  for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const std::int64_t taps : {6, 65}) {
      const Options options{.border = Border::reflect(), .output = output, .scale = 1.0 / 64, .offset = 100};
      expect_same(signal, whole_line(taps, 1), options, "signal to " + std::string(name_of(output)), done);
      expect_same(rows, whole_line(taps, 2), options, "rows to " + std::string(name_of(output)), done);
    }
  }
  EXPECT_GE(done.in_bulk, copies_in_bulk() ? 20 : 0);
  EXPECT_GE(done.staged, 20);
}

TEST(Rows, PlanesAndManyTiles) {
  Done done;
  // Planes of channels one after the other, and more tiles than blocks live at a time.
  expect_same(whole_image({.height = 33, .width = 1028, .channels = 3}, Pixel::f32, 8, Layout::planar),
              whole_line(65, 3), {.border = Border::wrap()}, "planes", done);
  for (const std::int64_t taps : {5, 65, 700}) {
    expect_same(whole_image({.width = 12'345'678}, Pixel::f32, 9), whole_line(taps, 4),
                {.border = Border::reflect101()}, "long signal", done);
    expect_same(whole_image({.height = 2053, .width = 4112}, Pixel::f32, 10), whole_line(taps, 5),
                {.border = Border::replicate()}, "large image", done);
  }
  EXPECT_EQ(done.in_bulk, copies_in_bulk() ? 7 : 0);
  EXPECT_EQ(done.staged, 7);
}

TEST(Rows, RealWeightsWithinTheBound) {
  Done done;
  const Shape shapes[] = {{.width = 100'003}, {.height = 29, .width = 2052}, {.height = 29, .width = 2051}};
  for (const Shape& shape : shapes) {
    const Image image = noise(shape, Pixel::f32, 11);
    for (const std::int64_t taps : tap_counts()) {
      std::vector<double> weights;
      for (std::int64_t i = 0; i < taps; ++i) {
        weights.push_back(static_cast<double>(random_bits(static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53 -
                          0.25);
      }
      const Filter filter = Filter::dense({.width = taps}, weights);
      const PlanSpec spec = spec_on_gpu(image, filter, {});
      PlanSpec exact = spec;
      exact.device = cpu();
      exact.options.sum = Sum::f64;
      exact.options.output = Pixel::f64;
      const Plan oracle(exact);
      Image expected(oracle.output_shape(), Pixel::f64);
      oracle.run(image, expected);
      const auto* sums = reinterpret_cast<const double*>(expected.view().data);
      const auto expect_within_bound = [&](const Plan& plan, const char* by) {
        const Image found = result_of(plan, image);
        const auto* got = reinterpret_cast<const float*>(found.view().data);
        const double bound = plan.error_bound(1) + oracle.error_bound(1);
        for (std::int64_t i = 0; i < shape.elements(); ++i) {
          const double spacing = std::fabs(sums[i]) * 0x1p-23;  // the sum becomes a pixel
          ASSERT_LE(std::fabs(got[i] - sums[i]), bound + spacing)
              << taps << " taps, output " << i << by << "\n"
              << plan.explain();
        }
      };
      for_each_plan(spec, done, expect_within_bound);
      expect_within_bound(Plan(spec), ", by whichever method and family");
    }
  }
  EXPECT_GE(done.in_bulk, copies_in_bulk() ? 100 : 0);
  EXPECT_GE(done.staged, 150);
}

TEST(Rows, NanStaysInItsWindow) {
  Done done;
  for (const Shape& shape :
       {Shape{.width = 30'001}, Shape{.height = 7, .width = 1044}, Shape{.height = 7, .width = 1043}}) {
    Image image = whole_image(shape, Pixel::f32, 12);
    auto* numbers = reinterpret_cast<float*>(image.view().data);
    for (const std::int64_t at :
         {std::int64_t{0}, std::int64_t{511}, std::int64_t{1000}, shape.elements() - 1}) {
      numbers[at] = std::numeric_limits<float>::quiet_NaN();
    }
    for (const std::int64_t taps : {2, 5, 7, 9, 12, 17, 31, 65, 130, 600}) {
      const Filter filter = whole_line(taps, 6);
      const Options options{.border = Border::constant(1), .method = Method::direct};
      const Image expected = convolve(image, filter, options);
      const auto* right = reinterpret_cast<const float*>(expected.view().data);
      for_each_plan(spec_on_gpu(image, filter, options), done, [&](const Plan& plan, const char* by) {
        const Image found = result_of(plan, image);
        const auto* got = reinterpret_cast<const float*>(found.view().data);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < shape.elements(); ++i) {
          wrong += std::isnan(right[i]) ? !std::isnan(got[i]) : got[i] != right[i];
        }
        EXPECT_EQ(wrong, 0) << taps << " taps, width " << shape.width << by;
      });
    }
  }
  EXPECT_EQ(done.in_bulk, copies_in_bulk() ? 20 : 0);
  EXPECT_EQ(done.staged, 30);
}

}  // namespace
}  // namespace halation::gpu_test
