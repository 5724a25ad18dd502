// fold_test.cpp: filters that reach over an axis several times: shorter ones, the same sums for every border and anchor, and
// numbers that are not finite where they were.
#include "plan/analysis/fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "beside_reference.h"
#include "halation/halation.h"
#include "numbers.h"

namespace halation {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<Border> all_borders = {Border::constant(0), Border::constant(2),   Border::replicate(),
                                         Border::reflect(),   Border::reflect101(), Border::wrap(),
                                         Border::constant(-infinity)};

enum class Signs { one, both, some_zeros };

std::vector<double> weights_of(std::int64_t taps, Signs signs, Numbers& numbers) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < taps; ++i) {
    const double w = 0.1 + numbers.next();
    weights.push_back(signs == Signs::one ? w : signs == Signs::both ? w - 0.6 : numbers.below(3) == 0 ? 0 : w);
  }
  return weights;
}

CheckedJob checked_of(const Shape& shape, Pixel pixel, const Filter& filter, const Options& options) {
  return check({.shape = shape, .pixel = pixel, .filters = {filter}, .options = options});
}

/// The size to which a filter of one row is folded.
std::int64_t folded_size(std::int64_t width, std::vector<double> row, Pixel pixel, const Options& options) {
  CheckedJob checked = checked_of({.height = 4, .width = width}, pixel, Filter(std::move(row)), options);
  fold(checked, options);
  EXPECT_EQ(checked.filters[0].size().width, checked.job.filters[0].size[2]);
  return checked.job.filters[0].size[2];
}

TEST(Fold, LeavesAboutTwiceTheAxis) {
  Numbers numbers(1);
  const std::vector<double> row = weights_of(101, Signs::one, numbers);
  for (const Pixel pixel : {Pixel::u8, Pixel::f32}) {
    const auto size = [&](std::int64_t width, const Border& border) { return folded_size(width, row, pixel, {.border = border}); };
    EXPECT_EQ(size(5, Border::wrap()), 5);
    EXPECT_EQ(size(5, Border::reflect()), 10);
    EXPECT_EQ(size(5, Border::reflect101()), 8);
    EXPECT_EQ(size(1, Border::reflect101()), 1);
    EXPECT_EQ(size(1, Border::reflect()), 1);
    EXPECT_EQ(size(1, Border::replicate()), 1);
    EXPECT_EQ(size(5, Border::replicate()), 9);
    EXPECT_EQ(size(5, Border::constant(0)), 9);
    EXPECT_EQ(size(5, Border::constant(3)), 11);
    EXPECT_EQ(size(90, Border::wrap()), 101) << "hardly longer than the axis";
  }
}

TEST(Fold, KeepsOppositeSignsOfFloatsApart) {
  Numbers numbers(2);
  const std::vector<double> row = weights_of(101, Signs::both, numbers);
  const Options options{.border = Border::wrap()};
  EXPECT_EQ(folded_size(5, row, Pixel::i16, options), 5);
  EXPECT_EQ(folded_size(5, row, Pixel::f16, options), 10);
  EXPECT_EQ(folded_size(5, row, Pixel::f32, {.border = Border::replicate()}), 11);
  EXPECT_EQ(folded_size(5, row, Pixel::f32, {.border = Border::constant(1)}), 13);
  EXPECT_EQ(folded_size(5, row, Pixel::i16, {.border = Border::constant(infinity)}), 13) << "integers beside infinity";
}

/// Of an infinite constant as well, whatever the pixels.
TEST(Fold, KeepsOppositeSignsOfAnInfiniteConstantApart) {
  Numbers numbers(4);
  const Shape shape{.height = 4, .width = 5};
  for (const Signs signs : {Signs::both, Signs::some_zeros}) {
    const std::vector<double> row = weights_of(41, signs, numbers);
    for (const Pixel pixel : {Pixel::u8, Pixel::i16}) {
      const Image in = noise(shape, pixel, numbers);
      for (const double constant : {infinity, -infinity, std::nan("")}) {
        const Border outside = Border::constant(constant);
        expect_as_reference(in, Filter(row), {.border = outside}, "folded to");
        expect_as_reference(in, Filter(row), {.border = {.z = Border::reflect(), .y = outside, .x = Border::wrap()}}, "folded to");
        const Filter product = Filter::separable({.y = {1, 2, -1}, .x = row});
        expect_as_reference(in, product, {.border = {.z = Border::reflect(), .y = outside, .x = Border::wrap()}}, "folded to");
      }
    }
  }
}

TEST(Fold, KeepsWholeSumsWhole) {
  // Integers by integer weights beside NaN, cut off at the integer below: a transform's sum of halves could lie just below its integer.
  Numbers numbers(7);
  std::vector<double> weights(24);
  for (double& w : weights) w = static_cast<double>(numbers.below(9)) - 4;
  const Image in = noise({.depth = 3, .height = 9, .width = 1}, Pixel::u8, numbers);
  const auto outputs_by = [&](Method method) {
    const Plan plan({.shape = in.shape(),
                     .pixel = Pixel::u8,
                     .filters = {Filter::dense({2, 4, 3}, weights)},
                     .options = {.border = {.z = Border::constant(std::nan("")), .y = Border::reflect101(), .x = Border::wrap()},
                                 .output = Pixel::i16,
                                 .rounding = Rounding::truncate,
                                 .sum = Sum::f64,
                                 .method = method}});
    Image out(plan.output_shape(), Pixel::i16);
    plan.run(in, out.view());
    const auto* first = reinterpret_cast<const std::int16_t*>(out.view().data);
    return std::vector<std::int16_t>(first, first + out.shape().elements());
  };
  EXPECT_EQ(outputs_by(Method::fft), outputs_by(Method::direct));
}

