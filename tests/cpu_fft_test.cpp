// cpu_fft_test.cpp: transforms on the CPU: alone beside their definition, and jobs of many tiles beside direct sums in f64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "core/convert.h"
#include "cpu/fft/steps/axis.h"
#include "cpu/fft/steps/kernels.h"
#include "halation/halation.h"
#include "message_of.h"
#include "numbers.h"

namespace halation {
namespace {

using testing::ElementsAre;
using testing::Each;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Forth beside the definition in long double, one lane of all, and back to what was.
template <class T>
void check_transform(std::int64_t n) {
  using namespace cpu_backend;
  const TransformKernels<T>& kernels = transform_kernels<T>();
  const TransformAxis<T> axis(n);
  const std::vector<std::int64_t> order = axis.order();
  const std::int64_t lanes = kernels.lanes;
  std::vector<T> data(static_cast<std::size_t>(2 * lanes * n));
  Numbers numbers(static_cast<std::uint64_t>(n));
  for (T& value : data) value = static_cast<T>(numbers.next() - 0.5);
  const std::vector<T> before = data;
  const Columns<T> columns{data.data(), data.data() + lanes, 2 * lanes};
  kernels.forward(axis, columns, 1);

  const std::int64_t lane = n % lanes;
  const auto value_of = [&](const std::vector<T>& from, std::int64_t k) {
    return std::complex<long double>(from[static_cast<std::size_t>(2 * lanes * k + lane)], from[static_cast<std::size_t>(2 * lanes * k + lanes + lane)]);
  };
  std::vector<std::complex<long double>> roots;
  for (std::int64_t k = 0; k < n; ++k)
    roots.push_back(std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n)));
  long double norm = 0;
  long double error = 0;
  for (std::int64_t place = 0; place < n; ++place) {
    std::complex<long double> sum = 0;
    for (std::int64_t k = 0; k < n; ++k) sum += value_of(before, k) * roots[static_cast<std::size_t>(k * order[static_cast<std::size_t>(place)] % n)];
    norm += std::norm(sum);
    error += std::norm(sum - value_of(data, place));
  }
  const long double u = sizeof(T) == 4 ? 0x1p-24L : 0x1p-53L;
  EXPECT_LE(std::sqrt(error), static_cast<long double>(roundings_along(n)) * u * std::sqrt(norm)) << n;

  kernels.inverse(axis, columns, 1);
  long double back = 0;
  for (std::int64_t k = 0; k < n; ++k) back += std::norm(value_of(data, k) / static_cast<long double>(n) - value_of(before, k));
  EXPECT_LE(std::sqrt(back), 2 * static_cast<long double>(roundings_along(n)) * u * std::sqrt(norm / static_cast<long double>(n))) << n;
}

TEST(Transform, IsTheDefinitionOfAnyLength) {
  for (std::int64_t n = 1; n <= 1200; ++n) {
    std::int64_t rest = n;
    for (const int prime : {2, 3, 5}) {
      while (rest % prime == 0) rest /= prime;
    }
    if (rest != 1) continue;
    check_transform<float>(n);
    check_transform<double>(n);
  }
  for (const std::int64_t n : {2048, 2560, 4096}) check_transform<float>(n);
}

