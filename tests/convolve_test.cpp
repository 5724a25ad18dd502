// convolve_test.cpp: the one call: worked examples, NaN, several filters, filters that are correlations.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "halation/halation.h"

namespace halation {
namespace {

class Convolve : public testing::TestWithParam<Device> {};

TEST_P(Convolve, WorkedExampleOfTheCourseGives321) {
  const std::vector<float> image{1, 2, 3, 4, 5, 6, 7,  //
                                 2, 3, 4, 5, 6, 7, 8,  //
                                 3, 4, 5, 6, 7, 8, 9,  //
                                 4, 5, 6, 7, 8, 5, 6,  //
                                 5, 6, 7, 8, 5, 6, 7,  //
                                 6, 7, 8, 9, 0, 1, 2,  //
                                 7, 8, 9, 0, 1, 2, 3};
  const Filter mask = Filter::dense({1, 5, 5}, {1, 2, 3, 2, 1,  //
                                                2, 3, 4, 3, 2,  //
                                                3, 4, 5, 4, 3,  //
                                                2, 3, 4, 3, 2,  //
                                                1, 2, 3, 2, 1});
  const Image out =
      convolve(view_of(image.data(), {.height = 7, .width = 7}), mask, {.border = Border::constant(0)}, GetParam());
  EXPECT_EQ(out.view().at<float>({.y = 2, .x = 2}), 321);
}

TEST_P(Convolve, FlipsAndCorrelateDoesNot) {
  const std::vector<float> row{0, 0, 1, 0, 0};
  const ConstView view = view_of(row.data(), {.width = 5});
  const Image flipped = convolve(view, Filter({1, 2, 3}), {}, GetParam());
  const Image straight = correlate(view, Filter({1, 2, 3}), {}, GetParam());
  const Image as_correlation = convolve(view, Filter({1, 2, 3}).as_correlation(), {}, GetParam());
  std::vector<float> flipped_into(5), straight_into(5);
  convolve(view, view_of(flipped_into.data(), {.width = 5}), Filter({1, 2, 3}), {}, GetParam());
  correlate(view, view_of(straight_into.data(), {.width = 5}), Filter({1, 2, 3}), {}, GetParam());
  EXPECT_EQ(flipped_into, (std::vector<float>{0, 1, 2, 3, 0}));
  EXPECT_EQ(straight_into, (std::vector<float>{0, 3, 2, 1, 0}));
  for (int x = 0; x < 3; ++x) {
    EXPECT_EQ(flipped.view().at<float>({.y = 0, .x = x + 1}), x + 1);
    EXPECT_EQ(straight.view().at<float>({.y = 0, .x = x + 1}), 3 - x);
    EXPECT_EQ(as_correlation.view().at<float>({.y = 0, .x = x + 1}), 3 - x);
  }
}

TEST_P(Convolve, NaNReachesTheBoxOfTheFilterAndNoPixelBeyond) {
  for (const Method method : {Method::automatic, Method::direct}) {
    Image image({.height = 40, .width = 50}, Pixel::f32);
    std::fill_n(reinterpret_cast<float*>(image.view().data), 2000, 1.0F);
    image.view().at<float>({.y = 20, .x = 30}) = std::numeric_limits<float>::quiet_NaN();
    const Image out = convolve(image, Filter::separable({.y = {1, 1, 1}, .x = {1, 0, 2, 0, 1}}), {.method = method}, GetParam());
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 50; ++x) {
        const bool reached = std::abs(y - 20) <= 1 && std::abs(x - 30) <= 2;
        EXPECT_EQ(std::isnan(out.view().at<float>({.y = y, .x = x})), reached) << y << "," << x;
      }
    }
  }
}

TEST_P(Convolve, ExtentsHaveTheirShapes) {
  const Image image({.height = 9, .width = 12, .channels = 3}, Pixel::u8);
  const Filter filter = Filter::dense({1, 4, 5}, std::vector<double>(20, 1));
  const auto shape = [&](Extent extent) { return to_string(convolve(image, filter, {.extent = extent}, GetParam()).shape()); };
  EXPECT_EQ(shape(Extent::same), "9x12x3");
  EXPECT_EQ(shape(Extent::valid), "6x8x3");
  EXPECT_EQ(shape(Extent::full), "12x16x3");
}

TEST_P(Convolve, MagnitudeIsTheRootOfTheSumOfSquares) {
  const std::vector<float> row{3, 4, 1e20F, -7};
  const FilterSet both({Filter({1}), Filter({2})}, Combine::magnitude);
  const Image out = convolve(view_of(row.data(), {.width = 4}), both, {}, GetParam());
  for (int x = 0; x < 4; ++x) {
    const double expected = std::sqrt(5.0) * std::fabs(static_cast<double>(row[static_cast<std::size_t>(x)]));
    EXPECT_NEAR(out.view().at<float>({.y = 0, .x = x}), expected, 1e-6 * expected);
  }
}

TEST_P(Convolve, SeveralOutputsNeedAPlan) {
  const Image image({.width = 4}, Pixel::u8);
  const FilterSet two({Filter({1}), Filter({2})}, Combine::none);
  try {
    convolve(image, two, {}, GetParam());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "one call makes one image, these filters make 2; use a Plan");
  }
}

TEST_P(Convolve, BordersMayDifferByAxisAndTheFirstConstantAxisWins) {
  const std::vector<float> image{1, 2,  //
                                 3, 4};
  // The corner pixel above and to the left of (0, 0), seen through a filter that picks it.
  const Filter corner = Filter::dense({1, 3, 3}, {1, 0, 0, 0, 0, 0, 0, 0, 0});
  const auto value = [&](Border height, Border width) {
    return correlate(view_of(image.data(), {.height = 2, .width = 2}), corner,
                     {.border = {.z = Border::replicate(), .y = height, .x = width}}, GetParam())
        .view()
        .at<float>({.y = 0, .x = 0});
  };
  EXPECT_EQ(value(Border::constant(10), Border::constant(20)), 10);
  EXPECT_EQ(value(Border::replicate(), Border::constant(20)), 20);
  EXPECT_EQ(value(Border::wrap(), Border::replicate()), 3);
}

INSTANTIATE_TEST_SUITE_P(Devices, Convolve, testing::Values(reference(), cpu()),
                         [](const auto& device) { return name_of(device.param); });

}  // namespace
}  // namespace halation
