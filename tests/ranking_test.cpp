// ranking_test.cpp: all methods of a device for each filter: in which order, with which times, and why not.
// The backend is the test's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "halation/halation.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "plan/timings/tune.h"
#include "sleeper.h"

namespace halation {
namespace {

using testing::ElementsAre;

/// Expects of each method what it is told to; each takes the longer the sooner it should be done.
class Offering final : public Backend {
 public:
  std::map<Form, double> expected{{Form::dense, 4},    {Form::factors, 3},    {Form::box, 2},
                                  {Form::spectrum, 1}, {Form::lower_rate, 9}, {Form::matrices, 8}};
  Space untransformed{0, 0, 0};  ///< a filter that no tile is large enough for

  Device::Kind kind() const override { return Device::Kind::cpu; }
  std::vector<DeviceInfo> devices() const override { return {}; }
  std::span<const Form> forms() const override {
    static constexpr Form list[] = {Form::dense,    Form::factors,    Form::box,
                                    Form::spectrum, Form::lower_rate, Form::matrices};
    return list;
  }
  std::vector<Offer> offers(const Job&, std::span<const Taps> filters, Device) const override {
    const Taps& taps = filters.front();
    if (taps.form == Form::spectrum && taps.size == untransformed) return {};
    return {{.family = "sleeping", .seconds = expected.at(taps.form)}};
  }
  TransformFacts transform_facts(const Job&, const Taps&, Device) const override {
    return {.samples = 1024, .roundings = 20};
  }
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device) const override {
    return std::make_unique<Sleeper>(0.004 / expected.at(job->filters.front().form));
  }
};

/// One that nothing has been remembered of.
std::int64_t new_width() {
  static std::int64_t last = 7000;
  return ++last;
}

PlanSpec spec_of(std::vector<Filter> filters, const Options& options = {}) {
  return {.shape = {.height = 4, .width = new_width()},
          .pixel = Pixel::f32,
          .filters = std::move(filters),
          .options = options};
}

std::vector<std::string> texts_of(const std::vector<RankedMethod>& ranked) {
  std::vector<std::string> texts;
  texts.reserve(ranked.size());
  for (const RankedMethod& each : ranked) texts.push_back(to_string(each));
  return texts;
}

std::vector<std::string> ranking_of(const PlanSpec& spec, const Backend& backend = Offering()) {
  return texts_of(ranking(choose(check(spec), spec.options, backend, spec.device), 0, backend, spec.device));
}

TEST(Ranking, GoesByWhatIsExpected) {
  EXPECT_THAT(
      ranking_of(spec_of({box({.size = 7})})),
      ElementsAre("fft: expected 1 s", "box: expected 2 s", "separable: expected 3 s", "direct: expected 4 s",
                  "banded: accuracy is exact", "multirate: accuracy is exact"));
}

TEST(Ranking, BeginsWithTheOneAskedFor) {
  EXPECT_THAT(
      ranking_of(spec_of({box({.size = 7})}, {.method = Method::direct})),
      ElementsAre("direct: expected 4 s", "fft: expected 1 s", "box: expected 2 s", "separable: expected 3 s",
                  "banded: accuracy is exact", "multirate: accuracy is exact"));
}

TEST(Ranking, SaysWhyNot) {
  EXPECT_THAT(
      ranking_of(spec_of({gaussian({.sigma = 1.0})}, {.accuracy = Accuracy::fast})),
      ElementsAre("fft: expected 1 s", "separable: expected 3 s", "direct: expected 4 s", "banded: expected 8 s",
                  "box: its weights differ", "multirate: not smooth enough"));
  EXPECT_THAT(
      ranking_of(spec_of({laplacian()})),
      ElementsAre("direct: expected 4 s", "fft: expected 1 s, saves too little for the digits that it rounds",
                  "separable: no product of factors", "banded: accuracy is exact",
                  "box: no product of factors", "multirate: accuracy is exact"));
  PlanSpec zeros = spec_of({Filter::dense({1, 6, 6}, std::vector<double>(36, 0))});
  zeros.options.method = Method::direct;
  EXPECT_THAT(ranking_of(zeros), testing::Contains("box: all its weights are 0"));
  Offering backend;
  backend.untransformed = {1, 7, 7};
  EXPECT_THAT(ranking_of(spec_of({box({.size = 7})}), backend),
              testing::Contains("fft: does not fit its tiles"));
}

TEST(Ranking, OfSeveralFiltersTransformsAllOrNone) {
  const PlanSpec spec = spec_of({box({.size = 7}), box({.size = 9})});
  EXPECT_THAT(ranking_of(spec), testing::Contains("fft: expected 1 s"));
  Offering backend;
  backend.untransformed = {1, 9, 9};
  EXPECT_THAT(ranking_of(spec, backend),
              ElementsAre("box: expected 2 s", "separable: expected 3 s", "direct: expected 4 s",
                          "fft: expected 1 s, all filters or none", "banded: accuracy is exact",
                          "multirate: accuracy is exact"));
}

TEST(Ranking, MeasuresThreeAtMost) {
  const PlanSpec spec = spec_of({box({.size = 7})}, {.tune = Tune::measure});
  const std::int64_t before = timings_taken();
  const Offering backend;
  const Choice choice = choose(check(spec), spec.options, backend, cpu());
  EXPECT_EQ(timings_taken() - before, 3);
  EXPECT_EQ(choice.job->filters.front().form, Form::factors) << "the quickest that was timed";
  const std::string number = "[0-9.]+ (us|ms)";
  EXPECT_THAT(
      texts_of(ranking(choice, 0, backend, cpu())),
      ElementsAre(testing::ContainsRegex("^separable: expected 3 s, measured " + number + "$"),
                  testing::ContainsRegex("^box: expected 2 s, measured " + number + "$"),
                  testing::ContainsRegex("^fft: expected 1 s, measured " + number + "$"),
                  "direct: expected 4 s", "banded: accuracy is exact", "multirate: accuracy is exact"));

  PlanSpec estimated = spec;  // of the same images: times are known, and do not decide
  estimated.options.tune = Tune::estimate;
  EXPECT_THAT(ranking_of(estimated),
              ElementsAre(testing::StartsWith("fft: expected 1 s, measured "),
                          testing::StartsWith("box: expected 2 s, measured "),
                          testing::StartsWith("separable: expected 3 s, measured "), "direct: expected 4 s",
                          "banded: accuracy is exact", "multirate: accuracy is exact"));
  EXPECT_EQ(timings_taken() - before, 3);
}

TEST(Ranking, HasALineAMethodInWhatPlansExplain) {
  const Plan plan(spec_of({gaussian({.sigma = 2.0}), laplacian()}));
  const std::vector<std::vector<RankedMethod>> ranking = plan.ranking();
  ASSERT_EQ(ranking.size(), 2U);
  const std::string text = plan.explain();
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    ASSERT_EQ(ranking[i].size(), 6U) << "the methods of the CPU";
    EXPECT_EQ(ranking[i].front().method, plan.methods()[i]);
    for (std::size_t other = 1; other < ranking[i].size(); ++other)
      EXPECT_THAT(text, testing::HasSubstr("\n  " + to_string(ranking[i][other]) + "\n"));
  }
}

}  // namespace
}  // namespace halation
