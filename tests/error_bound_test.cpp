// error_bound_test.cpp: the bounds on errors of sums: never below what sums in any order make, and what they
// let f32 do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>
#include <string>

#include "halation/halation.h"
#include "message_of.h"
#include "numbers.h"
#include "plan/analysis/analyse.h"

namespace halation {
namespace {

using testing::HasSubstr;

constexpr double u = 0x1p-24;

Job job_of(Pixel pixel, double constant = 0) {
  Job job;
  job.in_pixel = job.out_pixel = pixel;
  for (BorderTable& border : job.borders) border = BorderTable(0, 9, 9, {Border::Mode::constant, constant});
  return job;
}

Taps direct_of(const std::vector<double>& weights) {
  return {.size = {1, 1, static_cast<std::int64_t>(weights.size())},
          .form = Form::dense,
          .weights = weights,
          .factors = {}};
}

double magnitudes(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0,
                         [](double sum, double w) { return sum + std::fabs(w); });
}

ErrorBound bound_of(const std::vector<double>& weights, const Job& job) {
  return error_bound(direct_of(weights), magnitudes(weights), 0, job);
}

/// Σ|w| times n additions and 12 other roundings.
double without_sizes(double n, double sum) { return sum * (n + 12) * u / (1 - (n + 12) * u); }

enum class Kind { equal, random, alternating, one_large, geometric, with_zeros };
constexpr int kinds = 6;

/// n weights whose magnitudes sum to 1.
std::vector<double> weights_of(Kind kind, std::size_t n, Numbers& numbers) {
  std::vector<double> weights(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    switch (kind) {
      case Kind::equal:
        break;
      case Kind::random:
        weights[i] = numbers.next() + 1e-6;
        break;
      case Kind::alternating:
        weights[i] = (i % 2 == 0 ? 1 : -1) * (numbers.next() + 1e-6);
        break;
      case Kind::one_large:
        weights[i] = i == 0 ? 1e4 : numbers.next() + 1e-6;
        break;
      case Kind::geometric:
        weights[i] = std::exp2(-0.25 * static_cast<double>(i));
        break;
      case Kind::with_zeros:
        weights[i] = i % 3 == 0 ? 1.0 + numbers.next() : 0.0;
        break;
    }
  }
  const double sum = magnitudes(weights);
  for (double& w : weights) w /= sum;
  return weights;
}

enum class Order { as_given, ascending, descending, random };
constexpr int orders = 4;

void arrange(Order order, std::vector<double>& weights, Numbers& numbers) {
  const auto smaller = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  switch (order) {
    case Order::as_given:
      return;
    case Order::ascending:
      return std::sort(weights.begin(), weights.end(), smaller);
    case Order::descending:
      return std::sort(weights.begin(), weights.end(), [&](double a, double b) { return smaller(b, a); });
    case Order::random:
      for (std::size_t i = weights.size(); i > 1; --i) std::swap(weights[i - 1], weights[numbers.below(i)]);
  }
}

/// sum + w · x by one rounding or by two.
float add(float sum, float w, float x, bool fused) {
  if (fused) return std::fma(w, x, sum);
  const volatile float product = w * x;
  return sum + product;
}

/// Inputs from those of `candidate()` that make each multiply-add of a sum in a row round up by the most.
template <class Candidate>
std::vector<float> worst_inputs(const std::vector<float>& weights, bool fused, int tries,
                                const Candidate& candidate) {
  std::vector<float> inputs;
  float sum = 0;
  for (const float w : weights) {
    double most = -1e300;
    float best = 0;
    float next = 0;
    for (int i = 0; i < tries; ++i) {
      const float x = candidate();
      const float after = add(sum, w, x, fused);
      // Terms should be large as well, or nothing rounds by much.
      const double up = static_cast<double>(after) -
                        (static_cast<double>(sum) + static_cast<double>(w) * static_cast<double>(x));
      if (up > most) {
        most = up;
        best = x;
        next = after;
      }
    }
    inputs.push_back(best);
    sum = next;
  }
  return inputs;
}

/// Σ w · x in lanes of partial sums, which are joined pairwise.
float sum_in_lanes(const std::vector<float>& weights, const std::vector<float>& inputs, std::size_t lanes,
                   bool fused) {
  std::vector<float> sums(lanes, 0.0F);
  for (std::size_t i = 0; i < weights.size(); ++i)
    sums[i % lanes] = add(sums[i % lanes], weights[i], inputs[i], fused);
  for (; lanes > 1; lanes = (lanes + 1) / 2) {
    for (std::size_t i = 0; 2 * i < lanes; ++i)
      sums[i] = 2 * i + 1 < lanes ? sums[2 * i] + sums[2 * i + 1] : sums[2 * i];
  }
  return sums[0];
}

/// Σ w · x by joining any two of what there is until one is left.
float sum_in_any_tree(const std::vector<float>& weights, const std::vector<float>& inputs, Numbers& numbers) {
  std::vector<float> terms;
  for (std::size_t i = 0; i < weights.size(); ++i) terms.push_back(weights[i] * inputs[i]);
  while (terms.size() > 1) {
    std::swap(terms[numbers.below(terms.size())], terms.back());
    const float last = terms.back();
    terms.pop_back();
    terms[numbers.below(terms.size())] += last;
  }
  return terms[0];
}

RC_GTEST_PROP(ErrorBound, IsNeverBelowTheErrorOfASum, ()) {
  Numbers numbers(*rc::gen::arbitrary<std::uint64_t>());
  const auto kind = static_cast<Kind>(*rc::gen::inRange(0, kinds));
  const auto order = static_cast<Order>(*rc::gen::inRange(0, orders));
  const Pixel pixel = *rc::gen::element(Pixel::u16, Pixel::i16, Pixel::f32);
  const bool fused = *rc::gen::arbitrary<bool>();
  const bool adversarial = *rc::gen::arbitrary<bool>();
  std::vector<double> exact_weights = weights_of(kind, *rc::gen::inRange<std::size_t>(1, 300), numbers);
  arrange(order, exact_weights, numbers);
  const std::vector<float> weights(exact_weights.begin(), exact_weights.end());
  const double gain = *rc::gen::element(1.0, 0.37, 1.0 / 65535, 3.0);  // folded into weights, or not

  const auto any_input = [&] {
    switch (pixel) {
      case Pixel::u16:
        return static_cast<float>(65535 - (adversarial ? numbers.below(300) : numbers.below(65536)));
      case Pixel::i16:
        return static_cast<float>(-32768 +
                                  static_cast<int>(adversarial ? numbers.below(300) : numbers.below(65536)));
      default:
        return static_cast<float>(adversarial ? 1 - numbers.next() * 0x1p-12 : 2 * numbers.next() - 1);
    }
  };
  const std::vector<float> inputs = worst_inputs(weights, fused, adversarial ? 100 : 1, any_input);
  double most = 0;
  long double exact = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    most = std::max(most, std::fabs(static_cast<double>(inputs[i])));
    exact += static_cast<long double>(exact_weights[i]) * static_cast<long double>(inputs[i]);
  }
  const auto holds = [&](float sum, double scale, const ErrorBound& bound) {
    const long double error =
        std::fabs(static_cast<long double>(sum) - static_cast<long double>(scale) * exact);
    RC_ASSERT(static_cast<double>(error) <= bound.at(most));
  };
  Job job = job_of(pixel);
  const ErrorBound bound = bound_of(exact_weights, job);
  RC_ASSERT(bound.relative <=
            without_sizes(static_cast<double>(weights.size()), magnitudes(exact_weights)) * (1 + 1e-12));
  for (const std::size_t lanes : {1, 2, 4, 8, 16})
    holds(sum_in_lanes(weights, inputs, lanes, fused), 1, bound);
  holds(sum_in_any_tree(weights, inputs, numbers), 1, bound);

