// banded_test.cpp: filters by banded matrices on a GPU, by each of both families that takes the job, against
// sums in f64 on the CPU: every size of them, both widths of weights, borders, extents, anchors, channels,
// layouts and outputs; what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../message_of.h"
#include "images.h"

namespace halation::gpu_test {
namespace {

/// Smooth weights without symmetry, which only numbers of 16 bits stand for well enough.
Filter real_filter(const FilterSize& size, std::uint64_t seed) {
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t i = 0; i < size.taps(); ++i) {
    weights.push_back(0.25 + static_cast<double>(random_bits(seed << 32 ^ static_cast<std::uint64_t>(i)) >> 40) * 0x1p-24);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return Filter::dense(size, std::move(weights));
}

/// How many jobs the two families did.
struct Done {
  int dense = 0, passes = 0;
};

Options banded(Options options) {
  options.method = Method::banded;
  return options;
}

std::vector<double> exact_sums(const Image& image, const Filter& filter, Options options) {
  options.output = Pixel::f64;
  options.sum = Sum::f64;
  options.method = Method::direct;
  return values_of(convolve(image, filter, options));
}

/// Holds outputs to the promise of plan.h: floats within the bound; integers where they are rounded from sums within it.
void expect_promise(const std::vector<double>& found, const std::vector<double>& sums, const Options& options,
                    const Plan& plan, const std::string& what) {
  ASSERT_EQ(sums.size(), found.size()) << what;
  const double bound = plan.error_bound(255) + 1e-9;
  const Pixel pixel = plan.output_pixel();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    bool right = true;
    if (is_float(pixel)) {
      const double narrowed = pixel == Pixel::f16 ? std::fabs(sums[i]) * 0x1p-11 : 0;
      right = std::fabs(found[i] - sums[i]) <= bound + narrowed;
    } else {
      const auto level = [&](double sum) {
        const double whole = options.rounding == Rounding::truncate ? std::trunc(sum) : std::nearbyint(sum);
        return std::clamp(whole, smallest(pixel), largest(pixel));
      };
      right = found[i] >= level(sums[i] - bound) && found[i] <= level(sums[i] + bound);
    }
    ASSERT_TRUE(right) << what << ": element " << i << " is " << found[i] << ", the sum " << sums[i] << "\n" << plan.explain();
  }
}

void expect_banded(const Image& image, const Filter& filter, const Options& options, const std::string& what,
                   Done& done) {
  const PlanSpec spec = spec_on_gpu(image, filter, banded(options));
  const std::optional<Plan> dense = plan_by_or_none("banded", spec),
                            passes = plan_by_or_none("banded passes", spec);
  const std::vector<double> sums = exact_sums(image, filter, options);
  if (dense) expect_promise(values_of(result_of(*dense, image)), sums, options, *dense, what);
  if (passes) expect_promise(values_of(result_of(*passes, image)), sums, options, *passes, what + ", passes");
  EXPECT_TRUE(dense || passes) << what;
  done.dense += dense.has_value();
  done.passes += passes.has_value();
}

std::string text(std::int64_t height, std::int64_t width) { return std::to_string(height) + "x" + std::to_string(width); }

TEST(GpuBanded, TakesEverySize) {
  Done done;
  for (const std::int64_t width : {1, 2, 3, 5, 8, 9, 12, 15, 17, 23, 24, 31, 33, 41, 47, 49}) {
    for (const std::int64_t height : {1, 2, 3, 4, 5, 7, 9, 15, 16, 17, 31, 45}) {
      const FilterSize size{.height = height, .width = width};
      const Image image = noise({.height = 50 + height, .width = 300 + width}, Pixel::u8, 1);
      expect_banded(image, real_filter(size, 1), {}, "real " + text(height, width), done);
      expect_banded(image, whole_filter(size, 2), {.scale = 0.0625, .offset = 100},
                    "whole " + text(height, width), done);
      expect_banded(image, whole_filter(size, 3, 500), {.output = Pixel::f32},
                    "of 16 bits " + text(height, width), done);
    }
  }
  EXPECT_GE(done.dense, 570);
  EXPECT_GE(done.passes, 25);
}

/// At every pair of borders: outputs as many as inputs, and more, of small images and large ones; and fewer, of one.
void expect_banded_at_every_border(const Filter& filter, const std::vector<std::pair<int, int>>& sizes,
                                   const Shape& of_valid, std::uint64_t seed, const std::string& name,
                                   Done& done) {
  for (const Border::Mode y : border_modes) {
    for (const Border::Mode x : border_modes) {
      const Options options{.border = {.y = Border{y, y == Border::Mode::constant ? 77.0 : 0}, .x = Border{x, x == Border::Mode::constant ? 201.0 : 0}}};
      const std::string what = name + std::string(name_of(y)) + ", " + std::string(name_of(x));
      for (const auto& [height, width] : sizes) {
        const Image image = noise({.height = height, .width = width}, Pixel::u8, seed);
        for (const Extent extent : {Extent::same, Extent::full}) {
          Options own = options;
          own.extent = extent;
          expect_banded(image, filter, own, what + " " + text(height, width), done);
        }
      }
      Options valid = options;
      valid.extent = Extent::valid;
      expect_banded(noise(of_valid, Pixel::u8, seed + 1), filter, valid, what + " valid", done);
    }
  }
}

TEST(GpuBanded, TakesEveryBorderAndExtent) {
  Done done;
  expect_banded_at_every_border(real_filter({.height = 11, .width = 14}, 4),
                                {{1, 1}, {3, 2}, {5, 700}, {130, 7}, {65, 519}}, {.height = 90, .width = 533},
                                5, "", done);
  EXPECT_GE(done.dense, 275);
}

TEST(GpuBanded, TakesAnchorsAndBothOperations) {
  Done done;
  const Image image = noise({.height = 61, .width = 290}, Pixel::u8, 7);
  for (const std::int64_t x : {0, 1, 2, 3, 4, 5, 6, 7, 8, 12}) {
    for (const std::int64_t y : {0, 4, 8}) {
      const Filter filter = real_filter({.height = 9, .width = 13}, 8).with_anchor({.y = y, .x = x});
      for (const Operation operation : {Operation::convolution, Operation::correlation})
        expect_banded(image, filter, {.operation = operation}, "anchor " + text(y, x), done);
    }
  }
  EXPECT_GE(done.dense, 60);
}

TEST(GpuBanded, TakesChannelsBatchesPlanesAndOutputs) {
  Done done;
  for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
    for (const Layout layout : {Layout::interleaved, Layout::planar}) {
      for (const std::int64_t width : {64, 171, 1031}) {
        const Image image = noise({.batch = 2, .depth = 2, .height = 37, .width = width, .channels = channels}, Pixel::u8, 9, layout);
        const std::string what = std::to_string(channels) + " channels of " + std::to_string(width);
        for (const std::int64_t taps : {3, 7, 15})  // 15 taps of 4 channels are 57 columns: channels one by one
          expect_banded(image, real_filter({.height = taps, .width = taps}, 10),
                        {.border = Border::replicate()}, what, done);
      }
    }
  }
  const Image image = noise({.height = 70, .width = 401}, Pixel::u8, 11);
  for (const Pixel output : native_pixels) {
    if (output == Pixel::f64) continue;  // sums in f64
    expect_banded(image, whole_filter({.height = 5, .width = 9}, 12),
                  {.output = output, .scale = 0.25, .offset = -3}, std::string(name_of(output)), done);
    if (is_float(output)) continue;
    expect_banded(image, real_filter({.height = 8, .width = 10}, 13),
                  {.output = output, .scale = 2, .offset = 0.25}, std::string(name_of(output)), done);
    expect_banded(image, whole_filter({.height = 7, .width = 7}, 14),
                  {.output = output, .rounding = Rounding::truncate}, std::string(name_of(output)), done);
  }
  EXPECT_GE(done.dense, 100);
}

