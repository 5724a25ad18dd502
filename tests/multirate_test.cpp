// multirate_test.cpp: filters at a lower rate: the error that is stated beside direct sums in f64, over all borders, extents and pixels;
// which filters are taken, and what is said of the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/convert.h"
#include "halation/halation.h"
#include "message_of.h"
#include "numbers.h"
#include "plan/analysis/multirate.h"

namespace halation {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Ne;

/// A Gaussian cut at four sigma, of sum 1.
std::vector<double> line(double sigma) {
  const auto radius = static_cast<int>(std::lround(4 * sigma));
  std::vector<double> weights;
  for (int i = -radius; i <= radius; ++i) weights.push_back(std::exp(-0.5 * i * i / sigma / sigma));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

Image noise(const Shape& shape, Pixel pixel, std::uint64_t seed = 1, Layout layout = Layout::interleaved) {
  Image image(shape, pixel, layout);
  Numbers numbers(seed);
  visit_pixel(pixel, [&](auto element) {
    using T = decltype(element);
    auto* values = reinterpret_cast<T*>(image.view().data);
    const double low = is_float(pixel) ? -1 : smallest(pixel);
    const double high = is_float(pixel) ? 1 : largest(pixel);
    for (std::int64_t i = 0; i < shape.elements(); ++i) values[i] = to_element<T>(low + (high - low) * numbers.next(), Rounding::half_even);
  });
  return image;
}

std::vector<double> values_of(const Image& image) {
  std::vector<double> values;
  visit_pixel(image.pixel(), [&](auto element) {
    const auto* from = reinterpret_cast<const decltype(element)*>(image.view().data);
    for (std::int64_t i = 0; i < image.shape().elements(); ++i) values.push_back(static_cast<double>(from[i]));
  });
  return values;
}

/// Outputs at a lower rate within the bound of sums in f64 by factors; returns the largest error over the bound.
double check_job(const Image& in, const Filter& filter, Options options, double max_abs) {
  options.accuracy = Accuracy::fast;
  options.method = Method::multirate;
  const Plan plan({.shape = in.shape(), .pixel = in.pixel(), .filters = {filter}, .options = options});
  EXPECT_THAT(plan.methods(), ElementsAre(Method::multirate));
  Image out(plan.output_shape(), plan.output_pixel());
  std::fill_n(out.view().data, out.shape().elements() * static_cast<std::int64_t>(bytes_of(out.pixel())), std::byte{0xff});
  plan.run(in, out.view());
  Options exact = options;
  exact.accuracy = Accuracy::exact;
  exact.method = Method::separable;
  exact.sum = Sum::f64;
  if (is_float(out.pixel())) exact.output = Pixel::f64;
  const std::vector<double> found = values_of(out);
  const std::vector<double> right = values_of(convolve(in, filter, exact));
  const double bound = plan.error_bound(max_abs) + (is_float(out.pixel()) ? 0 : 1);
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double rounding = out.pixel() == Pixel::f16 ? std::fabs(right[i]) * 0x1p-11 + 0x1p-24 : 0;
    const double error = std::fabs(found[i] - right[i]);
    if (!(error <= bound + rounding)) {
      ADD_FAILURE() << "at " << i << " of " << to_string(out.shape()) << ": " << found[i] << " for " << right[i] << ", bound " << bound << "; "
                    << plan.explain();
      break;
    }
    worst = std::max(worst, error / bound);
  }
  return worst;
}

TEST(MultirateAxis, AmountsToTheFilterWithinTheErrorThatItStates) {
  for (const double sigma : {5.5, 8.0, 11.3, 16.0, 32.0, 64.0}) {
    const std::vector<double> weights = line(sigma);
    const MultirateAxis axis = multirate_axis(weights, -7, 0x1p-12);
    ASSERT_GT(axis.factor, 1) << sigma;
    EXPECT_LE(axis.error, 0x1p-12);
    EXPECT_NEAR(std::accumulate(axis.taps.begin(), axis.taps.end(), 0.0), 1, 1e-12);
    // What impulses in all places of a step become, by the definition of core/multirate.h.
    double most = 0;
    for (std::int64_t p = 0; p < axis.factor; ++p) {
      const std::int64_t size = axis.end(axis.factor) - axis.lead + 64 + std::ssize(weights);
      const std::int64_t low = std::min<std::int64_t>(axis.lead, -7) - 32;
      std::vector<double> amounts(static_cast<std::size_t>(size) * 2);
      for (std::int64_t s = 0; s < axis.up_taps(); ++s) {
        for (std::size_t t = 0; t < axis.taps.size(); ++t) {
          for (std::size_t i = 0; i < axis.down.size(); ++i) {
            const std::int64_t at = (s + static_cast<std::int64_t>(t)) * axis.factor + axis.lead + static_cast<std::int64_t>(i);
            amounts[static_cast<std::size_t>(at - low)] += axis.up[static_cast<std::size_t>(p * axis.up_taps() + s)] * axis.taps[t] * axis.down[i];
          }
        }
      }
      for (std::size_t k = 0; k < weights.size(); ++k) amounts[static_cast<std::size_t>(p - 7 - low) + k] -= weights[k];
      double sum = 0;
      for (const double amount : amounts) sum += std::fabs(amount);
      most = std::max(most, sum);
    }
    EXPECT_NEAR(axis.error, most, 1e-12) << sigma;
  }
}

TEST(MultirateAxis, LeavesRoughFiltersAsTheyAre) {
  Numbers numbers(3);
  std::vector<double> weights(200);
  for (double& weight : weights) weight = numbers.next() - 0.5;
  const MultirateAxis axis = multirate_axis(weights, -100, 0x1p-12);
  EXPECT_EQ(axis.factor, 1);
  EXPECT_EQ(axis.error, 0);
  EXPECT_EQ(axis.taps, weights);
  EXPECT_EQ(multirate_axis(std::vector<double>(201, 1.0), -100, 0x1p-12).factor, 1);
}

TEST(Multirate, HoldsItsBoundForEveryBorderAndExtent) {
  for (const Border& border : {Border::constant(0.75), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap()}) {
    for (const Extent extent : {Extent::same, Extent::full}) {
      for (const auto& [height, width] : {std::pair{97, 131}, std::pair{300, 257}, std::pair{1, 1}, std::pair{5, 1033}, std::pair{211, 3}}) {
        const Image in = noise({.height = height, .width = width}, Pixel::f32);
        check_job(in, gaussian({.sigma = 8.0}), {.border = border, .extent = extent}, 1);
      }
    }
    const Image in = noise({.height = 301, .width = 263}, Pixel::f32);
    check_job(in, gaussian({.sigma = 16.0}), {.border = border, .extent = Extent::valid}, 1);
    check_job(in, gaussian({.sigma = 32.0}), {.border = border}, 1);
  }
  const Image in = noise({.height = 190, .width = 170}, Pixel::f32);
  check_job(in, gaussian({.sigma = 9.0}), {.border = {.y = Border::constant(0.5), .x = Border::constant(-0.25)}}, 1);
  check_job(in, gaussian({.sigma = 9.0}), {.border = {.y = Border::wrap(), .x = Border::constant(-0.25)}}, 1);
  check_job(in, gaussian({.sigma = 9.0}), {.border = {.y = Border::constant(0.5), .x = Border::reflect()}}, 1);
}

TEST(Multirate, TakesSignalsRowsColumnsAndVolumes) {
  check_job(noise({.width = 20011}, Pixel::f32), gaussian({.sigma = 40.0}), {}, 1);
  check_job(noise({.height = 4000, .width = 7}, Pixel::f32), Filter::separable({.y = line(20), .x = {1.0}}), {}, 1);
  check_job(noise({.height = 70, .width = 900}, Pixel::f32), Filter::separable({.y = {1, 2, 1}, .x = line(20)}), {}, 4);
  for (const Border& border : {Border::constant(0.5), Border::reflect(), Border::wrap()}) {
    check_job(noise({.depth = 21, .height = 60, .width = 71}, Pixel::f32), gaussian({.sigma = 6.0, .dims = 3}), {.border = border}, 1);
    check_job(noise({.depth = 3, .height = 40, .width = 31}, Pixel::f32), gaussian({.sigma = 5.6, .dims = 3}),
              {.border = border, .extent = Extent::full}, 1);
  }
  check_job(noise({.depth = 30, .height = 60, .width = 71}, Pixel::f32), gaussian({.sigma = 8.0, .dims = 2}), {}, 1);
}

TEST(Multirate, TakesAllPixelsChannelsAndLayouts) {
  for (const Pixel pixel : native_pixels) {
    for (const Pixel output : native_pixels) {
      const Image in = noise({.batch = 2, .height = 120, .width = 137, .channels = 3}, pixel);
      check_job(in, gaussian({.sigma = 7.0}), {.output = output, .scale = 0.25, .offset = 3}, is_float(pixel) ? 1 : largest(pixel) + 1);
    }
    check_job(noise({.height = 90, .width = 77, .channels = 4}, pixel, 2, Layout::planar), gaussian({.sigma = 7.0}), {.rounding = Rounding::truncate},
              is_float(pixel) ? 1 : largest(pixel) + 1);
  }
}

TEST(Multirate, TakesAnyAnchorAndDerivatives) {
  const std::vector<double> row = line(10);
  std::vector<double> slope(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) slope[i] = row[i] * (static_cast<double>(i) - std::floor(static_cast<double>(row.size()) / 2)) / 10;
  for (const Operation operation : {Operation::convolution, Operation::correlation}) {
    const Filter filter = Filter::separable({.y = row, .x = slope}).with_anchor({.y = 3, .x = 71});
    check_job(noise({.height = 160, .width = 181}, Pixel::f32), filter, {.operation = operation}, 1);
  }
}

TEST(Multirate, KeepsConstantsWithinRounding) {
  Image in({.height = 200, .width = 300}, Pixel::f32);
  std::fill_n(reinterpret_cast<float*>(in.view().data), 200 * 300, 3.0F);
  for (const double sigma : {6.0, 16.0, 40.0}) {
    const Options options{.accuracy = Accuracy::fast, .method = Method::multirate};
    for (const double value : values_of(convolve(in, gaussian({.sigma = sigma}), options))) ASSERT_NEAR(value, 3, 3 * 4e-6);
  }
}

TEST(Multirate, ReadsNothingBehindNarrowImages) {
  // The image ends where the next page may not be read.
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), pages = 4 * page;
  auto* const memory = static_cast<std::byte*>(::mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(::mprotect(memory + pages, page, PROT_NONE), 0);
  for (const std::int64_t width : {1, 3, 12, 15, 16, 17}) {
    const Shape shape{.height = 150, .width = width};
    auto* const pixels = reinterpret_cast<float*>(memory + pages) - shape.elements();
    std::fill_n(pixels, shape.elements(), 1.0F);
    const Plan plan({.shape = shape,
                     .pixel = Pixel::f32,
                     .filters = {Filter::separable({.y = line(8), .x = {1}})},
                     .options = {.accuracy = Accuracy::fast, .method = Method::multirate}});
    Image out(shape, Pixel::f32);
    plan.run(view_of(pixels, shape), out.view());
    EXPECT_NEAR(values_of(out).front(), 1, 1e-3) << width;
  }
  ::munmap(memory, pages + page);
}

TEST(Multirate, PutsAnImpulseWhereItBelongs) {
  Image in({.height = 300, .width = 310}, Pixel::f64);
  std::fill_n(reinterpret_cast<double*>(in.view().data), 300 * 310, 0.0);
  reinterpret_cast<double*>(in.view().data)[150 * 310 + 141] = 1;
  const Filter filter = gaussian({.sigma = 12.0});
  const Options options{.accuracy = Accuracy::fast, .method = Method::multirate};
  const std::vector<double> found = values_of(convolve(in, filter, options));
  const std::vector<double> right = values_of(convolve(in, filter));
  const double peak = *std::max_element(right.begin(), right.end());
  double difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], right[i], 0.002 * peak);
    difference += std::fabs(found[i] - right[i]);
  }
  EXPECT_LE(difference, 0x1p-11);
}

