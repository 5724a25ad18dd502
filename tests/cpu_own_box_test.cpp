// cpu_own_box_test.cpp: transforms on the CPU, each output beside what lies under its own filter, whatever lies elsewhere in the tile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/convert.h"
#include "core/own_box.h"
#include "halation/halation.h"
#include "numbers.h"

namespace halation {
namespace {

using testing::Each;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> values_of(const Image& image) {
  const Shape& n = image.shape();
  std::vector<double> values;
  const ConstView from = image.view();
  for (std::int64_t b = 0; b < n.batch; ++b) {
    for (std::int64_t c = 0; c < n.channels; ++c) {
      for (std::int64_t z = 0; z < n.depth; ++z) {
        for (std::int64_t y = 0; y < n.height; ++y) {
          for (std::int64_t x = 0; x < n.width; ++x) {
            const Strides& s = from.strides;
            const std::byte* at = from.data + b * s.batch + z * s.depth + y * s.height + x * s.width + c * s.channels;
            values.push_back(visit_pixel(image.pixel(), [&](auto like) { return static_cast<double>(*reinterpret_cast<const decltype(like)*>(at)); }));
          }
        }
      }
    }
  }
  return values;
}

/// In the order of `values_of`.
Image image_of(const Shape& n, Pixel pixel, const std::vector<double>& values, Layout layout = Layout::interleaved) {
  Image image(n, pixel, layout);
  const View to = image.view();
  auto value = values.begin();
  for (std::int64_t b = 0; b < n.batch; ++b) {
    for (std::int64_t c = 0; c < n.channels; ++c) {
      for (std::int64_t z = 0; z < n.depth; ++z) {
        for (std::int64_t y = 0; y < n.height; ++y) {
          for (std::int64_t x = 0; x < n.width; ++x) {
            const Strides& s = to.strides;
            std::byte* at = to.data + b * s.batch + z * s.depth + y * s.height + x * s.width + c * s.channels;
            visit_pixel(pixel, [&](auto like) { *reinterpret_cast<decltype(like)*>(at) = to_element<decltype(like)>(*value++, Rounding::half_even); });
          }
        }
      }
    }
  }
  return image;
}

std::size_t elements(const Shape& shape) { return static_cast<std::size_t>(shape.elements()); }

Filter random_filter(const FilterSize& size, Numbers& numbers, double low = 0) {
  std::vector<double> weights(static_cast<std::size_t>(size.taps()));
  for (double& w : weights) w = low + (1 - low) * numbers.next();
  double sum = 0;
  for (const double w : weights) sum += std::fabs(w);
  for (double& w : weights) w /= sum;
  return Filter::dense(size, weights);
}

/// What outputs are off by, over u · log2(samples of a tile) · ‖w‖₂ · ‖x‖₂ under the filter.
double samples_of_tile(const std::string& explained) {
  const std::string before = "transforms of tiles of ";
  std::size_t at = explained.find(before) + before.size();
  double product = 1;
  for (;; ++at) {
    std::size_t digits = 0;
    product *= std::stod(explained.substr(at, 12), &digits);
    at += digits;
    if (explained[at] != 'x') return product;
  }
}

struct Worst {
  double share_of_bound = 0;
  double factor = 0;  ///< of u · log2 N · ‖w‖₂ · B
};

/// Runs a job by transforms on the CPU beside the reference in f64: NaN and infinities in the same places, all else within the bound for
/// what lies under the filter; 0 where that is 0; of no other sign than it can be.
Worst check(const Image& in, const std::vector<Filter>& filters, Options options, Combine combine = Combine::none, Layout layout = Layout::interleaved) {
  options.method = Method::fft;
  if (!options.output && !is_float(in.pixel())) options.output = Pixel::f32;
  const PlanSpec spec{.shape = in.shape(), .pixel = in.pixel(), .filters = filters, .combine = combine, .options = options, .layout = layout};
  const Plan plan(spec);
  EXPECT_THAT(plan.methods(), Each(Method::fft));
  const auto run = [](const Plan& by, const Image& image, Layout of_output) {
    std::vector<Image> outs;
    std::vector<View> views;
    for (std::size_t i = 0; i < by.outputs(); ++i) outs.emplace_back(by.output_shape(), by.output_pixel(), of_output);
    std::transform(outs.begin(), outs.end(), std::back_inserter(views), [](Image& out) { return out.view(); });
    by.run(image, views);
    std::vector<std::vector<double>> values;
    std::transform(outs.begin(), outs.end(), std::back_inserter(values), values_of);
    return values;
  };
  PlanSpec exact = spec;
  exact.device = reference();
  exact.options.method = Method::automatic;
  exact.options.output = Pixel::f64;
  const std::vector<std::vector<double>> right = run(Plan(exact), in, Layout::interleaved);
  const std::vector<std::vector<double>> found = run(plan, in, layout);

  // What lies under each filter: its squares, and its least and largest value, which are found as sums of squares of parts as well.
  const std::vector<double> samples = values_of(in);
  const auto under = [&](const auto& of_sample) {
    std::vector<double> squares;
    std::transform(samples.begin(), samples.end(), std::back_inserter(squares),
                   [&](double x) { return std::isfinite(x) ? std::pow(of_sample(x), 2) : 0; });
    PlanSpec sums = exact;
    sums.pixel = Pixel::f64;
    sums.combine = Combine::none;
    sums.options.scale = 1;
    sums.options.offset = 0;
    for (Border* border : {&sums.options.border.z, &sums.options.border.y, &sums.options.border.x})
      border->value = std::isfinite(border->value) ? std::pow(of_sample(border->value), 2) : 0;
    for (Filter& filter : sums.filters) filter = Filter::dense(filter.size(), std::vector<double>(static_cast<std::size_t>(filter.size().taps()), 1.0));
    return run(Plan(sums), image_of(in.shape(), Pixel::f64, squares), Layout::interleaved);
  };
  std::vector<std::vector<double>> squares = under([](double x) { return x; });
  if (combine == Combine::magnitude) {
    for (std::size_t f = 1; f < squares.size(); ++f) {
      for (std::size_t i = 0; i < squares[0].size(); ++i) squares[0][i] = std::max(squares[0][i], squares[f][i]);
    }
  }
  const bool none_negative = std::all_of(samples.begin(), samples.end(), [](double x) { return !(x < 0); }) &&
                             std::min({options.border.z.value, options.border.y.value, options.border.x.value}) >= 0;
  const bool sums_in_f64 = plan.explain().find("sums in f64") != std::string::npos;
  const double u = sums_in_f64 ? 0x1p-53 : 0x1p-24;
  const double logarithm = std::log2(samples_of_tile(plan.explain()));
  Worst worst;
  for (std::size_t f = 0; f < found.size(); ++f) {
    const std::vector<double> weights = filters[f].weights();
    const double norm = std::sqrt(std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0));
    const bool may_be_negative = !none_negative || std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0; });
    for (std::size_t i = 0; i < found[f].size(); ++i) {
      const double got = found[f][i], sum = right[f][i], under_filter = std::sqrt(squares[f][i]);
      const auto where = [&] { return "output " + std::to_string(i) + " of filter " + std::to_string(f) + " is " + std::to_string(got) + ", right is " + std::to_string(sum) + ", under it " + std::to_string(under_filter) + "\n" + plan.explain(); };
      if (!std::isfinite(sum)) {
        EXPECT_TRUE(got == sum || (std::isnan(got) && std::isnan(sum))) << where();
        if (testing::Test::HasFailure()) return worst;
        continue;
      }
      const double rounded = plan.output_pixel() == Pixel::f16 ? std::fabs(sum) * 0x1p-11 + 0x1p-25 : plan.output_pixel() == Pixel::f32 ? std::fabs(sum) * 0x1p-24 : 0;
      const double error = std::fabs(got - sum);
      const double bound = plan.error_bound(own_box_factor * under_filter) + 2 * rounded;
      EXPECT_LE(error, bound) << where();
      if (under_filter == 0) {
        EXPECT_EQ(got, options.offset) << where();
      }
      if (!may_be_negative) {
        EXPECT_GE(got, options.offset) << where();
      }
      if (testing::Test::HasFailure()) return worst;
      if (under_filter == 0) continue;
      worst.share_of_bound = std::max(worst.share_of_bound, error / bound);
      // What f32 and f16 round of the output is no matter of transforms, nor what is too small for them.
      const double least = sums_in_f64 ? 0x1p-1000 : 0x1p-120;
      if (under_filter * norm > least) worst.factor = std::max(worst.factor, (error - 2 * rounded) / std::fabs(options.scale) / (u * logarithm * norm * under_filter));
    }
  }
  return worst;
}

