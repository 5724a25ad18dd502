// cpu_threads_test.cpp: plans in threads on the CPU: one plan run by several at once, plans made at once, runs within the
// caller's tasks and arenas. `make tsan` watches it.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstring>
#include <thread>
#include <vector>

#include "halation/halation.h"
#include "numbers.h"

namespace halation {
namespace {

constexpr int callers = 4;

/// Whole numbers, as the images have: every sum is exact, in whatever order.
std::vector<double> weights_of(std::int64_t count) {
  Numbers numbers(13);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(static_cast<double>(numbers.below(5)) - 1);
  return weights;
}

Filter window(std::int64_t taps) {
  const std::vector<double> ones(static_cast<std::size_t>(taps), 1);
  return Filter::separable({.y = ones, .x = ones});
}

/// A job of each kind that the CPU runs in a way of its own, of several tiles.
std::vector<PlanSpec> specs() {
  const Shape shape{.height = 90, .width = 2100};
  const auto spec = [&](Pixel pixel, Filter filter, Method method, Shape of) {
    return PlanSpec{.shape = of, .pixel = pixel, .filters = {std::move(filter)}, .options = {.method = method, .threads = 3}};
  };
  const Filter square = Filter::dense({1, 5, 5}, weights_of(25));
  const Filter product = Filter::separable({.y = weights_of(9), .x = weights_of(9)});
  return {spec(Pixel::f32, square, Method::direct, shape),
          spec(Pixel::u8, square, Method::direct, shape),
          spec(Pixel::f64, product, Method::separable, shape),
          spec(Pixel::u8, product, Method::separable, shape),
          spec(Pixel::f32, window(31), Method::box, shape),
          spec(Pixel::u16, window(9), Method::box, shape),
          spec(Pixel::f32, Filter::dense({3, 3, 3}, weights_of(27)), Method::direct, {.depth = 12, .height = 30, .width = 70})};
}

Image input_of(const PlanSpec& spec) {
  Image image(spec.shape, spec.pixel);
  Numbers numbers(17);
  const auto elements = static_cast<std::size_t>(spec.shape.elements());
  for (std::size_t i = 0; i < elements; ++i) {
    const double value = static_cast<double>(numbers.below(200));
    switch (spec.pixel) {
      case Pixel::u8:
        reinterpret_cast<std::uint8_t*>(image.view().data)[i] = static_cast<std::uint8_t>(value);
        break;
      case Pixel::u16:
        reinterpret_cast<std::uint16_t*>(image.view().data)[i] = static_cast<std::uint16_t>(value);
        break;
      case Pixel::f32:
        reinterpret_cast<float*>(image.view().data)[i] = static_cast<float>(value);
        break;
      default:
        reinterpret_cast<double*>(image.view().data)[i] = value;
    }
  }
  return image;
}

bool same(const Image& a, const Image& b) {
  const auto bytes = static_cast<std::size_t>(a.shape().elements()) * bytes_of(a.pixel());
  return a.shape() == b.shape() && std::memcmp(a.view().data, b.view().data, bytes) == 0;
}

/// What one thread makes of it.
Image alone(const PlanSpec& spec, const Image& in) {
  PlanSpec one = spec;
  one.options.threads = 1;
  return convolve(in, one.filters.front(), one.options);
}

/// Calls `work(i)` in as many threads at once.
template <class Work>
void at_once(const Work& work) {
  std::vector<std::thread> threads;
  threads.reserve(callers);
  for (int i = 0; i < callers; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(CpuThreads, RunOnePlanAtOnce) {
  for (const PlanSpec& spec : specs()) {
    const Image in = input_of(spec);
    const Image expected = alone(spec, in);
    const Plan plan(spec);
    std::vector<Image> outs;
    outs.reserve(callers);
    for (int i = 0; i < callers; ++i) outs.emplace_back(spec.shape, spec.pixel);
    at_once([&](int i) {
      for (int repeat = 0; repeat < 3; ++repeat) plan.run(in, outs[static_cast<std::size_t>(i)].view());
    });
    for (const Image& out : outs) EXPECT_TRUE(same(out, expected)) << plan.explain();
  }
}

TEST(CpuThreads, MakePlansAtOnce) {
  const std::vector<PlanSpec> all = specs();
  std::vector<Image> ins;
  std::vector<Image> expected;
  for (const PlanSpec& spec : all) {
    ins.push_back(input_of(spec));
    expected.push_back(alone(spec, ins.back()));
  }
  std::vector<int> right(callers);
  at_once([&](int caller) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t job = (i + static_cast<std::size_t>(caller)) % all.size();
      const Image out = convolve(ins[job], all[job].filters.front(), all[job].options);
      right[static_cast<std::size_t>(caller)] += same(out, expected[job]) ? 1 : 0;
    }
  });
  EXPECT_EQ(right, std::vector<int>(callers, static_cast<int>(all.size())));
}

TEST(CpuThreads, WithinTasksAndArenasOfTheCaller) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "how oneTBB hands out the test's own tasks is invisible to the sanitizer";
#endif
  for (const PlanSpec& spec : specs()) {
    const Image in = input_of(spec);
    const Image expected = alone(spec, in);
    const Plan plan(spec);
    std::vector<Image> outs;
    outs.reserve(callers);
    for (int i = 0; i < callers; ++i) outs.emplace_back(spec.shape, spec.pixel);
    tbb::task_arena arena(3);
    arena.execute([&] { tbb::parallel_for(0, callers, [&](int i) { plan.run(in, outs[static_cast<std::size_t>(i)].view()); }); });
    for (const Image& out : outs) EXPECT_TRUE(same(out, expected)) << plan.explain();
  }
}

}  // namespace
}  // namespace halation
