// filter_test.cpp: making filters, anchors, and dimensions that follow the image.
#include <gtest/gtest.h>

#include <cmath>

#include "halation/error.h"
#include "halation/filter.h"
#include "message_of.h"

namespace halation {
namespace {

TEST(Filter, DefaultAnchorIsHalfTheSize) {
  EXPECT_EQ(Filter(std::vector<double>(5)).anchor(), (Anchor{0, 0, 2}));
  EXPECT_EQ(Filter::dense({4, 6, 7}, std::vector<double>(168)).anchor(), (Anchor{2, 3, 3}));
}

TEST(Filter, MultipliesFactorsOut) {
  const Filter filter = Filter::separable({.y = {3, 5, 7}, .x = {1, 2}});
  EXPECT_EQ(filter.size(), (FilterSize{1, 3, 2}));
  EXPECT_EQ(filter.weights(), (std::vector<double>{3, 6, 5, 10, 7, 14}));
  EXPECT_EQ(filter.sum(), 45);
  EXPECT_EQ(filter.dims(), 2);
}

TEST(Filter, RefusesWhatMeansNothing) {
  EXPECT_EQ(message_of([] { Filter(std::vector<double>{}); }),
            "weights are empty: a filter has at least one tap along each axis");
  EXPECT_EQ(message_of([] { Filter::dense({1, 2, 2}, {1, 2, 3}); }), "a filter of 1x2x2 has 4 weights, got 3");
  // 3 · 6148914691236517207 is 5 modulo 2^64.
  EXPECT_EQ(message_of([] { Filter::dense({1, 3, 6148914691236517207}, {1, 2, 3, 4, 5}); }),
            "a filter of 1x3x6148914691236517207 has 9223372036854775807 weights or more, got 5");
  EXPECT_EQ(message_of([] { Filter({1, std::nan(""), 3}); }), "weights must be finite, got nan at position 1");
  EXPECT_EQ(message_of([] { Filter::separable({.x = {1, INFINITY}}); }), "weights must be finite, got inf at position 1");
  EXPECT_EQ(message_of([] { Filter({1, 2, 3}).with_anchor({0, 0, 3}); }),
            "anchor must lie inside the filter, got 0,0,3 in a filter of 1,1,3 taps (depth, height, width)");
}

TEST(Filter, OpenFilterTakesDimensionsAndKeepsItsSettings) {
  const Filter deferred = Filter::deferred("ones", [](int dims) {
    const std::vector<double> line{1, 1, 1};
    const std::vector<double> none;
    return Filter::separable({.z = dims > 2 ? line : none, .y = dims > 1 ? line : none, .x = line});
  });
  EXPECT_EQ(deferred.dims(), 0);
  EXPECT_EQ(message_of([&] { (void)deferred.weights(); }),
            "ones: its dimensions follow the image; call with_dims(1, 2 or 3) to see its weights");
  const Filter settled = deferred.with_anchor({0, 1, 2}).as_correlation().with_dims(2);
  EXPECT_EQ(settled.size(), (FilterSize{1, 3, 3}));
  EXPECT_EQ(settled.anchor(), (Anchor{0, 1, 2}));
  EXPECT_TRUE(settled.is_correlation());
  EXPECT_EQ(settled.name(), "ones");
  EXPECT_EQ(deferred.with_dims(3).size(), (FilterSize{3, 3, 3}));
}

}  // namespace
}  // namespace halation
