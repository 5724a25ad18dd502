// own_box_test.cpp: sums by transforms are as good as what lies under their own filter (core/own_box.h):
// outliers, nodata values, masks, stars, dark halves.
//
// Right answers are direct sums on the CPU in f64, and so are the norms over each output's box.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/own_box.h"
#include "images.h"

namespace halation::gpu_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : next_(seed << 40) {}
  std::uint64_t below(std::uint64_t n) { return random_bits(next_++) % n; }
  double uniform() { return static_cast<double>(random_bits(next_++) >> 11) * 0x1p-53; }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + below(list.size()));
  }

 private:
  std::uint64_t next_;
};

enum class Kind {
  noise,
  outlier,
  star,
  one,
  sparse,
  half_mask,
  nodata,
  far_nodata,
  lognormal,
  dark_half,
  zeros,
  nan,
  infinities,
  nan_and_outlier,
  tiny,
  minus_zeros,
  faint_columns,
  count
};
constexpr const char* names[] = {
    "noise",      "outlier",   "star",  "one", "sparse",     "half mask",       "nodata", "far nodata",
    "log-normal", "dark half", "zeros", "NaN", "infinities", "NaN and outlier", "tiny",     "zeros below 0",   "faint columns"};

/// Samples of one kind, of what the pixel holds.
std::vector<double> samples_of(Kind kind, const Shape& shape, Pixel pixel, Draws& draws) {
  const std::int64_t n = shape.elements(), row = shape.width * shape.channels;
  const double most = pixel == Pixel::f16   ? 6e4
                      : pixel == Pixel::f32 ? 3.4e38
                      : pixel == Pixel::f64 ? 1e120
                                            : largest(pixel);
  std::vector<double> values(static_cast<std::size_t>(n));
  const auto anywhere = [&] { return static_cast<std::size_t>(draws.below(static_cast<std::uint64_t>(n))); };
  for (std::int64_t i = 0; i < n; ++i) {
    double& value = values[static_cast<std::size_t>(i)];
    const double u = draws.uniform();
    switch (kind) {
      case Kind::one:
      case Kind::zeros:
        value = 0;
        break;
      case Kind::sparse:
        value = u < 0.001 ? 1 : 0;
        break;
      case Kind::half_mask:
        value = i % row < row / 2 && i / row > 20 ? 1 : 0;
        break;
      case Kind::lognormal:
        value = std::min(
            most, std::exp(4 * std::sqrt(-2 * std::log(u + 1e-12)) * std::cos(6.28 * draws.uniform())));
        break;
      case Kind::dark_half:
        value = i % row < row / 2 ? 1e-4 * u : u;
        break;
      case Kind::tiny:
        value = pixel == Pixel::f16 ? 1e-6 * u : 1e-30 * u;
        break;
      case Kind::minus_zeros:
        value = u < 0.1 ? u : -0.0;
        break;
      case Kind::faint_columns:  // whose squares vanish, beside some of 0
        value = i % 3 == 0 ? u : i % 3 == 1 && pixel != Pixel::f16 ? 1e-30 * u : 0;
        break;
      case Kind::outlier:
        value = 1;
        break;
      default:
        value = u;
        break;
    }
  }
  const auto patch = [&](double value) {
    const auto begin = static_cast<std::int64_t>(anywhere());
    for (std::int64_t y = 0; y < 20; ++y) {
      for (std::int64_t x = 0; x < 30; ++x) {
        if (const std::int64_t at = begin + y * row + x; at < n) values[static_cast<std::size_t>(at)] = value;
      }
    }
  };
  if (kind == Kind::one) values[anywhere()] = 1;
  if (kind == Kind::outlier) values[anywhere()] = is_float(pixel) ? -most : most;
  if (kind == Kind::star) values[anywhere()] = std::min(1e30, most);
  if (kind == Kind::nodata) patch(is_float(pixel) ? -9999 : largest(pixel));
  if (kind == Kind::far_nodata) patch(is_float(pixel) ? -most : smallest(pixel));
  if (kind == Kind::nan || kind == Kind::nan_and_outlier) values[anywhere()] = std::nan("");
  if (kind == Kind::nan_and_outlier) values[anywhere()] = most;
  if (kind == Kind::infinities) {
    for (int i = 0; i < 5; ++i) values[anywhere()] = i % 2 == 0 ? infinity : -infinity;
  }
  return values;
}