TEST(Transform, KeepsTheOrderOfFrequencies) {
  EXPECT_THAT(cpu_backend::TransformAxis<float>(6).order(), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THROW(cpu_backend::radices_of(7), std::logic_error);
}

Image noise(const Shape& shape, Pixel pixel, std::uint64_t seed = 1) {
  Image image(shape, pixel);
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

Filter random_filter(const FilterSize& size, std::uint64_t seed = 2) {
  Numbers numbers(seed);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size.taps(); ++i) weights.push_back((numbers.next() - 0.3) / std::sqrt(static_cast<double>(size.taps())));
  return Filter::dense(size, weights);
}

std::vector<double> values_of(const Image& image) {
  std::vector<double> values;
  visit_pixel(image.pixel(), [&](auto element) {
    const auto* from = reinterpret_cast<const decltype(element)*>(image.view().data);
    for (std::int64_t i = 0; i < image.shape().elements(); ++i) values.push_back(static_cast<double>(from[i]));
  });
  return values;
}

/// Outputs by transforms within the bound of direct sums in f64; NaN and infinities in the same places.
void check_job(const Image& in, const Filter& filter, Options options, double max_abs) {
  options.method = Method::fft;
  const Plan plan({.shape = in.shape(), .pixel = in.pixel(), .filters = {filter}, .options = options});
  ASSERT_THAT(plan.methods(), ElementsAre(Method::fft));
  Image out(plan.output_shape(), plan.output_pixel());
  plan.run(in, out.view());
  Options direct = options;
  direct.method = Method::direct;
  direct.sum = Sum::f64;
  if (is_float(out.pixel())) direct.output = Pixel::f64;
  const std::vector<double> found = values_of(out);
  const std::vector<double> right = values_of(convolve(in, filter, direct));
  ASSERT_EQ(found.size(), right.size());
  const double bound = is_float(out.pixel()) ? plan.error_bound(max_abs) : std::max(1.0, plan.error_bound(max_abs));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double spacing = is_float(out.pixel()) ? std::fabs(right[i]) * (out.pixel() == Pixel::f16 ? 0x1p-10 : 0x1p-23) : 0;
    const bool same = found[i] == right[i] || (std::isnan(found[i]) && std::isnan(right[i]));
    ASSERT_TRUE(same || std::fabs(found[i] - right[i]) <= bound + spacing)
        << "output " << i << ": " << found[i] << ", right is " << right[i] << ", bound " << bound << "\n" << plan.explain();
  }
}

TEST(CpuFft, OfManyTilesIsWithinTheBoundAtEveryBorder) {
  const Image picture = noise({.height = 421, .width = 613}, Pixel::f32);
  for (const Border border : {Border::constant(0.5), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap()}) {
    for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
      check_job(picture, random_filter({.height = 21, .width = 17}), {.border = border, .extent = extent}, 1);
    }
  }
  for (const FilterSize size : {FilterSize{.height = 1, .width = 64}, FilterSize{.height = 41, .width = 1}, FilterSize{.height = 1, .width = 1},
                                FilterSize{.height = 2, .width = 97}, FilterSize{.height = 101, .width = 3}}) {
    check_job(picture, random_filter(size), {}, 1);
    check_job(picture, random_filter(size), {.operation = Operation::correlation, .sum = Sum::f64}, 1);
  }
}

TEST(CpuFft, FoldsSignals) {
  for (const std::int64_t width : {1, 37, 1009, 50000}) {
    for (const std::int64_t taps : {2, 129, 2003}) {
      const Image signal = noise({.width = width}, Pixel::f32);
      check_job(signal, random_filter({.width = taps}), {}, 1);
      check_job(signal, random_filter({.width = taps}), {.border = Border::wrap(), .extent = Extent::full}, 1);
    }
  }
  check_job(noise({.batch = 3, .width = 3001, .channels = 2}, Pixel::f64), random_filter({.width = 500}), {}, 1);
}

TEST(CpuFft, OfVolumesIsWithinTheBound) {
  const Image volume = noise({.depth = 37, .height = 41, .width = 53}, Pixel::f32);
  for (const FilterSize size : {FilterSize{.depth = 9, .height = 9, .width = 9}, FilterSize{.depth = 13, .height = 1, .width = 1},
                                FilterSize{.depth = 5, .height = 1, .width = 7}, FilterSize{.depth = 5, .height = 6, .width = 1}}) {
    check_job(volume, random_filter(size), {.border = Border::reflect()}, 1);
    check_job(volume, random_filter(size), {.border = Border::replicate(), .extent = Extent::full}, 1);
  }
}

TEST(CpuFft, TakesFiltersLargerThanTheImage) {
  check_job(noise({.height = 7, .width = 11}, Pixel::f32), random_filter({.height = 40, .width = 61}), {.border = Border::wrap()}, 1);
  check_job(noise({.depth = 2, .height = 3, .width = 5}, Pixel::f32), random_filter({.depth = 9, .height = 11, .width = 13}),
            {.border = Border::reflect101(), .extent = Extent::full}, 1);
}