TEST(Multirate, LetsNanReachAFewStepsFurtherThanTheFilter) {
  Image in = noise({.height = 400, .width = 410}, Pixel::f32);
  reinterpret_cast<float*>(in.view().data)[200 * 410 + 205] = std::numeric_limits<float>::quiet_NaN();
  const Options options{.accuracy = Accuracy::fast, .method = Method::multirate};
  const std::vector<double> found = values_of(convolve(in, gaussian({.sigma = 16.0}), options));
  constexpr std::int64_t radius = 64;
  constexpr std::int64_t further = 24;  // six of the lower rate's samples
  for (std::int64_t y = 0; y < 400; ++y) {
    for (std::int64_t x = 0; x < 410; ++x) {
      const std::int64_t away = std::max(std::abs(y - 200), std::abs(x - 205));
      const bool is_nan = std::isnan(found[static_cast<std::size_t>(y * 410 + x)]);
      if (away <= radius) { ASSERT_TRUE(is_nan) << y << ' ' << x; }
      if (away > radius + further) { ASSERT_FALSE(is_nan) << y << ' ' << x; }
    }
  }
}

TEST(Multirate, CombinesSeveralFiltersAndPutsEachOutByItself) {
  const std::vector<double> row = line(9);
  std::vector<double> slope(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) slope[i] = row[i] * (static_cast<double>(i) - std::floor(static_cast<double>(row.size()) / 2)) / 9;
  const std::vector<Filter> filters{Filter::separable({.y = row, .x = slope}), Filter::separable({.y = slope, .x = row})};
  for (const Combine combine : {Combine::none, Combine::magnitude}) {
    const Image in = noise({.height = 150, .width = 170, .channels = 2}, Pixel::f32);
    std::vector<std::vector<double>> found;
    double bound = 0;
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::exact}) {
      const Plan plan({.shape = in.shape(), .pixel = Pixel::f32, .filters = filters, .combine = combine,
                       .options = {.accuracy = accuracy, .method = accuracy == Accuracy::fast ? Method::multirate : Method::separable}});
      bound += plan.error_bound(1);
      std::vector<Image> outs;
      std::vector<View> views;
      for (std::size_t i = 0; i < plan.outputs(); ++i) outs.emplace_back(plan.output_shape(), Pixel::f32);
      views.reserve(outs.size());
      for (Image& out : outs) views.push_back(out.view());
      plan.run(in, views);
      for (const Image& out : outs) found.push_back(values_of(out));
    }
    const std::size_t outputs = found.size() / 2;
    for (std::size_t i = 0; i < outputs; ++i) {
      for (std::size_t k = 0; k < found[i].size(); ++k) ASSERT_NEAR(found[i][k], found[outputs + i][k], bound);
    }
  }
}

