// box_test.cpp: the method box in the plan: which filters are boxes, when they are done as such, and that the
// bound on their error holds for sums made in several orders. The backend is the test's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "halation/halation.h"
#include "message_of.h"
#include "numbers.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "plan/timings/tune.h"
#include "sleeper.h"

namespace halation {
namespace {

using testing::HasSubstr;

/// Offers boxes, and expects of each method what it is told to.
class Offering final : public Backend {
 public:
  std::map<Form, double> expected{{Form::dense, 3}, {Form::factors, 2}, {Form::box, 1}};
  std::map<Form, double> taken{{Form::dense, 6e-3}, {Form::factors, 3e-3}, {Form::box, 0}};

  Device::Kind kind() const override { return Device::Kind::cpu; }
  std::vector<DeviceInfo> devices() const override { return {}; }
  std::span<const Form> forms() const override {
    static constexpr Form list[] = {Form::dense, Form::factors, Form::box};
    return list;
  }
  std::vector<Offer> offers(const Job&, std::span<const Taps> filters, Device) const override {
    const Taps& taps = filters.front();
    return {{.family = "sleeping", .seconds = expected.at(taps.form)}};
  }
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device) const override {
    return std::make_unique<Sleeper>(taken.at(job->filters.front().form));
  }
};

PlanSpec spec_of(Filter filter, const Options& options = {}) {
  return {.shape = {.height = 20, .width = 30},
          .pixel = Pixel::f32,
          .filters = {std::move(filter)},
          .options = options};
}

Choice choice_of(const PlanSpec& spec, const Backend& backend = Offering()) {
  return choose(check(spec), spec.options, backend, cpu());
}

const Taps& taps_of(const Choice& choice) { return choice.job->filters.front(); }

std::string reason_of(const Choice& choice) { return to_string(choice.reasons.front(), taps_of(choice)); }

Method method_of(const Filter& filter) { return choice_of(spec_of(filter)).reasons.front().method->method; }

TEST(Box, IsAFilterWhoseFactorsHaveEqualWeights) {
  const std::vector<double> thirds(3, 1.0 / 3);
  const std::vector<double> fifths(5, -0.2);
  const Filter product = Filter::separable({.y = thirds, .x = fifths});
  EXPECT_EQ(method_of(box({.size = 3})), Method::box);
  EXPECT_EQ(method_of(product), Method::box);
  EXPECT_EQ(method_of(Filter::dense({1, 3, 5}, product.weights())), Method::box);
  EXPECT_EQ(method_of(Filter::dense({1, 7, 4}, std::vector<double>(28, 0.3))), Method::box);
  EXPECT_EQ(method_of(Filter::dense({1, 7, 4}, std::vector<double>(28, 6))), Method::box);
  EXPECT_EQ(method_of(Filter({2, 2, 2, 2})), Method::box);
  EXPECT_EQ(method_of(Filter({1})), Method::box);
  EXPECT_EQ(method_of(Filter::separable({.y = {0, 0}, .x = {0, 0}})), Method::box);

  std::vector<double> nearly = thirds;
  nearly[1] = std::nextafter(nearly[1], 1.0);
  EXPECT_EQ(method_of(Filter::separable({.y = nearly, .x = fifths})), Method::separable);
  EXPECT_EQ(method_of(gaussian({.sigma = 1.0})), Method::separable);
  EXPECT_EQ(method_of(Filter({1, 1, -1})), Method::separable);
  EXPECT_EQ(method_of(laplacian()), Method::direct);
  EXPECT_EQ(method_of(disk(3)), Method::direct);
  EXPECT_EQ(method_of(Filter::dense({1, 2, 2}, {0, 0, 0, 0})), Method::direct);
}

TEST(Box, HasItsFactorsAndNoWeights) {
  const Choice choice = choice_of(spec_of(Filter::dense({1, 2, 3}, std::vector<double>(6, 5))));
  const Taps& taps = taps_of(choice);
  EXPECT_TRUE(taps.weights.empty());
  ASSERT_TRUE(taps.factors);
  const auto& [z, y, x] = *taps.factors;
  EXPECT_EQ(z, std::vector<double>(1, z[0]));
  EXPECT_EQ(y, std::vector<double>(2, y[0]));
  EXPECT_EQ(x, std::vector<double>(3, x[0]));
  EXPECT_EQ(z[0] * y[0] * x[0], 5);
}

TEST(Box, IsTakenWhereItShouldBeQuickest) {
  const PlanSpec spec = spec_of(box({.size = 5}));
  Offering backend;
  EXPECT_EQ(taps_of(choice_of(spec, backend)).form, Form::box);
  backend.expected[Form::box] = 2.5;
  EXPECT_EQ(taps_of(choice_of(spec, backend)).form, Form::factors);
  backend.expected[Form::factors] = 4;
  EXPECT_EQ(taps_of(choice_of(spec, backend)).form, Form::box);
  backend.expected[Form::box] = 3;  // of equals the one that is listed first
  EXPECT_EQ(taps_of(choice_of(spec, backend)).form, Form::dense);
}

TEST(Box, ExplainsItself) {
  EXPECT_EQ(reason_of(choice_of(spec_of(box({.size = 5})))),
            "box 5x5: box, 7 multiply-adds a sample instead of 25; expected 1 s");
  const std::string wide = reason_of(choice_of(spec_of(box({.size = 31}))));
  EXPECT_EQ(wide, "box 31x31: box, 7 multiply-adds a sample instead of 961; expected 1 s");
  EXPECT_EQ(reason_of(choice_of(spec_of(Filter({1, 1, 1}).with_name("row")))),
            "row 1x3: box, 4 multiply-adds a sample instead of 3; expected 1 s");
  EXPECT_EQ(multiply_adds({9, 31, 2}, Form::box), 10);
  EXPECT_THAT(
      reason_of(choice_of(spec_of(disk(3)))),
      HasSubstr(": direct, 49 multiply-adds a sample (no product of factors is within rounding of its "
                "weights); expected 3 s"));
}

TEST(Box, IsDoneWhereItIsAskedFor) {
  Offering backend;
  backend.expected[Form::box] = 100;
  EXPECT_EQ(taps_of(choice_of(spec_of(box({.size = 3}), {.method = Method::box}), backend)).form, Form::box);
  const auto refusal = [&](const Filter& filter) {
    return message_of([&] { choice_of(spec_of(filter, {.method = Method::box}), backend); });
  };
  EXPECT_EQ(refusal(gaussian({.sigma = 1.0}).with_name("soft")),
            "method box: filter 'soft' is not a box: its weights differ; use automatic, direct or separable");
  EXPECT_EQ(refusal(laplacian().with_name("edge")),
            "method box: filter 'edge' is not a box: its weights differ; use automatic, direct or separable");
  EXPECT_EQ(
      refusal(Filter::dense({1, 2, 2}, {0, 0, 0, 0}).with_name("none")),
      "method box: filter 'none' is not a box: all its weights are 0; use automatic, direct or separable");
}

TEST(Box, IsRefusedWhereABackendDoesNotOfferIt) {
  PlanSpec spec = spec_of(box({.size = 3}), {.method = Method::box});
  spec.device = reference();
  EXPECT_EQ(message_of([&] { Plan{spec}; }), "method box is not available on reference; choose from automatic, direct");
}

TEST(Box, IsTimedBesideTheOthers) {
  static std::int64_t width = 5000;  // one that nothing has been remembered of
  PlanSpec spec = spec_of(box({.size = 5}), {.tune = Tune::measure});
  spec.shape = {.width = ++width};
  spec.filters = {Filter({1, 1, 1, 1, 1}).with_name("row")};
  Offering backend;
  backend.expected = {{Form::dense, 1}, {Form::factors, 2}, {Form::box, 3}};
  const std::int64_t before = timings_taken();
  const Choice choice = choice_of(spec, backend);
  EXPECT_EQ(timings_taken() - before, 3);
  EXPECT_EQ(taps_of(choice).form, Form::box);
  EXPECT_THAT(
      reason_of(choice),
      testing::ContainsRegex(
          "row 1x5: box, 4 multiply-adds a sample instead of 5; expected 3 s, measured [0-9.e-]+ us$"));

  spec.shape = {.width = ++width};
  backend.expected[Form::box] = 10;  // ten times as long as another: not tried
  const Choice without = choice_of(spec, backend);
  EXPECT_EQ(timings_taken() - before, 5);
  EXPECT_EQ(taps_of(without).form, Form::factors);
  EXPECT_FALSE(ranking(without, 0, backend, cpu()).back().measured_seconds);
}

TEST(Box, HasABoundOfHalfItsSizes) {
  const Choice box_choice =
      choice_of(spec_of(Filter::separable({.y = std::vector<double>(17, -2), .x = std::vector<double>(31, 0.5)})));
  ASSERT_EQ(taps_of(box_choice).form, Form::box);
  const double additions =
      (2 + 18 + 32) / 2.0;  // along an axis of k a pixel meets (k + 1) / 2 on average, at most
  EXPECT_DOUBLE_EQ(box_choice.bound.relative,
                   31 * 0.5 * 17 * 2 * ((additions + 12) * 0x1p-24 / (1 - (1 + 17 + 31 + 12) * 0x1p-24)));
  PlanSpec whole = spec_of(Filter::dense({1, 5, 5}, std::vector<double>(25, 3)));
  whole.pixel = Pixel::u8;
  EXPECT_EQ(choice_of(whole).bound.relative, 0) << "sums of whole numbers are exact";
}

/// Σ of numbers by one of the orders in which boxes are summed.
float sum_of(const std::vector<float>& values, int order, Numbers& numbers) {
  const std::size_t n = values.size();
  float sum = 0;
  switch (order) {
    case 0:  // in a row
      for (const float value : values) sum += value;
      return sum;
    case 1: {  // the suffix of a block and the prefix of the next
      const std::size_t edge = numbers.below(n);
      float suffix = 0;
      for (std::size_t i = edge; i-- > 0;) suffix = values[i] + suffix;
      for (std::size_t i = edge; i < n; ++i) sum += values[i];
      return suffix + sum;
    }
    default: {  // groups of eight, then their sums
      for (std::size_t i = 0; i < n; i += 8) {
        float group = 0;
        for (std::size_t j = i; j < std::min(n, i + 8); ++j) group += values[j];
        sum += group;
      }
      return sum;
    }
  }
}

RC_GTEST_PROP(Box, SumsAreWithinTheBound, ()) {
  const std::array<std::size_t, 3> k{*rc::gen::inRange<std::size_t>(1, 6),
                                     *rc::gen::inRange<std::size_t>(1, 40),
                                     *rc::gen::inRange<std::size_t>(1, 40)};
  Numbers numbers(*rc::gen::arbitrary<std::uint64_t>());
  FactorArray factors;
  for (std::size_t axis = 0; axis < 3; ++axis) factors[axis].assign(k[axis], 2 * numbers.next() - 1);
  PlanSpec spec = spec_of(Filter::separable({.z = factors[0], .y = factors[1], .x = factors[2]}));
  spec.shape = {.depth = 5, .height = 40, .width = 40};
  const Choice choice = choice_of(spec);
  RC_ASSERT(taps_of(choice).form == Form::box);
  const auto& found = *taps_of(choice).factors;
  const double weight = found[0][0] * found[1][0] * found[2][0];

  // All of one sign, where sums grow and every addition rounds much, or of both, where they cancel.
  const bool positive = *rc::gen::arbitrary<bool>();
  const bool powers = *rc::gen::arbitrary<bool>();
  long double exact = 0;
  double most = 0;
  const int order = *rc::gen::inRange(0, 3);
  std::vector<float> planes;
  for (std::size_t z = 0; z < k[0]; ++z) {
    std::vector<float> rows;
    for (std::size_t y = 0; y < k[1]; ++y) {
      std::vector<float> row;
      for (std::size_t x = 0; x < k[2]; ++x) {
        double drawn = positive ? numbers.next() : 2 * numbers.next() - 1;
        if (powers) drawn *= std::exp2(-24 * numbers.next());
        const auto pixel = static_cast<float>(drawn);
        most = std::max(most, std::fabs(static_cast<double>(pixel)));
        exact += static_cast<long double>(factors[0][0]) * static_cast<long double>(factors[1][0]) *
                 static_cast<long double>(factors[2][0]) * static_cast<long double>(pixel);
        row.push_back(static_cast<float>(weight) * pixel);
      }
      rows.push_back(sum_of(row, order, numbers));
    }
    planes.push_back(sum_of(rows, order, numbers));
  }
  const long double error = std::fabs(static_cast<long double>(sum_of(planes, order, numbers)) - exact);
  RC_ASSERT(static_cast<double>(error) <= choice.bound.at(most));
}

TEST(Box, HasABoundThatIsNotFarAboveWhatCanHappen) {
  // Pixels of which each rounds the sum up by as much as a few candidates can, added in a row.
  for (const std::size_t taps : {31, 255, 4001}) {
    const Choice choice = choice_of(spec_of(Filter(std::vector<double>(taps, 1))));
    float sum = 0;
    double exact = 0;
    for (std::size_t i = 0; i < taps; ++i) {
      float best = 1;
      double most = -1;
      for (int candidate = 0; candidate < 4096; ++candidate) {
        const float pixel = 1 - static_cast<float>(candidate) * 0x1p-24F;
        const double up =
            static_cast<double>(sum + pixel) - (static_cast<double>(sum) + static_cast<double>(pixel));
        if (up > most) {
          most = up;
          best = pixel;
        }
      }
      sum += best;
      exact += static_cast<double>(best);
    }
    const double error = static_cast<double>(sum) - exact;
    EXPECT_LE(error, choice.bound.at(1)) << taps;
    EXPECT_GE(error, choice.bound.relative / 10) << taps;
  }
}

}  // namespace
}  // namespace halation
