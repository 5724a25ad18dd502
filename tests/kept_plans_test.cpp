// kept_plans_test.cpp: convolve keeps the plans of its latest calls: the same results, no two jobs taken for
// one, bounds held, any thread.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "halation/halation.h"
#include "message_of.h"

namespace halation {
namespace {

constexpr std::size_t unless_limited = std::size_t{128} << 20;

/// Each test begins with nothing kept.
class KeptPlansTest : public testing::Test {
 protected:
  void SetUp() override {
    limit_kept_plans(0);
    limit_kept_plans(unless_limited);
  }
};

Image image_of(const Shape& shape, Pixel pixel = Pixel::f32) {
  Image image(shape, Pixel::f32);
  for (std::int64_t i = 0; i < shape.elements(); ++i)
    reinterpret_cast<float*>(image.view().data)[i] = static_cast<float>(i * 7919 % 251);
  return pixel == Pixel::f32 ? std::move(image) : convolve(image, Filter({1}), {.output = pixel});
}

Filter dense_of(std::int64_t height, std::int64_t width) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < height * width; ++i) weights.push_back(static_cast<double>(i * 31 % 17) - 7.5);
  return Filter::dense({.height = height, .width = width}, weights);
}

bool are_same(const Image& a, const Image& b) {
  return a.shape() == b.shape() && a.pixel() == b.pixel() &&
         std::memcmp(a.view().data, b.view().data,
                     static_cast<std::size_t>(a.shape().elements()) * bytes_of(a.pixel())) == 0;
}

Image by_plan(const Image& in, const FilterSet& set, const Options& options) {
  const Plan plan({.shape = in.shape(),
                   .pixel = in.pixel(),
                   .filters = set.filters,
                   .combine = set.combine,
                   .options = options});
  Image out(plan.output_shape(), plan.output_pixel());
  plan.run(in, out.view());
  return out;
}

TEST_F(KeptPlansTest, ACallLikeAnEarlierOneFindsItsPlan) {
  const Image image = image_of({.height = 40, .width = 50});
  const Image first = convolve(image, dense_of(3, 5));
  EXPECT_EQ(kept_plans().plans, 1U);
  EXPECT_TRUE(are_same(convolve(image, dense_of(3, 5)), first));  // other weights in memory, equal ones
  EXPECT_TRUE(are_same(convolve(image, dense_of(3, 5).with_name("another")), first));
  EXPECT_EQ(kept_plans().plans, 1U);
  const Image blurred = convolve(image, gaussian({.sigma = {2.0}}));
  EXPECT_TRUE(
      are_same(convolve(image, gaussian({.sigma = {2.0}})), blurred));  // deferred until the image is known
  EXPECT_EQ(kept_plans().plans, 2U);
}

TEST_F(KeptPlansTest, NoTwoJobsAreTakenForOne) {
  const Image image = image_of({.height = 30, .width = 41});
  const Filter filter = dense_of(3, 5);
  std::vector<double> changed = filter.weights();
  changed.back() += 1;
  struct Case {
    Image image;
    FilterSet set;
    Options options;
  };
  std::vector<Case> cases;
  const auto add = [&](FilterSet set, Options options, Shape shape = {.height = 30, .width = 41},
                       Pixel pixel = Pixel::f32) {
    cases.push_back({image_of(shape, pixel), std::move(set), options});
  };
  add(filter, {});
  add(Filter::dense({.height = 3, .width = 5}, changed), {});
  add(Filter::dense({.height = 5, .width = 3}, filter.weights()), {});
  add(filter.with_anchor({.y = 0, .x = 0}), {});
  add(filter.as_correlation(), {});
  add(Filter::separable({.y = {1, 2, 1}, .x = {1, 0, 2, 0, 1}}), {});
  add(Filter::separable({.y = {1, 2, 1}, .x = {1, 0, 3, 0, 1}}), {});
  add(FilterSet({filter, Filter({1, 2})}, Combine::magnitude), {});
  add(FilterSet({Filter({1, 2}), filter}, Combine::magnitude), {});
  add(filter, {.border = Border::constant(3)});
  add(filter, {.border = Border::constant(4)});
  add(filter, {.border = {.z = Border::wrap(), .y = Border::wrap(), .x = Border::reflect()}});
  add(filter, {.extent = Extent::valid});
  add(filter, {.operation = Operation::correlation});
  add(filter, {.output = Pixel::f64});
  add(filter, {.output = Pixel::i16});
  add(filter, {.output = Pixel::i16, .rounding = Rounding::truncate});
  add(filter, {.scale = 0.5});
  add(filter, {.offset = 2});
  add(filter, {.sum = Sum::f64});
  add(filter, {.method = Method::fft});
  add(filter, {.method = Method::direct});
  add(filter, {.tune = Tune::measure});
  add(filter, {.threads = 1});
  add(filter, {.threads = 2});
  add(filter, {}, {.height = 41, .width = 30});
  add(filter, {}, {.height = 30, .width = 41, .channels = 2});
  add(filter, {}, {.height = 30, .width = 41}, Pixel::u8);
  SetUp();
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Case& each = cases[i];
      const Image made = convolve(each.image, each.set, each.options);
      if (each.options.tune == Tune::estimate) {
        EXPECT_TRUE(are_same(made, by_plan(each.image, each.set, each.options))) << round << ", case " << i;
      }
      EXPECT_EQ(kept_plans().plans, round == 0 ? i + 1 : cases.size());
    }
  }
}

