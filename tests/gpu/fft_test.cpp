// fft_test.cpp: filters by transforms: borders, pixels, shapes, numbers that are not finite, huge or small.
//
// Right answers are direct sums on the CPU, in f64 where they need not be integers. Of pixels and weights
// that are integers transforms round sums to integers, and every pixel must be right to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

std::string taps_of(const FilterSize& size) { return std::to_string(size.height) + "x" + std::to_string(size.width); }

Options by_transforms(Options options) {
  options.method = Method::fft;
  return options;
}

/// How many jobs the families did.
struct Done {
  int tiles = 0, columns = 0, passes = 0;
};

/// Calls `use` with a plan by every family that takes the job, and its name.
template <class Use>
void for_each_plan(const PlanSpec& spec, Done& done, const Use& use) {
  const auto use_by = [&](std::string_view family) {
    const std::optional<Plan> plan = plan_by_or_none(family, spec);
    if (plan) use(*plan, family);
    return plan.has_value();
  };
  const bool by_tiles = use_by("fft tiles"), by_columns = use_by("fft columns"),
             by_passes = use_by("fft passes");
  EXPECT_TRUE(by_tiles || by_columns || by_passes);
  done.tiles += by_tiles;
  done.columns += by_columns;
  done.passes += by_passes;
}

void expect_same(const Image& image, const Filter& filter, const Options& options, const std::string& what,
                 Done& done) {
  Options direct = options;
  direct.method = Method::direct;
  const Image expected = convolve(image, filter, direct);
  for_each_plan(spec_on_gpu(image, filter, by_transforms(options)), done,
                [&](const Plan& plan, std::string_view family) {
                  EXPECT_TRUE(same_bits(expected, result_of(plan, image)))
                      << taps_of(filter.size()) << " taps, " << what << ", " << family;
                });
}

void expect_within_bound(const Image& image, const Filter& filter, Options options, double largest,
                         const std::string& what, Done& done) {
  options.output = image.pixel() == Pixel::f64 ? Pixel::f64 : Pixel::f32;
  const PlanSpec spec = spec_on_gpu(image, filter, by_transforms(options));
  options.output = Pixel::f64;
  options.sum = Sum::f64;
  options.method = filter.size().taps() < 20000 ? Method::direct : Method::fft;  // of f64: 10^-9 of the other's error
  const Image expected = convolve(image, filter, options);
  for_each_plan(spec, done, [&](const Plan& plan, std::string_view family) {
    const double bound = plan.error_bound(largest);
    EXPECT_TRUE(std::isfinite(bound)) << what;
    const Image found = result_of(plan, image);
    double worst = 0;
    for (std::int64_t i = 0; i < expected.shape().elements(); ++i) {
      const double right = reinterpret_cast<const double*>(expected.view().data)[i];
      const double here = found.pixel() == Pixel::f64
                              ? reinterpret_cast<const double*>(found.view().data)[i]
                              : static_cast<double>(reinterpret_cast<const float*>(found.view().data)[i]);
      const double off = std::fabs(right - here);
      worst = std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(worst, off);
    }
    EXPECT_LE(worst, bound) << what << ", " << family;
  });
}

Filter real_filter(const FilterSize& size, std::uint64_t seed) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size.taps(); ++i)
    weights.push_back(static_cast<double>(random_bits(seed << 32 ^ static_cast<std::uint64_t>(i)) >> 11) * 0x1p-52 - 1);
  return Filter::dense(size, std::move(weights));
}

/// Tiles of all sizes, their edges, filters of one row and column, even and odd, larger than the image.
const std::vector<FilterSize>& filter_sizes() {
  static const std::vector<FilterSize> sizes{
      {.height = 1, .width = 1},   {.height = 1, .width = 9},    {.height = 8, .width = 1},     {.height = 5, .width = 7},
      {.height = 16, .width = 15}, {.height = 31, .width = 31},  {.height = 57, .width = 24},   {.height = 24, .width = 58},
      {.height = 63, .width = 63}, {.height = 120, .width = 40}, {.height = 128, .width = 121}, {.height = 249, .width = 185},
  };
  return sizes;
}

