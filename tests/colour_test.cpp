// colour_test.cpp: photographs: alpha does not bleed, light adds up, gray is luma, and every value equals
// that of plain loops.
#include "halation/colour.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>

#include "colour_oracle.h"
#include "halation/error.h"
#include "halation/filters.h"
#include "message_of.h"

namespace halation {
namespace {

using testing::ElementsAre;
constexpr double f32_slack = 4e-6;

TEST(Colour, WithoutOptionsIsConvolve) {
  const Shape shape{.height = 5, .width = 7, .channels = 4};
  const Image in = image_of<std::uint8_t>(shape, random_values(shape, 0, 255, true));
  const Options options{.border = Border::wrap(), .extent = Extent::full, .offset = 3};
  const Image out = convolve_colour(in, gaussian(), options);
  EXPECT_EQ(values_of(out), values_of(convolve(in, gaussian(), options)));
}

TEST(Alpha, TransparentRedDoesNotBleedIntoBlue) {
  // Red, invisible, beside blue, opaque.
  const Image in = image_of<std::uint8_t>({.height = 1, .width = 4, .channels = 4},
                                          {255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 255, 255, 0, 0, 255, 255});
  const Image out = convolve_colour(in, box({.dims = 1}), {.border = Border::replicate()}, {.alpha = true});
  EXPECT_THAT(values_of(out), ElementsAre(0, 0, 0, 0,      //
                                          0, 0, 255, 85,   //
                                          0, 0, 255, 170,  //
                                          0, 0, 255, 255));
}

TEST(Alpha, OpaqueColoursAreFilteredAsIfThereWereNone) {
  const Shape shape{.height = 9, .width = 11, .channels = 3};
  const std::vector<double> colours = random_values(shape, 0, 255, true);
  std::vector<double> with_alpha;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    with_alpha.push_back(colours[i]);
    if (i % 3 == 2) with_alpha.push_back(255);
  }
  const Image rgb = image_of<std::uint8_t>(shape, colours);
  const Image rgba = image_of<std::uint8_t>({.height = 9, .width = 11, .channels = 4}, with_alpha);
  for (const FilterSet& filter :
       {FilterSet(sharpen()), FilterSet(box({.size = 5})), FilterSet(laplacian()), edges()}) {
    for (const Border border : {Border::reflect(), Border::constant(200)}) {
      const Options options{.border = border, .extent = Extent::full};
      const Image plain = convolve(rgb, filter, options);
      const Image out = convolve_colour(rgba, filter, options, {.alpha = true});
      ASSERT_EQ(out.shape().channels, 4);
      for (std::int64_t y = 0; y < plain.shape().height; ++y) {
        for (std::int64_t x = 0; x < plain.shape().width; ++x) {
          for (std::int64_t c = 0; c < 3; ++c)
            EXPECT_NEAR(value_at(out, {0, y, x}, c), value_at(plain, {0, y, x}, c), 1);
          EXPECT_EQ(value_at(out, {0, y, x}, 3), 255);
        }
      }
    }
  }
}

template <class T>
class EveryPixel : public testing::Test {};
using Pixels = testing::Types<std::uint8_t, std::uint16_t, std::int16_t, f16, float, double>;
TYPED_TEST_SUITE(EveryPixel, Pixels);

TYPED_TEST(EveryPixel, EqualsPlainLoops) {
  constexpr Pixel pixel = PixelOf<TypeParam>::value;
  const double unit = full_scale(pixel);
  const double slack = pixel == Pixel::f64 ? 1e-13 : f32_slack;
  const Shape shape{.height = 6, .width = 7, .channels = 4};
  std::vector<double> values = random_values(shape, 0, unit, !is_float(pixel));
  for (std::size_t i = 3; i < values.size(); i += 4)
    values[i] = i % 3 == 0 ? 0 : values[i];  // some are transparent
  const Image in = image_of<TypeParam>(shape, values);
  const Image rgb = image_of<TypeParam>({.height = 7, .width = 8, .channels = 3}, values);
  for (const Border border : {Border::reflect101(), Border::replicate(), Border::constant(0.75 * unit)}) {
    for (const bool linear : {false, true}) {
      for (const bool gray : {false, true}) {
        for (const bool alpha : {false, true}) {
          if (!alpha && !linear && !gray) continue;
          const ColourOptions colour{.alpha = alpha, .linear = linear, .gray = gray};
          const Image& source = alpha ? in : rgb;
          const Options options{.border = border};
          SCOPED_TRACE(testing::Message() << name_of(border.mode) << " linear " << linear << " gray " << gray
                                          << " alpha " << alpha);
          const Oracle oracle(source, colour, border, pixel);
          const Filter blur = gaussian({.sigma = {0.8, 1.2}, .dims = 2});
          expect_equal(convolve_colour(source, blur, options, colour), slack,
                       [&](const Place& at) { return oracle.blended(blur, at); });
          // Near black, encoding is steepest; differences of equal light lie there.
          const FilterSet gradient = edges(2);
          expect_equal(convolve_colour(source, gradient, options, colour), 20 * slack,
                       [&](const Place& at) { return oracle.magnitude(gradient.filters, at); });
        }
      }
    }
  }
}

TYPED_TEST(EveryPixel, IdentityGivesTheImageBack) {
  constexpr Pixel pixel = PixelOf<TypeParam>::value;
  std::vector<double> values;
  const double least = is_float(pixel) ? -2 : smallest(pixel);
  const double most = is_float(pixel) ? 2 : largest(pixel);
  for (int i = 0; i <= 65535; ++i) {
    const double value = least + (most - least) * i / 65535;
    values.push_back(is_float(pixel) ? static_cast<double>(static_cast<TypeParam>(value))
                                     : std::nearbyint(value));
  }
  const Image in = image_of<TypeParam>({.height = 256, .width = 256}, values);
  const std::vector<double> out = values_of(convolve_colour(in, identity(), {}, {.linear = true}));
  ASSERT_EQ(out.size(), values.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double tolerance = !is_float(pixel) || pixel == Pixel::f16 ? 0 : pixel == Pixel::f32 ? 2e-7 : 1e-15;
    ASSERT_NEAR(out[i], values[i], tolerance * std::max(1.0, std::abs(values[i])));
  }
}

TEST(Linear, HalfTheLightOfAnEdgeIs188) {
  const Image in = image_of<std::uint8_t>({.height = 1, .width = 4}, {0, 0, 255, 255});
  const Filter mean = box({.size = 2, .dims = 1});
  EXPECT_THAT(values_of(convolve_colour(in, mean, {}, {.linear = true})), ElementsAre(0, 0, 188, 255));
  EXPECT_THAT(values_of(convolve(in, mean)), ElementsAre(0, 0, 128, 255));
}

TEST(Linear, FloatsMayBeBrighterThanWhiteOrNegative) {
  const Image in = image_of<double>({.height = 1, .width = 3}, {-0.5, 0.02, 4});
  const Filter twice = Filter(std::vector<double>{2});
  const std::vector<double> out = values_of(convolve_colour(in, twice, {}, {.linear = true}));
  EXPECT_NEAR(out[0], -(1.055 * std::pow(2 * std::pow(0.555 / 1.055, 2.4), 1 / 2.4) - 0.055), 1e-14);
  EXPECT_NEAR(out[1], 0.04, 1e-16);  // on the straight part, also doubled
  EXPECT_NEAR(out[2], 1.055 * std::pow(2 * std::pow(4.055 / 1.055, 2.4), 1 / 2.4) - 0.055, 1e-14);
}

TEST(Linear, ConstantBorderIsOnTheInputsScale) {
  const Image in = image_of<std::uint8_t>({.height = 1, .width = 1}, {0});
  const Options options{.border = Border::constant(255)};
  const Filter half(std::vector<double>{0.5, 0.5});
  EXPECT_THAT(values_of(convolve_colour(in, half, options, {.linear = true})), ElementsAre(188));
}

TEST(Gray, IsLuma) {
  const Image in = image_of<std::uint8_t>({.height = 1, .width = 5, .channels = 3},
                                          {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 20, 30});
  EXPECT_THAT(values_of(convolve_colour(in, identity(), {}, {.gray = true})),
              ElementsAre(76, 150, 29, 255, 18));
  // The luma of light: 255 · encode(0.299), 255 · encode(0.587), 255 · encode(0.114).
  const std::vector<double> light =
      values_of(convolve_colour(in, identity(), {}, {.linear = true, .gray = true}));
  EXPECT_THAT(std::vector<double>(light.begin(), light.begin() + 4), ElementsAre(149, 201, 95, 255));
}

TEST(Gray, KeepsAlphaAndPixel) {
  const Image in = image_of<std::uint16_t>({.height = 1, .width = 2, .channels = 4},
                                           {60000, 60000, 60000, 65535, 65535, 0, 0, 0});
  const Image out = convolve_colour(in, identity(), {}, {.alpha = true, .gray = true});
  EXPECT_EQ(out.pixel(), Pixel::u16);
  EXPECT_EQ(out.shape(), (Shape{.height = 1, .width = 2, .channels = 2}));
  EXPECT_THAT(values_of(out), ElementsAre(60000, 65535, 0, 0));
}

TEST(Alpha, OfFiltersThatCancelStays) {
  const Shape shape{.height = 6, .width = 5, .channels = 2};
  const Image in = image_of<std::uint8_t>(shape, random_values(shape, 0, 255, true));
  for (const FilterSet& filter :
       {FilterSet(high_pass()), FilterSet(sobel()), FilterSet(gaussian_derivative()),
        FilterSet(laplacian_of_gaussian()), edges()}) {
    const Image out = convolve_colour(in, filter, {}, {.alpha = true});
    for (std::int64_t y = 0; y < 6; ++y) {
      for (std::int64_t x = 0; x < 5; ++x) EXPECT_EQ(value_at(out, {0, y, x}, 1), value_at(in, {0, y, x}, 1));
    }
  }
}

TEST(Alpha, OfFiltersThatCancelIsCutAndWidenedWithTheImage) {
  const Shape shape{.height = 4, .width = 5, .channels = 2};
  const Image in = image_of<std::uint8_t>(shape, random_values(shape, 0, 255, true));
  const auto alpha = [&](std::int64_t y, std::int64_t x) {
    const bool inside = y >= 0 && y < 4 && x >= 0 && x < 5;
    return inside ? value_at(in, {0, y, x}, 1) : 255;
  };
  const Filter difference = parse_weights("-1 0 0; 0 0 1").with_anchor({.y = 0, .x = 2});
  for (const bool correlation : {false, true}) {
    const Filter filter = correlation ? difference.as_correlation() : difference;
    // The input place under the anchor of the filter at output (0, 0); convolution reverses the filter.
    const std::int64_t first_y = correlation ? 0 : 1, first_x = correlation ? 2 : 0;
    const Image valid = convolve_colour(in, filter, {.extent = Extent::valid}, {.alpha = true});
    ASSERT_EQ(valid.shape(), (Shape{.height = 3, .width = 3, .channels = 2}));
    const Image full =
        convolve_colour(in, filter, {.border = Border::constant(9), .extent = Extent::full}, {.alpha = true});
    ASSERT_EQ(full.shape(), (Shape{.height = 5, .width = 7, .channels = 2}));
    for (std::int64_t y = 0; y < 5; ++y) {
      for (std::int64_t x = 0; x < 7; ++x) {
        EXPECT_EQ(value_at(full, {0, y, x}, 1), alpha(y + first_y - 1, x + first_x - 2)) << y << "," << x;
        if (y < 3 && x < 3) {
          EXPECT_EQ(value_at(valid, {0, y, x}, 1), alpha(y + first_y, x + first_x));
        }
      }
    }
  }
}

TEST(Alpha, OfMagnitudesStays) {
  const Image in =
      image_of<std::uint8_t>({.height = 1, .width = 3, .channels = 2}, {30, 255, 30, 51, 30, 255});
  const FilterSet both({box({.dims = 1}), box({.dims = 1})}, Combine::magnitude);
  const Image out = convolve_colour(in, both, {.border = Border::replicate()}, {.alpha = true});
  // 30 · √2 times the mean of alpha: (1 + 1 + 0.2)/3 = 0.733 everywhere.
  EXPECT_THAT(values_of(out), ElementsAre(31, 255, 31, 51, 31, 255));
}

TEST(Alpha, IsDividedByTheSumOfTheWeights) {
  const Shape shape{.height = 5, .width = 6, .channels = 2};
  const Image in = image_of<float>(shape, random_values(shape, 0.1, 1, false));
  const ColourOptions colour{.alpha = true};
  for (const Filter& filter : {low_pass(5, 2), low_pass(27, 2), parse_weights("-3").as_correlation()}) {
    const Oracle oracle(in, colour, Border::reflect101(), Pixel::f32);
    expect_equal(convolve_colour(in, filter, {}, colour), f32_slack,
                 [&](const Place& at) { return oracle.blended(filter, at); });
  }
}

TEST(Alpha, ConstantBorderIsOpaque) {
  const Image in = image_of<std::uint8_t>({.height = 1, .width = 1, .channels = 2}, {77, 0});
  const Options options{.border = Border::constant(200)};
  const Image out = convolve_colour(in, box({.dims = 1}), options, {.alpha = true});
  EXPECT_THAT(values_of(out), ElementsAre(200, 170));
}

TEST(Output, ScaleOffsetAndRoundingActOnColourAlone) {
  const Image in = image_of<std::uint8_t>({.height = 1, .width = 2, .channels = 2}, {100, 255, 40, 127});
  const Options options{.scale = 1.5, .offset = 0.75, .rounding = Rounding::truncate};
  const Filter same = identity(1);
  EXPECT_THAT(values_of(convolve_colour(in, same, options, {.alpha = true})), ElementsAre(150, 255, 60, 127));
  // A row for each alpha. Blurred in f32 it is a little less or more; truncation would show that.
  std::vector<double> rows;
  for (int alpha = 0; alpha < 256; ++alpha) {
    for (int x = 0; x < 3; ++x) rows.insert(rows.end(), {0.0, static_cast<double>(alpha)});
  }
  const Image in_rows = image_of<std::uint8_t>({.height = 256, .width = 3, .channels = 2}, rows);
  const Options truncated{.border = Border::replicate(), .rounding = Rounding::truncate};
  EXPECT_EQ(values_of(convolve_colour(in_rows, gaussian({.dims = 1}), truncated, {.alpha = true})), rows);
  const Image one = image_of<std::uint8_t>({.height = 1, .width = 1}, {100});
  EXPECT_THAT(values_of(convolve_colour(one, same, {.scale = 0.5, .offset = 7}, {.linear = true})),
              ElementsAre(57));
}

TEST(Output, OpaqueStaysOpaqueInAnyPixel) {
  const Image in = image_of<std::uint8_t>({.height = 1, .width = 2, .channels = 2}, {100, 255, 40, 51});
  const auto out = [&](Pixel pixel, bool linear) {
    return convolve_colour(in, identity(), {.output = pixel}, {.alpha = true, .linear = linear});
  };
  EXPECT_THAT(values_of(out(Pixel::u16, false)), ElementsAre(100, 65535, 40, 13107));
  EXPECT_THAT(values_of(out(Pixel::u16, true)), ElementsAre(25700, 65535, 10280, 13107));
  const std::vector<double> floats = values_of(out(Pixel::f64, true));
  EXPECT_NEAR(floats[0], 100 / 255.0, 1e-15);
  EXPECT_EQ(floats[1], 1);
  EXPECT_NEAR(floats[3], 0.2, 1e-15);
}

TEST(Shapes, VolumesAndBatchesEqualPlainLoops) {
  const Shape shape{.batch = 2, .depth = 3, .height = 4, .width = 5, .channels = 2};
  const Image in = image_of<std::uint16_t>(shape, random_values(shape, 0, 65535, true));
  const Border border = Border::constant(1000);
  const ColourOptions colour{.alpha = true, .linear = true};
  const Image out = convolve_colour(in, gaussian(), {.border = border}, colour);
  ASSERT_EQ(out.shape(), shape);
  const Filter blur = gaussian({.dims = 3});
  for (std::int64_t b = 0; b < 2; ++b) {
    const Oracle oracle(in.view().batch(b), colour, border, Pixel::u16);
    Image one({.depth = 3, .height = 4, .width = 5, .channels = 2}, Pixel::u16);
    copy(out.view().batch(b), one);
    expect_equal(one, f32_slack, [&](const Place& at) { return oracle.blended(blur, at); });
  }
}

TEST(Shapes, PlanarAndReversedViewsAreRead) {
  const Shape shape{.height = 5, .width = 6, .channels = 4};
  const std::vector<double> values = random_values(shape, 0, 255, true);
  const Image packed = image_of<std::uint8_t>(shape, values);
  const Image planar = image_of<std::uint8_t>(shape, values, Layout::planar);
  const ColourOptions colour{.alpha = true, .gray = true};
  const std::vector<double> expected = values_of(convolve_colour(packed, sharpen(), {}, colour));
  EXPECT_EQ(values_of(convolve_colour(planar, sharpen(), {}, colour)), expected);

  // Upside down, a symmetric filter gives the same upside down.
  ConstView reversed = packed.view();
  reversed.data += 4 * reversed.strides.height;
  reversed.strides.height *= -1;
  const Image flipped = convolve_colour(reversed, sharpen(), {}, colour);
  const Image upright = convolve_colour(packed, sharpen(), {}, colour);
  for (std::int64_t y = 0; y < 5; ++y) {
    for (std::int64_t x = 0; x < 6; ++x) {
      EXPECT_NEAR(value_at(flipped, {0, y, x}, 0), value_at(upright, {0, 4 - y, x}, 0), 1);
      EXPECT_NEAR(value_at(flipped, {0, y, x}, 1), value_at(upright, {0, 4 - y, x}, 1), 1);
    }
  }
}

TEST(Shapes, LargeImagesAreTheSameOnAnyNumberOfThreads) {
  const Shape shape{.height = 300, .width = 257, .channels = 4};
  const Image in = image_of<std::uint8_t>(shape, random_values(shape, 0, 255, true));
  const ColourOptions colour{.alpha = true, .linear = true};
  const std::vector<double> one = values_of(convolve_colour(in, gaussian(), {.threads = 1}, colour));
  for (const int threads : {0, 2, 5}) {
    EXPECT_EQ(values_of(convolve_colour(in, gaussian(), {.threads = threads}, colour)), one) << threads;
  }
}

TEST(Shapes, ReferenceAgrees) {
  const Shape shape{.height = 20, .width = 17, .channels = 4};
  const Image in = image_of<std::uint8_t>(shape, random_values(shape, 0, 255, true));
  const ColourOptions colour{.alpha = true, .linear = true};
  const std::vector<double> fast = values_of(convolve_colour(in, unsharp_mask(), {}, colour));
  const std::vector<double> slow = values_of(convolve_colour(in, unsharp_mask(), {}, colour, reference()));
  ASSERT_EQ(fast.size(), slow.size());
  for (std::size_t i = 0; i < fast.size(); ++i) EXPECT_NEAR(fast[i], slow[i], 1);
}

TEST(NotANumber, ReachesWhatTheFilterReaches) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(18, 0.5);  // 9 pixels of colour and alpha
  values[8] = nan;                      // colour of pixel 4
  values[17] = nan;                     // alpha of pixel 8
  const Image in = image_of<float>({.height = 1, .width = 9, .channels = 2}, values);
  const Image out =
      convolve_colour(in, box({.dims = 1}), {.border = Border::replicate()}, {.alpha = true, .linear = true});
  for (std::int64_t x = 0; x < 9; ++x) {
    const bool bad_colour = (x >= 3 && x <= 5) || x >= 7;
    EXPECT_EQ(std::isnan(value_at(out, {0, 0, x}, 0)), bad_colour) << x;
    EXPECT_EQ(std::isnan(value_at(out, {0, 0, x}, 1)), x >= 7) << x;
  }
}

