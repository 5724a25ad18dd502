// light_test.cpp: pixels become light and light pixels as by the formula of sRGB, however quickly.
#include "pipeline/colour/light.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "colour_oracle.h"
#include "halation/colour.h"
#include "halation/filters.h"

namespace halation {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<Encoding> encodings(double unit) {
  std::vector<Encoding> all;
  for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
    for (const auto& [scale, offset] : {std::pair(1.0, 0.0), {0.5, 7.25}, {3.0, -unit / 2}, {-1.0, unit}, {1e-12, 100.5}})
      all.push_back({.unit = unit, .scale = scale, .offset = offset, .rounding = rounding});
  }
  return all;
}

/// Calls check(light) for the floats around each light that is encoded to an integer number of levels or half of one, from -unit / 2 to 1.5 · unit.
template <class Check>
void around_all_thresholds(const Encoding& by, const Check& check) {
  const auto unit = static_cast<std::int64_t>(by.unit);
  for (std::int64_t twice = -unit; twice <= 3 * unit; ++twice) {
    const double encoded = (static_cast<double>(twice) / 2 - by.offset) / by.scale / by.unit;
    if (!(std::abs(encoded) < 4)) continue;
    auto light = static_cast<float>(srgb_decode(encoded));
    for (int i = 0; i < 2; ++i) light = std::nextafter(light, -infinity);
    for (int i = 0; i < 5; ++i, light = std::nextafter(light, infinity)) check(light);
  }
}

/// Calls check(light) for floats of every sign, exponent and leading seven bits of the fraction: the ends and the middle.
template <class Check>
void over_floats_of_all_sizes(const Check& check) {
  for (std::uint32_t upper = 0; upper < 1U << 16; ++upper) {
    for (const std::uint32_t lower : {0U, 1U, 0x7FFFU, 0x8000U, 0xFFFEU, 0xFFFFU}) check(std::bit_cast<float>(upper << 16 | lower));
  }
}

template <class T>
class QuickIntegers : public testing::Test {};
using Integers = testing::Types<std::uint8_t, std::uint16_t, std::int16_t>;
TYPED_TEST_SUITE(QuickIntegers, Integers);

TYPED_TEST(QuickIntegers, EqualTheFormulaAtEveryThreshold) {
  std::int64_t checked = 0;
  for (const Encoding& by : encodings(std::numeric_limits<TypeParam>::max())) {
    const auto check = [&](double light) {
      ++checked;
      ASSERT_EQ(quickly_encoded<TypeParam>(light, by, quick_light()), exactly_encoded<TypeParam>(light, by))
          << "light " << light << " scale " << by.scale << " offset " << by.offset;
    };
    around_all_thresholds(by, check);
    over_floats_of_all_sizes(check);
  }
  EXPECT_GT(checked, 10 * (1 << 16) * 6 + 4 * 5 * std::numeric_limits<TypeParam>::max());
}

TEST(ByteTable, EqualsTheFormulaAtEveryThreshold) {
  for (const Encoding& by : encodings(255)) {
    const ByteTable table(by);
    const auto check = [&](float light) {
      ASSERT_EQ(table(light), exactly_encoded<std::uint8_t>(light, by))
          << "light " << light << " scale " << by.scale << " offset " << by.offset;
    };
    around_all_thresholds(by, check);
    over_floats_of_all_sizes(check);
    // Where the straight part meets the power.
    auto joint = static_cast<float>(0.0031308);
    for (int i = 0; i < 1000; ++i) joint = std::nextafter(joint, -infinity);
    for (int i = 0; i < 2000; ++i, joint = std::nextafter(joint, infinity)) check(joint);
  }
}

TEST(QuickLight, IsOffByNoMoreThanItsBound) {
  const QuickLight& quick = quick_light();
  double worst = 0;
  const auto check = [&](double value) {
    for (const auto& [is, should] : {std::pair(quick.encode(value), srgb_encode(value)), {quick.decode(value), srgb_decode(value)}}) {
      ASSERT_LE(std::abs(is - should), light_error * std::abs(should)) << value;
      worst = std::max(worst, std::abs(is / should - 1));
    }
  };
  // The ends of all parts of a few powers of two, where the polynomials are farthest from their middles.
  for (int exponent = -12; exponent <= 8; ++exponent) {
    for (int part = 0; part < 1024; ++part) {
      const double from = std::ldexp(1 + part / 1024.0, exponent);
      for (const double value : {from, std::nextafter(from, 0)}) {
        check(value);
        check(-value);
      }
    }
  }
  EXPECT_GT(worst, 0);
  EXPECT_TRUE(std::isnan(quick.encode(NAN)));
  EXPECT_TRUE(std::isnan(quick.decode(NAN)));
  EXPECT_EQ(quick.encode(HUGE_VAL), HUGE_VAL);
  EXPECT_EQ(quick.decode(-HUGE_VAL), -HUGE_VAL);
}

template <class T>
void expect_all_values_to_become_their_light() {
  constexpr int least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  std::vector<double> values;
  for (int value = least; value <= most; ++value) values.push_back(value);
  const Image in = image_of<T>({.width = most - least + 1}, values);
  // What is filtered by what changes nothing is encoded again, to numbers that tell one float of light from the next.
  const Image out = convolve_colour(in, identity(), {.output = Pixel::f64, .sum = Sum::f64}, {.linear = true});
  for (int value = least; value <= most; ++value)
    ASSERT_EQ(value_at(out, {0, 0, value - least}, 0), srgb_encode(srgb_decode(value / static_cast<double>(most)))) << value;
}

TEST(Levels, BecomeTheLightOfTheFormula) {
  expect_all_values_to_become_their_light<std::uint8_t>();
  expect_all_values_to_become_their_light<std::uint16_t>();
  expect_all_values_to_become_their_light<std::int16_t>();
}

/// An image with alpha is filtered whole, one without in strips.
TEST(Strips, LeaveEveryBitOfAnImageInLinearLightAsItWas) {
  const Shape shape{.height = 1300, .width = 1111, .channels = 4};
  std::vector<double> values = random_values(shape, 0, 255, true);
  for (std::size_t i = 3; i < values.size(); i += 4) values[i] = 255;
  const Image in = image_of<std::uint8_t>(shape, values);
  ConstView colours = in.view();
  colours.shape.channels = 3;
  for (const FilterSet& filter : {FilterSet(gaussian({.sigma = 3.0})), edges(), FilterSet(gaussian({.sigma = 40.0}))}) {
    for (const Options& options :
         {Options{}, Options{.border = Border::constant(9), .extent = Extent::full}, Options{.border = Border::wrap()},
          Options{.extent = Extent::valid, .output = Pixel::f32}, Options{.output = Pixel::u16}}) {
      for (const bool gray : {false, true}) {
        const Image whole = convolve_colour(in, filter, options, {.alpha = true, .linear = true, .gray = gray});
        const Image cut = convolve_colour(colours, filter, options, {.linear = true, .gray = gray});
        ConstView of_whole = whole.view();
        --of_whole.shape.channels;
        ASSERT_EQ(cut.shape(), of_whole.shape);
        EXPECT_EQ(values_of(cut), values_of(of_whole)) << filter.filters.front().name() << " border " << name_of(options.border.y.mode)
                                                       << " extent " << static_cast<int>(options.extent) << " gray " << gray;
      }
    }
  }
}

}  // namespace
}  // namespace halation