TEST(Transforms, EveryBorderAndSizeOfWholeNumbers) {
  Done done;
  const Shape shapes[] = {{.height = 1, .width = 1},     {.height = 3, .width = 200},   {.height = 97, .width = 2},
                          {.height = 128, .width = 128}, {.height = 301, .width = 517}, {.height = 700, .width = 1023}};
  std::uint64_t seed = 0;
  for (const Shape& shape : shapes) {
    for (const FilterSize& size : filter_sizes()) {
      ++seed;
      const Pixel pixel = std::array{Pixel::u8, Pixel::u8, Pixel::i16}[seed % 3];
      const Image image = whole_image(shape, pixel, seed);
      const Options options{.border = Border{border_modes[seed % border_modes.size()], 9}, .output = Pixel::f32};
      expect_same(image, whole_filter(size, seed), options,
                  to_string(shape) + " " + std::string(name_of(pixel)), done);
    }
  }
  EXPECT_GE(done.tiles, 70);
  EXPECT_GE(done.columns, 5);
  EXPECT_GE(done.passes, 50);
}

TEST(Transforms, AlongRows) {
  Done done;
  const Shape shapes[] = {{.height = 1, .width = 1}, {.height = 1, .width = 20011}, {.height = 3, .width = 5000}, {.height = 2, .width = 8192, .channels = 3}};
  std::uint64_t seed = 0;
  for (const Shape& shape : shapes) {
    for (const std::int64_t width : {2, 256, 1001, 2041, 4097, 8185}) {
      ++seed;
      const FilterSize size{.height = 1, .width = width};
      const Options options{.border = Border{border_modes[seed % border_modes.size()], 3}, .output = Pixel::f32};
      expect_same(whole_image(shape, Pixel::u8, seed), whole_filter(size, seed), options, to_string(shape),
                  done);
      for (const Pixel pixel : {Pixel::f32, Pixel::i16, Pixel::f64}) {
        expect_within_bound(
            noise(shape, pixel, seed), real_filter(size, seed), {.border = options.border},
            pixel == Pixel::i16 ? 32768 : 1,
            to_string(shape) + " " + std::string(name_of(pixel)) + " " + std::to_string(width), done);
      }
    }
  }
  EXPECT_GE(done.tiles, 90);
  EXPECT_GE(done.passes, 45);
}

TEST(Transforms, EveryOutputExtentAndAnchor) {
  Done done;
  const Image image = whole_image({.height = 210, .width = 333}, Pixel::u8, 3);
  std::uint64_t seed = 0;
  for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f32}) {
    for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
      for (const std::int64_t anchor : {0, 7, 20}) {
        const Options options{.border = Border{border_modes[++seed % border_modes.size()], 5},
                              .extent = extent,
                              .output = output,
                              .scale = 1.0 / 64,
                              .offset = 100};
        expect_same(
            image,
            whole_filter({.height = 21, .width = 24}, seed).with_anchor({.y = anchor, .x = 23 - anchor}),
            options, std::string(name_of(output)) + ", anchor " + std::to_string(anchor), done);
      }
    }
  }
  EXPECT_GE(done.tiles, 36);
  EXPECT_GE(done.passes, 36);
}