TEST(Sums, MayBeInDouble) {
  const Shape shape{.height = 8, .width = 8, .channels = 2};
  const Image in = image_of<float>(shape, random_values(shape, 0.1, 1, false));
  const ColourOptions colour{.alpha = true};
  const Filter blur = gaussian({.dims = 2});
  const Oracle oracle(in, colour, Border::reflect101(), Pixel::f64);
  const Image out = convolve_colour(in, blur, {.output = Pixel::f64}, colour);
  expect_equal(out, 1e-14, [&](const Place& at) { return oracle.blended(blur, at); });
  const Image summed = convolve_colour(in, blur, {.sum = Sum::f64}, colour);
  expect_equal(summed, 6e-8, [&](const Place& at) { return oracle.blended(blur, at); });
}

TEST(Errors, AreSentences) {
  const auto attempt = [](std::int64_t channels, const ColourOptions& colour, const Options& options = {}) {
    const Image in({.height = 4, .width = 4, .channels = channels}, Pixel::u8);
    return message_of([&] { convolve_colour(in, gaussian(), options, colour); });
  };
  EXPECT_EQ(attempt(1, {.alpha = true}), "alpha needs a colour beside it, got an image of 1 channel");
  EXPECT_EQ(attempt(1, {.gray = true}), "gray needs 3 colours, got 1");
  EXPECT_EQ(attempt(3, {.alpha = true, .gray = true}), "gray needs 3 colours, got 2");
  EXPECT_EQ(attempt(5, {.alpha = true, .gray = true}), "gray needs 3 colours, got 4");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(attempt(3, {.linear = true}, {.scale = nan}).substr(0, 20), "scale must be finite");
  EXPECT_EQ(attempt(3, {.linear = true}, {.extent = Extent::valid}).substr(0, 42),
            "extent valid: the filter (9x9) is larger t");

  const ConstView nothing{.shape = {.channels = 3}, .strides = strides_of({.channels = 3}, Pixel::u8)};
  EXPECT_EQ(message_of([&] { convolve_colour(nothing, identity(), {}, {.gray = true}); }), "input has no data");
  const Image in({.height = 4, .width = 4, .channels = 3}, Pixel::u8);
  const FilterSet two({sobel(), scharr()}, Combine::none);
  EXPECT_EQ(message_of([&] { convolve_colour(in, two, {}, {.linear = true}); }),
            "one call makes one image, these filters make 2; use a Plan");
  EXPECT_EQ(message_of([&] { convolve_colour(in, FilterSet(), {}, {.linear = true}); }),
            "a plan needs at least one filter");
}

}  // namespace
}  // namespace halation
