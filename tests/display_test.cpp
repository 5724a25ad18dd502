// display_test.cpp: results as pictures: what is clipped is counted, and three views show it, as plain loops
// have it.
#include "halation/display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "colour_oracle.h"
#include "core/convert.h"
#include "halation/error.h"
#include "halation/filters.h"
#include "message_of.h"

namespace halation {
namespace {

using testing::ElementsAre;

const Pixel integers[] = {Pixel::u8, Pixel::u16, Pixel::i16};

Image random_image(Pixel pixel, const Shape& shape) {
  switch (pixel) {
    case Pixel::u8:
      return image_of<std::uint8_t>(shape, random_values(shape, 0, 255, true));
    case Pixel::u16:
      return image_of<std::uint16_t>(shape, random_values(shape, 0, 65535, true));
    case Pixel::i16:
      return image_of<std::int16_t>(shape, random_values(shape, -32768, 32767, true));
    default:
      return image_of<float>(shape, random_values(shape, 0, 1, false));
  }
}

/// One filter of every name, in two dimensions.
std::vector<FilterSet> all_filters() {
  std::vector<FilterSet> filters;
  for (const NamedFilter& named : named_filters()) filters.push_back(make_filter(named.name, {}, 2));
  return filters;
}

double largest_of(const Interval& results) {
  return std::max(std::abs(results.least), std::abs(results.most));
}

TEST(Display, NamesThereAndBack) {
  for (const Display display : {Display::signed_values, Display::magnitude, Display::stretched})
    EXPECT_EQ(display_named(name_of(display)), display);
  EXPECT_EQ(message_of([] { display_named("sign"); }), "unknown view 'sign'; choose from signed, abs, stretch; did you mean 'signed'?");
}

TEST(ResultsOf, FollowsFromTheWeightsAlone) {
  const auto of = [](const FilterSet& filter, Pixel input, const Options& options = {}) {
    const Interval results = results_of(filter, input, input, options);
    return std::vector<double>{results.least, results.most};
  };
  EXPECT_THAT(of(sobel(Axis::x, 2), Pixel::u8), ElementsAre(-1020, 1020));
  EXPECT_THAT(of(high_pass(2), Pixel::u8), ElementsAre(-2040, 2040));
  EXPECT_THAT(of(laplacian(4, 2), Pixel::u16), ElementsAre(-4 * 65535, 4 * 65535));
  EXPECT_THAT(of(sobel(Axis::x, 2), Pixel::i16), ElementsAre(-4 * 65535, 4 * 65535));
  EXPECT_THAT(of(edges(2), Pixel::u8), ElementsAre(0, testing::DoubleNear(std::sqrt(2) * 1020, 1e-9)));
  EXPECT_THAT(of(Filter({-1, 3}), Pixel::f32), ElementsAre(-1, 3));
  EXPECT_THAT(of(Filter({-1, 3}), Pixel::u8, {.scale = -2, .offset = 5}), ElementsAre(-1525, 515));
  EXPECT_THAT(of(Filter({1}), Pixel::u8, {.border = Border::constant(-300)}), ElementsAre(-300, 255));
  EXPECT_THAT(of(Filter::separable({.y = {3, -1}, .x = {1, -2}}), Pixel::f32), ElementsAre(-7, 5));
}

TEST(ResultsOf, IsReachedAndNeverLeft) {
  for (const FilterSet& filter : all_filters()) {
    for (const Pixel pixel : integers) {
      // The brightest and the darkest pixels lie as the signs of the weights have them, and the reverse.
      const Filter& first = filter.filters.front();
      const FilterSize size = first.size();
      std::vector<double> worst;
      for (const double weight : first.weights())
        worst.push_back(weight > 0 ? largest(pixel) : smallest(pixel));
      const Shape shape{.height = size.height, .width = size.width};
      Image in(shape, pixel);
      visit_pixel(pixel, [&]<class T>(T) {
        if constexpr (std::is_integral_v<T>) in = image_of<T>(shape, worst);
      });
      const Image out = correlate(in, filter, {.output = Pixel::f64});
      const Interval results = results_of(filter, pixel, pixel);
      double most = -1e300;
      for (const double value : values_of(out)) {
        EXPECT_LE(value, results.most * (1 + 1e-9) + 1e-9);
        EXPECT_GE(value, results.least * (1 + 1e-9) - 1e-9);
        most = std::max(most, value);
      }
      if (filter.combine == Combine::none) {
        EXPECT_NEAR(most, results.most, 1e-6 * largest_of(results));
      }
    }
  }
}

TEST(Signed, ZeroIsMiddleGreyAndNothingIsLost) {
  for (const FilterSet& filter : all_filters()) {
    for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f32}) {
      const Image in = random_image(pixel, {.height = 17, .width = 23, .channels = 3});
      Clipped clipped{.samples = -1, .below = -1, .above = -1};
      const Image out = convolve_display(in, filter, Display::signed_values, {}, {}, {}, &clipped);
      EXPECT_EQ(out.pixel(), pixel);
      EXPECT_EQ(clipped.samples, 17 * 23 * 3);
      EXPECT_EQ(clipped.below + clipped.above, 0);
      const std::vector<double> exact = values_of(convolve(in, filter, {.output = Pixel::f64}));
      const double middle = pixel == Pixel::u8    ? 128
                            : pixel == Pixel::u16 ? 32768
                            : pixel == Pixel::i16 ? 0
                                                  : 0.5;
      const double half = is_float(pixel) ? 0.5 : largest(pixel) - middle;
      const double largest_result = largest_of(results_of(filter, pixel, pixel));
      const std::vector<double> shown = values_of(out);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        const double wanted = middle + half * exact[i] / largest_result;
        ASSERT_NEAR(shown[i], wanted, is_float(pixel) ? 1e-5 : 0.52);
      }
    }
  }
}

