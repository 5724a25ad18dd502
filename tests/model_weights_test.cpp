// model_weights_test.cpp: what is special about weights, and the methods that follow.
#include "model/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "halation/filters.h"

namespace halation::model {
namespace {

bool never(const FilterSize&, const std::vector<double>&) { return false; }
bool always(const FilterSize&, const std::vector<double>&) { return true; }

/// Operations by method.
std::map<Method, double> methods_of(const WeightFacts& facts) {
  std::map<Method, double> all;
  for (const MethodWork& work : possible_methods(facts)) all[work.method] = work.operations;
  return all;
}

using Methods = std::map<Method, double>;
using Symmetries = std::array<Symmetry, 3>;

TEST(Weights, OfAProductOfFactors) {
  const WeightFacts facts = facts_of(Filter::separable({.y = {1, 2, 3, 1}, .x = {-1, 0, 1}}), never);
  EXPECT_EQ(facts.size, (FilterSize{1, 4, 3}));
  EXPECT_EQ(facts.symmetry, (Symmetries{Symmetry::even, Symmetry::none, Symmetry::odd}));
  EXPECT_TRUE(facts.integers);
  EXPECT_FALSE(facts.equal);
  EXPECT_TRUE(facts.separable);
  EXPECT_EQ(facts.rank, 1);
  EXPECT_EQ(facts.sum, 0);
  EXPECT_EQ(methods_of(facts), (Methods{{Method::direct, 24}, {Method::separable, 14}}));
}

TEST(Weights, OfDenseWeights) {
  const Filter filter = Filter::dense({1, 3, 5}, {1, 2, 3, -2, -1,   //
                                                  .5, 0, 0, 0, -.5,  //
                                                  1, 2, -3, -2, -1});
  const WeightFacts facts = facts_of(filter, never);
  EXPECT_EQ(facts.symmetry, (Symmetries{Symmetry::even, Symmetry::none, Symmetry::none}));
  EXPECT_FALSE(facts.integers);
  EXPECT_FALSE(facts.separable);
  EXPECT_EQ(facts.rank, 3);
  EXPECT_EQ(methods_of(facts), (Methods{{Method::direct, 30}}));
  EXPECT_EQ(facts_of(filter, always).rank, 1);  // whoever is asked decides
}

TEST(Weights, SymmetryAlongEachAxisOfDenseWeights) {
  // w = f(x) g(y) h(z) with f even, g odd, h neither.
  const double f[] = {1, 2, 1}, g[] = {3, -3}, h[] = {1, 4, 2, 2};
  std::vector<double> weights;
  for (const double z : h)
    for (const double y : g)
      for (const double x : f) weights.push_back(x * y * z);
  const WeightFacts facts = facts_of(Filter::dense({4, 2, 3}, weights), always);
  EXPECT_EQ(facts.symmetry, (Symmetries{Symmetry::none, Symmetry::odd, Symmetry::even}));
  EXPECT_TRUE(facts.integers);
  EXPECT_FALSE(facts.rank);
  EXPECT_EQ(methods_of(facts), (Methods{{Method::direct, 48}, {Method::separable, 18}}));
}

TEST(Weights, LaplacianOfGaussianHasRankTwo) {
  // ∂²/∂x² G + ∂²/∂y² G is a sum of two products.
  const Filter filter = laplacian_of_gaussian({.sigma = {2.0}}).with_dims(2);
  const std::int64_t side = filter.size().width;
  const WeightFacts facts = facts_of(Filter::dense(filter.size(), filter.weights()), never);
  EXPECT_EQ(facts.rank, 2);
  EXPECT_EQ(methods_of(facts), (Methods{{Method::direct, 2.0 * static_cast<double>(side * side)},
                                        {Method::low_rank, 8.0 * static_cast<double>(side)}}));
}

TEST(Weights, LowRankNeedsARankBelowHalfTheShorterSide) {
  WeightFacts facts;
  facts.size = {1, 9, 8};
  facts.rank = 3;
  EXPECT_EQ(methods_of(facts)[Method::low_rank], 2 * 3 * 17);
  facts.rank = 4;
  EXPECT_EQ(methods_of(facts).count(Method::low_rank), 0U);
}

TEST(Weights, EqualOnesMakeABox) {
  const WeightFacts square = facts_of(box({.size = {7.0}}).with_dims(2), never);
  EXPECT_TRUE(square.equal);
  EXPECT_EQ(methods_of(square), (Methods{{Method::direct, 98}, {Method::separable, 28}, {Method::box, 5}}));
  const WeightFacts dense = facts_of(Filter::dense({3, 3, 3}, std::vector<double>(27, -2)), always);
  EXPECT_TRUE(dense.equal);
  EXPECT_EQ(methods_of(dense)[Method::box], 7);
  EXPECT_FALSE(facts_of(Filter::dense({1, 2, 2}, {0, 0, 0, 0}), never).equal);
}

TEST(Weights, OfOneWeight) {
  const WeightFacts facts = facts_of(Filter({1}), always);
  EXPECT_EQ(facts.symmetry, (Symmetries{Symmetry::even, Symmetry::even, Symmetry::even}));
  EXPECT_EQ(methods_of(facts), (Methods{{Method::direct, 2}}));
}

TEST(Weights, RankIsLeftOpenWhereItWouldTakeLong) {
  const std::int64_t side = most_ranked + 1;
  const auto count = static_cast<std::size_t>(side * side);
  EXPECT_FALSE(facts_of(Filter::dense({1, side, side}, std::vector<double>(count, 1)), never).rank);
}

TEST(Weights, FactorsAreNeverMultipliedOut) {
  const std::vector<double> line(1 << 22, 0x1p-22);  // 2⁴⁴ weights
  EXPECT_TRUE(facts_of(Filter::separable({.y = line, .x = line}), never).equal);
}

}  // namespace
}  // namespace halation::model