TEST(CpuFft, TakesAllPixelsAndChannels) {
  for (const Pixel pixel : native_pixels) {
    for (const Pixel output : native_pixels) {
      const Image in = noise({.batch = 2, .height = 60, .width = 71, .channels = 3}, pixel);
      check_job(in, random_filter({.height = 15, .width = 13}), {.output = output, .scale = 0.25, .offset = 3},
                is_float(pixel) ? 1 : largest(pixel) + 1);
    }
  }
}

TEST(CpuFft, GivesWholeSumsOfWholeWeightsToTheBit) {
  Numbers numbers(5);
  std::vector<double> weights(std::size_t{31} * 31);
  for (double& weight : weights) weight = std::floor(numbers.next() * 7) - 3;
  const Filter filter = Filter::dense({.height = 31, .width = 31}, weights);
  for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
    const Image in = noise({.height = 300, .width = 200}, Pixel::u8);
    const Options options{.output = Pixel::i16, .rounding = rounding, .method = Method::fft};
    EXPECT_EQ(Plan({.shape = in.shape(), .pixel = Pixel::u8, .filters = {filter}, .options = options}).error_bound(255), 0);
    Options direct = options;
    direct.method = Method::direct;
    EXPECT_EQ(values_of(convolve(in, filter, options)), values_of(convolve(in, filter, direct)));
  }
}

TEST(CpuFft, PutsAnImpulseAndAConstantWhereTheyBelong) {
  const Filter filter = random_filter({.height = 33, .width = 29});
  Image impulse({.height = 200, .width = 300}, Pixel::f32);
  std::memset(impulse.view().data, 0, std::size_t{200} * 300 * sizeof(float));
  reinterpret_cast<float*>(impulse.view().data)[100 * 300 + 150] = 1;
  check_job(impulse, filter, {}, 1);
  Image constant({.height = 200, .width = 300}, Pixel::f32);
  std::fill_n(reinterpret_cast<float*>(constant.view().data), 200 * 300, 3.0F);
  check_job(constant, filter, {}, 3);
}

TEST(CpuFft, HoldsTheBoundOverAHugeRangeAndNearTheEnds) {
  const Filter filter = random_filter({.height = 23, .width = 23});
  Image in = noise({.height = 90, .width = 100}, Pixel::f32);
  auto* values = reinterpret_cast<float*>(in.view().data);
  for (int i = 0; i < 90 * 100; ++i) values[i] *= i % 97 == 0 ? 1e30F : 1e-30F;
  check_job(in, filter, {}, 1e30);
  for (const float size : {1e-36F, 1e-30F, 1e-44F, 1e36F}) {
    Image far = noise({.height = 90, .width = 100}, Pixel::f32);
    for (int i = 0; i < 90 * 100; ++i) reinterpret_cast<float*>(far.view().data)[i] *= size;
    check_job(far, filter, {}, size);
  }
  // Weights far from 1, back to it by the pixels.
  std::vector<double> large(filter.weights());
  for (double& w : large) w *= 1e30;
  Image small = noise({.height = 90, .width = 100}, Pixel::f32);
  for (int i = 0; i < 90 * 100; ++i) reinterpret_cast<float*>(small.view().data)[i] *= 1e-30F;
  check_job(small, Filter::dense({.height = 23, .width = 23}, large), {}, 1e-30);
}

TEST(CpuFft, BoundsWhatVanishesBeforeItIsScaled) {
  std::vector<double> weights = random_filter({.height = 9, .width = 12}).weights();
  for (double& weight : weights) weight /= 10;
  const Filter filter = Filter::dense({.height = 9, .width = 12}, weights);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Image in({.height = 40, .width = 30}, Pixel::f64);
    Numbers numbers(seed);
    auto* const values = reinterpret_cast<double*>(in.view().data);
    double most = 0;
    for (int i = 0; i < 40 * 30; ++i) most = std::max(most, std::fabs(values[i] = std::ldexp(numbers.next() - 0.5, -1000 - static_cast<int>(40 * numbers.next()))));
    const Plan plan({.shape = in.shape(), .pixel = Pixel::f64, .filters = {filter}, .options = {.scale = 100, .method = Method::fft}});
    Image out(in.shape(), Pixel::f64);
    plan.run(in, out.view());
    // Beside sums in long double, which hold smaller numbers.
    const auto* const got = reinterpret_cast<const double*>(out.view().data);
    for (std::int64_t y = 10; y < 30; ++y) {
      for (std::int64_t x = 12; x < 18; ++x) {
        long double sum = 0;
        for (std::int64_t ky = 0; ky < 9; ++ky) {
          for (std::int64_t kx = 0; kx < 12; ++kx)
            sum += static_cast<long double>(weights[static_cast<std::size_t>(ky * 12 + kx)]) * values[(y - ky + 4) * 30 + x - kx + 6];
        }
        ASSERT_LE(std::fabs(static_cast<double>(got[y * 30 + x] - 100 * sum)), plan.error_bound(most)) << seed << " " << y << " " << x;
      }
    }
  }
}