TEST(Transforms, ChannelsBatchesVolumesAndPlanes) {
  Done done;
  const Filter filter = whole_filter({.height = 17, .width = 19}, 1);
  const Options options{.border = Border::reflect(), .output = Pixel::f32};
  for (const Layout layout : {Layout::interleaved, Layout::planar}) {
    expect_same(whole_image({.batch = 2, .depth = 3, .height = 150, .width = 91, .channels = 3}, Pixel::u8, 4,
                            layout),
                filter, options, "channels", done);
  }
  // Several filters, and their magnitude (of which the GPU's root is not the CPU's to the bit), one after the other.
  for (const auto& [pixel, combine] : {std::pair{Pixel::u8, Combine::none}, {Pixel::u8, Combine::magnitude}, {Pixel::i16, Combine::magnitude}}) {
    const Image image = whole_image({.height = 120, .width = 300}, pixel, 5);
    PlanSpec spec{.shape = image.shape(),
                  .pixel = image.pixel(),
                  .filters = {filter, whole_filter({.height = 17, .width = 19}, 2)},
                  .combine = combine,
                  .options = options};
    spec.options.method = Method::direct;
    spec.device = cuda();
    const Plan direct(spec);
    spec.options.method = Method::fft;
    const Plan transforms(spec);
    EXPECT_NE(transforms.explain().find("family: filter by filter;"), std::string::npos)
        << transforms.explain();
    const Image there = to_device(image, cuda());
    std::vector<Image> expected, found;
    std::vector<View> expected_views, found_views;
    for (std::size_t i = 0; i < (combine == Combine::none ? 2U : 1U); ++i) {
      expected.push_back(allocate(direct.output_shape(), Pixel::f32, cuda()));
      expected_views.push_back(expected.back().view());
      found.push_back(allocate(direct.output_shape(), Pixel::f32, cuda()));
      found_views.push_back(found.back().view());
    }
    direct.run(there, expected_views);
    transforms.run(there, found_views);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Image right = to_device(expected[i], cpu()), got = to_device(found[i], cpu());
      if (combine == Combine::none) {
        EXPECT_TRUE(same_bits(right, got)) << i;
        continue;
      }
      // Of sums that are the same to the bit; squares are added in one order by one kernel, in another by the other.
      const auto* a = reinterpret_cast<const float*>(right.view().data);
      const auto* b = reinterpret_cast<const float*>(got.view().data);
      for (std::int64_t n = 0; n < image.shape().elements(); ++n) ASSERT_NEAR(a[n], b[n], std::ldexp(a[n], -22)) << n;
    }
  }
  EXPECT_GE(done.tiles, 2);
  EXPECT_GE(done.passes, 2);
}

TEST(Transforms, RowsAndColumnsInAnyOrder) {
  Done done;
  for (const Pixel pixel : {Pixel::u8, Pixel::i16}) {
    for (const FilterSize& size : {FilterSize{.height = 9, .width = 7}, FilterSize{.width = 65}}) {
      // Smaller than a tile, and with tiles that lie inside.
      for (const Shape& shape : {Shape{.depth = 2, .height = 20, .width = 31, .channels = 2}, Shape{.height = 700, .width = 9000}}) {
        const Filter filter = whole_filter(size, 3);
        const Options options{.border = Border::reflect(), .output = Pixel::f64, .method = Method::direct};
        const Image image = whole_image(shape, pixel, 6);
        const Image there = to_device(image, cuda());
        for (const bool mirrored : {false, true}) {
          const auto turned = [&](ConstView view) {
            std::int64_t& stride = mirrored ? view.strides.width : view.strides.height;
            view.data += stride * ((mirrored ? shape.width : shape.height) - 1);
            stride = -stride;
            return view;
          };
          const Image expected = convolve(turned(image), filter, options);
          for_each_plan(spec_on_gpu(image, filter, by_transforms(options)), done,
                        [&](const Plan& plan, std::string_view family) {
                          Image found = allocate(plan.output_shape(), plan.output_pixel(), cuda());
                          plan.run(turned(there), found.view());
                          EXPECT_TRUE(same_bits(expected, to_device(found, cpu())))
                              << taps_of(size) << " taps, " << name_of(pixel) << ", " << to_string(shape)
                              << (mirrored ? ", mirrored, " : ", upside down, ") << family;
                        });
        }
      }
    }
  }
  EXPECT_GE(done.tiles, 16);
  EXPECT_GE(done.passes, 8);
}

