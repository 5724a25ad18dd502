// pixel_test.cpp: names, ranges, binary16 and the rule that turns sums into elements.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/convert.h"
#include "halation/error.h"

namespace halation {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Pixel, NamesGoBothWays) {
  for (const Pixel pixel : all_pixels) EXPECT_EQ(pixel_named(name_of(pixel)), pixel);
  try {
    pixel_named("u12");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown pixel 'u12'; choose from u8, u16, i16, f16, f32, f64, i8, u32, i32, u64, i64, c64, "
                 "c128; did you mean 'u16'?");
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  }
}

TEST(Pixel, SizesAndRanges) {
  EXPECT_EQ(bytes_of(Pixel::u8), 1U);
  EXPECT_EQ(bytes_of(Pixel::f16), 2U);
  EXPECT_EQ(bytes_of(Pixel::f64), 8U);
  EXPECT_EQ(largest(Pixel::u16), 65535);
  EXPECT_EQ(smallest(Pixel::i16), -32768);
  EXPECT_EQ(largest(Pixel::f16), 65504);
  EXPECT_EQ(smallest(Pixel::f16), -65504);
}

TEST(F16, EveryValueSurvivesARoundTrip) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    f16 half;
    half.bits = static_cast<std::uint16_t>(bits);
    const double value(half);
    const f16 back(value);
    if (std::isnan(value)) EXPECT_TRUE(std::isnan(static_cast<double>(back)));
    else EXPECT_EQ(back.bits, half.bits) << value;
  }
}

TEST(F16, RoundsHalfToEvenBetweenNeighbours) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {  // every pair of neighbours up to the largest
    f16 low;
    f16 high;
    low.bits = static_cast<std::uint16_t>(bits);
    high.bits = static_cast<std::uint16_t>(bits + 1);
    const double a(low);
    const double b(high);
    const double middle = (a + b) / 2;
    EXPECT_EQ(f16(middle).bits, bits % 2 == 0 ? low.bits : high.bits) << middle;
    EXPECT_EQ(f16(std::nextafter(middle, 0.0)).bits, low.bits) << middle;
    EXPECT_EQ(f16(std::nextafter(middle, b)).bits, high.bits) << middle;
  }
}

TEST(F16, OverflowsToInfinity) {
  EXPECT_EQ(static_cast<double>(f16(65519.99)), 65504);
  EXPECT_EQ(static_cast<double>(f16(65520)), infinity);
  EXPECT_EQ(static_cast<double>(f16(-1e300)), -infinity);
  EXPECT_EQ(f16(-0.0).bits, 0x8000);
  EXPECT_EQ(static_cast<double>(f16(1e-300)), 0);
}

TEST(ToElement, RoundsHalfToEvenAndSaturates) {
  EXPECT_EQ(to_element<std::uint8_t>(0.5, Rounding::half_even), 0);
  EXPECT_EQ(to_element<std::uint8_t>(1.5, Rounding::half_even), 2);
  EXPECT_EQ(to_element<std::uint8_t>(2.5, Rounding::half_even), 2);
  EXPECT_EQ(to_element<std::uint8_t>(254.6, Rounding::half_even), 255);
  EXPECT_EQ(to_element<std::uint8_t>(1e30, Rounding::half_even), 255);
  EXPECT_EQ(to_element<std::uint8_t>(-0.6, Rounding::half_even), 0);
  EXPECT_EQ(to_element<std::int16_t>(-2.5, Rounding::half_even), -2);
  EXPECT_EQ(to_element<std::int16_t>(-infinity, Rounding::half_even), -32768);
  EXPECT_EQ(to_element<std::uint16_t>(infinity, Rounding::half_even), 65535);
}

TEST(ToElement, TruncatesTowardsZeroOnRequest) {
  EXPECT_EQ(to_element<std::uint8_t>(1.99, Rounding::truncate), 1);
  EXPECT_EQ(to_element<std::int16_t>(-1.99, Rounding::truncate), -1);
}

TEST(ToElement, MakesZeroOfNaNForIntegersAndKeepsItForFloats) {
  EXPECT_EQ(to_element<std::uint8_t>(nan, Rounding::half_even), 0);
  EXPECT_EQ(to_element<std::int16_t>(nan, Rounding::truncate), 0);
  EXPECT_TRUE(std::isnan(to_element<float>(nan, Rounding::half_even)));
  EXPECT_TRUE(std::isnan(static_cast<double>(to_element<f16>(nan, Rounding::half_even))));
}

}  // namespace
}  // namespace halation