Image image_of(const std::vector<double>& values, const Shape& shape, Pixel pixel) {
  Image image(shape, pixel);
  visit_pixel(pixel, [&](auto element) {
    using T = decltype(element);
    auto* to = reinterpret_cast<T*>(image.view().data);
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = to_element<T>(values[i], Rounding::half_even);
  });
  return image;
}

/// What is wrong with what a plan by transforms gives, or nothing.
std::string fault_of(const Plan& plan, const Image& image, const Filter& filter, const Border& border,
                     Pixel output) {
  const std::vector<double> found = values_of(result_of(plan, image));
  const Options exact{.border = border, .output = Pixel::f64, .sum = Sum::f64, .method = Method::direct};
  const std::vector<double> right = values_of(convolve(image, filter, exact, reference()));
  std::vector<double> squares = values_of(image);
  bool negative = false;
  for (double& value : squares) {
    negative = negative || value < 0;
    value = std::isfinite(value) ? value * value : 0;
  }
  Border squared = border;
  squared.value *= border.value;
  negative = negative || border.value < 0;
  const std::vector<double> ones(static_cast<std::size_t>(filter.size().taps()), 1);
  const Filter box = Filter::dense(filter.size(), ones).with_anchor(filter.anchor());
  Options of_squares = exact;
  of_squares.border = squared;
  const std::vector<double> norms =
      values_of(convolve(image_of(squares, image.shape(), Pixel::f64), box, of_squares, reference()));
  const std::vector<double> weights = filter.weights();
  const auto none = [&](auto is) { return !negative && std::none_of(weights.begin(), weights.end(), is); };
  const bool no_negative = none([](double w) { return w < 0; });
  const bool no_positive = none([](double w) { return w > 0; });
  const double most = output == Pixel::f32 ? 3.4028234663852886e38 : std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double norm = std::sqrt(norms[i]);
    const double bound = plan.error_bound(own_box_factor * norm) + 1e-44;
    const auto says = [&](const char* what) {
      char text[200];
      std::snprintf(text, sizeof text,
                    "%s: element %zu is %.9g, right is %.9g, norm of its box %.4g, bound %.3g", what, i,
                    found[i], right[i], norm, bound);
      return std::string(text);
    };
    if (std::isnan(right[i]) != std::isnan(found[i]) && std::fabs(right[i]) + bound < most)
      return says("NaN");
    if (std::isnan(right[i])) continue;
    if (std::isinf(right[i])) {
      if (found[i] != right[i]) return says("infinity");
      continue;
    }
    if (std::fabs(right[i]) + bound >= most) continue;
    if (!(std::fabs(found[i] - right[i]) <= bound + std::fabs(right[i]) * 0x1p-23))
      return says("beyond the bound of its box");
    if (norm == 0 && right[i] == 0 && found[i] != 0) return says("not 0 over an empty box");
    if (no_negative && found[i] < 0) return says("negative");
    if (no_positive && found[i] > 0) return says("positive");
  }
  return {};
}

/// Of magnitudes that sum to 1, or whole numbers.
Filter drawn_filter(const FilterSize& size, Draws& draws) {
  std::vector<double> weights(static_cast<std::size_t>(size.taps()));
  const bool has_signs = draws.below(2) == 0, is_disk = draws.below(4) == 0;
  const bool is_negative = draws.below(4) == 0, is_whole = draws.below(4) == 0;
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double y = static_cast<double>(static_cast<std::int64_t>(i) / size.width % size.height) -
                     static_cast<double>(size.height - 1) / 2;
    const double x = static_cast<double>(static_cast<std::int64_t>(i) % size.width) -
                     static_cast<double>(size.width - 1) / 2;
    const bool inside =
        std::hypot(2 * y / static_cast<double>(size.height), 2 * x / static_cast<double>(size.width)) <= 1;
    weights[i] = is_disk ? (inside ? 1 : 0) : draws.uniform() - (has_signs ? 0.5 : 0);
    sum += std::fabs(weights[i]);
  }
  for (double& weight : weights) weight = (is_negative ? -1 : 1) * (is_whole ? std::nearbyint(5 * weight) : weight / sum);
  return Filter::dense(size, weights)
      .with_anchor({.z = size.depth / 2,
                    .y = size.height / 2,
                    .x = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(size.width)))});
}