  job.scale = gain;
  const ErrorBound scaled = bound_of(exact_weights, job);
  holds(static_cast<float>(gain) * sum_in_lanes(weights, inputs, 1, fused), gain, scaled);
  std::vector<float> folded;
  folded.reserve(exact_weights.size());
  for (const double w : exact_weights) folded.push_back(static_cast<float>(gain * w));
  for (const std::size_t lanes : {1, 4}) holds(sum_in_lanes(folded, inputs, lanes, fused), gain, scaled);
}

RC_GTEST_PROP(ErrorBound, IsNeverBelowTheErrorOfSumsAlongAxes, ()) {
  Numbers numbers(*rc::gen::arbitrary<std::uint64_t>());
  const bool fused = *rc::gen::arbitrary<bool>();
  Taps taps;
  taps.form = Form::factors;
  FactorArray factors;
  double sum = 1;
  double n = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto kind = static_cast<Kind>(*rc::gen::inRange(0, kinds));
    factors[axis] = weights_of(kind, *rc::gen::inRange<std::size_t>(1, 30), numbers);
    arrange(static_cast<Order>(*rc::gen::inRange(0, orders)), factors[axis], numbers);
    taps.size[axis] = static_cast<std::int64_t>(factors[axis].size());
    sum *= magnitudes(factors[axis]);
    n += static_cast<double>(factors[axis].size());
  }
  taps.factors = factors;
  const ErrorBound bound = error_bound(taps, sum, 0, job_of(Pixel::f32));
  RC_ASSERT(bound.relative <= without_sizes(n, sum) * (1 + 1e-12));

  const std::size_t lanes = *rc::gen::element<std::size_t>(1, 4, 8);
  std::array<std::vector<float>, 3> rounded;
  for (std::size_t axis = 0; axis < 3; ++axis)
    rounded[axis].assign(factors[axis].begin(), factors[axis].end());
  long double exact = 0;
  std::vector<float> planes;
  for (const double z : factors[0]) {
    std::vector<float> rows;
    for (const double y : factors[1]) {
      const std::vector<float> row = worst_inputs(
          rounded[2], fused, 8, [&] { return static_cast<float>(1 - numbers.next() * 0x1p-10); });
      for (std::size_t x = 0; x < row.size(); ++x) {
        exact += static_cast<long double>(z) * static_cast<long double>(y) *
                 static_cast<long double>(factors[2][x]) * static_cast<long double>(row[x]);
      }
      rows.push_back(sum_in_lanes(rounded[2], row, lanes, fused));
    }
    planes.push_back(sum_in_lanes(rounded[1], rows, lanes, fused));
  }
  const long double error =
      std::fabs(static_cast<long double>(sum_in_lanes(rounded[0], planes, lanes, fused)) - exact);
  RC_ASSERT(static_cast<double>(error) <= bound.at(1));
}