/// Upside down, elements apart, from odd addresses on.
void expect_same_however_rows_lie(const Image& image, const Plan& plan) {
  const Shape shape = image.shape();
  const std::vector<double> right = values_of(result_of(plan, image));
  for (const bool upside_down : {false, true}) {
    for (const std::int64_t step : {1, 2}) {
      for (const std::int64_t at : {0, 1, 3, 8}) {
        const Shape around{.height = shape.height + 2, .width = 2 * shape.width + 98};
        Image there = allocate(around, Pixel::u8, cuda());
        Image out = allocate(around, Pixel::u8, cuda());
        const auto inside = [&](View view) {
          view.data += view.strides.height * (upside_down ? shape.height : 1) + at;
          if (upside_down) view.strides.height *= -1;
          view.strides.width *= step;
          view.shape = shape;
          return view;
        };
        copy(image.view(), inside(there.view()), {});
        plan.run(inside(there.view()), inside(out.view()));
        Image found(shape, Pixel::u8);
        copy(inside(out.view()), found.view(), {});
        synchronise(cuda());
        EXPECT_EQ(values_of(found), right) << step << " from " << at << (upside_down ? " upside down" : "");
      }
    }
  }
}

/// A product of factors without symmetry, of real numbers of both signs.
Filter real_factors(std::int64_t height, std::int64_t width, std::uint64_t seed) {
  const auto factor = [&](std::int64_t taps, std::uint64_t which) {
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t i = 0; i < taps; ++i) {
      const std::uint64_t bits = random_bits(seed << 40 ^ which << 20 ^ static_cast<std::uint64_t>(i));
      weights.push_back(static_cast<double>(bits % 1000) / 1000 + 0.05 - (bits % 7 == 0 ? 0.6 : 0));
      sum += std::fabs(weights.back());
    }
    for (double& w : weights) w *= 1.2 / sum;
    return weights;
  };
  return Filter::separable({.y = factor(height, 1), .x = factor(width, 2)});
}

