// nearest_figures_test.cpp: figures are found that times were made of, within bounds.
#include "core/nearest_figures.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace halation {
namespace {

/// What a start, steps and bytes take together where the longest of two hides the other.
double taken(double start, double step, double byte, double steps, double bytes) {
  return start + std::cbrt(std::pow(step * steps, 3) + std::pow(byte * bytes, 3));
}

std::vector<Misfit> misfits(const std::vector<double>& at, const std::array<double, 3>& truth,
                            double disturbed = 1) {
  std::vector<Misfit> all;
  for (const double steps : {1.0, 10.0, 100.0, 1000.0}) {
    for (const double bytes : {1.0, 30.0, 1000.0}) {
      const double expected = taken(std::exp(at[0]), std::exp(at[1]), std::exp(at[2]), steps, bytes);
      const double measured =
          taken(truth[0], truth[1], truth[2], steps, bytes) * (all.empty() ? disturbed : 1);
      all.push_back({std::log(expected / measured), 1});
    }
  }
  return all;
}

TEST(NearestFigures, AreThoseThatTimesWereMadeOf) {
  constexpr std::array truth{4.0, 0.02, 0.3};
  const auto off = [&](const std::vector<double>& at) { return misfits(at, truth); };
  const std::vector<double> found = nearest_figures({1, -3, -2}, {9, 9, 9}, off);
  for (std::size_t i = 0; i < truth.size(); ++i)
    EXPECT_NEAR(std::exp(found[i]), truth[i], 0.15 * truth[i]) << i;
}

TEST(NearestFigures, AreHardlyMovedByATimeThatIsFarOff) {
  constexpr std::array truth{4.0, 0.02, 0.3};
  const std::vector<double> start{std::log(4), std::log(0.02), std::log(0.3)};
  const auto off = [&](const std::vector<double>& at) { return misfits(at, truth, 50); };
  const std::vector<double> found = nearest_figures(start, {9, 9, 9}, off);
  for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_NEAR(found[i], start[i], 0.2) << i;
}

TEST(NearestFigures, StayWithinBounds) {
  constexpr std::array truth{4.0, 0.02, 0.3};
  const auto off = [&](const std::vector<double>& at) {
    EXPECT_LE(std::fabs(at[0]), 1 + 2e-3) << "but for a slope's difference";
    return misfits(at, truth);
  };
  const std::vector<double> found = nearest_figures({0, 0, 0}, {1, 9, 9}, off);
  EXPECT_LE(found[0], 1);
  EXPECT_GT(found[0], 0.5);
}

TEST(NearestFigures, StayWhereNothingWasMeasured) {
  const auto none = [](const std::vector<double>&) { return std::vector<Misfit>(); };
  EXPECT_EQ(nearest_figures({2, 3}, {9, 9}, none), (std::vector<double>{2, 3}));
  EXPECT_TRUE(nearest_figures({}, {}, none).empty());
}

TEST(Misfit, CountsItsSquareAndGrowsLikeItself) {
  const auto counted = [](double logarithm) { return Misfit{logarithm, 1}.counted(); };
  EXPECT_EQ(counted(0), 0);
  EXPECT_NEAR(counted(0.01), 0.01 * 0.01, 1e-6);
  EXPECT_NEAR(counted(10), 2 * 0.1 * 10, 0.03);
  EXPECT_EQ(counted(-0.3), counted(0.3));
  EXPECT_EQ((Misfit{0.3, 2}.counted()), 2 * counted(0.3));
}

TEST(Solve, FindsWhatAMatrixWasMultipliedWith) {
  std::vector<double> b{4 * 1 + 2 * -2 + 0.5 * 3, 2 * 1 + 5 * -2 + 1 * 3, 0.5 * 1 + 1 * -2 + 6 * 3};
  ASSERT_TRUE(solve({4, 0, 0, 2, 5, 0, 0.5, 1, 6}, b));
  EXPECT_NEAR(b[0], 1, 1e-12);
  EXPECT_NEAR(b[1], -2, 1e-12);
  EXPECT_NEAR(b[2], 3, 1e-12);
  EXPECT_FALSE(solve({1, 0, 2, 1}, b = {1, 1}));
}

}  // namespace
}  // namespace halation
