// known_figures_test.cpp: figures that were left for this machine change which method is chosen, and no
// others do. The process has a file of its own, written before any plan is made.
#include "plan/timings/shared_timings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "core/figures_text.h"
#include "halation/halation.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "plan/timings/time_methods.h"
#include "plan/timings/tune.h"
#include "temporary_folder.h"

namespace halation {
namespace {

/// Expects what it is told to, "box; 3" a line, and runs on nothing.
class Expecting final : public Backend {
 public:
  Device::Kind kind() const override { return Device::Kind::cpu; }
  std::vector<DeviceInfo> devices() const override { return {}; }
  std::span<const Form> forms() const override {
    static constexpr Form list[] = {Form::dense, Form::factors, Form::box};
    return list;
  }
  std::vector<Offer> offers(const Job&, std::span<const Taps> filters, Device) const override {
    return {{.family = "sleeping", .seconds = seconds_.at(filters.front().form)}};
  }
  void use_figures(std::string_view text, Device) const override {
    std::map<Form, double> read = seconds_;
    for (const FigureLine& line : figure_lines(text)) {
      static const std::map<std::string_view, Form> forms{
          {"direct", Form::dense}, {"separable", Form::factors}, {"box", Form::box}};
      read.at(forms.at(line.name)) = figure_of(line.fields.at(0), line);
    }
    seconds_ = read;
    ++times_told;
  }
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job>, Device) const override { return nullptr; }

  mutable int times_told = 0;

 private:
  mutable std::map<Form, double> seconds_{{Form::dense, 3}, {Form::factors, 2}, {Form::box, 1}};
};

Choice choice_by(const Backend& backend, Device device) {
  const PlanSpec spec{.shape = {.height = 20, .width = 30},
                      .pixel = Pixel::f32,
                      .filters = {box({.size = 5})},
                      .options = {}};
  return choose(check(spec), spec.options, backend, device);
}

class KnownFigures : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const test::Folder folder;
    ::setenv("HALATION_CACHE", (folder / "timings").c_str(), 1);
    const std::string here = machine_of(cpu());
    ASSERT_TRUE(add_timings(folder / "timings", {.times = {},
                                                 .figures = {{here, "box; 2.5"},
                                                             {"cpu another", "direct; 0.5"},
                                                             {here, "separable; 2.25"},
                                                             {machine_of(reference()), "box; slow"}}}));
  }
};

TEST_F(KnownFigures, OfThisMachineAreUsed) {
  const Expecting backend;
  const Choice choice = choice_by(backend, cpu());
  EXPECT_EQ(choice.reasons.front().method->method, Method::separable);
  EXPECT_EQ(choice.reasons.front().seconds, 2.25);
  (void)choice_by(backend, cpu());
  EXPECT_EQ(backend.times_told, 1) << "once a process";
  const std::vector<RankedMethod> ranked = ranking(choice, 0, backend, cpu());
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(to_string(ranked[0]), "separable: expected 2.25 s");
  EXPECT_EQ(to_string(ranked[1]), "box: expected 2.5 s");
  EXPECT_EQ(to_string(ranked[2]), "direct: expected 3 s") << "another machine's do not count";
}

TEST_F(KnownFigures, ThatAreWrongAreLeftOut) {
  if (machine_of(reference()).empty()) GTEST_SKIP() << "no machine of that device";
  const Expecting backend;
  EXPECT_EQ(choice_by(backend, reference()).reasons.front().seconds, 1);
  EXPECT_EQ(backend.times_told, 0);
}

TEST_F(KnownFigures, TimesAreSharedAsTheyAreTaken) {
  PlanSpec spec{.shape = {.height = 40, .width = 61},
                .pixel = Pixel::f32,
                .filters = {gaussian({.sigma = 1.5}), laplacian()},
                .options = {}};
  const auto times_here = [] {
    std::int64_t count = 0;
    for (const KnownTime& time : read_timings(*timings_path()).times)
      count += time.machine == machine_of(cpu()) ? 1 : 0;
    return count;
  };
  const std::int64_t before = timings_taken();
  time_methods(spec);
  const std::int64_t taken = timings_taken() - before;
  EXPECT_THAT(taken, testing::AnyOf(4, 5))
      << "direct, separable and fft of one, direct and perhaps fft of the other";
  EXPECT_EQ(times_here(), taken);
  time_methods(spec);
  EXPECT_EQ(timings_taken() - before, taken) << "once a process";
  spec.options.tune = Tune::measure;
  const Plan plan(spec);
  EXPECT_EQ(timings_taken() - before, taken);
  for (const std::vector<RankedMethod>& ranked : plan.ranking()) {
    EXPECT_TRUE(ranked.front().measured_seconds);
  }
  EXPECT_EQ(read_timings(*timings_path()).figures.size(), 4U) << "times change no figures";
}

}  // namespace
}  // namespace halation
