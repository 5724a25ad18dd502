// overflow_test.cpp: sums near the largest number of their type: by factors they overflow no sooner than by weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "halation/halation.h"
#include "plan/analysis/analyse.h"

namespace halation {
namespace {

double magnitudes_of(const std::vector<double>& factor) {
  double sum = 0;
  for (const double w : factor) sum += std::fabs(w);
  return sum;
}

TEST(Balanced, FactorsGrowNoSumsOnTheirWay) {
  const std::vector<FactorArray> all = {{{{1}, {1e-3, -2e-3}, {500, 700}}},
                                        {{{0.1, 0.2}, {4}, {-4, 1}}},
                                        {{{0.5}, {0.5, 0.1}, {1e6}}},
                                        {{{1e-200}, {1e-100}, {1e250}}}};
  for (const FactorArray& given : all) {
    const FactorArray found = balanced(given);
    double product = 1, product_found = 1, most = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      product *= magnitudes_of(given[axis]);
      product_found *= magnitudes_of(found[axis]);
      most *= std::max(1.0, magnitudes_of(found[axis]));
    }
    EXPECT_NEAR(product_found / product, 1, 1e-14);
    EXPECT_LE(most, std::max(1.0, product) * (1 + 1e-14));
    for (std::size_t z = 0; z < given[0].size(); ++z)
      for (std::size_t y = 0; y < given[1].size(); ++y)
        for (std::size_t x = 0; x < given[2].size(); ++x)
          EXPECT_NEAR(found[0][z] * found[1][y] * found[2][x] / (given[0][z] * given[1][y] * given[2][x]), 1, 1e-14);
  }
}

TEST(Balanced, LeavesFactorsThatGrowNone) {
  const std::vector<FactorArray> all = {{{{1}, {0.25, 0.5, 0.25}, {0.1, 0.8, 0.1}}},
                                        {{{1}, {1, 2, 1}, {-1, 0, 1}}},
                                        {{{1}, {0, 0}, {300, 400}}},
                                        {{{1e250}, {1e250}, {1e-300, 1}}}};
  for (const FactorArray& given : all) EXPECT_EQ(balanced(given), given);
}

TEST(Balanced, GivesWeightsOfOneTapToTheLongestAxis) {
  EXPECT_EQ(balanced({{{1}, {0.25}, {0.5, 0.25}}}), (FactorArray{{{1}, {1}, {0.125, 0.0625}}}));
  EXPECT_EQ(balanced({{{0.5}, {-1, 4}, {0.5}}}), (FactorArray{{{1}, {-0.25, 1}, {1}}}));
}

/// A constant image far from the largest number, but not so far that a factor of 1000 keeps it finite.
TEST(Overflow, FactorsOverflowNoSoonerThanWeights) {
  for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
    const double value = std::ldexp(1.0, pixel == Pixel::f32 ? 120 : 1016);
    for (const Shape& shape : {Shape{.height = 40, .width = 50}, Shape{.height = 400, .width = 3}, Shape{.height = 2, .width = 2}}) {
      Image in(shape, pixel);
      for (std::int64_t i = 0; i < shape.elements(); ++i) {
        if (pixel == Pixel::f32) reinterpret_cast<float*>(in.view().data)[i] = static_cast<float>(value);
        else reinterpret_cast<double*>(in.view().data)[i] = value;
      }
      const std::vector<double> large{400, 500, 100}, small{2e-4, 5e-4, 3e-4}, equal_large(9, 100), equal_small(9, 1e-3 / 9);
      const Filter first = Filter::separable({.y = large, .x = small}), second = Filter::separable({.y = small, .x = large});
      const Filter boxes = Filter::separable({.y = equal_large, .x = equal_small});
      for (const Filter& filter : {first, second, Filter::dense(first.size(), first.weights()), boxes}) {
        for (const Method method : {Method::automatic, Method::separable, Method::box}) {
          if (method == Method::box && filter.size() != boxes.size()) continue;
          const Image out = convolve(in, filter, {.method = method});
          for (std::int64_t i = 0; i < shape.elements(); ++i) {
            const double got = pixel == Pixel::f32 ? reinterpret_cast<const float*>(out.view().data)[i] : reinterpret_cast<const double*>(out.view().data)[i];
            ASSERT_NEAR(got / value, filter.sum(), 1e-5) << to_string(shape) << " " << name_of(pixel) << " " << name_of(method) << " " << i;
          }
        }
      }
    }
  }
}

/// Products of factors of which f32 holds none, over integers.
TEST(Overflow, FactorsOverIntegersNeitherOverflowNorVanish) {
  Image in({.height = 14, .width = 20}, Pixel::i16);
  std::fill_n(reinterpret_cast<std::int16_t*>(in.view().data), in.shape().elements(), std::int16_t{-9});
  for (const Filter& filter : {Filter::separable({.z = {1e20}, .y = {1e-40, 2e-40, 1e-40}, .x = {1e20, 1e20}}),
                               Filter::separable({.y = {1e-45, 2e-45, 1e-45}, .x = {1e45, 1e45}}),
                               Filter::separable({.y = {1e300, 1e300}, .x = {1e-300, 1e-300, 1e-300}})}) {
    for (const Method method : {Method::automatic, Method::separable}) {
      const Image out = convolve(in, filter, {.output = Pixel::f32, .method = method});
      for (std::int64_t i = 0; i < in.shape().elements(); ++i)
        ASSERT_NEAR(reinterpret_cast<const float*>(out.view().data)[i], -9 * filter.sum(), 1e-4) << filter.name() << " " << name_of(method) << " " << i;
    }
  }
  // The largest weight's row and column make a product that rounds all other weights away.
  std::vector<double> weights(152, 1);
  weights[21] = 1e20;
  const Filter filter = Filter::dense({1, 38, 4}, weights);
  EXPECT_EQ(Plan({.shape = in.shape(), .pixel = Pixel::i16, .filters = {filter}, .options = {.output = Pixel::f32}}).methods().front(), Method::direct);
}

}  // namespace
}  // namespace halation
