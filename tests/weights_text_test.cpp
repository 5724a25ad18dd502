// weights_text_test.cpp: weights written as text: what is read, and every sentence about what is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halation/error.h"
#include "halation/filters.h"

namespace halation {
namespace {

using testing::ElementsAre;

std::string refusal(std::string_view text) {
  try {
    parse_weights(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "accepted";
}

TEST(WeightsText, RowsBecomeA2DFilter) {
  const Filter filter = parse_weights("0 -1 0; -1 5 -1; 0 -1 2.5e-1");
  EXPECT_EQ(filter.size(), (FilterSize{1, 3, 3}));
  EXPECT_THAT(filter.weights(), ElementsAre(0, -1, 0, -1, 5, -1, 0, -1, 0.25));
  EXPECT_FALSE(filter.is_correlation());
}

TEST(WeightsText, OneRowIsA1DFilter) {
  const Filter filter = parse_weights("1 2 3 4");
  EXPECT_EQ(filter.dims(), 1);
  EXPECT_THAT(filter.weights(), ElementsAre(1, 2, 3, 4));
}

TEST(WeightsText, RowsNeedNotBeSquare) {
  EXPECT_EQ(parse_weights("1 2; 3 4; 5 6; 7 8").size(), (FilterSize{1, 4, 2}));
  EXPECT_EQ(parse_weights("7").size(), (FilterSize{1, 1, 1}));
}

TEST(WeightsText, SeparatorsAreFree) {
  const auto four = ElementsAre(1, 2, 3, 4);
  for (const char* text : {"1 2;3 4", "1,2;3,4", " 1 ,\t2 ; 3,  4 ", "1 2\n3 4", "1 2\r\n3 4\r\n",
                           "1 2;\n3 4;\n", "\n\n1 2\n\n  \n3 4\n\n", "+1 2.0 # first\n# none\n3e0 .4e1"}) {
    const Filter filter = parse_weights(text);
    EXPECT_EQ(filter.size(), (FilterSize{1, 2, 2})) << text;
    EXPECT_THAT(filter.weights(), four) << text;
  }
}

TEST(WeightsText, NumbersKeepEveryBit) {
  EXPECT_THAT(parse_weights("0.1 -1e-300 1.7976931348623157e308").weights(),
              ElementsAre(0.1, -1e-300, 1.7976931348623157e308));
}

TEST(WeightsText, RaggedRowsAreRefused) {
  EXPECT_EQ(refusal("1 2 3; 4 5"), "weights: row 2 has 2 numbers, row 1 has 3");
  EXPECT_EQ(refusal("1\n2\n3 4"), "weights: row 3 has 2 numbers, row 1 has 1");
}

TEST(WeightsText, EmptyTextAndRowsAreRefused) {
  const std::string empty = "weights: empty; write rows such as \"0 -1 0; -1 5 -1; 0 -1 0\"";
  for (const char* text : {"", "  \n\t", "# nothing\n"}) EXPECT_EQ(refusal(text), empty) << text;
  EXPECT_EQ(refusal(";1 2"), "weights: row 1 is empty");
  EXPECT_EQ(refusal(";"), "weights: row 1 is empty");
  EXPECT_EQ(refusal("1 2; ;3 4"), "weights: row 2 is empty");
}

TEST(WeightsText, LonelyCommasAreRefused) {
  for (const char* text : {"1,,2", "1, ,2", ",1", "1 2,", ","}) {
    EXPECT_EQ(refusal(text), "weights: row 1 has a comma without a number") << text;
  }
}

TEST(WeightsText, WhatIsNoFiniteNumberIsRefused) {
  EXPECT_EQ(refusal("1 two 3"), "weights: row 1: 'two' is not a number");
  EXPECT_EQ(refusal("1 2; 3 4x"), "weights: row 2: '4x' is not a number");
  EXPECT_EQ(refusal("1 --2"), "weights: row 1: '--2' is not a number");
  EXPECT_EQ(refusal("+-1"), "weights: row 1: '+-1' is not a number");
  EXPECT_EQ(refusal("+"), "weights: row 1: '+' is not a number");
  EXPECT_EQ(refusal("0x10"), "weights: row 1: '0x10' is not a number");
  EXPECT_EQ(refusal("1 nan"), "weights: row 1: 'nan' is not a finite number");
  EXPECT_EQ(refusal("-inf 1"), "weights: row 1: '-inf' is not a finite number");
  EXPECT_EQ(refusal("1e999"), "weights: row 1: '1e999' is out of range");
  EXPECT_EQ(refusal(std::string_view("1 \0 2", 5)).substr(0, 17), "weights: row 1: '");
}

}  // namespace
}  // namespace halation
