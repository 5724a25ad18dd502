// multirate_test.cpp: filters at a lower rate on a GPU: borders, extents, pixels, layouts and factors, within the bound that plans state
// of sums by factors in f64 on the CPU; what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

/// A Gaussian cut at four sigma.
std::vector<double> line(double sigma) {
  const auto radius = static_cast<int>(std::lround(4 * sigma));
  std::vector<double> weights;
  for (int i = -radius; i <= radius; ++i) weights.push_back(std::exp(-0.5 * i * i / sigma / sigma) / sigma / 2.5066);
  return weights;
}

Options at_lower_rate(Options options) {
  options.accuracy = Accuracy::fast;
  options.method = Method::multirate;
  return options;
}

void expect_within_bound(const Image& image, const Filter& filter, const Options& options, double largest, const std::string& what) {
  const Plan plan = plan_by("multirate", spec_on_gpu(image, filter, at_lower_rate(options)));
  Options exact = options;
  exact.output = options.output.value_or(image.pixel());
  const bool is_whole = !is_float(*exact.output);
  if (!is_whole) exact.output = Pixel::f64;
  exact.sum = Sum::f64;
  const std::vector<double> right = values_of(convolve(image, filter, exact));
  const std::vector<double> found = values_of(result_of(plan, image));
  ASSERT_EQ(right.size(), found.size()) << what;
  const double bound = plan.error_bound(largest) + (is_whole ? 1 : 0);
  double worst = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double narrowed = plan.output_pixel() == Pixel::f16 ? std::fabs(right[i]) * 0x1p-11 + 0x1p-24 : 0;
    const double off = std::fabs(right[i] - found[i]) - narrowed;
    worst = std::isnan(off) ? 1e300 : std::max(worst, off);
  }
  EXPECT_LE(worst, bound) << what << "\n" << plan.explain();
}

std::string text(std::int64_t height, std::int64_t width) { return std::to_string(height) + "x" + std::to_string(width); }

TEST(GpuMultirate, HoldsItsBoundForEveryBorderExtentAndFactor) {
  for (const Border::Mode mode : border_modes) {
    const Border border{mode, 0.625};
    for (const double sigma : {6.0, 10.0, 20.0, 40.0, 90.0}) {  // by 2, 4, 8, 16, 32
      for (const auto& [height, width] : {std::pair{301, 517}, std::pair{64, 1024}, std::pair{1, 1}, std::pair{5, 2049}, std::pair{700, 3}}) {
        const Image image = noise({.height = height, .width = width}, Pixel::f32, 1);
        for (const Extent extent : {Extent::same, Extent::full})
          expect_within_bound(image, gaussian({.sigma = sigma, .dims = 2}), {.border = border, .extent = extent}, 1,
                              std::string(name_of(mode)) + " " + text(height, width) + " sigma " + std::to_string(sigma));
      }
      const Image image = noise({.height = 741, .width = 902}, Pixel::f32, 2);
      expect_within_bound(image, gaussian({.sigma = sigma}), {.border = border, .extent = Extent::valid}, 1, "valid " + std::to_string(sigma));
    }
  }
}

TEST(GpuMultirate, TakesConstantsThatDifferByAxis) {
  const Image image = noise({.height = 190, .width = 170}, Pixel::f32, 3);
  expect_within_bound(image, gaussian({.sigma = 9.0}), {.border = {.y = Border::constant(0.5), .x = Border::constant(-0.25)}}, 1, "constants");
  expect_within_bound(image, gaussian({.sigma = 9.0}), {.border = {.y = Border::wrap(), .x = Border::constant(-0.25)}}, 1, "wrap, constant");
  expect_within_bound(image, gaussian({.sigma = 9.0}), {.border = {.y = Border::constant(0.5), .x = Border::reflect()}}, 1, "constant, reflect");
}

/// As expect_within_bound, unless integers of 16 bits ask for sums in f64, which are left to other methods. Whether it was done.
bool is_within_bound(const Image& image, const Filter& filter, const Options& options, double largest, const std::string& what) {
  const Pixel output = options.output.value_or(image.pixel());
  const auto is_wide = [](Pixel pixel) { return bytes_of(pixel) == 2 && !is_float(pixel); };
  try {
    expect_within_bound(image, filter, options, largest, what);
    return true;
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::unsupported && (is_wide(image.pixel()) || is_wide(output))) << what << ": " << error.what();
    return false;
  }
}

TEST(GpuMultirate, TakesAllPixelsChannelsBatchesAndLayouts) {
  int done = 0;
  for (const Pixel pixel : native_pixels) {
    if (pixel == Pixel::f64) continue;
    for (const Pixel output : native_pixels) {
      if (output == Pixel::f64) continue;
      for (const Layout layout : {Layout::interleaved, Layout::planar}) {
        const Image image = noise({.batch = 2, .height = 120, .width = 137, .channels = 3}, pixel, 4, layout);
        done += is_within_bound(image, gaussian({.sigma = 7.0}), {.output = output, .scale = 0.25, .offset = 3},
                            is_float(pixel) ? 1 : largest(pixel) + 1, std::string(name_of(pixel)) + " to " + std::string(name_of(output)));
      }
    }
    done += is_within_bound(noise({.depth = 5, .height = 128, .width = 256}, pixel, 5), gaussian({.sigma = 24.0, .dims = 2}),
                        {.rounding = Rounding::truncate}, is_float(pixel) ? 1 : largest(pixel) + 1, std::string(name_of(pixel)) + " planes");
  }
  EXPECT_GT(done, 25);
}