TEST(Transforms, RealWeightsWithinTheBound) {
  Done done;
  std::uint64_t seed = 0;
  for (const Pixel pixel : {Pixel::f32, Pixel::f16, Pixel::f64, Pixel::u16}) {
    for (const FilterSize& size : filter_sizes()) {
      if (pixel == Pixel::f64 && size.width > 89) continue;
      ++seed;
      const Image image = noise({.height = 260, .width = 411}, pixel, seed);
      const Options options{.border = Border{border_modes[seed % border_modes.size()], 0.5}, .scale = -0.75, .offset = 3};
      expect_within_bound(image, real_filter(size, seed), options, pixel == Pixel::u16 ? 65535 : 1,
                          std::string(name_of(pixel)) + " " + taps_of(size), done);
    }
  }
  EXPECT_GE(done.tiles, 45);
  EXPECT_GE(done.columns, 4);
  EXPECT_GE(done.passes, 35);
}

/// f32 noise with some samples set.
Image with_samples(const std::vector<std::pair<std::int64_t, float>>& samples, double scale = 1) {
  Image image = noise({.height = 300, .width = 401}, Pixel::f32, 77);
  auto* to = reinterpret_cast<float*>(image.view().data);
  for (std::int64_t i = 0; i < image.shape().elements(); ++i) to[i] = static_cast<float>(to[i] * scale);
  for (const auto& [at, value] : samples) to[at] = value;
  return image;
}

TEST(Transforms, HugeSmallAndSubnormalNumbers) {
  Done done;
  const Filter filter = real_filter({.height = 23, .width = 31}, 3);
  for (const double scale : {1e30, 3e35, 1e-30, 1e-41})
    expect_within_bound(with_samples({}, scale), filter, {}, scale, "scale " + std::to_string(scale), done);
  expect_within_bound(with_samples({{5000, 1e30F}, {70000, 1e-30F}}, 1e-30), filter, {}, 1e30,
                      "1e30 beside 1e-30", done);
  std::vector<double> weights(std::size_t{19} * 19, 1e25);
  expect_within_bound(with_samples({}, 1e-10), Filter::dense({.height = 19, .width = 19}, weights), {}, 1e-10,
                      "weights of 1e25", done);
  EXPECT_GE(done.tiles, 6);
  EXPECT_GE(done.passes, 6);
}

/// Which outputs are NaN, infinite and finite must be as by direct sums.
void expect_same_kinds(const Image& image, const Image& expected, const Filter& filter,
                       const Options& options, const std::string& what, Done& done) {
  for_each_plan(spec_on_gpu(image, filter, by_transforms(options)), done,
                [&](const Plan& plan, std::string_view family) {
                  const Image found = result_of(plan, image);
                  std::int64_t wrong = 0;
                  for (std::int64_t at = 0; at < expected.shape().elements(); ++at) {
                    const float right = reinterpret_cast<const float*>(expected.view().data)[at];
                    const float here = reinterpret_cast<const float*>(found.view().data)[at];
                    const bool same = std::isnan(right)   ? std::isnan(here)
                                      : std::isinf(right) ? here == right
                                                          : std::isfinite(here);
                    wrong += same ? 0 : 1;
                  }
                  EXPECT_EQ(wrong, 0) << what << ", " << family;
                });
}

