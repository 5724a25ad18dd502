// compass_search_test.cpp: the least of a function is found, within bounds.
#include "core/compass_search.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace halation {
namespace {

TEST(CompassSearch, FindsTheLeastOfAFunction) {
  const auto valley = [](const std::vector<double>& at) {
    const double a = at[0] - 3, b = at[1] + 2, c = at[2] - at[0];
    return a * a + 10 * b * b + 5 * c * c;
  };
  const std::array low{-10.0, -10.0, -10.0}, high{10.0, 10.0, 10.0};
  const std::vector<double> found = compass_search({0, 0, 0}, low, high, valley, 1, 13);
  EXPECT_NEAR(found[0], 3, 1e-2);
  EXPECT_NEAR(found[1], -2, 1e-2);
  EXPECT_NEAR(found[2], 3, 1e-2);
}

TEST(CompassSearch, StaysWithinBounds) {
  const std::array low{-1.0}, high{2.0};
  const auto away = [&](const std::vector<double>& at) {
    EXPECT_GE(at[0], -1);
    EXPECT_LE(at[0], 2);
    return -at[0];
  };
  EXPECT_EQ(compass_search({0}, low, high, away, 1, 3)[0], 2);
}

TEST(CompassSearch, StaysWhereNothingIsSought) {
  EXPECT_TRUE(compass_search(
                  {}, {}, {}, [](const std::vector<double>&) { return 1.0; }, 1, 3)
                  .empty());
}

TEST(CountedOff, IsASquareThatGrowsLikeItsRoot) {
  EXPECT_EQ(counted_off(0), 0);
  EXPECT_NEAR(counted_off(0.01), 0.01 * 0.01, 1e-6);
  EXPECT_NEAR(counted_off(10), 2 * 0.1 * 10, 0.03);
  EXPECT_EQ(counted_off(-0.3), counted_off(0.3));
}

}  // namespace
}  // namespace halation
