// axis_by_axis_test.cpp: products of factors over thin arrays, short axes and volumes (src/cpu/compose): what the reference gives, for
// every border, anchor, extent and layout, filters larger than the image, and pixels that are not finite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "halation/halation.h"
#include "beside_reference.h"
#include "cpu/families.h"
#include "numbers.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "sweep/guarded.h"

namespace halation {
namespace {

using testing::HasSubstr;

std::vector<double> weights_of(std::int64_t taps, bool equal, bool one_sign, Numbers& numbers) {
  std::vector<double> weights;
  const auto share = static_cast<double>(taps);
  for (std::int64_t i = 0; i < taps; ++i) weights.push_back(equal ? 1 / share : (numbers.next() - (one_sign ? 0 : 0.5)) * 2 / share);
  return weights;
}

Image noise(const Shape& shape, Pixel pixel, Layout layout, Numbers& numbers) {
  Image image(shape, pixel, layout);
  const auto fill = [&](auto element) {
    auto* at = reinterpret_cast<decltype(element)*>(image.view().data);
    const double most = is_float(pixel) ? 1 : 255;
    for (std::int64_t i = 0; i < shape.elements(); ++i) at[i] = static_cast<decltype(element)>(numbers.next() * most);
  };
  if (pixel == Pixel::f32) fill(float{});
  if (pixel == Pixel::f64) fill(double{});
  if (pixel == Pixel::u8) fill(std::uint8_t{});
  if (pixel == Pixel::u16) fill(std::uint16_t{});
  return image;
}

/// Largest difference from the reference of what a plan gives as f64, over the bound; a difference of NaN or infinity is infinite.
double over_bound(const Image& in, std::vector<Filter> filters, Options options, Combine combine = Combine::none) {
  options.output = Pixel::f64;
  PlanSpec spec{.shape = in.shape(), .pixel = in.pixel(), .filters = std::move(filters), .combine = combine, .options = options};
  // Sums are in f32 where the input is; a result in f64 would make them f64.
  if (in.pixel() != Pixel::f64) spec.options.output = Pixel::f32;
  const Plan plan(spec);
  EXPECT_THAT(plan.explain(), HasSubstr("axis by axis"));
  spec.device = reference();
  spec.options.output = Pixel::f64;
  spec.options.method = Method::automatic;
  const Plan oracle(spec);
  double most = 0;
  for (const int threads : {1, 3}) {
    PlanSpec own = spec;
    own.device = cpu();
    own.options = options;
    own.options.output = plan.output_pixel();
    own.options.threads = threads;
    const Plan run(own);
    std::vector<Image> found;
    std::vector<Image> expected;
    std::vector<View> found_views;
    std::vector<View> expected_views;
    for (std::size_t i = 0; i < plan.outputs(); ++i) {
      found_views.push_back(found.emplace_back(plan.output_shape(), plan.output_pixel(), Layout::interleaved).view());
      expected_views.push_back(expected.emplace_back(plan.output_shape(), Pixel::f64).view());
    }
    run.run(in, found_views);
    oracle.run(in, expected_views);
    const double bound = plan.error_bound(is_float(in.pixel()) ? 3 : 255) + 1e-12;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto* sum = reinterpret_cast<const double*>(expected_views[i].data);
      for (std::int64_t k = 0; k < plan.output_shape().elements(); ++k) {
        const double got = plan.output_pixel() == Pixel::f64 ? reinterpret_cast<const double*>(found_views[i].data)[k]
                                                             : reinterpret_cast<const float*>(found_views[i].data)[k];
        if (got == sum[k] || (std::isnan(got) && std::isnan(sum[k]))) continue;
        const double apart = std::fabs(got - sum[k]) - std::fabs(sum[k]) * 0x1p-24;  // the output is rounded
        most = std::max(most, std::isfinite(apart) ? apart / bound : std::numeric_limits<double>::infinity());
      }
    }
  }
  return most;
}

struct Case {
  Shape shape;
  FilterSize taps;
};

/// Shapes that tiles of rows do not suit, filters shorter and longer than each axis.
std::vector<Case> cases() {
  return {{{.height = 300, .width = 1}, {1, 9, 5}},
          {{.height = 200, .width = 3}, {1, 31, 41}},
          {{.height = 90, .width = 17}, {1, 3, 120}},
          {{.depth = 60, .height = 3, .width = 2}, {31, 13, 9}},
          {{.depth = 20, .height = 15, .width = 3}, {9, 7, 12}},
          {{.depth = 2, .height = 3, .width = 150}, {11, 13, 9}},
          {{.depth = 12, .height = 12, .width = 12}, {11, 9, 13}},
          {{.batch = 30, .depth = 3, .height = 2, .width = 5}, {7, 9, 12}},
          {{.depth = 15, .height = 4, .width = 3, .channels = 3}, {13, 8, 9}}};
}

TEST(AxisByAxis, GivesWhatTheReferenceGives) {
  Numbers numbers(17);
  const Border borders[] = {Border::constant(0), Border::constant(2), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap()};
  for (const Case& each : cases()) {
    for (const Pixel pixel : {Pixel::f32, Pixel::f64, Pixel::u16}) {
      const Image in = noise(each.shape, pixel, Layout::interleaved, numbers);
      for (const Method method : {Method::separable, Method::box}) {
        const bool equal = method == Method::box;
        const Filter filter =
            Filter::separable({.z = weights_of(each.taps.depth, equal, true, numbers),
                               .y = weights_of(each.taps.height, equal, numbers.below(2) == 0, numbers),
                               .x = weights_of(each.taps.width, equal, numbers.below(2) == 0, numbers)});
        const auto border = [&] { return borders[numbers.below(std::size(borders))]; };
        const Options options{.border = {.z = border(), .y = border(), .x = border()}, .method = method};
        EXPECT_LE(over_bound(in, {filter}, options), 1) << to_string(each.shape) << " " << name_of(pixel) << " " << name_of(method);
        EXPECT_LE(over_bound(in, {filter.with_anchor({0, each.taps.height - 1, 0})}, options), 1) << to_string(each.shape);
      }
    }
  }
}

TEST(AxisByAxis, GivesEveryExtentCombinationAndLayout) {
  Numbers numbers(23);
  const Shape shape{.depth = 14, .height = 12, .width = 3, .channels = 2};
  for (const Layout layout : {Layout::interleaved, Layout::planar}) {
    const Image in = noise(shape, Pixel::f32, layout, numbers);
    const Filter one = Filter::separable({.z = weights_of(13, false, true, numbers),
                                          .y = weights_of(11, false, true, numbers),
                                          .x = weights_of(3, false, false, numbers)});
    const Filter two = Filter::separable({.z = weights_of(13, false, true, numbers),
                                          .y = weights_of(11, false, false, numbers),
                                          .x = weights_of(3, false, true, numbers)});
    for (const Extent extent : {Extent::same, Extent::full}) {
      EXPECT_LE(over_bound(in, {one}, {.border = Border::constant(1), .extent = extent}), 1);
    }
    EXPECT_LE(over_bound(in, {one}, {.extent = Extent::valid, .method = Method::separable}), 1);
    EXPECT_LE(over_bound(in, {one, two}, {.border = Border::reflect()}), 1);
    EXPECT_LE(over_bound(in, {one, two}, {.border = Border::reflect()}, Combine::magnitude), 1);
    EXPECT_LE(over_bound(in, {one}, {.border = Border::wrap(), .scale = 1.0 / 3, .offset = 0.5}), 1);
  }
}

TEST(AxisByAxis, DirectAlongOneAxis) {
  Numbers numbers(29);
  for (const Shape shape : {Shape{.height = 500, .width = 3}, Shape{.height = 100, .width = 1}, Shape{.depth = 50, .height = 1, .width = 4}}) {
    for (const std::int64_t taps : {2, 40}) {
      const Image in = noise(shape, Pixel::f32, Layout::interleaved, numbers);
      const Filter row = Filter::dense({1, 1, taps}, weights_of(taps, false, false, numbers));
      EXPECT_LE(over_bound(in, {row}, {.border = Border::reflect(), .method = Method::direct}), 1) << to_string(shape) << " " << taps;
    }
  }
}

/// NaN and infinity reach the outputs whose filter covers them, and no others, also where weights cancel or are folded to 0.
TEST(AxisByAxis, KeepsWhatIsNotFiniteInPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Numbers numbers(31);
  for (const Shape shape : {Shape{.height = 64, .width = 3}, Shape{.height = 90, .width = 5}}) {
    for (const double value : {nan, infinity, -infinity}) {
      for (const Border border : {Border::replicate(), Border::reflect(), Border::constant(0), Border::wrap()}) {
        Image in = noise(shape, Pixel::f32, Layout::interleaved, numbers);
        reinterpret_cast<float*>(in.view().data)[shape.elements() / 2] = static_cast<float>(value);
        // Reflected, the two 1 and −1 of a pixel cancel.
        std::vector<double> cancelling(12, 0.0);
        cancelling[5] = 1;
        cancelling[6] = -1;
        const Filter filter = Filter::separable({.y = {0.25, 0.5, 0.25}, .x = cancelling});
        EXPECT_LE(over_bound(in, {filter}, {.border = border, .method = Method::separable}), 1) << to_string(shape) << " " << value;
        const Filter positive = Filter::separable({.y = weights_of(3, false, true, numbers), .x = weights_of(11, false, true, numbers)});
        EXPECT_LE(over_bound(in, {positive}, {.border = border, .method = Method::separable}), 1) << to_string(shape) << " " << value;
      }
    }
  }
}

/// Of an infinite constant a pass makes NaN where weights differ in sign or are 0, and later passes read that outside.
TEST(AxisByAxis, FiltersInfiniteConstants) {
  const double infinity = std::numeric_limits<double>::infinity();
  Numbers numbers(41);
  for (const Shape shape : {Shape{.height = 200, .width = 3}, Shape{.depth = 20, .height = 15, .width = 3}}) {
    for (const Pixel pixel : {Pixel::f32, Pixel::u16}) {
      const Image in = noise(shape, pixel, Layout::interleaved, numbers);
      for (const double value : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        for (const std::vector<double>& x : {std::vector{0.5, 0.75}, std::vector{-0.5, 1.5}, std::vector{0.5, 0.0}, std::vector{-0.5, -0.25}}) {
          const Filter filter = Filter::separable({.z = weights_of(shape.depth > 1 ? 9 : 1, false, false, numbers),
                                                   .y = weights_of(13, false, numbers.below(2) == 0, numbers),
                                                   .x = x});
          const Border outside = Border::constant(value);
          const Options options{.border = {.z = outside, .y = outside, .x = numbers.below(2) == 0 ? outside : Border::wrap()},
                                .method = Method::separable};
          EXPECT_LE(over_bound(in, {filter}, options), 1) << to_string(shape) << " " << value << " " << x[0] << " " << x[1];
        }
      }
    }
  }
}

/// What the family makes of f32 by the matrix of an axis, also where another should be quicker, in a workspace of its own of which it must not
/// leave the bounds.
Image by_matrix(const Image& in, const Filter& filter, const Options& options) {
  const PlanSpec spec{.shape = in.shape(), .pixel = Pixel::f32, .filters = {filter}, .options = options};
  const std::shared_ptr<const Job> job = choose(check(spec), options, backend_for(cpu()), cpu()).job;
  const auto runner = cpu_backend::axis_by_axis.make(job, options.threads);
  EXPECT_THAT(runner->explain(), HasSubstr("a matrix of the axis"));
  sweep::GuardedWorkspace workspace(runner->workspace_bytes(), cpu());
  Image out(job->out, Pixel::f32);
  const View view = out.view();
  runner->run(in, {&view, 1}, workspace.bytes(), {});
  EXPECT_TRUE(workspace.guards_intact()) << "bytes outside the workspace were written";
  return out;
}

Filter bell_along_y(double sigma) { return Filter::separable({.y = gaussian({.sigma = sigma}).with_dims(1).weights()}); }

Image filled_with(const Shape& shape, float value) {
  Image image(shape, Pixel::f32);
  std::fill_n(reinterpret_cast<float*>(image.view().data), shape.elements(), value);
  return image;
}

/// Where sums by a matrix are not finite, they are made again by taps, which needs other scratch.
TEST(AxisByAxis, StaysInItsScratchWhereSumsAreNotFinite) {
  for (const int threads : {1, 3}) {
    const Image large = filled_with({.height = 100, .width = 40}, 3e38F);
    const Filter ones = Filter::separable({.y = std::vector<double>(481, 1)});
    const Image overflown = by_matrix(large, ones, {.method = Method::separable, .threads = threads});
    for (std::int64_t i = 0; i < large.shape().elements(); ++i) ASSERT_EQ(number_of(overflown, i), std::numeric_limits<double>::infinity()) << i;

    Image one = filled_with({.height = 100, .width = 40}, 1);
    reinterpret_cast<float*>(one.view().data)[50 * 40 + 7] = std::numeric_limits<float>::quiet_NaN();
    const Image spread = by_matrix(one, bell_along_y(60), {.threads = threads});
    for (std::int64_t i = 0; i < one.shape().elements(); ++i) {
      if (i % 40 == 7) ASSERT_TRUE(std::isnan(number_of(spread, i))) << i;
      else ASSERT_NEAR(number_of(spread, i), 1, 1e-5) << i;
    }
  }
}

/// Segments of a matrix's outputs that threads share are made again each by itself: none may write into another's.
TEST(AxisByAxis, KeepsNanToItsRowsInEverySegment) {
  for (const int threads : {1, 3}) {
    Image in = filled_with({.height = 130, .width = 600}, 1);
    std::fill_n(reinterpret_cast<float*>(in.view().data), 600, std::numeric_limits<float>::quiet_NaN());
    const Image out = by_matrix(in, bell_along_y(17.5), {.border = Border::constant(0), .threads = threads});
    for (std::int64_t y = 0; y < 130; ++y) {
      for (std::int64_t x = 0; x < 600; ++x) ASSERT_EQ(std::isnan(number_of(out, y * 600 + x)), y <= 70) << y << " " << x;
    }
  }
}

TEST(AxisByAxis, ExpectsLittleOfThinArrays) {
  // A fused pass would sum the halos of each of the 600 planes again: 2.5 · 10^9 multiply-adds.
  Numbers numbers(37);
  const auto factor = weights_of(161, false, true, numbers);
  const Plan plan({.shape = {.depth = 600, .height = 3, .width = 2},
                   .pixel = Pixel::u16,
                   .filters = {Filter::separable({.z = factor, .y = factor, .x = factor})},
                   .options = {.border = Border::reflect(), .output = Pixel::f32}});
  EXPECT_THAT(plan.explain(), testing::ContainsRegex("expected [0-9.]+ us"));
  EXPECT_THAT(plan.explain(), HasSubstr("a matrix of the axis"));
}

}  // namespace
}  // namespace halation