TEST(Multirate, GivesTheSameBitsByAnyNumberOfThreads) {
  const Image in = noise({.height = 700, .width = 1500}, Pixel::f32);
  Options options{.accuracy = Accuracy::fast, .method = Method::multirate, .threads = 1};
  const std::vector<double> one = values_of(convolve(in, gaussian({.sigma = 20.0}), options));
  options.threads = 5;
  EXPECT_EQ(values_of(convolve(in, gaussian({.sigma = 20.0}), options)), one);
}

TEST(Multirate, IsChosenUnderFastAndNeverUnderExact) {
  PlanSpec spec{.shape = {.height = 2000, .width = 2000}, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 32.0})}};
  EXPECT_THAT(Plan(spec).methods(), Each(Ne(Method::multirate)));
  const double exact = Plan(spec).error_bound(1);
  spec.options.accuracy = Accuracy::fast;
  const Plan fast(spec);
  EXPECT_THAT(fast.methods(), ElementsAre(Method::multirate));
  EXPECT_THAT(fast.explain(), HasSubstr("multirate at a rate lower by 8x8 instead of 66049 multiply-adds a sample"));
  EXPECT_GT(fast.error_bound(1), exact);
  EXPECT_LT(fast.error_bound(1), 0x1p-11);
  spec.filters = {gaussian({.sigma = 1.0})};
  EXPECT_THAT(Plan(spec).methods(), Each(Ne(Method::multirate)));
  spec.filters = {gaussian({.sigma = 32.0}), box({.size = 65})};
  EXPECT_THAT(Plan(spec).methods(), Each(Ne(Method::multirate)));
}