TEST(ErrorBound, IsNotFarAboveWhatCanHappen) {
  Numbers numbers(7);
  for (const Kind kind : {Kind::equal, Kind::one_large, Kind::random}) {
    const std::vector<double> exact_weights = weights_of(kind, 225, numbers);
    const std::vector<float> weights(exact_weights.begin(), exact_weights.end());
    const std::vector<float> inputs =
        worst_inputs(weights, true, 4000, [&] { return static_cast<float>(65535 - numbers.below(8192)); });
    long double exact = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      exact += static_cast<long double>(exact_weights[i]) * static_cast<long double>(inputs[i]);
    const long double error =
        std::fabs(static_cast<long double>(sum_in_lanes(weights, inputs, 1, true)) - exact);
    const double bound = bound_of(exact_weights, job_of(Pixel::u16)).at(65535);
    EXPECT_LE(static_cast<double>(error), bound);
    EXPECT_GE(static_cast<double>(error), bound / 3) << static_cast<int>(kind);
  }
}

TEST(ErrorBound, CountsTheSumsOfTheLargestFirst) {
  const Job job = job_of(Pixel::f32);
  const auto relative = [](double mean, double n) { return (mean + 12) * u / (1 - (n + 12) * u); };
  // Equal weights: half as many as there are weights. One beside which others are nothing: all.
  EXPECT_DOUBLE_EQ(bound_of(std::vector<double>(225, 1.0 / 225), job).relative, relative(113, 225));
  EXPECT_DOUBLE_EQ(bound_of({0.5, -0.25, 0.125, 0.125}, job).relative, relative(0.5 + 0.75 + 0.875 + 1, 4));
  EXPECT_DOUBLE_EQ(bound_of({0.125, 0.125, -0.25, 0.5}, job).relative, relative(0.5 + 0.75 + 0.875 + 1, 4));
  std::vector<double> large(100, 1e-9);
  large[50] = 1;
  EXPECT_NEAR(bound_of(large, job).relative, relative(100, 100), 1e-10);
  // Weights of 0 add nothing.
  EXPECT_DOUBLE_EQ(bound_of({0, 0.5, 0, 0, 0.5, 0}, job).relative, relative(1.5, 2));
  EXPECT_EQ(bound_of({0, 0}, job).relative, 0);
  // Too many to sort.
  const std::vector<double> many(20000, 1.0 / 20000);
  EXPECT_NEAR(bound_of(many, job).relative, relative(20000, 20000), 1e-12);
}

