// cpu_sides_test.cpp: wide rows that are read where they lie but for their sides, which borders are part of.
// Sums beside the reference's, with numbers that are not finite at the sides and between them.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "beside_reference.h"
#include "halation/halation.h"
#include "numbers.h"

namespace halation {
namespace {

std::vector<double> weights(std::int64_t count, Numbers& numbers) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(numbers.next() - 0.4);
  return all;
}

/// One in eight is not 0.
Filter sparse(const FilterSize& size, Numbers& numbers) {
  std::vector<double> all(static_cast<std::size_t>(size.taps()), 0.0);
  for (std::size_t i = 0; i < all.size(); i += 8) all[i] = numbers.next() - 0.4;
  return Filter::dense(size, all);
}

const std::vector<Border> borders = {
    Border::constant(3),  Border::replicate(), Border::reflect(),
    Border::reflect101(), Border::wrap(),      Border::constant(std::numeric_limits<double>::quiet_NaN())};

/// Over integers, over integers with a NaN here and there, and with one at each side of a row.
void check(const Shape& shape, Pixel pixel, const Filter& filter, Method method, Numbers& numbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Border& border : borders) {
    const Options options{.border = border, .method = method};
    const std::int64_t y = static_cast<std::int64_t>(numbers.below(static_cast<std::size_t>(shape.height)));
    for (const std::int64_t x : {std::int64_t{-1}, std::int64_t{0}, shape.width - 1, shape.width / 2}) {
      Image in = noise(shape, pixel, numbers, x < 0 ? 0 : 4000, nan);
      if (x >= 0 && pixel == Pixel::f32) in.view().at<float>({.y = y, .x = x}) = static_cast<float>(nan);
      if (x >= 0 && pixel == Pixel::f64) in.view().at<double>({.y = y, .x = x}) = nan;
      expect_as_reference(in, filter, options, std::string(name_of(method)));
      if (testing::Test::HasFatalFailure()) FAIL() << name_of(border.mode) << ", NaN at " << x;
    }
  }
}

TEST(CpuSides, DirectFilters) {
  Numbers numbers(1);
  for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
    check({.height = 13, .width = 401}, pixel, Filter::dense({1, 3, 3}, weights(9, numbers)), Method::direct,
          numbers);
    check({.height = 14, .width = 330}, pixel, Filter::dense({1, 5, 8}, weights(40, numbers)), Method::direct,
          numbers);
    check({.height = 3, .width = 1301}, pixel, Filter::dense({1, 1, 9}, weights(9, numbers)), Method::direct,
          numbers);
    check({.height = 9, .width = 170, .channels = 3}, pixel, Filter::dense({1, 4, 3}, weights(12, numbers)),
          Method::direct, numbers);
    check({.depth = 4, .height = 9, .width = 300}, pixel, Filter::dense({3, 3, 3}, weights(27, numbers)),
          Method::direct, numbers);
    check({.height = 9, .width = 300}, pixel,
          Filter::dense({1, 3, 5}, weights(15, numbers)).with_anchor({.y = 0, .x = 4}), Method::direct,
          numbers);
  }
}

TEST(CpuSides, FiltersOfFewTaps) {
  Numbers numbers(2);
  for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
    check({.height = 9, .width = 1201}, pixel, sparse({1, 3, 7}, numbers), Method::direct, numbers);
    check({.height = 7, .width = 420, .channels = 3}, pixel, sparse({1, 5, 3}, numbers), Method::direct,
          numbers);
    // Sides that nearly meet, or have columns in common.
    for (const std::int64_t width : {1688, 1700, 1743, 1790})
      check({.height = 2, .width = width}, pixel, sparse({1, 1, 601}, numbers), Method::direct, numbers);
  }
}

TEST(CpuSides, Products) {
  Numbers numbers(3);
  for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
    const auto of = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      return Filter::separable(
          {.z = weights(z, numbers), .y = weights(y, numbers), .x = weights(x, numbers)});
    };
    check({.height = 13, .width = 403}, pixel, of(1, 5, 9), Method::separable, numbers);
    check({.height = 13, .width = 403}, pixel, of(1, 5, 40), Method::separable, numbers);
    check({.height = 9, .width = 170, .channels = 3}, pixel, of(1, 3, 5), Method::separable, numbers);
    check({.depth = 5, .height = 9, .width = 301}, pixel, of(3, 5, 7), Method::separable, numbers);
    check({.depth = 5, .height = 9, .width = 301}, pixel, of(3, 1, 7), Method::separable, numbers);
    check({.depth = 5, .height = 9, .width = 301}, pixel, of(5, 3, 1), Method::separable, numbers);
  }
}

}  // namespace
}  // namespace halation