/// By this family, and by whichever should be quickest where it refuses the job; it takes more than half of
/// them.
void expect_own_box(const char* family, const std::vector<FilterSize>& sizes,
                    const std::vector<Shape>& shapes, std::uint64_t seed, int cases) {
  Draws draws(seed);
  int faults = 0, by_family = 0;
  for (int i = 0; i < cases && faults < 5; ++i) {
    const FilterSize size = sizes[draws.below(sizes.size())];
    const Shape shape = shapes[draws.below(shapes.size())];
    const auto kind = static_cast<Kind>(i % static_cast<int>(Kind::count));
    const Pixel pixel =
        draws.one_of({Pixel::f32, Pixel::f32, Pixel::f32, Pixel::f16, Pixel::f64, Pixel::u8, Pixel::u16});
    const Pixel output = pixel == Pixel::f64 ? Pixel::f64 : Pixel::f32;
    const Border border{border_modes[draws.below(border_modes.size())], 0};
    const Image image = image_of(samples_of(kind, shape, pixel, draws), shape, pixel);
    const Filter filter = drawn_filter(size, draws);
    const PlanSpec spec =
        spec_on_gpu(image, filter, {.border = border, .output = output, .method = Method::fft});
    const std::optional<Plan> by_it = plan_by_or_none(family, spec);
    const Plan plan = by_it ? *by_it : Plan(spec);
    by_family += by_it ? 1 : 0;
    const std::string fault = fault_of(plan, image, filter, border, output);
    EXPECT_EQ(fault, "") << "case " << i << ", " << names[static_cast<int>(kind)] << ", "
                         << text(image, filter) << ", " << name_of(border.mode) << "\n"
                         << plan.explain();
    faults += fault.empty() ? 0 : 1;
  }
  EXPECT_GT(2 * by_family, cases);
}

TEST(OwnBox, OfTiles) {
  expect_own_box("fft tiles",
                 {{.height = 13, .width = 13},
                  {.height = 15, .width = 16},
                  {.height = 31, .width = 31},
                  {.height = 24, .width = 58},
                  {.height = 5, .width = 40},
                  {.height = 40, .width = 6},
                  {.height = 63, .width = 63}},
                 {{.height = 150, .width = 310},
                  {.height = 97, .width = 83, .channels = 3},
                  {.height = 270, .width = 100},
                  {.height = 3, .width = 700}},
                 1, 102);
}

TEST(OwnBox, OfRows) {
  expect_own_box("fft tiles", {{.width = 129}, {.width = 201}, {.width = 1001}, {.width = 33}},
                 {{.width = 20011}, {.height = 3, .width = 5000}, {.height = 2, .width = 900, .channels = 3}},
                 2, 119);
}

TEST(OwnBox, OfColumns) {
  expect_own_box("fft columns", {{.height = 65}, {.height = 201}, {.height = 401}, {.height = 17}},
                 {{.height = 2100, .width = 37},
                  {.height = 700, .width = 64, .channels = 3},
                  {.height = 90, .width = 20}},
                 3, 68);
}

TEST(OwnBox, OfImagesThroughMemory) {
  expect_own_box("fft passes",
                 {{.height = 63, .width = 63},
                  {.height = 90, .width = 120},
                  {.height = 7, .width = 150},
                  {.height = 150, .width = 9},
                  {.height = 200, .width = 30}},
                 {{.height = 150, .width = 310}, {.height = 97, .width = 183}, {.height = 600, .width = 40}},
                 4, 51);
}

TEST(OwnBox, OfVolumes) {
  expect_own_box("fft passes",
                 {{.depth = 9, .height = 9, .width = 11},
                  {.depth = 15, .height = 15, .width = 15},
                  {.depth = 3, .height = 21, .width = 25},
                  {.depth = 40, .height = 1, .width = 12},
                  {.depth = 7, .height = 30, .width = 5}},
                 {{.depth = 40, .height = 37, .width = 50},
                  {.depth = 20, .height = 90, .width = 33},
                  {.depth = 70, .height = 20, .width = 20, .channels = 2}},
                 5, 51);
}

/// One sample in six is bright, the others are 0 and 1.
std::vector<double> bright_and_dim(const Shape& shape, double bright) {
  Draws draws(7);
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  for (double& value : values) value = draws.below(6) == 0 ? bright : static_cast<double>(draws.below(2));
  return values;
}

/// By every family of transforms that takes the job.
void expect_right(const std::vector<double>& values, const Shape& shape, Pixel pixel, const Filter& filter) {
  const Image image = image_of(values, shape, pixel);
  const PlanSpec spec =
      spec_on_gpu(image, filter, {.border = Border::wrap(), .output = Pixel::f32, .method = Method::fft});
  int families = 0;
  for (const char* family : {"fft tiles", "fft columns", "fft passes"}) {
    const std::optional<Plan> plan = plan_by_or_none(family, spec);
    if (!plan) continue;
    EXPECT_EQ(fault_of(*plan, image, filter, Border::wrap(), Pixel::f32), "") << plan->explain();
    ++families;
  }
  EXPECT_GE(families, 1) << text(image, filter);
}