TEST(ErrorBound, AddsTheMeansOfAxes) {
  const FactorArray factors{{{0.3}, {-0.5, 0.5}, {1, -2, 0, 1}}};
  Taps taps;
  taps.size = {1, 2, 4};
  taps.factors = factors;
  for (const Form form : {Form::factors, Form::box}) {
    taps.form = form;
    const ErrorBound bound = error_bound(taps, 0.3 * 4, 0, job_of(Pixel::u16));
    const double mean = 1 + 1.5 + (2 + 3 + 4) / 4.0;
    EXPECT_DOUBLE_EQ(bound.relative, 0.3 * 4 * (mean + 12) * u / (1 - (1 + 2 + 3 + 12) * u));
    EXPECT_EQ(bound.most, std::numeric_limits<double>::infinity());
  }
}

TEST(ErrorBound, OfIntegersKnowsHowSumsRound) {
  // 65535 · Σ|w| lies below 2^16: each of 225 additions is off by 2^-9 at most, in any order, and 12
  // roundings by 65535 · 2^-24.
  std::vector<double> large(225, 1e-9);
  large[0] = 1 - 224e-9;
  const ErrorBound bound = bound_of(large, job_of(Pixel::u16));
  EXPECT_NEAR(bound.most, 225 * 0x1p-9 + 12 * 65535 * u, 1e-4);
  EXPECT_EQ(bound.at(65535), bound.most + bound.absolute);
  EXPECT_EQ(bound.at(100), bound.relative * 100 + bound.absolute);
  EXPECT_EQ(bound_of(large, job_of(Pixel::f32)).most, std::numeric_limits<double>::infinity());
  // A scale may be part of the weights, whose sums then round as numbers of its size, or follow.
  Job scaled = job_of(Pixel::u16);
  scaled.scale = 1.02;  // 1.02 · 65535 lies above 2^16
  EXPECT_NEAR(bound_of(large, scaled).most, 225 * 0x1p-8 + 1.02 * 12 * 65535 * u, 1e-4);
  scaled.scale = 1.6;  // 0.61 · 65535 lies far above 2^15, and 1.6 of it below 2^16
  for (double& w : large) w *= 0.61;
  EXPECT_NEAR(bound_of(large, scaled).most, 1.6 * (225 * 0x1p-9 + 0.61 * 12 * 65535 * u), 1e-4);
  for (double& w : large) w /= 0.61;
  // Constants around the image are inputs as well.
  EXPECT_NEAR(bound_of(large, job_of(Pixel::u16, 1e5)).most, 225 * 0x1p-8 + 12 * 1e5 * u, 1e-4);
}