TEST(CpuFft, LetsNanAndInfinityReachTheBoxAndNoFurther) {
  for (const bool one_sign : {false, true}) {
    std::vector<double> weights(std::size_t{19} * 16, 0.25);
    if (!one_sign) {
      Numbers numbers(9);
      for (double& w : weights) w = std::floor(numbers.next() * 3) - 1;
    }
    const Filter filter = Filter::dense({.height = 19, .width = 16}, weights);
    for (const double value : {nan, infinity, -infinity}) {
      Image in = noise({.height = 300, .width = 310}, Pixel::f32);
      auto* values = reinterpret_cast<float*>(in.view().data);
      for (const int at : {0, 7 * 310 + 309, 100 * 310 + 130, 103 * 310 + 128, 299 * 310 + 5}) values[at] = static_cast<float>(value);
      check_job(in, filter, {.border = Border::reflect()}, 1);
      values[104 * 310 + 140] = static_cast<float>(-infinity);
      check_job(in, filter, {.border = Border::constant(0), .extent = Extent::full}, 1);
    }
    check_job(noise({.height = 50, .width = 60}, Pixel::f32), filter, {.border = Border::constant(infinity)}, 1);
    check_job(noise({.height = 50, .width = 60}, Pixel::u8), filter, {.border = Border::constant(nan), .output = Pixel::f32}, 255);
  }
  Image signal = noise({.width = 20000}, Pixel::f64);
  for (const int at : {3, 9000, 9001, 19999}) reinterpret_cast<double*>(signal.view().data)[at] = at == 9000 ? infinity : nan;
  check_job(signal, random_filter({.width = 301}), {}, 1);
  Image volume = noise({.depth = 20, .height = 21, .width = 22}, Pixel::f32);
  for (const int at : {0, 5000, 5003, 9239}) reinterpret_cast<float*>(volume.view().data)[at] = static_cast<float>(at == 5000 ? -infinity : nan);
  check_job(volume, random_filter({.depth = 5, .height = 6, .width = 7}), {}, 1);
}

