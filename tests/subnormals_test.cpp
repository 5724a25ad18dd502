// subnormals_test.cpp: numbers too small to be normal: taken as 0 in sums, within the plan's bound; copied by filters of one tap; and
// the floating-point state that halation computes in is its own, never the caller's.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "halation/halation.h"
#include "numbers.h"
#include "weights_of_little.h"

namespace halation {
namespace {

const Shape plane{.height = 37, .width = 61};
const Shape volume{.depth = 9, .height = 5, .width = 3};

std::vector<double> ramp(std::int64_t taps) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < taps; ++i) weights.push_back(static_cast<double>(i + 1) / static_cast<double>(taps * taps));
  return weights;
}
std::vector<double> equal(std::int64_t taps) { return std::vector<double>(static_cast<std::size_t>(taps), 1.0 / static_cast<double>(taps)); }

/// Pixels around the least normal number, most below it.
template <class T>
Image tiny_image(const Shape& shape, Pixel pixel) {
  Image image(shape, pixel);
  Numbers numbers(3);
  auto* at = reinterpret_cast<T*>(image.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    at[i] = static_cast<T>((2 * numbers.next() - 1) * 2 * static_cast<double>(std::numeric_limits<T>::min()));
  }
  return image;
}

template <class T>
void expect_within_bound(const Shape& shape, Pixel pixel, const Filter& filter, Method method) {
  const Image in = tiny_image<T>(shape, pixel);
  const PlanSpec spec{.shape = shape, .pixel = pixel, .filters = {filter}, .options = {.border = Border::reflect(), .method = method}};
  const Plan plan(spec);
  PlanSpec oracle = spec;
  oracle.device = reference();
  oracle.options.method = Method::automatic;
  oracle.options.output = Pixel::f64;
  const Plan expected(oracle);
  Image out(plan.output_shape(), pixel);
  Image sums(plan.output_shape(), Pixel::f64);
  plan.run(in, out.view());
  expected.run(in, sums.view());
  const double least = static_cast<double>(std::numeric_limits<T>::min());
  const double bound = plan.error_bound(2 * least);
  // No more than a few of the least normal number for each tap.
  EXPECT_LE(bound, 8 * static_cast<double>(filter.size().taps() + 4) * least) << name_of(method);
  const auto* got = reinterpret_cast<const T*>(out.view().data);
  const auto* sum = reinterpret_cast<const double*>(sums.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    ASSERT_LE(std::fabs(static_cast<double>(got[i]) - sum[i]), bound + least * std::numeric_limits<T>::epsilon())
        << i << " by " << name_of(method) << " on " << to_string(shape);
  }
}

TEST(Subnormals, StayWithinTheBound) {
  for (const Shape& shape : {plane, volume}) {
    for (const Method method : {Method::direct, Method::separable, Method::box}) {
      const auto weights = [&](std::int64_t taps) { return method == Method::box ? equal(taps) : ramp(taps); };
      for (const std::int64_t taps : {3, 9, 30}) {
        const Filter filter = Filter::separable({.y = weights(5), .x = weights(taps)});
        expect_within_bound<float>(shape, Pixel::f32, filter, method);
        expect_within_bound<double>(shape, Pixel::f64, filter, method);
      }
    }
  }
}