TEST(CpuOwnBox, OneOutlierReachesItsBoxAndNoFurther) {
  Numbers numbers(1);
  std::vector<double> ones(std::size_t{300} * 300, 1.0);
  ones[10 * 300 + 10] = -3.4e38;
  const Image in = image_of({.height = 300, .width = 300}, Pixel::f32, ones);
  const Filter filter = random_filter({.height = 31, .width = 31}, numbers);
  const std::vector<double> found = values_of(convolve(in, filter, {.method = Method::fft}));
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += std::max(i / 300, i % 300) > 25 && std::fabs(found[i] - 1) > 1e-5 ? 1 : 0;
  EXPECT_NEAR(found[100 * 300 + 100], 1, 1e-6);
  EXPECT_EQ(wrong, 0);
  check(in, {filter}, {});
  std::fill(ones.begin(), ones.end(), 1.0);
  ones[150 * 300 + 170] = 1e30;
  check(image_of({.height = 300, .width = 300}, Pixel::f32, ones), {filter}, {.border = Border::constant(0)});
}

TEST(CpuOwnBox, AMaskIsZeroWhereTheFilterSeesNone) {
  std::vector<double> weights;
  for (int y = -6; y <= 6; ++y) {
    for (int x = -6; x <= 6; ++x) weights.push_back(x * x + y * y <= 36 ? 1.0 / 113 : 0);
  }
  std::vector<double> mask(std::size_t{300} * 300, 0.0);
  mask[140 * 300 + 133] = 1;
  const Filter disk = Filter::dense({.height = 13, .width = 13}, weights);
  for (const Pixel pixel : {Pixel::f16, Pixel::f32, Pixel::f64, Pixel::u8, Pixel::u16}) {
    const Image in = image_of({.height = 300, .width = 300}, pixel, mask);
    const Options options{.output = pixel == Pixel::f64 ? Pixel::f64 : Pixel::f32, .method = Method::fft};
    const std::vector<double> found = values_of(convolve(in, disk, options));
    EXPECT_EQ(std::count_if(found.begin(), found.end(), [](double x) { return x > 1e-6; }), 113) << name_of(pixel);
    EXPECT_EQ(*std::min_element(found.begin(), found.end()), 0) << name_of(pixel);
    check(in, {disk}, options);
  }
}