TEST(ErrorBound, IsNoneWhereSumsAreExactUnlessTheScaleRoundsThem) {
  const std::vector<double> ones(25, 1.0);
  Job job = job_of(Pixel::u16);
  EXPECT_EQ(bound_of(ones, job).at(65535), 0);
  for (const double power : {0.25, 4.0}) {
    job.scale = power;
    EXPECT_NEAR(bound_of(ones, job).at(65535), 12 * power * 25 * 65535 * u, 1e-3 * power);
  }
  job.scale = 0.04;  // as part of the weights, each product rounds
  EXPECT_NEAR(bound_of(ones, job).relative, (13 + 12) * u, 1e-9);
}

/// Whether a plan for the CPU sums one direct filter over an image of such pixels in f32.
bool sums_in_f32(Pixel pixel, std::int64_t taps, const std::vector<double>& weights) {
  const std::string text = Plan({.shape = {.height = 99, .width = 99},
                                 .pixel = pixel,
                                 .filters = {Filter::dense({1, taps, taps}, weights)},
                                 .options = {.method = Method::direct}})
                               .explain();
  const bool f32 = text.find("sums in f32") != std::string::npos;
  EXPECT_THAT(text, HasSubstr(f32 ? "sums in f32" : "sums in f64"));
  return f32;
}

TEST(ErrorBound, LetsMeansOf16BitsBeSummedInF32) {
  Numbers numbers(3);
  for (const std::int64_t taps : {3, 11, 13, 15}) {
    for (int kind = 0; kind < kinds; ++kind) {
      const auto weights =
          weights_of(static_cast<Kind>(kind), static_cast<std::size_t>(taps * taps), numbers);
      EXPECT_TRUE(sums_in_f32(Pixel::u16, taps, weights)) << taps << ", kind " << kind;
      EXPECT_TRUE(sums_in_f32(Pixel::i16, taps, weights)) << taps << ", kind " << kind;
    }
  }
  constexpr std::size_t taps = 289;  // 17 × 17
  const std::vector<double> equal(taps, 1.0 / taps);
  EXPECT_TRUE(sums_in_f32(Pixel::u16, 17, equal));
  EXPECT_THAT(
      Plan({.shape = {.height = 99, .width = 99},
            .pixel = Pixel::u16,
            .filters = {Filter::dense({1, 17, 17}, equal)},
            .options = {.method = Method::direct}})
          .explain(),
      testing::ContainsRegex(
          "sums in f32, error before rounding at most [0-9.e-]+ times the largest input, at most 0\\.[0-4]"));
  EXPECT_FALSE(sums_in_f32(Pixel::u16, 17, weights_of(Kind::one_large, taps, numbers)));
  std::vector<double> doubled = weights_of(Kind::random, 225, numbers);
  for (double& w : doubled) w *= 2;
  EXPECT_FALSE(sums_in_f32(Pixel::u16, 15, doubled));
  EXPECT_FALSE(sums_in_f32(Pixel::u16, 31, std::vector<double>(961, 1.0 / 961)));
}

TEST(ErrorBound, HoldsForTheCpusSumsOf16Bits) {
  Numbers numbers(11);
  const Shape shape{.height = 40, .width = 70};
  for (const std::int64_t taps : {11, 15}) {
    for (int kind = 0; kind < kinds; ++kind) {
      const Filter filter =
          Filter::dense({1, taps, taps},
                        weights_of(static_cast<Kind>(kind), static_cast<std::size_t>(taps * taps), numbers));
      Image in(shape, Pixel::u16);
      auto* pixels = reinterpret_cast<std::uint16_t*>(in.view().data);
      for (std::int64_t i = 0; i < shape.elements(); ++i) {
        pixels[i] = static_cast<std::uint16_t>(65535 - numbers.below(2000));
      }
      const PlanSpec spec{.shape = shape,
                          .pixel = Pixel::u16,
                          .filters = {filter},
                          .options = {.output = Pixel::f32, .method = Method::direct}};
      const double bound = Plan(spec).error_bound(65535);
      EXPECT_LE(bound, 0.5);
      const Image found = convolve(in, filter, spec.options);
      const Image exact = convolve(in, filter, {.output = Pixel::f64}, reference());
      double largest = 0;
      const auto* sums = reinterpret_cast<const float*>(found.view().data);
      const auto* right = reinterpret_cast<const double*>(exact.view().data);
      for (std::int64_t i = 0; i < shape.elements(); ++i) {
        largest = std::max(largest, std::fabs(static_cast<double>(sums[i]) - right[i]));
      }
      EXPECT_LE(largest, bound);
      EXPECT_GT(largest, 0);
    }
  }
}