TEST(GpuMultirate, TakesDerivativesAndAnchors) {
  const std::vector<double> row = line(10);
  std::vector<double> slope(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) slope[i] = row[i] * (static_cast<double>(i) - std::floor(static_cast<double>(row.size()) / 2)) / 10;
  const Image image = noise({.height = 260, .width = 281}, Pixel::f32, 6);
  std::vector<double> uneven(row.size());
  std::transform(row.begin(), row.end(), slope.begin(), uneven.begin(), [](double a, double b) { return a + 0.5 * b; });
  const Filter filter = Filter::separable({.y = uneven, .x = slope}).with_anchor({.y = 3, .x = 71});
  expect_within_bound(image, filter, {.operation = Operation::convolution}, 1, "convolution");
  expect_within_bound(image, filter, {.operation = Operation::correlation}, 1, "correlation");
}

TEST(GpuMultirate, GivesTheSameOfRowsThatLieAnyhow) {
  const Filter filter = gaussian({.sigma = 12.0});
  const Image image = noise({.height = 203, .width = 301}, Pixel::f32, 7);
  const Plan plan = plan_by("multirate", spec_on_gpu(image, filter, at_lower_rate({})));
  const Image packed = result_of(plan, image);
  // In a larger image, one row and one column in: on no 16-byte boundary.
  const Shape around{.height = 205, .width = 304};
  Image there = allocate(around, Pixel::f32, cuda());
  Image out = allocate(around, Pixel::f32, cuda());
  const auto inside = [&](const View& view) {
    View part = view;
    part.data += view.strides.height + view.strides.width;
    part.shape = image.shape();
    return part;
  };
  copy(image.view(), inside(there.view()), {});
  plan.run(inside(there.view()), inside(out.view()));
  Image found(image.shape(), Pixel::f32);
  copy(inside(out.view()), found.view(), {});
  synchronise(cuda());
  const std::vector<double> a = values_of(packed);
  const std::vector<double> b = values_of(found);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5) << i;
}

TEST(GpuMultirate, IsChosenUnderFastAndNeverUnderExact) {
  PlanSpec spec{.shape = {.height = 8192, .width = 8192}, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 32.0})}, .device = cuda()};
  EXPECT_NE(Plan(spec).methods().front(), Method::multirate);
  spec.options.accuracy = Accuracy::fast;
  EXPECT_EQ(Plan(spec).methods().front(), Method::multirate);
  spec.filters = {gaussian({.sigma = 1.0})};
  EXPECT_NE(Plan(spec).methods().front(), Method::multirate);
  // What the GPU does not do falls to another method: volumes' depth, factors that differ, sums in f64.
  spec.shape = {.depth = 64, .height = 256, .width = 256};
  spec.filters = {gaussian({.sigma = 8.0, .dims = 3})};
  EXPECT_NE(Plan(spec).methods().front(), Method::multirate);
  spec.shape = {.height = 512, .width = 512};
  spec.filters = {Filter::separable({.y = line(6), .x = line(40)})};
  EXPECT_NE(Plan(spec).methods().front(), Method::multirate);
  spec.filters = {gaussian({.sigma = 32.0})};
  spec.options.sum = Sum::f64;
  EXPECT_NE(Plan(spec).methods().front(), Method::multirate);
}

TEST(GpuMultirate, CombinesFilters) {
  const std::vector<double> row = line(9);
  std::vector<double> slope(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) slope[i] = row[i] * (static_cast<double>(i) - std::floor(static_cast<double>(row.size()) / 2)) / 9;
  const std::vector<Filter> filters{Filter::separable({.y = row, .x = slope}), Filter::separable({.y = slope, .x = row})};
  const Image image = noise({.height = 150, .width = 170}, Pixel::f32, 8);
  PlanSpec spec{.shape = image.shape(), .pixel = Pixel::f32, .filters = filters, .combine = Combine::magnitude, .device = cuda(),
                .options = at_lower_rate({})};
  const Plan plan(spec);
  EXPECT_NE(plan.explain().find("family: filter by filter;"), std::string::npos) << plan.explain();
  const std::vector<double> found = values_of(result_of(plan, image));
  spec.device = cpu();
  spec.options = {};
  const Plan exact(spec);
  Image out(exact.output_shape(), Pixel::f32);
  exact.run(image, out.view());
  const std::vector<double> right = values_of(out);
  for (std::size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(found[i], right[i], plan.error_bound(1) + exact.error_bound(1)) << i;
}

}  // namespace
}  // namespace halation::gpu_test
