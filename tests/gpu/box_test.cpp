// box_test.cpp: the method box on a GPU: within its bound at sizes small and large, along one, two and three
// axes; NaN and infinity keep to their window; what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../message_of.h"
#include "images.h"

namespace halation::gpu_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Equal weights of sum 1 along each axis.
Filter mean(const FilterSize& size) {
  const auto line = [](std::int64_t n) {
    return std::vector<double>(static_cast<std::size_t>(n), 1 / static_cast<double>(n));
  };
  return Filter::separable({.z = line(size.depth), .y = line(size.height), .x = line(size.width)});
}

PlanSpec spec_of_box(const Shape& shape, Pixel pixel, const Filter& filter, Options options) {
  options.method = Method::box;
  return {.shape = shape, .pixel = pixel, .filters = {filter}, .device = cuda(), .options = options};
}

/// The families that take boxes, and how many jobs each did.
struct Done {
  std::string_view family;
  int jobs = 0;
};
using AllDone = std::vector<Done>;
AllDone none_done() {
  return {{"running box, x"},        {"running box, y by a ring"},
          {"running box, y reread"}, {"shared tile, factored"},
          {"through f32"},           {"axis by axis"},
          {"axis by axis, pixels"},  {"depth for height"},
          {"one factor, dense"}};
}

/// Calls `use` with a plan by every family that takes the job.
template <class Use>
void for_each_plan(const PlanSpec& spec, AllDone& all, const Use& use) {
  int done = 0;
  for (auto& [family, jobs] : all) {
    const std::optional<Plan> plan = plan_by_or_none(family, spec);
    if (!plan) continue;
    EXPECT_THAT(plan->methods(), ElementsAre(Method::box));
    use(*plan, family);
    ++jobs;
    ++done;
  }
  EXPECT_GT(done, 0) << Plan(spec).explain();
}

int jobs_of(const AllDone& all, std::string_view family) {
  return std::find_if(all.begin(), all.end(), [&](const Done& done) { return done.family == family; })->jobs;
}

/// Holds every pixel to sums in f64 on the CPU.
void expect_right(const Shape& shape, Pixel pixel, const Filter& filter, const Options& options,
                  AllDone& all) {
  const Image in = noise(shape, pixel, static_cast<std::uint64_t>(filter.size().taps()));
  Options in_f64 = options;
  in_f64.output = Pixel::f64;
  const Plan oracle({.shape = shape, .pixel = pixel, .filters = {filter}, .options = in_f64});
  Image sums(oracle.output_shape(), Pixel::f64);
  oracle.run(in, sums.view());
  const auto* expected = reinterpret_cast<const double*>(sums.view().data);
  for_each_plan(spec_of_box(shape, pixel, filter, options), all,
                [&](const Plan& plan, std::string_view family) {
                  const Image found = result_of(plan, in);
                  ASSERT_EQ(found.shape(), sums.shape());
                  const double most = is_float(pixel) ? 1 : std::max(largest(pixel), -smallest(pixel));
                  const double bound = plan.error_bound(most) + oracle.error_bound(most);
                  std::int64_t wrong = 0;
                  visit_pixel(found.pixel(), [&](auto element) {
                    using T = decltype(element);
                    const auto* got = reinterpret_cast<const T*>(found.view().data);
                    for (std::int64_t i = 0; i < found.shape().elements(); ++i) {
                      const double allowed = is_float(found.pixel()) ? bound : 0.5 + bound;
                      if (!(std::fabs(static_cast<double>(got[i]) - expected[i]) <= allowed)) ++wrong;
                    }
                  });
                  EXPECT_EQ(wrong, 0) << family << "\n" << plan.explain();
                });
}

TEST(Box, OfEverySizeIsWithinItsBound) {
  AllDone all = none_done();
  const Shape shape{.height = 733, .width = 1027};
  for (const std::int64_t size : {2, 3, 7, 8, 10, 11, 16, 17, 31, 32, 64, 101, 128, 255, 300}) {
    expect_right(shape, Pixel::f32, mean({.height = size, .width = size}), {.border = Border::replicate()},
                 all);
    expect_right(shape, Pixel::u8, mean({.height = size, .width = size + 1}), {.border = Border::constant(9)},
                 all);
    expect_right({.height = 512, .width = 1024}, Pixel::f32, mean({.height = size + 1, .width = size}), {},
                 all);
  }
  for (const char* family : {"axis by axis", "shared tile, factored"})
    EXPECT_GE(jobs_of(all, family), 30) << family;
}

