// arguments_test.cpp: texts of the command line in parts, and that no part outlives its text.
#include "app/command_line/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace halation::app {
namespace {

using testing::ElementsAre;

template <class Text>
concept Splittable = requires(Text&& text) {
  split(std::forward<Text>(text), ',');
};
static_assert(Splittable<std::string_view> && Splittable<const char*> && Splittable<const char (&)[4]>);
static_assert(Splittable<std::string&> && Splittable<const std::string&>);
static_assert(!Splittable<std::string> && !Splittable<const std::string>,
              "parts would be views of what is gone");

TEST(Split, GivesAllPartsEmptyOnesToo) {
  EXPECT_THAT(split("1,20,", ','), ElementsAre("1", "20", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  const std::string text = "8x16";
  const auto parts = split(text, 'x');
  EXPECT_THAT(parts, ElementsAre("8", "16"));
  EXPECT_EQ(parts[1].data(), text.data() + 2);
}

}  // namespace
}  // namespace halation::app