TEST_F(KeptPlansTest, PlanarImagesHavePlansOfTheirOwn) {
  const Shape shape{.height = 20, .width = 31, .channels = 2};
  const Image image = image_of(shape);
  Image planes(shape, Pixel::f32);
  View planar = planes.view();
  planar.strides = strides_of(shape, Pixel::f32, Layout::planar);
  copy(image.view(), planar, {});
  const Filter filter = dense_of(3, 5);  // of whole weights: any order of sums gives the same
  const Image first = convolve(image, filter);
  EXPECT_EQ(kept_plans().plans, 1U);
  EXPECT_TRUE(are_same(convolve(planar, filter), first));
  EXPECT_EQ(kept_plans().plans, 2U);
  const Image channel = convolve(planar.channel(1), filter);
  EXPECT_TRUE(are_same(convolve(image.view().channel(1), filter), channel));
  EXPECT_EQ(kept_plans().plans, 3U);
}

TEST_F(KeptPlansTest, OfBackendsAndThreadsEachHasItsOwn) {
  const Image image = image_of({.height = 20, .width = 20});
  convolve(image, dense_of(3, 3));
  convolve(image, dense_of(3, 3), {}, reference());
  EXPECT_EQ(kept_plans().plans, 2U);
  if (available_threads() == 1) return;
  const ThreadLimit one(1);
  convolve(image, dense_of(3, 3));
  EXPECT_EQ(kept_plans().plans, 3U);
}

TEST_F(KeptPlansTest, TheLatestAreKept) {
  const auto filter_with = [](std::size_t number) { return Filter({1, static_cast<double>(number), 1}); };
  const Image image = image_of({.width = 100});
  for (std::size_t i = 0; i < 40; ++i) {
    convolve(image, filter_with(0));
    convolve(image, filter_with(i));
  }
  EXPECT_EQ(kept_plans().plans, 32U);
  const std::size_t bytes = kept_plans().bytes;
  convolve(image, filter_with(0));   // asked for all the time
  convolve(image, filter_with(39));  // the last
  EXPECT_EQ(kept_plans().bytes, bytes);
}

TEST_F(KeptPlansTest, BytesAreBoundedAndAPlanTooLargeIsNotKept) {
  const Image image = image_of({.height = 300, .width = 300});
  const Options options{.method = Method::fft, .threads = 1};
  const Plan plan(
      {.shape = image.shape(), .pixel = image.pixel(), .filters = {dense_of(31, 31)}, .options = options});
  const std::size_t weights = std::size_t{31} * 31 * sizeof(double);
  const std::size_t of_one = plan.constant_bytes() + weights;
  EXPECT_GT(plan.constant_bytes(),
            weights + sizeof(float) * 31 * 31);  // a spectrum has as many numbers as its tile at least
  limit_kept_plans(2 * of_one + of_one / 2);
  for (int i = 0; i < 5; ++i) {
    convolve(image, dense_of(31, 31).with_anchor({.y = i, .x = 15}), options);
    EXPECT_EQ(kept_plans().plans, std::min<std::size_t>(static_cast<std::size_t>(i) + 1, 2));
    EXPECT_LE(kept_plans().bytes, 2 * of_one + of_one / 2);
  }
  limit_kept_plans(of_one + of_one / 2);
  EXPECT_EQ(kept_plans().plans, 1U);
  const Image small = image_of({.width = 100});
  convolve(small, Filter({1, 2, 1}));
  EXPECT_EQ(kept_plans().plans, 2U);
  const std::size_t bytes = kept_plans().bytes;
  const Image large = image_of({.height = 900, .width = 900});
  EXPECT_TRUE(
      are_same(convolve(large, dense_of(301, 301), options), by_plan(large, dense_of(301, 301), options)));
  EXPECT_EQ(kept_plans().bytes, bytes);
  limit_kept_plans(0);
  EXPECT_EQ(kept_plans().plans, 0U);
  EXPECT_EQ(kept_plans().bytes, 0U);
  convolve(small, Filter({1, 2, 1}));
  EXPECT_EQ(kept_plans().plans, 0U);
}

TEST_F(KeptPlansTest, WhatIsRefusedIsRefusedAgain) {
  const Image image = image_of({.width = 4});
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(message_of([&] { convolve(image, dense_of(1, 9), {.extent = Extent::valid}); }), "");
  EXPECT_EQ(kept_plans().plans, 0U);
  Image too_small({.width = 3}, Pixel::f32);
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(message_of([&] { convolve(image, too_small.view(), Filter({1, 2})); }), "");
}

TEST_F(KeptPlansTest, AnyThread) {
  const Image image = image_of({.height = 60, .width = 70});
  std::vector<Filter> filters;
  std::vector<Image> wanted;
  for (int i = 0; i < 40; ++i) {  // more than are kept
    filters.push_back(Filter({1, static_cast<double>(i), 2}));
    wanted.push_back(by_plan(image, filters.back(), {}));
  }
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 400; ++i) {
        const std::size_t at = (i * (2 * t + 1) + t) % filters.size();
        if (!are_same(convolve(image, filters[at]), wanted[at])) ++wrong[t];
        if (i % 100 == 99) limit_kept_plans(t == 0 ? 3000 : unless_limited);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace halation