TEST(CpuFft, FiltersSeveralTimesFromOneTransform) {
  const Image in = noise({.height = 150, .width = 170, .channels = 2}, Pixel::f32);
  const std::vector<Filter> filters{random_filter({.height = 31, .width = 21}), random_filter({.height = 5, .width = 40}, 3)};
  for (const Combine combine : {Combine::none, Combine::magnitude}) {
    std::vector<std::vector<double>> found;
    double bound = 0;
    for (const Method method : {Method::fft, Method::direct}) {
      const Plan plan({.shape = in.shape(), .pixel = Pixel::f32, .filters = filters, .combine = combine, .options = {.method = method}});
      EXPECT_THAT(plan.methods(), Each(method));
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

TEST(CpuFft, GivesTheSameBitsByAnyNumberOfThreads) {
  const Image in = noise({.height = 700, .width = 500}, Pixel::f32);
  const Filter filter = random_filter({.height = 45, .width = 45});
  const std::vector<double> one = values_of(convolve(in, filter, {.method = Method::fft, .threads = 1}));
  EXPECT_EQ(values_of(convolve(in, filter, {.method = Method::fft, .threads = 5})), one);
}

TEST(CpuFft, SharesATileThatIsAlone) {
  Image signal = noise({.width = 70000}, Pixel::f32);
  reinterpret_cast<float*>(signal.view().data)[33333] = static_cast<float>(nan);
  Image volume = noise({.depth = 40, .height = 30, .width = 50}, Pixel::f64);
  const Filter long_one = random_filter({.width = 60000});
  const Filter thick = random_filter({.depth = 35, .height = 29, .width = 40});
  for (const auto& [in, filter] : {std::pair{&signal, &long_one}, std::pair{&volume, &thick}}) {
    check_job(*in, *filter, {.threads = 3}, 1);
    const Options options{.extent = Extent::full, .method = Method::fft};
    std::vector<std::vector<double>> found;
    for (const int threads : {1, 3}) {
      Options by = options;
      by.threads = threads;
      found.push_back(values_of(convolve(*in, *filter, by)));
      std::replace_if(found.back().begin(), found.back().end(), [](double value) { return std::isnan(value); }, -1000.0);
    }
    EXPECT_EQ(found[0], found[1]);
  }
}

TEST(CpuFft, TakesNoMoreMemoryThanSaid) {
  // docs/measured/cpu.md: scratch and constants of two threads, weights among them, in images of the mean of input and output.
  struct Case {
    Shape shape;
    FilterSize size;
    double most_images;
    Pixel pixel = Pixel::f32;
  };
  std::vector<Case> cases;
  const auto square = [](std::int64_t n) { return FilterSize{.height = n, .width = n}; };
  for (const std::int64_t n : {500, 1000, 1500, 2048, 4096}) {
    for (const std::int64_t k : {std::int64_t{15}, std::int64_t{31}, std::int64_t{32}, std::int64_t{63}, std::int64_t{127}, n / 4 - 1, n / 4}) {
      if (k <= n / 4) cases.push_back({{.height = n, .width = n}, square(k), 1});
      if (k <= n / 8) cases.push_back({{.height = n, .width = n}, square(k), 1, Pixel::u8});
    }
  }
  for (const std::int64_t k : {31, 100, 255}) {
    cases.push_back({{.height = 1080, .width = 1920}, square(k), 1});
    cases.push_back({{.height = 1024, .width = 8191}, square(k), 1});
    cases.push_back({{.height = 1080, .width = 1920, .channels = 3}, square(k), 1, Pixel::u8});
    cases.push_back({{.batch = 4, .height = 1024, .width = 1024}, square(k), 1});
    cases.push_back({{.height = 1501, .width = 1999}, square(k), 1, Pixel::f64});
    cases.push_back({{.height = 3000, .width = 2000}, {.height = k, .width = 1}, 1});
    cases.push_back({{.height = 2000, .width = 3000}, {.height = 1, .width = k}, 1});
  }
  for (const std::int64_t n : {500, 1000, 2048}) cases.push_back({{.height = n, .width = 2 * n}, square(n / 2), 4});
  for (const std::int64_t n : {64, 100, 128, 192}) {
    for (const std::int64_t k : {std::int64_t{7}, std::int64_t{9}, std::int64_t{15}, n / 4}) cases.push_back({{.depth = n, .height = n, .width = n}, {k, k, k}, 4});
  }
  for (const std::int64_t n : {100'000, 1'000'000, 4'000'000}) {
    for (const std::int64_t k : {std::int64_t{100}, std::int64_t{1001}, n / 10}) cases.push_back({{.width = n}, {.width = k}, 2});
    if (n < 4'000'000) cases.push_back({{.width = n}, {.width = n - 1}, 11});
  }
  constexpr double always = 6 << 20;
  for (const Case& each : cases) {
    std::vector<double> weights(static_cast<std::size_t>(each.size.taps()));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = (static_cast<double>(i * 31 % 17) - 7.5) / static_cast<double>(weights.size());
    const Plan plan({.shape = each.shape,
                     .pixel = each.pixel,
                     .filters = {Filter::dense(each.size, weights)},
                     .options = {.method = Method::fft, .threads = 2}});
    const double bytes = static_cast<double>(plan.workspace_bytes() + plan.constant_bytes());
    const double image = static_cast<double>(bytes_of(each.pixel)) * static_cast<double>(each.shape.elements());
    EXPECT_LE(bytes, std::max(always, each.most_images * image))
        << to_string(each.shape) << " " << name_of(each.pixel) << " under " << each.size.depth << "x" << each.size.height << "x" << each.size.width
        << ": " << bytes / image << "\n" << plan.explain();
  }
}

TEST(CpuFft, IsNotChosenWhereFractionsAreCutOff) {
  PlanSpec spec{.shape = {.height = 600, .width = 600}, .pixel = Pixel::u8, .filters = {random_filter({.height = 63, .width = 63})}};
  EXPECT_THAT(Plan(spec).methods(), ElementsAre(Method::fft));
  spec.options.rounding = Rounding::truncate;
  EXPECT_THAT(Plan(spec).methods(), ElementsAre(Method::direct));
  std::vector<double> whole(std::size_t{63} * 63, 1.0);
  whole[5] = 0;
  spec.options.sum = Sum::f64;
  spec.filters = {Filter::dense({.height = 63, .width = 63}, whole)};
  EXPECT_THAT(Plan(spec).methods(), ElementsAre(Method::fft));
}

TEST(CpuFft, IsChosenForLargeFiltersAndNotForSmallOnes) {
  const auto method_for = [](std::int64_t taps, Pixel pixel) {
    return Plan({.shape = {.height = 2000, .width = 2000}, .pixel = pixel, .filters = {random_filter({.height = taps, .width = taps})}})
        .methods()
        .front();
  };
  EXPECT_EQ(method_for(3, Pixel::f32), Method::direct);
  EXPECT_EQ(method_for(63, Pixel::f32), Method::fft);
  EXPECT_EQ(method_for(255, Pixel::f32), Method::fft);
  EXPECT_EQ(method_for(63, Pixel::u8), Method::fft);
}

TEST(CpuFft, IsChosenInF64WhereF32CouldShow) {
  // Whole numbers: direct sums in f32 are exact, transforms in f32 off by a level at worst.
  Numbers numbers(3);
  std::vector<double> whole(std::size_t{18} * 18 * 18);
  for (double& weight : whole) weight = std::floor(9 * numbers.next()) - 4;
  PlanSpec spec{.shape = {.depth = 27, .height = 32, .width = 16, .channels = 3},
                .pixel = Pixel::u8,
                .filters = {Filter::dense({.depth = 18, .height = 18, .width = 18}, whole)}};
  spec.options.output = Pixel::i16;
  const Plan plan(spec);
  EXPECT_THAT(plan.methods(), ElementsAre(Method::fft));
  EXPECT_THAT(plan.explain(), HasSubstr("sums in f64"));
  const Image in = noise(spec.shape, Pixel::u8);
  Image out(plan.output_shape(), plan.output_pixel());
  plan.run(in, out.view());
  Options direct = spec.options;
  direct.method = Method::direct;
  EXPECT_EQ(values_of(out), values_of(convolve(in, spec.filters.front(), direct)));
  // Few sums are not worth it.
  spec.shape = {.height = 16, .width = 16};
  spec.filters = {Filter::dense({.height = 18, .width = 18}, std::vector<double>(whole.begin(), whole.begin() + std::ptrdiff_t{18} * 18))};
  EXPECT_THAT(Plan(spec).methods(), ElementsAre(Method::direct));
}

TEST(CpuFft, IsRefusedWhereLevelsCouldBeMissed) {
  const Filter steep = Filter::dense({.height = 32, .width = 32}, std::vector<double>(1024, 1e12));
  PlanSpec spec{.shape = {.height = 2000, .width = 2000}, .pixel = Pixel::u16, .filters = {steep}, .options = {.method = Method::fft}};
  EXPECT_THAT(message_of([&] { Plan{spec}; }),
              testing::MatchesRegex("method fft: u16 outputs of filter 'custom' could be [0-9.e+]+ levels off in f64, at most 0.5 is allowed; "
                                    "use automatic or direct"));
  spec.options.method = Method::automatic;
  EXPECT_THAT(Plan(spec).methods(), Each(testing::Ne(Method::fft)));
  spec.filters = {random_filter({.height = 100, .width = 100})};  // f32 could miss a level, f64 cannot
  spec.options.method = Method::fft;
  EXPECT_THAT(Plan(spec).explain(), HasSubstr("sums in f64"));
}

}  // namespace
}  // namespace halation