TEST(Transforms, NotFiniteNumbersReachTheBoxAndNoFurther) {
  Done done;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::int64_t, float>> cases[] = {
      {{20000, nan}},
      {{0, infinity}},
      {{300 * 401 - 1, -infinity}},
      {{20000, infinity}, {20000 + 401 * 5 + 3, -infinity}, {20010, 2e38F}},
      {{60000, nan}, {60500, infinity}, {100, nan}, {101, -infinity}},
  };
  std::vector<double> weights(std::size_t{15} * 17);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 5) - 2;  // some are 0
  const FilterSize sizes[] = {{.height = 15, .width = 17}, {.height = 1, .width = 255}};
  for (std::size_t i = 0; i < 2 * border_modes.size(); ++i) {
    const Border::Mode mode = border_modes[i / 2];
    const Filter filter = Filter::dense(sizes[i % 2], weights);
    for (const auto& samples : cases) {
      const Image image = with_samples(samples);
      const Options options{.border = Border{mode, 1}, .scale = -2, .offset = 1};
      Options direct = options;
      direct.method = Method::direct;
      expect_same_kinds(image, convolve(image, filter, direct, reference()), filter, options,
                        taps_of(filter.size()) + ", " + std::to_string(samples.size()) + " samples from " +
                            std::to_string(samples.front().first),
                        done);
    }
  }
  EXPECT_GE(done.tiles, 50);
  EXPECT_GE(done.passes, 25);
}

struct ByPasses {
  Shape shape;
  FilterSize size;
};

/// Filters beyond a tile in shared memory, along columns and along depth alone, volumes, signals; larger than the image, odd and prime.
const std::vector<ByPasses>& by_passes() {
  static const std::vector<ByPasses> jobs{
      {{.height = 300, .width = 401}, {.height = 260, .width = 250}},
      {{.height = 1201, .width = 2309}, {.height = 255, .width = 255}},
      {{.height = 97, .width = 113}, {.height = 511, .width = 509}},
      {{.height = 700, .width = 333}, {.height = 31, .width = 600}},
      {{.height = 1, .width = 1}, {.height = 300, .width = 300}},
      {{.height = 2500, .width = 61}, {.height = 65, .width = 1}},
      {{.height = 911, .width = 70}, {.height = 1000, .width = 1}},
      {{.height = 1021, .width = 50}, {.height = 257, .width = 1}},
      {{.height = 130, .width = 70, .channels = 3}, {.height = 90, .width = 1}},
      {{.height = 5000, .width = 3}, {.height = 1801, .width = 2}},
      {{.width = 40009}, {.width = 9001}},
      {{.batch = 2, .height = 3, .width = 20011}, {.width = 30000}},
      {{.width = 1500007}, {.width = 100003}},
      {{.depth = 20, .height = 31, .width = 67}, {.depth = 9, .height = 9, .width = 9}},
      {{.depth = 37, .height = 90, .width = 311}, {.depth = 15, .height = 4, .width = 31}},
      {{.depth = 65, .height = 64, .width = 63}, {.depth = 31, .height = 31, .width = 31}},
      {{.depth = 7, .height = 5, .width = 3}, {.depth = 20, .height = 20, .width = 20}},
      {{.depth = 90, .height = 6, .width = 33, .channels = 2}, {.depth = 40, .height = 1, .width = 3}},
      {{.batch = 2, .depth = 50, .height = 20, .width = 30}, {.depth = 33, .height = 2, .width = 1}},
      {{.depth = 100, .height = 60, .width = 56}, {.depth = 7, .height = 9, .width = 5}},
      {{.depth = 190, .height = 131, .width = 187}, {.depth = 9, .height = 7, .width = 5}},
      {{.depth = 12, .height = 250, .width = 370}, {.depth = 5, .height = 41, .width = 61}},
      {{.batch = 2, .depth = 70, .height = 40, .width = 50, .channels = 2}, {.depth = 6, .height = 12, .width = 8}},
  };
  return jobs;
}

