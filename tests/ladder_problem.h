// ladder_problem.h: problems for the tests of the ladder, and how far answers may be from the oracle's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "halation/convolve.h"
#include "ladder/ladder.h"

namespace halation::ladder {

/// What weights and samples are: any in [-1, 1), or whole ones in [-2, 2], of which every sum is exact in
/// f32.
enum class Numbers { any, whole };

inline std::vector<float> random_numbers(std::size_t count, Numbers numbers, std::uint64_t seed) {
  std::vector<float> list(count);
  for (float& value : list) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    const auto bits = static_cast<std::uint32_t>(seed >> 40);  // the upper 24
    value = numbers == Numbers::whole ? static_cast<float>(bits % 5) - 2.0F
                                      : std::ldexp(static_cast<float>(bits), -23) - 1.0F;
  }
  return list;
}

inline Shape shape_of(int dims, std::int64_t width, std::int64_t height, std::int64_t depth) {
  return {.depth = dims >= 3 ? depth : 1, .height = dims >= 2 ? height : 1, .width = width};
}

/// A filter without symmetry: the product of random factors where `separable`, else random itself.
inline Problem problem_of(int dims, const Shape& shape, int radius, float outside, bool separable,
                          Numbers numbers = Numbers::any) {
  Problem problem{.dims = dims,
                  .depth = shape.depth,
                  .height = shape.height,
                  .width = shape.width,
                  .radius = radius,
                  .outside = outside,
                  .weights = {},
                  .factors = {}};
  const std::size_t side = 2 * static_cast<std::size_t>(radius) + 1;
  std::size_t taps = 1;
  for (int axis = 0; axis < dims; ++axis) taps *= side;
  if (!separable) {
    problem.weights = random_numbers(taps, numbers, 1);
    return problem;
  }
  problem.weights = {1.0F};
  for (std::size_t axis = 3 - static_cast<std::size_t>(dims); axis < 3; ++axis) {
    problem.factors[axis] = random_numbers(side, numbers, axis + 2);
    std::vector<float> product;
    product.reserve(problem.weights.size() * side);
    for (const float outer : problem.weights) {
      for (const float inner : problem.factors[axis]) product.push_back(outer * inner);
    }
    problem.weights = std::move(product);
  }
  return problem;
}

inline Filter filter_of(const Problem& problem) {
  const std::int64_t side = 2 * std::int64_t{problem.radius} + 1;
  return Filter::dense({problem.dims >= 3 ? side : 1, problem.dims >= 2 ? side : 1, side},
                       {problem.weights.begin(), problem.weights.end()});
}

/// What every rung computes, with sums and result in f64. Direct: weights are used as they are, and whole
/// numbers give whole numbers.
inline Options oracle_options(const Problem& problem) {
  return {.border = Border::constant(problem.outside),
          .output = Pixel::f64,
          .sum = Sum::f64,
          .method = Method::direct};
}

/// A sum of n products rounds at most 2n times, each time by at most ε/2 of Σ|w|·max|x|, and products of
/// factors and the sums of the pass between add a few: (n + 3)·ε is above all of it, in any order.
inline double tolerance(const Problem& problem, Numbers numbers = Numbers::any) {
  double weights = 0;
  for (const float weight : problem.weights) weights += std::abs(double{weight});
  const double largest = std::max(numbers == Numbers::whole ? 2.0 : 1.0, std::abs(double{problem.outside}));
  return std::ldexp((static_cast<double>(problem.weights.size()) + 3) * weights * largest, -23);
}

}  // namespace halation::ladder