enum class Values { noise, outlier, sparse, one, nothing, lognormal, dark_half, stars, nodata, steps, tiny, huge };
constexpr int all_values = 12;

std::vector<double> values_like(Values kind, const Shape& shape, Pixel pixel, Numbers& numbers) {
  std::vector<double> values(elements(shape));
  const double most = pixel == Pixel::f16 ? 1e4 : pixel == Pixel::f32 ? 2.3e38 : pixel == Pixel::f64 ? 1e140 : largest(pixel);
  const double least = pixel == Pixel::f16 ? 1e-4 : pixel == Pixel::f32 ? 1e-30 : pixel == Pixel::f64 ? 1e-130 : 1;
  const bool whole = !is_float(pixel);
  const auto normal = [&] { return std::sqrt(-2 * std::log(1 - numbers.next())) * std::cos(6.283185307 * numbers.next()); };
  const std::size_t n = values.size();
  const auto width = static_cast<std::size_t>(shape.width);
  for (double& x : values) x = numbers.next() * (whole ? most : 1);
  const std::size_t middle = numbers.below(n);
  for (std::size_t i = 0; i < n; ++i) {
    double& x = values[i];
    switch (kind) {
      case Values::noise: break;
      case Values::outlier: if (i == middle) x = numbers.next() < 0.5 || whole ? most : -most; else x = whole ? std::floor(3 * numbers.next()) : x; break;
      case Values::sparse: x = numbers.next() < 0.002 ? x : 0; break;
      case Values::one: x = i == middle ? 1 : 0; break;
      case Values::nothing: x = 0; break;
      case Values::lognormal: x = std::min(most, std::exp(4 * normal())); break;
      case Values::dark_half: x *= i % width < width / 2 ? (whole ? 2 / most : 1e-3) : 1; break;
      case Values::stars: x = numbers.next() < 0.002 ? std::min(most, std::exp(8 + 3 * normal())) : x * 1e-3; break;
      case Values::nodata: x = (i / width / 20 + i % width / 30) % 4 == 0 ? (whole ? most : -most) : whole ? std::floor(2 * numbers.next()) : x; break;
      case Values::steps: x = std::min(most, std::exp(static_cast<double>(i % width) * std::min(0.5, std::log(most) / static_cast<double>(width)))); break;
      case Values::tiny: x *= least; break;
      case Values::huge: x *= most; break;
    }
  }
  return values;
}