TEST(Transforms, ThroughMemoryWithinTheBound) {
  Done done;
  std::uint64_t seed = 0;
  for (const ByPasses& job : by_passes()) {
    for (const Pixel pixel : {Pixel::f32, Pixel::u8, Pixel::f16, Pixel::f64, Pixel::i16}) {
      ++seed;
      const Image image = noise(job.shape, pixel, seed);
      Options options{.border = Border{border_modes[seed % border_modes.size()], 0.5}, .scale = seed % 2 == 0 ? 1 : -0.75, .offset = 3};
      if (seed % 3 == 0) options.extent = Extent::full;
      const Filter filter = real_filter(job.size, seed).with_anchor({.z = job.size.depth / 3, .y = job.size.height / 4, .x = job.size.width - 1});
      expect_within_bound(image, filter, options,
                          pixel == Pixel::u8    ? 255
                          : pixel == Pixel::i16 ? 32768
                                                : 1,
                          to_string(job.shape) + " " + std::string(name_of(pixel)) + ", " +
                              std::to_string(job.size.depth) + "x" + taps_of(job.size),
                          done);
    }
  }
  EXPECT_GE(done.tiles, 12);
  EXPECT_GE(done.columns, 20);
  EXPECT_GE(done.passes, 110);
}

TEST(Transforms, ThroughMemoryHugeSmallAndSubnormalNumbers) {
  Done done;
  for (const FilterSize& size : {FilterSize{.height = 260, .width = 270}, FilterSize{.height = 70}, FilterSize{.depth = 1, .height = 2, .width = 1000}}) {
    const Filter filter = real_filter(size, 3);
    for (const double scale : {1e30, 3e33, 1e-30, 1e-41})
      expect_within_bound(with_samples({}, scale), filter, {}, scale,
                          taps_of(size) + ", scale " + std::to_string(scale), done);
    expect_within_bound(with_samples({{5000, 1e30F}, {70000, 1e-30F}}, 1e-30), filter, {}, 1e30,
                        taps_of(size) + ", 1e30 beside 1e-30", done);
  }
  EXPECT_GE(done.tiles, 5);
  EXPECT_GE(done.columns, 5);
  EXPECT_GE(done.passes, 15);
}

TEST(Transforms, ThroughMemoryNotFiniteNumbersReachTheBoxAndNoFurther) {
  Done done;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::int64_t, float>> cases[] = {
      {{20000, nan}},
      {{0, infinity}, {90000, 2e38F}},
      {{20000, infinity}, {20400, -infinity}, {20010, 1e37F}},
      {{60000, nan}, {60500, infinity}, {100, nan}, {101, -infinity}},
  };
  const ByPasses jobs[] = {{{.height = 300, .width = 401}, {.height = 251, .width = 13}},
                           {{.height = 300, .width = 401}, {.height = 77, .width = 1}},
                           {{.width = 120300}, {.width = 8200}},
                           {{.depth = 30, .height = 50, .width = 81}, {.depth = 9, .height = 10, .width = 11}},
                           {{.depth = 200, .height = 100, .width = 100}, {.depth = 9, .height = 9, .width = 9}}};
  std::uint64_t seed = 0;
  for (const ByPasses& job : jobs) {
    for (const bool one_sign : {false, true}) {
      std::vector<double> weights;
      for (std::int64_t i = 0; i < job.size.taps(); ++i) weights.push_back(one_sign ? 1.0 / (1 + static_cast<double>(i % 7)) : static_cast<double>(i % 5 - 2));
      const Filter filter = Filter::dense(job.size, weights);
      for (const auto& samples : cases) {
        Image image = noise(job.shape, Pixel::f32, ++seed);
        auto* to = reinterpret_cast<float*>(image.view().data);
        for (const auto& [at, value] : samples) to[at] = value;
        Options options{.border = Border{border_modes[seed % border_modes.size()], 1},
                        .scale = -2,
                        .offset = 1,
                        .method = Method::direct};
        expect_same_kinds(image, convolve(image, filter, options), filter, options,
                          to_string(job.shape) + ", " + taps_of(job.size) +
                              (one_sign ? ", of one sign" : ", of both signs") + ", " +
                              std::to_string(samples.size()) + " samples from " +
                              std::to_string(samples.front().first),
                          done);
      }
    }
  }
  EXPECT_GE(done.tiles, 8);
  EXPECT_GE(done.columns, 8);
  EXPECT_GE(done.passes, 40);
}

}  // namespace
}  // namespace halation::gpu_test