TEST(Multirate, StatesErrorsThatHardlyDependOnSigma) {
  for (const double sigma : {5.5, 7.15, 9.3, 12.1, 15.7, 20.4, 26.5, 34.5, 44.9, 58.3, 75.8, 98.6, 128.0, 167.0}) {
    const Plan plan({.shape = {.height = 500, .width = 500}, .pixel = Pixel::f32, .filters = {gaussian({.sigma = sigma})},
                     .options = {.accuracy = Accuracy::fast, .method = Method::multirate}});
    EXPECT_LT(plan.error_bound(1), 0x1p-11 + 1e-4) << sigma;
    EXPECT_GT(plan.error_bound(1), 2e-5) << sigma;
    EXPECT_DOUBLE_EQ(plan.error_bound(2) / 2, plan.error_bound(1));
  }
}

TEST(Multirate, IsRefusedInWords) {
  PlanSpec spec{.shape = {.height = 200, .width = 200}, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 32.0})},
                .options = {.method = Method::multirate}};
  EXPECT_EQ(message_of([&] { Plan{spec}; }),
            "method multirate approximates, which accuracy exact does not allow; use accuracy fast, or method automatic");
  spec.options.accuracy = Accuracy::fast;
  spec.filters = {box({.size = 41})};
  EXPECT_EQ(message_of([&] { Plan{spec}; }),
            "method multirate: filter 'box' is not smooth enough for multirate: at half the rate along height or width more than 2^-12 of its "
            "weights would be left out; use automatic");
  Numbers numbers(4);
  std::vector<double> weights(std::size_t{31} * 31);
  for (double& weight : weights) weight = numbers.next();
  spec.filters = {Filter::dense({.height = 31, .width = 31}, weights)};
  EXPECT_THAT(message_of([&] { Plan{spec}; }), HasSubstr("the nearest product of factors leaves"));
}

}  // namespace
}  // namespace halation