/// The bound that `explain` tells, for inputs up to `largest`.
double told_bound(const std::string& explained, double largest) {
  std::smatch found;
  const std::regex sentence("error before rounding at most ([^ ,]+) times the largest input(?: plus ([^ ,\n]+))?(?:, at most ([^ ,\n]+))?");
  if (!std::regex_search(explained, found, sentence)) return -1;
  const double bound = std::stod(found[1]) * largest + (found[2].matched ? std::stod(found[2]) : 0);
  return found[3].matched ? std::min(bound, std::stod(found[3])) : bound;
}

TEST(ErrorBound, IsTheOneThatIsExplained) {
  bool has_fixed_point = false;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f32}) {
    for (const Accuracy accuracy : {Accuracy::exact, Accuracy::fast}) {
      for (const double sigma : {1.0, 8.0, 40.0}) {
        const Plan plan({.shape = {.height = 480, .width = 640}, .pixel = pixel, .filters = {gaussian({.sigma = sigma})}, .options = {.accuracy = accuracy}});
        const double largest = is_float(pixel) ? 1 : halation::largest(pixel), bound = plan.error_bound(largest);
        EXPECT_NEAR(told_bound(plan.explain(), largest), bound, 0.006 * bound) << plan.explain();
        has_fixed_point = has_fixed_point || plan.explain().find("fixed point of") != std::string::npos;
      }
    }
  }
  EXPECT_TRUE(has_fixed_point);
}

TEST(ErrorBound, IsNotKnownWhereSumsOfWeightsOverflow) {
  const Filter line = Filter::dense({1, 1, 3}, {1e308, 1e308, 1e308});
  const Filter block = Filter::dense({1, 3, 3}, {8e307, 8e307, 8e307, 8e307, 8e307, 8e307, 1, 2, 3});
  for (const Filter& filter : {line, block}) {
    for (const Pixel pixel : native_pixels) {
      for (const Combine combine : {Combine::none, Combine::magnitude}) {
        const std::vector<Filter> filters(combine == Combine::none ? 1 : 2, filter);
        const Plan plan({.shape = {.height = 20, .width = 20}, .pixel = pixel, .filters = filters, .combine = combine, .options = {.output = Pixel::f64}});
        for (const double most : {0.0, 1.0, 255.0}) EXPECT_EQ(plan.error_bound(most), HUGE_VAL) << name_of(pixel) << ", " << most;
        EXPECT_THAT(plan.explain(), HasSubstr("error before rounding at most inf times the largest input")) << name_of(pixel);
      }
    }
  }
}

TEST(ErrorBound, ThatIsNotKnownLetsNoTransformBeAskedForNorSumsBeInF32) {
  const Filter block = Filter::dense({1, 5, 5}, std::vector<double>(25, 1e308));
  PlanSpec spec{.shape = {.height = 90, .width = 90}, .pixel = Pixel::u8, .filters = {block}, .options = {.method = Method::fft}};
  EXPECT_THAT(message_of([&] { Plan{spec}; }), HasSubstr("could be inf levels off in f64, at most 0.5 is allowed; use automatic or direct"));
  spec.pixel = Pixel::f32;
  spec.options = {.output = Pixel::u8};
  EXPECT_THAT(Plan(spec).explain(), HasSubstr("sums in f64"));
}

}  // namespace
}  // namespace halation