TEST(Signed, ScaleIsMoreContrastAndWhatItCutsIsCounted) {
  const Image in = image_of<std::uint8_t>({.width = 4}, {0, 0, 255, 255});
  const FilterSet slope = Filter({-1, 0, 1}).as_correlation();
  const Options options{.border = Border::replicate()};
  EXPECT_THAT(values_of(convolve_display(in, slope, Display::signed_values, options)),
              ElementsAre(128, 255, 255, 128));
  Options more = options;
  more.scale = -2;
  Clipped clipped;
  EXPECT_THAT(values_of(convolve_display(in, slope, Display::signed_values, more, {}, {}, &clipped)),
              ElementsAre(128, 0, 0, 128));
  EXPECT_EQ(clipped.below, 2);
  EXPECT_EQ(clipped.above, 0);
  EXPECT_DOUBLE_EQ(clipped.share(), 0.5);
}

TEST(Magnitude, IsTheAbsoluteValueSaturated) {
  const Image in = image_of<std::uint8_t>({.width = 5}, {9, 5, 105, 3, 255});
  const FilterSet slope = Filter({-1, 1, 0}).as_correlation();
  Clipped clipped;
  const Options options{.border = Border::constant(0), .scale = 2};
  EXPECT_THAT(values_of(convolve_display(in, slope, Display::magnitude, options, {}, {}, &clipped)),
              ElementsAre(18, 8, 200, 204, 255));
  EXPECT_EQ(clipped.above, 1);
  EXPECT_THAT(values_of(convolve_display(in, slope, Display::magnitude,
                                         {.border = Border::constant(0), .output = Pixel::f32})),
              ElementsAre(9, 4, 100, 102, 252));
}

TEST(Stretched, GoesFromEndToEnd) {
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f32}) {
    const Image in = random_image(pixel, {.depth = 3, .height = 9, .width = 8, .channels = 3});
    const std::vector<double> exact = values_of(convolve(in, laplacian(), {.output = Pixel::f64}));
    const auto [least, most] = std::minmax_element(exact.begin(), exact.end());
    const double low = is_float(pixel) ? 0 : smallest(pixel), high = is_float(pixel) ? 1 : largest(pixel);
    const std::vector<double> shown = values_of(convolve_display(in, laplacian(), Display::stretched));
    for (std::size_t i = 0; i < exact.size(); ++i) {
      ASSERT_NEAR(shown[i], low + (high - low) * (exact[i] - *least) / (*most - *least),
                  is_float(pixel) ? 1e-5 : 0.52);
    }
  }
}

TEST(Stretched, OneValueIsTheMiddleAndWhatIsNotFiniteDoesNotCount) {
  const Image flat = image_of<std::uint8_t>({.height = 2, .width = 2}, {7, 7, 7, 7});
  EXPECT_THAT(values_of(convolve_display(flat, laplacian(), Display::stretched)),
              ElementsAre(128, 128, 128, 128));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Image wild = image_of<float>({.width = 5}, {-infinity, -1, 0, 3, infinity});
  const Image out = convolve_display(wild, identity(), Display::stretched, {.output = Pixel::u8});
  EXPECT_THAT(values_of(out), ElementsAre(0, 0, 64, 255, 255));
}

