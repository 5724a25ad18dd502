// border_test.cpp: the five borders, far beyond the image too, and their tables.
#include <gtest/gtest.h>

#include "core/border_index.h"
#include "halation/error.h"

namespace halation {
namespace {

/// The row "abcd" (or a shorter one) extended by eight on each side.
std::string extended(std::string_view row, Border::Mode mode) {
  std::string text;
  for (std::int64_t c = -8; c < static_cast<std::int64_t>(row.size()) + 8; ++c) {
    const std::int64_t source = border_index(c, static_cast<std::int64_t>(row.size()), mode);
    text += source < 0 ? '.' : row[static_cast<std::size_t>(source)];
  }
  return text;
}

TEST(BorderIndex, ExtendsARowOfFour) {
  EXPECT_EQ(extended("abcd", Border::Mode::constant), "........abcd........");
  EXPECT_EQ(extended("abcd", Border::Mode::replicate), "aaaaaaaaabcddddddddd");
  EXPECT_EQ(extended("abcd", Border::Mode::reflect), "abcddcbaabcddcbaabcd");
  EXPECT_EQ(extended("abcd", Border::Mode::reflect101), "cbabcdcbabcdcbabcdcb");
  EXPECT_EQ(extended("abcd", Border::Mode::wrap), "abcdabcdabcdabcdabcd");
}

TEST(BorderIndex, ExtendsARowOfTwo) {
  EXPECT_EQ(extended("ab", Border::Mode::reflect), "abbaabbaabbaabbaab");
  EXPECT_EQ(extended("ab", Border::Mode::reflect101), "ababababababababab");
  EXPECT_EQ(extended("ab", Border::Mode::wrap), "ababababababababab");
}

TEST(BorderIndex, ExtendsASinglePixel) {
  for (const Border::Mode mode :
       {Border::Mode::replicate, Border::Mode::reflect, Border::Mode::reflect101, Border::Mode::wrap}) {
    EXPECT_EQ(extended("a", mode), "aaaaaaaaaaaaaaaaa") << name_of(mode);
  }
}

TEST(BorderTable, AgreesWithTheFormula) {
  for (const Border border : {Border::constant(3), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap()}) {
    for (const std::int64_t n : {1, 2, 5}) {
      const BorderTable table(-13, n + 17, n, border);
      for (std::int64_t c = -13; c < n + 17; ++c) EXPECT_EQ(table.source(c), border_index(c, n, border.mode));
      EXPECT_EQ(table.constant(), border.value);
    }
  }
}

TEST(Border, NamesGoBothWays) {
  for (const char* name : {"constant", "replicate", "reflect", "reflect101", "wrap"}) {
    EXPECT_EQ(name_of(border_named(name)), name);
  }
  EXPECT_THROW(border_named("mirror"), Error);
}

}  // namespace
}  // namespace halation
