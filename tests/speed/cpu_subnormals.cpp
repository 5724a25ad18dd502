// cpu_subnormals.cpp: pixels too small to be normal take at most twice the time of others, of f32 and f64, by every method.
//
// On Intel's cores a sum of such numbers takes 60 times as long as another unless they are taken as 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "halation/halation.h"
#include "numbers.h"
#include "speed/clock.h"

namespace halation {
namespace {

constexpr double most_times = 2;

std::vector<double> ramp(std::int64_t taps) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < taps; ++i) weights.push_back(static_cast<double>(i + 1) / static_cast<double>(taps * taps));
  return weights;
}
std::vector<double> equal(std::int64_t taps) { return std::vector<double>(static_cast<std::size_t>(taps), 1.0 / static_cast<double>(taps)); }

template <class T>
Image noise(const Shape& shape, Pixel pixel, double scale) {
  Image image(shape, pixel);
  Numbers numbers(9);
  auto* at = reinterpret_cast<T*>(image.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) at[i] = static_cast<T>((numbers.next() + 0.1) * scale);
  return image;
}

template <class T>
void compare(const char* name, const Shape& shape, Pixel pixel, const Filter& filter, Method method) {
  const Plan plan({.shape = shape, .pixel = pixel, .filters = {filter}, .options = {.method = method, .threads = 1}});
  const Image normal = noise<T>(shape, pixel, 1);
  const Image tiny = noise<T>(shape, pixel, static_cast<double>(std::numeric_limits<T>::min()) / 16);
  Image out(plan.output_shape(), pixel);
  const double usual = least_seconds([&] { plan.run(normal, out.view()); });
  const double slow = least_seconds([&] { plan.run(tiny, out.view()); });
  std::printf("%s %s: %.1f us, subnormal %.1f us\n", name, std::string(name_of(pixel)).c_str(), 1e6 * usual, 1e6 * slow);
  EXPECT_LE(slow, most_times * usual) << name;
}

TEST(CpuSubnormals, TakeAtMostTwiceAsLong) {
  if (!is_measurable) GTEST_SKIP() << "this build is not optimised, or slowed down by a sanitizer";
  const Shape image{.height = 512, .width = 512};
  const Shape volume{.depth = 40, .height = 50, .width = 60};
  const Shape thin{.height = 40000, .width = 3};
  for (const auto& [where, shape] : {std::pair{"512x512", image}, std::pair{"40x50x60", volume}, std::pair{"40000x3", thin}}) {
    const auto both = [where = std::string(where), shape = shape](const char* what, const Filter& filter, Method method) {
      const std::string name = where + " " + what;
      compare<float>(name.c_str(), shape, Pixel::f32, filter, method);
      compare<double>(name.c_str(), shape, Pixel::f64, filter, method);
    };
    both("identity", Filter::separable({.x = {1}}), Method::automatic);
    both("one tap", Filter::separable({.x = {0.5}}), Method::automatic);
    both("3x3", Filter::separable({.y = ramp(3), .x = ramp(3)}), Method::direct);
    both("9+9", Filter::separable({.y = ramp(9), .x = ramp(9)}), Method::separable);
    both("box 15", Filter::separable({.y = equal(15), .x = equal(15)}), Method::box);
    both("box 40", Filter::separable({.y = equal(40), .x = equal(40)}), Method::box);
  }
}

}  // namespace
}  // namespace halation
