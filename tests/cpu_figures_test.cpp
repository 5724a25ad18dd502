// cpu_figures_test.cpp: the rows of figures that families of the CPU are priced by, as texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cpu/rate_names.h"
#include "cpu/rates.h"
#include "halation/error.h"

namespace halation::cpu_backend {
namespace {

using testing::ElementsAre;

/// A row in which every figure is its place.
std::string counted() {
  std::string text;
  int count = 0;
  Rates rates{};
  for_each_rate(rates, [&](std::string_view name, auto&) {
    text += std::string(name) + "; " + std::to_string(++count) + "\n";
  });
  return text;
}

std::string message_of(const std::string& text) {
  try {
    (void)rates_from("a row", text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CpuFigures, EachHasItsOwnName) {
  const Rates rates = rates_from("a row", "# what is what\n\n" + counted());
  EXPECT_EQ(rates.name, "a row");
  int count = 0;
  for_each_rate(rates, [&](std::string_view name, auto figure) { EXPECT_EQ(figure, ++count) << name; });
  EXPECT_EQ(count * sizeof(double) + sizeof(std::string_view), sizeof(Rates)) << "a figure has no name";
}

TEST(CpuFigures, SayWhatIsWrong) {
  const std::string all = counted();
  EXPECT_EQ(message_of(all.substr(all.find('\n') + 1)), "figures: \"vector_bytes\": is missing");
  EXPECT_EQ(message_of(all + "start; 3\n"),
            "figures: \"start; 3\": there is no such figure, or it stands there twice");
  EXPECT_EQ(message_of(all + "strat; 3\n"),
            "figures: \"strat; 3\": there is no such figure, or it stands there twice");
  EXPECT_EQ(message_of("start; fast\n"),
            "figures: \"start; fast\": \"fast\" is no figure: a number of 0 and more");
  EXPECT_EQ(message_of("start; -1\n"), "figures: \"start; -1\": \"-1\" is no figure: a number of 0 and more");
  EXPECT_EQ(message_of("start\n"), "figures: \"start\": one number follows the name");
  EXPECT_EQ(message_of("start; 1; 2\n"), "figures: \"start; 1; 2\": one number follows the name");
}

TEST(CpuFigures, RowsThatHalationComesWithAreWhole) {
  std::vector<std::string_view> names;
  for (const Rates& row : all_rates()) {
    names.push_back(row.name);
    EXPECT_EQ(rates_named(row.name), &row);
    EXPECT_GE(row.vector_bytes, 32);
    EXPECT_GT(row.memory_byte, 0);
  }
  EXPECT_THAT(names, ElementsAre("avx2", "avx512", "zen4"));
  EXPECT_EQ(rates_named("zen5"), nullptr);
}

}  // namespace
}  // namespace halation::cpu_backend