/// Zeros of both signs, subnormals, normals, infinities and NaN.
std::vector<float> all_kinds() {
  using Limits = std::numeric_limits<float>;
  return {0.0F, -0.0F, Limits::denorm_min(), -Limits::denorm_min(), 1e-40F, -1e-40F, Limits::min(), 1.0F, -3.5F,
          Limits::max(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
}

TEST(Subnormals, AreCopiedByOneTap) {
  std::vector<float> pixels = all_kinds();
  const Shape shape{.height = 1, .width = static_cast<std::int64_t>(pixels.size())};
  for (const Sum sum : {Sum::automatic, Sum::f64}) {
    for (const std::int64_t apart : {1, 2}) {
      std::vector<float> out(pixels.size() * static_cast<std::size_t>(apart), 7.0F);
      const Plan plan({.shape = shape, .pixel = Pixel::f32, .filters = {identity()}, .options = {.sum = sum}});
      View to = view_of(out.data(), shape);
      to.strides.width *= apart;
      plan.run(view_of(pixels.data(), shape), to);
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        const float got = out[i * static_cast<std::size_t>(apart)];
        EXPECT_EQ(std::bit_cast<std::uint32_t>(pixels[i]), std::bit_cast<std::uint32_t>(got)) << pixels[i] << " became " << got;
      }
    }
  }
}

TEST(Subnormals, OfF16AreNormalSums) {
  std::vector<std::uint16_t> bits{0x0001, 0x0002, 0x0200, 0x03FF, 0x8001, 0x0400};  // 2^-24 … 2^-14
  const Shape shape{.height = 1, .width = static_cast<std::int64_t>(bits.size())};
  ConstView in = view_of(bits.data(), shape);
  in.pixel = Pixel::f16;
  Image out(shape, Pixel::f32);
  const Filter twice = Filter::separable({.x = {0, 2, 0}});
  const Plan plan({.shape = shape, .pixel = Pixel::f16, .filters = {twice}, .options = {.output = Pixel::f32}});
  plan.run(in, out.view());
  const auto* got = reinterpret_cast<const float*>(out.view().data);
  EXPECT_EQ(got[0], 2 * 0x1p-24F);
  EXPECT_EQ(got[2], 2 * 0x1p-15F);
  EXPECT_EQ(got[4], -2 * 0x1p-24F);
}

TEST(Subnormals, AsWeightsKeepInfinities) { expect_infinities_kept(cpu()); }

#if defined(__x86_64__)
/// A job whose runs use several threads, where there are any.
struct ThreadedJob {
  Shape shape{.height = 300, .width = 700};
  Image in = tiny_image<float>(shape, Pixel::f32);
  Image out{shape, Pixel::f32};
  const Filter product = Filter::separable({.y = ramp(9), .x = ramp(9)});
  Plan plan{{.shape = shape, .pixel = Pixel::f32, .filters = {product}, .options = {.threads = 4}}};
  void run() { plan.run(in, out.view()); }
};

TEST(FloatState, OfTheCallerIsAsBefore) {
  ThreadedJob job;
  job.run();  // oneTBB goes by the state of its first work
  const unsigned int before = _mm_getcsr();
  const unsigned int odd = 0x1F80U | 0x6000U | 0x0020U;  // rounding towards zero, one flag raised
  _mm_setcsr(odd);
  job.run();
  const unsigned int after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, odd);
}

TEST(FloatState, OfWorkersIsAsBefore) {
  ThreadedJob job;
  constexpr unsigned int flushing = 0x8040U;
  for (int i = 0; i < 20; ++i) {
    job.run();
    tbb::parallel_for(0, 64, [&](int) { EXPECT_EQ(_mm_getcsr() & flushing, 0U); });
  }
}

TEST(FloatState, OfTheCallerDoesNotMatter) {
  const Shape shape{.height = 20, .width = 30};
  Image in(shape, Pixel::f32);
  Numbers numbers(5);
  for (std::int64_t i = 0; i < shape.elements(); ++i) reinterpret_cast<float*>(in.view().data)[i] = static_cast<float>(numbers.next());
  reinterpret_cast<float*>(in.view().data)[7] = std::numeric_limits<float>::quiet_NaN();
  for (const Method method : {Method::direct, Method::separable}) {
    const Filter product = Filter::separable({.y = ramp(7), .x = ramp(5)});
    const Plan plan({.shape = shape, .pixel = Pixel::f32, .filters = {product}, .options = {.method = method}});
    Image usual(shape, Pixel::f32);
    Image odd(shape, Pixel::f32);
    plan.run(in, usual.view());
    const unsigned int before = _mm_getcsr();
    _mm_setcsr((0x1F80U & ~0x0080U) | 0x2000U);  // rounding down, and a trap at each invalid operation
    plan.run(in, odd.view());
    _mm_setcsr(before);
    EXPECT_EQ(std::memcmp(usual.view().data, odd.view().data, static_cast<std::size_t>(shape.elements()) * sizeof(float)), 0);
  }
}
#endif

}  // namespace
}  // namespace halation