// Integer sums are rounded to whole numbers, which are wrong ones where a tile's error is more than half of one.
TEST(OwnBox, OfWholeSums) {
  for (const FilterSize& size : {FilterSize{.width = 3}, FilterSize{.height = 3}, FilterSize{.height = 5, .width = 5}}) {
    const Filter filter = Filter::dense(size, std::vector<double>(static_cast<std::size_t>(size.taps()), 8));
    for (const Shape& shape : {Shape{.width = 30011}, Shape{.height = 3001, .width = 20}, Shape{.height = 150, .width = 300}})
      expect_right(bright_and_dim(shape, 65535), shape, Pixel::u16, filter);
  }
}

TEST(OwnBox, OfWeightsBelowZero) {
  const Shape shape{.height = 200, .width = 260};
  for (const FilterSize& size : {FilterSize{.width = 4}, FilterSize{.height = 4}, FilterSize{.height = 2, .width = 2}})
    expect_right(bright_and_dim(shape, 1), shape, Pixel::f32, Filter::dense(size, {-6, -9, 0, -9}));
}

// Rows of each length that tiles in memory have: 288 to 4,096 numbers.
TEST(OwnBox, OfRowsOfAnyLengthThroughMemory) {
  Draws draws(9);
  for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
    for (const std::int64_t taps : {140, 250, 280, 500, 1000, 2000}) {
      const Shape shape{.height = 40, .width = taps};  // 2 taps − 1 samples
      const Filter filter = drawn_filter({.height = 3, .width = taps}, draws);
      const Image image = image_of(samples_of(Kind::nan_and_outlier, shape, pixel, draws), shape, pixel);
      const Plan plan = plan_by(
          "fft passes", spec_on_gpu(image, filter, {.border = Border::wrap(), .method = Method::fft}));
      EXPECT_EQ(fault_of(plan, image, filter, Border::wrap(), pixel), "") << text(image, filter) << "\n" << plan.explain();
      if (taps == 1000) {
        EXPECT_NE(plan.explain().find("x2048"), std::string::npos) << plan.explain();
      }
    }
  }
}

TEST(OwnBox, OfSignalsThroughMemory) {
  expect_own_box("fft passes", {{.width = 9001}}, {{.width = 12000}, {.width = 14001}}, 6, 17);
}

/// Whether a run leaves any of its tiles to the second launch: their states lie in the workspace, 0 where all
/// sums are good.
bool leaves_tiles(const Plan& plan, const Image& image) {
  const Image in = to_device(image, cuda());
  Image out = allocate(plan.output_shape(), plan.output_pixel(), cuda());
  Image workspace = allocate({.width = static_cast<std::int64_t>(plan.workspace_bytes())}, Pixel::u8, cuda());
  EXPECT_EQ(cudaMemset(workspace.view().data, 0, plan.workspace_bytes()), cudaSuccess);
  synchronise(cuda());
  plan.run(in, out.view(), {.workspace = {workspace.view().data, plan.workspace_bytes()}});
  const Image states = to_device(workspace, cpu());
  const std::byte* const data = states.view().data;
  return std::any_of(data, data + plan.workspace_bytes(),
                     [](std::byte state) { return state != std::byte{0}; });
}

// A second launch for a few tiles takes as long as one for all.
TEST(OwnBox, OfNoiseTakesOneLaunch) {
  const Image image = noise({.height = 300, .width = 500, .channels = 3}, Pixel::f32, 11);
  const Filter tile = gaussian({.sigma = 5, .radius = 15, .dims = 2});
  const Filter column = Filter::separable({.y = std::vector<double>(31, 0.25)});
  for (const Border::Mode mode : border_modes) {
    const Options options{.border = Border{mode}, .method = Method::fft};
    EXPECT_FALSE(leaves_tiles(plan_by("fft tiles", spec_on_gpu(image, tile, options)), image))
        << name_of(mode);
    EXPECT_FALSE(leaves_tiles(plan_by("fft columns", spec_on_gpu(image, column, options)), image))
        << name_of(mode);
  }
}

}  // namespace
}  // namespace halation::gpu_test