TEST(Fold, LeavesFiltersThatAreAskedForByTheirForm) {
  Numbers numbers(3);
  const Filter box = halation::box({.size = 201});
  const Options automatic{.border = Border::reflect()};
  const auto asked = [](Method method) { return Options{.border = Border::reflect(), .method = method}; };
  for (const Options& options : {automatic, asked(Method::box), asked(Method::low_rank), asked(Method::banded)}) {
    CheckedJob checked = checked_of({.height = 40, .width = 50}, Pixel::u8, box, options);
    fold(checked, options);
    EXPECT_EQ(checked.job.filters[0].size, (Space{1, 201, 201}));
  }
  CheckedJob few = checked_of({.height = 4, .width = 3}, Pixel::u8, box, automatic);
  fold(few, automatic);
  EXPECT_EQ(few.job.filters[0].size, (Space{1, 8, 6}));
  const Options fast{.border = Border::wrap(), .accuracy = Accuracy::fast};
  EXPECT_EQ(folded_size(100, weights_of(801, Signs::one, numbers), Pixel::f32, fast), 801);
  EXPECT_EQ(folded_size(60, weights_of(801, Signs::one, numbers), Pixel::f32, fast), 60);
}

TEST(Fold, IsSaid) {
  const Plan plan({.shape = {.depth = 60, .height = 3, .width = 2}, .pixel = Pixel::u16, .filters = {gaussian({.sigma = 20})}});
  EXPECT_THAT(plan.explain(), HasSubstr("gaussian 161x161x161, folded to 118x4x2: "));
  const Plan by_reference(
      {.shape = {.height = 3, .width = 2}, .pixel = Pixel::u16, .filters = {gaussian({.sigma = 20})}, .device = reference()});
  EXPECT_THAT(by_reference.explain(), Not(HasSubstr("folded")));
}

struct Case {
  Shape shape;
  FilterSize taps;
};

TEST(Fold, SumsAreWhatTheyWere) {
  Numbers numbers(5);
  const std::vector<Case> cases = {{{.height = 1, .width = 1}, {1, 9, 5}},
                                   {{.height = 37, .width = 2}, {1, 3, 41}},
                                   {{.height = 5, .width = 50, .channels = 3}, {1, 40, 1}},
                                   {{.height = 4, .width = 3}, {1, 33, 18}},
                                   {{.depth = 20, .height = 3, .width = 2}, {5, 13, 21}},
                                   {{.batch = 3, .depth = 2, .height = 9, .width = 5}, {24, 2, 30}}};
  for (const Case& each : cases) {
    for (const Border& border : all_borders) {
      for (const Pixel pixel : {Pixel::u8, Pixel::i16, Pixel::f32, Pixel::f64}) {
        for (const Signs signs : {Signs::one, Signs::both, Signs::some_zeros}) {
          const auto weights = [&](std::int64_t taps) { return weights_of(taps, signs, numbers); };
          const Filter product = Filter::separable({.z = weights(each.taps.depth), .y = weights(each.taps.height), .x = weights(each.taps.width)});
          const Filter dense = Filter::dense(each.taps, weights(each.taps.taps()));
          const auto [depth, height, width] = each.taps.space();
          for (const Filter& filter : {product, dense, product.with_anchor({depth - 1, 0, width - 1}), dense.with_anchor({0, height - 1, 0})}) {
            for (const double replaced_by : {0.0, infinity, std::nan("")}) {
              if (replaced_by != 0 && !is_float(pixel)) continue;
              Options options{.border = {.z = border, .y = all_borders[numbers.below(all_borders.size())], .x = border}};
              options.border.y = border;
              if (numbers.below(2) == 0) options.operation = Operation::correlation;
              expect_as_reference(noise(each.shape, pixel, numbers, replaced_by == 0 ? 0 : 12, replaced_by), filter, options, "folded to");
              if (HasFatalFailure()) FAIL() << to_string(each.shape) << " " << name_of(pixel) << " " << name_of(border.mode);
            }
          }
        }
      }
    }
  }
}

TEST(Fold, LeavesFullOutputs) {
  Numbers numbers(6);
  const Filter filter = Filter::dense({.height = 3, .width = 40}, weights_of(120, Signs::both, numbers));
  const Options options{.border = Border::wrap(), .extent = Extent::full};
  CheckedJob checked = checked_of({.height = 7, .width = 5}, Pixel::u8, filter, options);
  fold(checked, options);
  EXPECT_EQ(checked.job.filters[0].size, (Space{1, 3, 40}));
}

}  // namespace
}  // namespace halation
