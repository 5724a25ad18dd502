// only_family_test.cpp: plans by one family of kernels that is asked for by name, or why there is none.
#include "core/only_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "beside_reference.h"
#include "halation/halation.h"
#include "message_of.h"

namespace halation {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

PlanSpec spec_of(Pixel pixel, Filter filter, const Options& options = {}) {
  return {.shape = {.height = 40, .width = 70},
          .pixel = pixel,
          .filters = {std::move(filter)},
          .options = options};
}

Filter product(std::int64_t taps) {
  std::vector<double> factor;
  for (std::int64_t i = 0; i < taps; ++i) factor.push_back(static_cast<double>(1 + i % 5));
  return Filter::separable({.y = factor, .x = factor});
}

std::string family_of(const Plan& plan) {
  const std::string text = plan.explain();
  const std::size_t at = text.find("\nfamily: ") + 9;
  return text.substr(at, text.find(';', at) - at);
}

TEST(OnlyFamily, DoesTheJobWhateverElseIsExpectedOfIt) {
  Numbers numbers(7);
  for (const auto& [name, pixel, filter, method] :
       {std::tuple{"float lines", Pixel::u8, product(5), Method::separable},
        std::tuple{"axis by axis", Pixel::f32, product(5), Method::separable},
        std::tuple{"fft", Pixel::f32, product(5), Method::fft},
        std::tuple{"float lines", Pixel::u16, box({.size = 5.0, .dims = 2}), Method::box},
        std::tuple{"running box", Pixel::u16, box({.size = 5.0, .dims = 2}), Method::box},
        std::tuple{"axis by axis", Pixel::u16, box({.size = 5.0, .dims = 2}), Method::box}}) {
    const OnlyFamily only(name);
    EXPECT_EQ(family_of(Plan(spec_of(pixel, filter, {.method = method}))), name);
    expect_as_reference(noise({.height = 40, .width = 70}, pixel, numbers), filter, {.method = method},
                        std::string("family: ") + name);
  }
}

TEST(OnlyFamily, FindsAMethodThatItDoes) {
  const OnlyFamily only("fft");
  EXPECT_THAT(Plan(spec_of(Pixel::f32, product(9))).methods(), testing::ElementsAre(Method::fft));
}

TEST(OnlyFamily, RefusesWithItsReason) {
  const auto asked = [](const char* name, const PlanSpec& spec) {
    const OnlyFamily only(name);
    return message_of([&] { Plan plan(spec); });
  };
  EXPECT_EQ(asked("running box", spec_of(Pixel::f32, product(3))),
            "family running box: integers, not combined, alone");
  EXPECT_EQ(asked("float lines", spec_of(Pixel::f32, product(3), {.method = Method::fft})),
            "method fft on cpu: filter 'custom' does not fit its tiles; use automatic or direct");
  EXPECT_EQ(asked("no such", spec_of(Pixel::f32, product(3))), "family no such: there is none of that name");
}

TEST(OnlyFamily, IsSaidByThePlanAndEndsWithTheScope) {
  const PlanSpec spec = spec_of(Pixel::f32, product(3));
  const std::string usual = family_of(Plan(spec));
  ASSERT_NE(usual, "axis by axis");
  {
    const OnlyFamily outer("float lines");
    {
      const OnlyFamily inner("axis by axis");
      EXPECT_THAT(Plan(spec).explain(), HasSubstr("family: axis by axis; passed over: "));
      EXPECT_THAT(Plan(spec).explain(), HasSubstr("float lines: another family is asked for"));
    }
    EXPECT_EQ(OnlyFamily::asked_for(), "float lines");
  }
  EXPECT_EQ(OnlyFamily::asked_for(), "");
  EXPECT_EQ(family_of(Plan(spec)), usual);
}

TEST(OnlyFamily, IsNotAnsweredByPlansThatAreKept) {
  Numbers numbers(8);
  const Image in = noise({.height = 40, .width = 70}, Pixel::f32, numbers);
  convolve(in, product(3));
  const KeptPlans before = kept_plans();
  const OnlyFamily only("running box");
  EXPECT_THAT(message_of([&] { convolve(in, product(3)); }), StartsWith("family running box: "));
  EXPECT_EQ(kept_plans().plans, before.plans);
}

}  // namespace
}  // namespace halation
