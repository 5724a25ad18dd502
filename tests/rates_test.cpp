// rates_test.cpp: rates that were left for this machine change which method is chosen, and no others do. The
// process has a file of its own, written before any plan is made.
#include "plan/timings/rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "halation/halation.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "plan/timings/shared_timings.h"
#include "plan/timings/time_methods.h"
#include "plan/timings/tune.h"
#include "temporary_folder.h"

namespace halation {
namespace {

/// Expects what it is told to, and runs on nothing.
class Expecting final : public Backend {
 public:
  Device::Kind kind() const override { return Device::Kind::cpu; }
  std::vector<DeviceInfo> devices() const override { return {}; }
  std::span<const Form> forms() const override {
    static constexpr Form list[] = {Form::dense, Form::factors, Form::box};
    return list;
  }
  std::vector<Offer> offers(const Job&, std::span<const Taps> filters, Device) const override {
    const Taps& taps = filters.front();
    static const std::map<Form, double> seconds{{Form::dense, 3}, {Form::factors, 2}, {Form::box, 1}};
    return {{.family = "sleeping", .seconds = seconds.at(taps.form)}};
  }
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job>, Device) const override { return nullptr; }
};

class Rates : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const test::Folder folder;
    ::setenv("HALATION_CACHE", (folder / "timings").c_str(), 1);
    const std::string here = machine_of(cpu());
    ASSERT_TRUE(add_timings(folder / "timings", {.times = {},
                                                 .rates = {{here, Method::box, Pixel::f32, 3},
                                                           {here, Method::direct, Pixel::f32, 1},
                                                           {here, Method::separable, Pixel::f32, 1.25},
                                                           {here, Method::direct, Pixel::u16, 1e-9},
                                                           {here, Method::direct, Pixel::f64, 2},
                                                           {"cpu another", Method::box, Pixel::u8, 4}}}));
  }
  static Choice choice_for(Pixel pixel) {
    const PlanSpec spec{
        .shape = {.height = 20, .width = 30}, .pixel = pixel, .filters = {box({.size = 5})}, .options = {}};
    return choose(check(spec), spec.options, Expecting(), cpu());
  }
  static Method method_for(Pixel pixel) { return choice_for(pixel).reasons.front().method->method; }
};

TEST_F(Rates, MultiplyWhatIsExpected) {
  EXPECT_EQ(method_for(Pixel::f32), Method::separable) << "2.5 s, direct and box 3 s";
  EXPECT_EQ(choice_for(Pixel::f32).reasons.front().seconds, 2.5);
  EXPECT_EQ(method_for(Pixel::f16), Method::separable) << "as f32";
  EXPECT_EQ(method_for(Pixel::u16), Method::box) << "direct by 1/4 at least, and so the others";
  EXPECT_EQ(choice_for(Pixel::i16).reasons.front().seconds, 0.25) << "as u16";
  EXPECT_EQ(choice_for(Pixel::f64).reasons.front().seconds, 2) << "box by the median of those known";
}

TEST_F(Rates, OfAnotherMachineDoNotCount) {
  EXPECT_EQ(method_for(Pixel::u8), Method::box);
  EXPECT_EQ(choice_for(Pixel::u8).reasons.front().seconds, 1);
}

TEST_F(Rates, AreSaidByRankings) {
  const std::vector<RankedMethod> ranked = ranking(choice_for(Pixel::f32), 0, Expecting(), cpu());
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(to_string(ranked[0]), "separable: expected 2.5 s");
  EXPECT_EQ(to_string(ranked[1]), "direct: expected 3 s") << "of equals the first of the backend";
  EXPECT_EQ(to_string(ranked[2]), "box: expected 3 s");
}

TEST_F(Rates, AreMediansWithinBounds) {
  const std::vector<TimedMethod> timed = {{Method::direct, Pixel::u8, 1, 3},
                                          {Method::direct, Pixel::u8, 2, 3},
                                          {Method::direct, Pixel::u8, 1, 1},
                                          {Method::box, Pixel::u8, 1, 100},
                                          {Method::fft, Pixel::f64, 1, 1e-3}};
  std::map<std::pair<Method, Pixel>, double> factors;
  for (const KnownRate& rate : rates_from(timed, cpu())) {
    EXPECT_EQ(rate.machine, machine_of(cpu()));
    factors[{rate.method, rate.pixels}] = rate.factor;
  }
  EXPECT_EQ(factors, (std::map<std::pair<Method, Pixel>, double>{{{Method::direct, Pixel::u8}, 1.5},
                                                                 {{Method::box, Pixel::u8}, 4},
                                                                 {{Method::fft, Pixel::f64}, 0.25}}));
}

TEST_F(Rates, TimesAreSharedAsTheyAreTaken) {
  PlanSpec spec{.shape = {.height = 40, .width = 61},
                .pixel = Pixel::f32,
                .filters = {gaussian({.sigma = 1.5}), laplacian()},
                .options = {}};
  const auto times_here = [] {
    std::size_t count = 0;
    for (const KnownTime& time : read_timings(*timings_path()).times)
      count += time.machine == machine_of(cpu()) ? 1 : 0;
    return count;
  };
  const std::int64_t before = timings_taken();
  const std::vector<TimedMethod> timed = time_methods(spec);
  EXPECT_EQ(timings_taken() - before, std::ssize(timed));
  EXPECT_THAT(timed.size(), testing::AnyOf(4U, 5U))
      << "direct, separable and fft of one, direct and perhaps fft of the other";
  EXPECT_EQ(times_here(), timed.size());
  EXPECT_EQ(time_methods(spec).size(), timed.size());
  EXPECT_EQ(timings_taken() - before, std::ssize(timed)) << "once a process";
  spec.options.tune = Tune::measure;
  const Plan plan(spec);
  EXPECT_EQ(timings_taken() - before, std::ssize(timed));
  for (const std::vector<RankedMethod>& ranked : plan.ranking()) {
    EXPECT_TRUE(ranked.front().measured_seconds);
  }
  EXPECT_EQ(read_timings(*timings_path()).rates.size(), 6U) << "times leave rates alone";
}

}  // namespace
}  // namespace halation