TEST(Alpha, StaysAsItIs) {
  const Shape shape{.height = 6, .width = 5, .channels = 4};
  for (const Pixel output : {Pixel::u8, Pixel::u16}) {
    const Image in = random_image(Pixel::u8, shape);
    for (const FilterSet& filter : {FilterSet(sobel()), FilterSet(gaussian())}) {
      const Image plain = convolve_colour(in, filter, {.output = output}, {.alpha = true});
      for (const Display display : {Display::signed_values, Display::magnitude, Display::stretched}) {
        const Image shown = convolve_display(in, filter, display, {.output = output}, {.alpha = true});
        for (std::int64_t y = 0; y < shape.height; ++y) {
          for (std::int64_t x = 0; x < shape.width; ++x)
            ASSERT_EQ(value_at(shown, {0, y, x}, 3), value_at(plain, {0, y, x}, 3));
        }
      }
    }
  }
}

TEST(LinearLight, IsShownEncoded) {
  const Image in = random_image(Pixel::u8, {.height = 9, .width = 8, .channels = 3});
  for (const bool gray : {false, true}) {
    const ColourOptions colour{.linear = true, .gray = gray};
    const std::vector<double> light =  // encoded to [0, 1], negative values mirrored
        values_of(convolve_colour(in, sobel(), {.output = Pixel::f64}, colour));
    const Interval results = results_of(sobel(Axis::x, 2), Pixel::u8, Pixel::u8, {}, true);
    EXPECT_NEAR(results.most, 255 * (1.055 * std::pow(4, 1 / 2.4) - 0.055), 1e-9);
    EXPECT_EQ(results.least, -results.most);
    const std::vector<double> grey =
        values_of(convolve_display(in, sobel(), Display::signed_values, {}, colour));
    const std::vector<double> magnitude =
        values_of(convolve_display(in, sobel(), Display::magnitude, {}, colour));
    ASSERT_EQ(grey.size(), light.size());
    for (std::size_t i = 0; i < light.size(); ++i) {
      ASSERT_NEAR(grey[i], 128 + 127 * 255 * light[i] / results.most, 0.52);
      ASSERT_NEAR(magnitude[i], std::min(255.0, std::abs(255 * light[i])), 0.52);
    }
  }
}

/// What lies beyond the range, by plain loops over the exact results.
Clipped counted(const Image& exact, Pixel pixel, std::int64_t colours) {
  Clipped clipped;
  const std::vector<double> values = values_of(exact);
  const auto channels = static_cast<std::size_t>(exact.shape().channels);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<std::int64_t>(i % channels) >= colours) continue;
    ++clipped.samples;
    clipped.below += std::nearbyint(values[i]) < smallest(pixel);
    clipped.above += std::nearbyint(values[i]) > largest(pixel);
  }
  return clipped;
}

TEST(CountClipped, IsWhatPlainLoopsCount) {
  for (const FilterSet& filter : all_filters()) {
    for (const Pixel pixel : integers) {
      for (const bool alpha : {false, true}) {
        const Image in = random_image(pixel, {.height = 20, .width = 21, .channels = 4});
        const Options options{.border = Border::replicate(), .offset = 3};
        const ColourOptions colour{.alpha = alpha};
        const Image out = convolve_colour(in, filter, options, colour);
        Options wide = options;
        wide.output = Pixel::f64;
        const Clipped wanted = counted(convolve_colour(in, filter, wide, colour), pixel, alpha ? 3 : 4);
        const Clipped got = count_clipped(in, out, filter, options, colour);
        EXPECT_EQ(got.samples, wanted.samples);
        EXPECT_NEAR(static_cast<double>(got.below), static_cast<double>(wanted.below), 2);  // sums in f32
        EXPECT_NEAR(static_cast<double>(got.above), static_cast<double>(wanted.above), 2);
      }
    }
  }
}

TEST(CountClipped, EndsThatWereReachedAreNotClipped) {
  const Image in = image_of<std::uint8_t>({.width = 6}, {0, 0, 255, 255, 255, 0});
  const Image same = convolve(in, sharpen(0), {});
  EXPECT_EQ(count_clipped(in, same, sharpen(0)).share(), 0);
  const FilterSet doubled = Filter({2});
  const Clipped clipped = count_clipped(in, convolve(in, doubled), doubled);
  EXPECT_EQ(clipped.above, 3);
  EXPECT_EQ(clipped.below, 0);
}

TEST(CountClipped, SmallSharesAndFloatsAreNotLookedInto) {
  const Image in = image_of<std::uint8_t>({.width = 6}, {0, 0, 255, 255, 255, 0});
  const FilterSet doubled = Filter({2});
  EXPECT_EQ(count_clipped(in, convolve(in, doubled), doubled, {}, {}, 1.0).above, 0);
  const Options to_f32{.output = Pixel::f32};
  EXPECT_EQ(count_clipped(in, convolve(in, doubled, to_f32), doubled, to_f32).above, 0);
}

}  // namespace
}  // namespace halation