TEST(Box, AlongEachAxisAndThrough) {
  AllDone all = none_done();
  const Shape colours{.batch = 2, .height = 411, .width = 509, .channels = 3};
  const Shape volume{.depth = 45, .height = 83, .width = 131};
  for (const std::int64_t size : {5, 12, 33, 150}) {
    for (const Border& border : {Border::reflect101(), Border::wrap(), Border::constant(0.5)}) {
      expect_right(colours, Pixel::f32, mean({.width = size}), {.border = border}, all);
      expect_right(colours, Pixel::f32, mean({.height = size}), {.border = border}, all);
      expect_right(colours, Pixel::u16, mean({.height = 3, .width = size}),
                   {.border = border, .extent = Extent::full}, all);
      expect_right(colours, Pixel::u16, mean({.height = 3, .width = size}),
                   {.border = border, .sum = Sum::f64}, all);
      expect_right({.width = 100'003}, Pixel::f32, mean({.width = size}), {.border = border}, all);
      expect_right(colours, Pixel::u8, mean({.width = size}), {.border = border}, all);
      expect_right({.height = 411, .width = 508}, Pixel::f32, mean({.height = size}), {.border = border},
                   all);
      expect_right(volume, Pixel::f32, mean({.depth = size}), {.border = border}, all);
      expect_right(volume, Pixel::f32, mean({.depth = size, .height = 7, .width = size}), {.border = border},
                   all);
    }
  }
  for (const auto& [family, jobs] : all) {
    const bool in_bulk =
        family == "running box, x" || family == "running box, y by a ring" || family == "through f32";
    EXPECT_GE(jobs, in_bulk && !copies_in_bulk() ? 0 : 3) << family;
  }
}

TEST(Box, LetsNothingThatIsNotFiniteOutOfItsWindow) {
  AllDone all = none_done();
  const Shape shape{.height = 300, .width = 400};
  constexpr std::int64_t x = 211;
  constexpr std::int64_t y = 147;
  for (const std::int64_t size : {3, 13, 31, 101}) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      const PlanSpec spec = spec_of_box(shape, Pixel::f32, mean({.height = size, .width = size}),
                                        {.border = Border::constant(0)});
      for_each_plan(spec, all, [&](const Plan& plan, std::string_view family) {
        Image in = noise(shape, Pixel::f32, 5);
        const Image clean = result_of(plan, in);
        in.view().at<float>({.y = y, .x = x}) = bad;
        const Image found = result_of(plan, in);
        std::int64_t wrong = 0;
        for (std::int64_t row = 0; row < shape.height; ++row) {
          for (std::int64_t column = 0; column < shape.width; ++column) {
            const bool inside = std::abs(row - y) <= size / 2 && std::abs(column - x) <= size / 2;
            const float value = found.view().at<float>({.y = row, .x = column});
            const bool right =
                inside ? !std::isfinite(value) : value == clean.view().at<float>({.y = row, .x = column});
            if (!right) ++wrong;
          }
        }
        EXPECT_EQ(wrong, 0) << "size " << size << ", " << bad << ", " << family;
      });
    }
  }
  for (const char* family : {"axis by axis", "shared tile, factored"})
    EXPECT_EQ(jobs_of(all, family), 8) << family;
}

TEST(Box, IsChosenForLargeWindowsAndExplained) {
  const Shape shape{.height = 4096, .width = 4096};
  const Plan plan({.shape = shape, .pixel = Pixel::f32, .filters = {box({.size = 101})}, .device = cuda()});
  EXPECT_THAT(plan.methods(), ElementsAre(Method::box));
  EXPECT_THAT(plan.explain(),
              HasSubstr("box 101x101: box, 7 multiply-adds a sample instead of 10201; expected "));
  const Plan small({.shape = shape, .pixel = Pixel::f32, .filters = {box({.size = 3})}, .device = cuda()});
  EXPECT_THAT(small.methods(), ElementsAre(Method::direct));
}

TEST(Box, OfAFilterThatIsNoneIsRefused) {
  EXPECT_EQ(message_of([] {
              Plan(spec_of_box({.height = 9, .width = 9}, Pixel::f32,
                               gaussian({.sigma = 1.0}).with_name("soft"), {}));
            }),
            "method box: filter 'soft' is not a box: its weights differ; use automatic, direct or separable");
}

TEST(Box, ComesAmongOtherFiltersAndInMagnitudes) {
  const Shape shape{.height = 301, .width = 407};
  const Image in = noise(shape, Pixel::f32, 3);
  for (const Combine combine : {Combine::none, Combine::magnitude}) {
    PlanSpec spec{.shape = shape,
                  .pixel = Pixel::f32,
                  .filters = {mean({.height = 25, .width = 41}), mean({.height = 3, .width = 90})},
                  .combine = combine,
                  .device = cuda(),
                  .options = {.method = Method::box}};
    const Plan plan(spec);
    EXPECT_THAT(plan.explain(), HasSubstr("family: filter by filter;"));
    spec.device = cpu();
    spec.options = {.output = Pixel::f64};
    const Plan oracle(spec);
    const Image there = to_device(in, cuda());
    std::vector<Image> found;
    std::vector<Image> expected;
    std::vector<View> there_views;
    std::vector<View> views;
    for (std::size_t i = 0; i < plan.outputs(); ++i) {
      found.push_back(allocate(shape, Pixel::f32, cuda()));
      there_views.push_back(found.back().view());
      expected.emplace_back(shape, Pixel::f64);
      views.push_back(expected.back().view());
    }
    plan.run(there, there_views);
    oracle.run(in, views);
    const double bound = plan.error_bound(1) + oracle.error_bound(1);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Image back = to_device(found[i], cpu());
      const auto* got = reinterpret_cast<const float*>(back.view().data);
      const auto* sums = reinterpret_cast<const double*>(views[i].data);
      double most = 0;
      for (std::int64_t p = 0; p < shape.elements(); ++p)
        most = std::max(most, std::fabs(static_cast<double>(got[p]) - sums[p]));
      EXPECT_LE(most, bound) << plan.explain();
    }
  }
}

}  // namespace
}  // namespace halation::gpu_test