FilterSize size_for(const Shape& shape, Numbers& numbers) {
  const auto of = [&](std::int64_t n, std::int64_t most) { return n == 1 ? 1 : static_cast<std::int64_t>(1 + numbers.below(static_cast<std::size_t>(most))); };
  const bool volume = shape.depth > 1;
  const bool signal = shape.height == 1;
  return {.depth = of(shape.depth, 9), .height = of(shape.height, volume ? 9 : 24), .width = of(shape.width, volume ? 9 : signal ? 300 : 24)};
}

/// Weights of either sign, of one, with zeros; bells, whose ends are nearly 0.
Filter any_filter(const Shape& shape, Numbers& numbers) {
  const FilterSize size = size_for(shape, numbers);
  switch (numbers.below(4)) {
    case 0: return random_filter(size, numbers, -1);
    case 1: return random_filter(size, numbers, 0.1);
    case 2: {
      std::vector<double> weights(random_filter(size, numbers).weights());
      for (double& w : weights) w *= numbers.next() < 0.3 ? 0 : 1;
      return Filter::dense(size, weights);
    }
    default: {
      std::vector<double> weights;
      const auto bell = [](std::int64_t i, std::int64_t n) { return std::exp(-18 * std::pow((static_cast<double>(i) + 0.5) / static_cast<double>(n) - 0.5, 2)); };
      for (std::int64_t z = 0; z < size.depth; ++z) {
        for (std::int64_t y = 0; y < size.height; ++y) {
          for (std::int64_t x = 0; x < size.width; ++x) weights.push_back(bell(z, size.depth) * bell(y, size.height) * bell(x, size.width) / static_cast<double>(size.taps()));
        }
      }
      return Filter::dense(size, weights);
    }
  }
}

Border any_border(Numbers& numbers) {
  const Border all[] = {Border::constant(0), Border::constant(0.5), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap()};
  return all[numbers.below(6)];
}

/// A job of any kind; returns what it was off by.
Worst check_any(Numbers& numbers, bool with_infinities) {
  const Shape shapes[] = {{.height = 90, .width = 110}, {.height = 200, .width = 40}, {.width = 3000}, {.height = 300, .width = 1}, {.depth = 14, .height = 20, .width = 24},
                          {.depth = 40, .height = 1, .width = 30}, {.depth = 60, .height = 2, .width = 3}, {.batch = 2, .height = 30, .width = 40, .channels = 3}, {.height = 2, .width = 900}};
  const Pixel pixels[] = {Pixel::f32, Pixel::f32, Pixel::f64, Pixel::f16, Pixel::u8, Pixel::u16};
  const Shape shape = shapes[numbers.below(std::size(shapes))];
  const Pixel pixel = pixels[numbers.below(std::size(pixels))];
  const auto kind = static_cast<Values>(numbers.below(all_values));
  std::vector<double> values = values_like(kind, shape, pixel, numbers);
  if (with_infinities && is_float(pixel)) {
    const double density = std::pow(10.0, -4 * numbers.next());
    const std::vector<double> some = numbers.next() < 0.3 ? std::vector<double>{nan, infinity, -infinity} : numbers.next() < 0.5 ? std::vector<double>{infinity} : std::vector<double>{infinity, -infinity};
    const bool patches = numbers.next() < 0.5;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (patches ? (i / 50) % 23 == 0 : numbers.next() < density) values[i] = some[numbers.below(some.size())];
    }
  }
  Options options{.border = {.z = any_border(numbers), .y = any_border(numbers), .x = any_border(numbers)},
                  .extent = std::array{Extent::same, Extent::valid, Extent::full}[numbers.below(3)],
                  .threads = 1 + static_cast<int>(numbers.below(2))};
  if (numbers.below(4) == 0) options.scale = 0.25;
  const std::size_t count = 1 + numbers.below(2);
  std::vector<Filter> filters{any_filter(shape, numbers)};
  while (filters.size() < count) filters.push_back(options.extent == Extent::same ? any_filter(shape, numbers) : random_filter(filters[0].size(), numbers, -1));
  if (options.extent == Extent::valid) {
    const FilterSize size = filters[0].size();
    if (size.depth > shape.depth || size.height > shape.height || size.width > shape.width) options.extent = Extent::same;
  }
  const Combine combine = numbers.below(4) == 0 ? Combine::magnitude : Combine::none;
  const Layout layout = numbers.below(2) == 0 ? Layout::interleaved : Layout::planar;
  return check(image_of(shape, pixel, values, layout), filters, options, combine, layout);
}

