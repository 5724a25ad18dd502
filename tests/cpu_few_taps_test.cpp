// cpu_few_taps_test.cpp: filters most of whose weights are 0 on the CPU: those that are not are summed alone, and numbers that are not
// finite spread over the filter's box all the same, as 0 times such is NaN.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "beside_reference.h"
#include "halation/halation.h"
#include "numbers.h"

namespace halation {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A filter of so many weights, of which one in `of` is not 0.
Filter sparse(const FilterSize& size, std::size_t of, Numbers& numbers) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size.taps(); ++i) weights.push_back(numbers.below(of) == 0 ? numbers.next() - 0.4 : 0.0);
  weights.back() = 0.5;
  return Filter::dense(size, weights);
}

/// Taps `apart` from one another.
Filter dilated(std::int64_t taps, std::int64_t apart, Numbers& numbers) {
  const std::int64_t side = (taps - 1) * apart + 1;
  std::vector<double> weights(static_cast<std::size_t>(side * side), 0.0);
  for (std::int64_t y = 0; y < side; y += apart) {
    for (std::int64_t x = 0; x < side; x += apart) weights[static_cast<std::size_t>(y * side + x)] = numbers.next() - 0.4;
  }
  return Filter::dense({.height = side, .width = side}, weights);
}

const std::string said = "taps that are not 0 alone";

const std::vector<Border> borders = {Border::constant(3), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap(),
                                     Border::constant(std::numeric_limits<double>::infinity())};

TEST(FewTaps, SumsAreThoseOfAllTaps) {
  Numbers numbers(1);
  const std::vector<Shape> shapes = {{.height = 1, .width = 300},
                                     {.height = 50, .width = 7},
                                     {.height = 33, .width = 130, .channels = 3},
                                     {.height = 29, .width = 1100},
                                     {.height = 29, .width = 258},  // pieces of 256 columns, and two more
                                     {.height = 29, .width = 1039},
                                     {.depth = 9, .height = 17, .width = 70}};
  for (const Shape& shape : shapes) {
    const bool is_volume = shape.depth > 1;
    for (const FilterSize& size : {FilterSize{is_volume ? 3 : 1, 5, 7}, FilterSize{1, 1, 19}, FilterSize{is_volume ? 5 : 1, 21, 2}, FilterSize{1, 8, 8}}) {
      if (size.height > shape.height || size.width > shape.width) continue;  // which would be folded
      for (const Pixel pixel : {Pixel::u8, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f64}) {
        const Filter filter = sparse(size, 9, numbers);
        for (const Operation operation : {Operation::convolution, Operation::correlation}) {
          const Border& border = borders[numbers.below(borders.size())];
          expect_as_reference(noise(shape, pixel, numbers), filter, {.border = border, .operation = operation, .method = Method::direct}, said);
          if (HasFatalFailure()) FAIL() << name_of(pixel) << " " << size.height << "x" << size.width;
        }
      }
    }
  }
}

/// Rows of which nothing is outside are read where they lie, to the last number of the image and no further.
TEST(FewTaps, ReadNothingBehindTheImage) {
  Numbers numbers(4);
  for (std::int64_t width = 256; width < 290; ++width) {
    for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
      const Filter filter = sparse({.height = 8, .width = 9}, 9, numbers);
      const Options options{.extent = Extent::valid, .method = Method::direct};
      expect_as_reference(noise({.height = 15, .width = width}, pixel, numbers), filter, options, said);
    }
  }
}

TEST(FewTaps, WhatIsNotFiniteReachesTheWholeBox) {
  Numbers numbers(2);
  for (const double odd : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (const Pixel pixel : {Pixel::f16, Pixel::f32, Pixel::f64}) {
      for (const std::size_t one_in : {40U, 3000U}) {
        const Filter filter = dilated(3, 4, numbers);
        for (const Border& border : borders) {
          for (const Shape& shape : {Shape{.height = 50, .width = 90}, Shape{.height = 40, .width = 300, .channels = 3}}) {
            const Options options{.border = border, .method = Method::direct};
            expect_as_reference(noise(shape, pixel, numbers, one_in, odd), filter, options, said);
            if (HasFatalFailure()) FAIL() << name_of(pixel) << " " << odd;
          }
        }
      }
    }
  }
}

TEST(FewTaps, AreChosenWhereTheyAreQuicker) {
  Numbers numbers(3);
  const auto text = [](const Filter& filter) {
    return Plan({.shape = {.height = 1000, .width = 1000}, .pixel = Pixel::f32, .filters = {filter}}).explain();
  };
  EXPECT_THAT(text(dilated(3, 10, numbers)), HasSubstr(said));
  EXPECT_THAT(text(motion_blur({.length = 9, .angle = 30})), HasSubstr(said));
  EXPECT_THAT(text(sobel()), Not(HasSubstr(said)));
  EXPECT_THAT(text(dilated(5, 1, numbers)), Not(HasSubstr(said)));
}

}  // namespace
}  // namespace halation