TEST(GpuBanded, TakesFactorsOfEverySize) {
  Done done;
  for (const std::int64_t width : {1, 2, 9, 16, 17, 18, 31, 33, 49, 64, 65, 81, 97, 113}) {
    for (const std::int64_t height : {1, 2, 9, 17, 18, 33, 34, 65, 66, 97}) {
      const Image image = noise({.height = 150 + height, .width = 300 + width}, Pixel::u8, 31);
      expect_banded(image, real_factors(height, width, 32), {}, "factors " + text(height, width), done);
    }
  }
  EXPECT_GE(done.dense, 80);
  EXPECT_GE(done.passes, 130);
}

TEST(GpuBanded, TakesFactorsAtEveryBorderAndExtent) {
  Done done;
  expect_banded_at_every_border(real_factors(65, 50, 33),
                                {{1, 1}, {3, 2}, {5, 700}, {130, 7}, {65, 519}, {80, 1024}},
                                {.height = 190, .width = 533}, 34, "factors, ", done);
  EXPECT_GE(done.passes, 325);
}

TEST(GpuBanded, TakesFactorsOverChannelsPlanesAnchorsAndOutputs) {
  Done done;
  for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
    for (const Layout layout : {Layout::interleaved, Layout::planar}) {
      for (const std::int64_t width : {64, 171, 1031}) {
        const Image image = noise({.batch = 2, .depth = 2, .height = 77, .width = width, .channels = channels}, Pixel::u8, 36, layout);
        const std::string what = "factors, " + std::to_string(channels) + " channels of " + std::to_string(width);
        for (const std::int64_t taps : {17, 31, 51})
          expect_banded(image, real_factors(taps, taps, 37), {.border = Border::replicate()}, what, done);
      }
    }
  }
  const Image image = noise({.height = 170, .width = 401}, Pixel::u8, 38);
  for (const std::int64_t at : {0, 3, 11, 20})
    expect_banded(image, real_factors(21, 29, 39).with_anchor({.y = 20 - at, .x = at}),
                  {.border = Border::wrap()}, "factors, anchor " + std::to_string(at), done);
  for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16}) {
    for (const double scale : {1.0, 0.3, -1.0})
      expect_banded(image, real_factors(19, 25, 40), {.output = output, .scale = scale, .offset = 10.25},
                    "factors to " + std::string(name_of(output)), done);
    expect_banded(image, real_factors(19, 25, 41), {.output = output, .scale = 0.5, .offset = 10},
                  "factors to " + std::string(name_of(output)), done);
  }
  EXPECT_GE(done.dense, 70);
  EXPECT_GE(done.passes, 100);
}

TEST(GpuBanded, FactorsTakeRowsThatLieAnyhow) {
  const Shape shape{.height = 145, .width = 301};
  const Image image = noise(shape, Pixel::u8, 42);
  const Plan plan = plan_by("banded passes", spec_on_gpu(image, real_factors(65, 33, 43), banded({})));
  expect_same_however_rows_lie(image, plan);
}

TEST(GpuBanded, FactorsAreChosenForLargeImagesOfBytes) {
  for (const std::int64_t channels : {1, 3}) {
    const Plan plan({.shape = {.height = 8192, .width = 8192, .channels = channels}, .pixel = Pixel::u8,
                     .filters = {gaussian({.sigma = channels == 1 ? 8.0 : 4.0})}, .device = cuda()});
    EXPECT_EQ(plan.methods().front(), Method::banded) << plan.explain();
    EXPECT_LE(plan.error_bound(255), 0.063) << plan.explain();
  }
}

TEST(GpuBanded, TakesRowsThatLieAnyhow) {
  const Shape shape{.height = 45, .width = 301};
  const Image image = noise(shape, Pixel::u8, 15);
  const Plan plan =
      plan_by("banded", spec_on_gpu(image, real_filter({.height = 9, .width = 9}, 16), banded({})));
  expect_same_however_rows_lie(image, plan);
}