RC_GTEST_PROP(CpuOwnBox, ErrorsKeepToWhatLiesUnderTheFilter, ()) {
  Numbers numbers(*rc::gen::arbitrary<std::uint64_t>());
  check_any(numbers, false);
  RC_ASSERT(!testing::Test::HasFailure());
}

RC_GTEST_PROP(CpuOwnBox, InfinitiesAreWhatSumsByTapsMakeOfThem, ()) {
  Numbers numbers(*rc::gen::arbitrary<std::uint64_t>());
  check_any(numbers, true);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(CpuOwnBox, RoundsAreTheSameByAnyNumberOfThreads) {
  Numbers numbers(3);
  const auto same = [&](const Shape& shape, const FilterSize& size, Values kind) {
    const Image in = image_of(shape, Pixel::f32, values_like(kind, shape, Pixel::f32, numbers));
    const Filter filter = random_filter(size, numbers, -1);
    const std::vector<double> one = values_of(convolve(in, filter, {.method = Method::fft, .threads = 1}));
    for (const int threads : {2, 5}) EXPECT_EQ(values_of(convolve(in, filter, {.method = Method::fft, .threads = threads})), one) << to_string(shape);
  };
  for (const Values kind : {Values::stars, Values::lognormal, Values::nodata, Values::steps}) {
    same({.height = 500, .width = 300}, {.height = 25, .width = 31}, kind);
    same({.width = 70000}, {.width = 4001}, kind);  // one tile for all threads
    same({.depth = 40, .height = 50, .width = 60}, {.depth = 31, .height = 27, .width = 29}, kind);
  }
}

TEST(CpuOwnBox, OneTileForAllThreadsIsSummedByTapsWhereLittleIsLeft) {
  // The steps of a long signal take many rounds; the few outputs beside the middle of the other are left to taps.
  Numbers numbers(4);
  const Shape shape{.width = 60000};
  check(image_of(shape, Pixel::f64, values_like(Values::steps, shape, Pixel::f64, numbers)), {random_filter({.width = 1001}, numbers, -1)}, {.threads = 2});
  std::vector<double> few(60000, 1.0);
  std::fill_n(few.begin() + 20000, 1003, 1e-9);
  check(image_of(shape, Pixel::f32, few), {random_filter({.width = 1001}, numbers, -1)}, {.threads = 2});
  std::vector<double> line(std::size_t{300} * 200, 1.0);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = (i / 300 > 90 && i / 300 < 125 && i % 300 > 100 && i % 300 < 135) ? 1e-7 * numbers.next() : 1;
  check(image_of({.height = 200, .width = 300}, Pixel::f32, line), {random_filter({.height = 31, .width = 31}, numbers, -1)}, {});
}

TEST(CpuOwnBox, OutliersAreALayerOfTheirOwnWhereTheyAreFew) {
  // From one to more than are taken as such, alone and in patches, at the ends as well; over noise, zeros, and what is next to zero.
  Numbers numbers(6);
  struct Job {
    Shape shape;
    std::vector<FilterSize> sizes;
  };
  const std::vector<Job> jobs{{{.height = 150, .width = 170}, {{.height = 15, .width = 17}}},
                              {{.height = 90, .width = 300}, {{.width = 65}, {.height = 5, .width = 31}}},
                              {{.height = 260, .width = 20}, {{.height = 41, .width = 1}}},
                              {{.width = 5000}, {{.width = 301}, {.width = 40}, {.width = 1}}},
                              {{.depth = 20, .height = 24, .width = 30}, {{.depth = 7, .height = 5, .width = 9}}},
                              {{.height = 60, .width = 70, .channels = 3}, {{.height = 16, .width = 12}, {.height = 3, .width = 20}}}};
  for (const Job& job : jobs) {
    for (const Pixel pixel : {Pixel::f32, Pixel::f64, Pixel::u16}) {
      for (const double rest : {1.0, 0.0, 1e-25}) {
        for (const std::size_t side : {1, 9}) {
          for (const double share : {0.001, 0.02, 0.2}) {
            std::vector<double> values(elements(job.shape));
            for (double& x : values) x = rest * numbers.next() * (pixel == Pixel::u16 ? 3 : 1);
            const double value = rest == 0 ? 1 : pixel == Pixel::f32 ? -1e38 : pixel == Pixel::f64 ? 1e140 : 6e4;
            values.front() = value;
            values.back() = value;
            const auto width = static_cast<std::size_t>(job.shape.width);
            const double patches = std::ceil(share * static_cast<double>(values.size()) / static_cast<double>(side * side));
            for (std::int64_t left = std::llround(patches); left > 0; --left) {
              const std::size_t corner = numbers.below(values.size());
              for (std::size_t y = 0; y < side; ++y) {
                for (std::size_t x = corner + y * width; x < std::min(corner + y * width + side, values.size()); ++x) values[x] = value;
              }
            }
            std::vector<Filter> filters;
            for (const FilterSize& size : job.sizes) filters.push_back(random_filter(size, numbers, numbers.next() < 0.5 ? 0 : -1));
            const Combine combine = filters.size() > 1 && numbers.next() < 0.5 ? Combine::magnitude : Combine::none;
            check(image_of(job.shape, pixel, values), filters, {.border = any_border(numbers), .threads = 1 + static_cast<int>(numbers.below(2))}, combine);
            ASSERT_FALSE(HasFailure()) << to_string(job.shape) << " " << name_of(pixel) << " over " << rest << ", patches of " << side << ", share " << share;
          }
        }
      }
    }
  }
}

TEST(CpuOwnBox, PlansSayWhichBoundHolds) {
  PlanSpec spec{.shape = {.height = 300, .width = 300}, .pixel = Pixel::f32, .filters = {}, .options = {.method = Method::fft}};
  Numbers numbers(5);
  spec.filters = {random_filter({.height = 31, .width = 31}, numbers)};
  const auto own_box = testing::ContainsRegex("times the largest input, of each output at most [0-9.e-]+ times the root of the sum of squares under its filter\n");
  EXPECT_THAT(Plan(spec).explain(), own_box);
  spec.options.accuracy = Accuracy::fast;
  EXPECT_THAT(Plan(spec).explain(), testing::Not(own_box));
  spec.options.accuracy = Accuracy::exact;
  spec.options.method = Method::direct;
  EXPECT_THAT(Plan(spec).explain(), testing::Not(own_box));
  spec.options.method = Method::fft;
  spec.pixel = Pixel::u8;
  EXPECT_THAT(Plan(spec).explain(), testing::Not(own_box));
  spec.options.output = Pixel::f32;
  EXPECT_THAT(Plan(spec).explain(), own_box);
}

TEST(CpuOwnBox, ErrorsAreAFewRoundingsOfWhatLiesUnderTheFilter) {
  // The bound counts on the worst of all roundings. 5,000 jobs were off by 15 at most.
  Numbers numbers(12345);
  for (int i = 0; i < 200; ++i) {
    EXPECT_LE(check_any(numbers, false).factor, 30) << i;
  }
}

}  // namespace
}  // namespace halation