/// The limit of shared memory is a kernel's, not a plan's.
TEST(GpuBanded, LeavesSharedMemoryToPlansMadeBefore) {
  const Image image = noise({.height = 100, .width = 300}, Pixel::u8, 51);
  const Filter large = real_filter({.height = 45, .width = 25}, 52);
  const Plan before = plan_by("banded", spec_on_gpu(image, large, banded({})));
  const Plan after =
      plan_by("banded", spec_on_gpu(image, real_filter({.height = 25, .width = 25}, 53), banded({})));
  expect_promise(values_of(result_of(before, image)), exact_sums(image, large, {}), {}, before,
                 "a plan made before");
}

TEST(GpuBanded, CombinesFilters) {
  const Image image = noise({.height = 80, .width = 333}, Pixel::u8, 17);
  const std::vector<Filter> filters{whole_filter({.height = 7, .width = 7}, 18), whole_filter({.height = 7, .width = 7}, 19)};
  PlanSpec spec{.shape = image.shape(), .pixel = Pixel::u8, .filters = filters, .combine = Combine::magnitude, .device = cuda(),
                .options = banded({.output = Pixel::f32})};
  const Plan plan(spec);
  EXPECT_NE(plan.explain().find("family: filter by filter;"), std::string::npos) << plan.explain();
  const std::vector<double> found = values_of(result_of(plan, image));
  spec.device = cpu();
  spec.options.method = Method::direct;
  spec.options.output = Pixel::f64;
  const Plan exact(spec);
  Image out(exact.output_shape(), Pixel::f64);
  exact.run(image, out.view());
  const std::vector<double> right = values_of(out);
  for (std::size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(found[i], right[i], plan.error_bound(255)) << i;
}

TEST(GpuBanded, IsChosenForLargeImagesOfBytes) {
  for (const std::int64_t size : {9, 15}) {
    PlanSpec spec{.shape = {.height = 8192, .width = 8192}, .pixel = Pixel::u8, .filters = {real_filter({.height = size, .width = size}, 20)},
                  .device = cuda()};
    EXPECT_EQ(Plan(spec).methods().front(), Method::banded);
    EXPECT_LE(Plan(spec).error_bound(255), 0.063);  // 1/16, and what multiplying rounds
    spec.options.sum = Sum::f64;
    EXPECT_NE(Plan(spec).methods().front(), Method::banded);
    spec.options = {.output = Pixel::f32};  // real weights are within no float's bound
    EXPECT_NE(Plan(spec).methods().front(), Method::banded);
    spec.options = {.rounding = Rounding::truncate};
    EXPECT_NE(Plan(spec).methods().front(), Method::banded);
    spec.options = {};
    spec.pixel = Pixel::f32;
    EXPECT_NE(Plan(spec).methods().front(), Method::banded);
  }
}

TEST(GpuBanded, RefusesWhatWholeNumbersDoNotHold) {
  const auto refused = [](const Image& image, const Filter& filter, const Options& options) {
    return message_of([&] { (void)convolve(to_device(image, cuda()), filter, banded(options)); });
  };
  const std::string why =
      "method banded: filter 'custom' is not summed by matrices: pixels must be u8 and constants around them whole, weights along height "
      "and width, at most 4096 or products of factors, and whole numbers of 16 bits times a power of 2, or outputs integers rounded to the nearest that such are within "
      "1/16 of; or accuracy fast, pixels f32, or f16 and constants around them such, and at most 33x33 weights; use automatic or direct";
  const Image bytes = noise({.height = 20, .width = 20}, Pixel::u8, 21);
  EXPECT_EQ(refused(noise({.height = 20, .width = 20}, Pixel::f32, 21), real_filter({.height = 3, .width = 3}, 22), {}), why);
  EXPECT_EQ(refused(bytes, real_filter({.height = 3, .width = 3}, 22), {.output = Pixel::f32}), why);
  EXPECT_EQ(refused(bytes, real_filter({.height = 3, .width = 3}, 22), {.border = Border::constant(0.5)}), why);
  EXPECT_EQ(refused(bytes, real_filter({.height = 3, .width = 3}, 22), {.rounding = Rounding::truncate}), why);
  EXPECT_EQ(refused(bytes, Filter::dense({.height = 1, .width = 2}, {1, 1e-9}), {.output = Pixel::f32}), why);
  EXPECT_EQ(refused(bytes, Filter::dense({.height = 1, .width = 2}, {100000, 1}), {.output = Pixel::f32}), why);
  EXPECT_EQ(refused(noise({.height = 80, .width = 80}, Pixel::u8, 21), real_filter({.height = 64, .width = 64}, 22), {}),
            "method banded on cuda:0: filter 'custom' does not fit its tiles; use automatic or direct");
}

}  // namespace
}  // namespace halation::gpu_test
