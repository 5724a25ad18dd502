// warp_strip_test.cpp: filters of 2 to 9 taps an axis over small pixels, and over rows that begin on no
// boundary (src/cuda/warp_strip/warp_strip.cuh).
//
// Every job is done by both families, where they take it; rows, and so plans, are mostly of one. Jobs that
// neither takes are done by whichever family should be quickest. Data and weights are integers small enough
// for f32 to hold every sum exactly, so that every pixel must be right to the bit. Right answers come from
// the CPU, which the sweep compares with the reference.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/families.h"
#include "images.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"

namespace halation::gpu_test {
namespace {

constexpr std::array pixels{Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32};

/// How many jobs the two families did.
struct Done {
  int aligned = 0, any = 0;
};

/// Factors of integers without symmetry.
Filter factored(std::int64_t taps, std::uint64_t seed) {
  const auto factor = [&](std::uint64_t which) {
    std::vector<double> weights;
    for (std::int64_t i = 0; i < taps; ++i)
      weights.push_back(static_cast<double>(random_bits(seed << 40 ^ which << 20 ^ static_cast<std::uint64_t>(i)) % 5) - 2);
    weights.back() = 1;
    return weights;
  };
  return Filter::separable({.y = factor(2), .x = factor(1)});
}

void expect_same(const Image& image, const Filter& filter, const Options& options, Done& done) {
  const Image expected = convolve(image, filter, options);
  const PlanSpec spec = spec_on_gpu(image, filter, options);
  const auto expect_of = [&](const Plan& plan, const char* family) {
    EXPECT_TRUE(same_bits(expected, result_of(plan, image)))
        << text(image, filter) << ", border " << name_of(options.border.x.mode) << ", method "
        << name_of(options.method) << ", " << family;
  };
  const std::optional<Plan> aligned = plan_by_or_none("warp strip, aligned", spec),
                            any = plan_by_or_none("warp strip", spec);
  if (aligned) expect_of(*aligned, "aligned");
  if (any) expect_of(*any, "any rows");
  if (!aligned && !any) expect_of(Plan(spec), "neither");
  done.aligned += aligned.has_value();
  done.any += any.has_value();
}

Border border_of(Border::Mode mode, double constant) { return Border{mode, mode == Border::Mode::constant ? constant : 0.0}; }

/// Widths around whole pieces, groups and warps, and below the filter.
constexpr std::array<std::int64_t, 19> widths{1,   2,   5,   8,   15,  16,   17,   64,   255, 256,
                                              257, 496, 512, 513, 520, 1024, 1040, 1537, 2064};

TEST(WarpStrip, EveryPixelWidthAndBorderByFactors) {
  Done done;
  for (const Pixel pixel : pixels) {
    for (const std::int64_t width : widths) {
      const Image image = whole_image({.height = 21, .width = width}, pixel, 1);
      for (const std::int64_t taps : {3, 5, 7, 9}) {
        for (const Border::Mode mode : border_modes)
          expect_same(image, factored(taps, 1), {.border = border_of(mode, 7), .method = Method::separable},
                      done);
      }
    }
  }
  EXPECT_GE(done.aligned, 750);
  EXPECT_GE(done.any, 800);
}

TEST(WarpStrip, EveryWidthAndBorderDirectly) {
  Done done;
  for (const std::int64_t width : widths) {
    const Image image = whole_image({.height = 21, .width = width}, Pixel::u8, 2);
    for (const std::int64_t taps : {2, 3, 4, 5, 6, 7}) {
      // By products of four bytes up to 127, else by numbers.
      for (const std::uint64_t most : {100, 300}) {
        for (const Border::Mode mode : border_modes) {
          expect_same(image, whole_filter({.height = taps, .width = taps}, 2, most),
                      {.border = border_of(mode, 7), .output = Pixel::i16, .method = Method::direct}, done);
        }
      }
    }
  }
  EXPECT_GE(done.aligned, 450);
  EXPECT_GE(done.any, 600);
}

TEST(WarpStrip, EveryNumberOfChannels) {
  Done done;
  for (const Pixel pixel : pixels) {
    for (const std::int64_t channels : {2, 3, 4, 5}) {
      for (const std::int64_t width : {3, 16, 66, 129, 171, 352}) {
        for (const Layout layout : {Layout::interleaved, Layout::planar}) {
          const Image image = whole_image({.height = 13, .width = width, .channels = channels}, pixel, 3, layout);
          for (const std::int64_t taps : {3, 5, 7, 9}) {
            for (const Border::Mode mode : border_modes) {
              expect_same(image, factored(taps, 3),
                          {.border = border_of(mode, 3), .method = Method::separable}, done);
              if (taps < 9)
                expect_same(image, whole_filter({.height = taps, .width = taps}, 3),
                            {.border = border_of(mode, 3), .method = Method::direct}, done);
            }
          }
        }
      }
    }
  }
  EXPECT_GE(done.aligned, 1300);
  EXPECT_GE(done.any, 4400);
}

TEST(WarpStrip, EveryAnchorExtentAndSize) {
  Done done;
  const Image on_boundaries = whole_image({.height = 37, .width = 528}, Pixel::u8, 4);
  const Image on_none = whole_image({.height = 37, .width = 530}, Pixel::u8, 4);
  for (std::int64_t height = 1; height <= 7; ++height) {
    for (std::int64_t width = 1; width <= 7; ++width) {
      const Filter filter = whole_filter({.height = height, .width = width}, 4);
      for (const Image* image : {&on_boundaries, &on_none}) {
        for (const Extent extent : {Extent::same, Extent::valid, Extent::full})
          expect_same(*image, filter, {.border = Border::reflect(), .extent = extent}, done);
        expect_same(*image, filter.with_anchor({.y = 0, .x = 0}), {.border = Border::wrap()}, done);
        expect_same(*image, filter.with_anchor({.y = height - 1, .x = width - 1}),
                    {.border = Border::constant(5)}, done);
      }
    }
  }
  EXPECT_GE(done.aligned, 90);
  EXPECT_GE(done.any, 80);
}

TEST(WarpStrip, BordersOfEachAxisAndConstantsThatAreNoPixels) {
  Done done;
  const Image on_boundaries = whole_image({.height = 19, .width = 528}, Pixel::u8, 5);
  const Image on_none = whole_image({.height = 19, .width = 530}, Pixel::u8, 5);
  for (const Border::Mode y : border_modes) {
    for (const Border::Mode x : border_modes) {
      for (const double constant : {0.0, 255.0, 256.0, -3.0, 0.5}) {
        const Borders border{.z = Border::replicate(), .y = border_of(y, constant), .x = border_of(x, constant + 1)};
        for (const Image* image : {&on_boundaries, &on_none}) {
          expect_same(*image, whole_filter({.height = 5, .width = 5}, 5),
                      {.border = border, .output = Pixel::f32, .method = Method::direct}, done);
          expect_same(*image, factored(5, 5),
                      {.border = border, .output = Pixel::f32, .method = Method::separable}, done);
        }
      }
    }
  }
  EXPECT_GE(done.aligned, 180);
  EXPECT_GE(done.any, 140);
}

TEST(WarpStrip, EveryPixelOfOutputScaledAndRounded) {
  Done done;
  const Image on_boundaries = whole_image({.height = 23, .width = 704}, Pixel::u8, 6);
  const Image on_none = whole_image({.height = 23, .width = 700}, Pixel::u8, 6);
  for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
      for (const double offset : {0.0, 3.0}) {
        // Rows on no boundary that wrap around are for other families.
        for (const auto& [image, border] :
             {std::pair{&on_boundaries, Border::wrap()}, std::pair{&on_none, Border::wrap()},
              std::pair{&on_none, Border::reflect()}}) {
          const Options options{
              .border = border, .output = output, .scale = 1.0 / 64, .offset = offset, .rounding = rounding};
          expect_same(*image, whole_filter({.height = 3, .width = 3}, 6), options, done);
          expect_same(*image, whole_filter({.height = 5, .width = 5}, 6), options, done);
          expect_same(*image, whole_filter({.height = 5, .width = 5}, 6, 300), options, done);
          expect_same(*image, factored(7, 6), options, done);
        }
      }
    }
  }
  EXPECT_GE(done.aligned, 80);
  EXPECT_GE(done.any, 48);
}

TEST(WarpStrip, WeightsThatBecomeIntegersByAPowerOfTwo) {
  Done done;
  std::vector<double> weights(25);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = (i % 2 == 0 ? -128 : 127) / 1024.0;
  for (const std::int64_t width : {1000, 1008}) {
    expect_same(noise({.height = 64, .width = width}, Pixel::u8, 7),
                Filter::dense({.height = 5, .width = 5}, weights),
                {.border = Border::reflect101(), .output = Pixel::f32, .method = Method::direct}, done);
  }
  EXPECT_GE(done.aligned, 1);
  EXPECT_GE(done.any, 1);
}

TEST(WarpStrip, IntegerWeightsAreSummedDirectlyAndOthersByFactors) {
  const auto method_of = [](const Filter& filter, Pixel output) {
    const Shape shape{.height = 4096, .width = 4096, .channels = 3};
    return Plan({.shape = shape, .pixel = Pixel::u8, .filters = {filter}, .device = cuda(), .options = {.output = output}}).methods()[0];
  };
  const Filter whole = Filter::separable({.y = {0.25, 0.5, 0.25}, .x = {0.25, 0.5, 0.25}});
  EXPECT_EQ(method_of(whole, Pixel::u8), Method::direct);
  EXPECT_EQ(method_of(Filter::separable({.y = {0.3, 0.4, 0.3}, .x = {0.3, 0.4, 0.3}}), Pixel::u8), Method::separable);
}

TEST(WarpStrip, PlanesBatchesHighAndLowImages) {
  Done done;
  const Options options{.border = Border::reflect()};
  for (const std::int64_t height : {1, 2, 3, 4, 5, 700}) {
    for (const Filter& filter : {whole_filter({.height = 3, .width = 3}, 8), factored(9, 8)}) {
      expect_same(whole_image({.batch = 3, .depth = 2, .height = height, .width = 80}, Pixel::u8, 8), filter,
                  options, done);
      expect_same(whole_image({.height = height, .width = 4100, .channels = 3}, Pixel::u16, 8), filter,
                  options, done);
    }
  }
  EXPECT_GE(done.aligned, 6);
  EXPECT_GE(done.any, 6);
}

/// Runs a job by the family for rows that lie like these, whether or not packed images of their shape would
/// be for it; where it refuses the job, by whichever family should be quickest.
void run_on_rows(const PlanSpec& spec, const ConstView& in, const View& out, Done& done) {
  using namespace cuda_backend;
  const RowLayout rows = row_layout_of(in, {&out, 1});
  const bool aligned = is_aligned(rows) || rows == RowLayout::aligned_pixels;
  const std::string_view family = aligned ? "warp strip, aligned" : "warp strip";
  const Choice choice = choose(check(spec), spec.options, backend_for(spec.device), spec.device);
  const Gpu& gpu = gpu_of(spec.device);
  if (families().cheapest_or_none({*choice.job, rows, gpu, families()}, family).family == nullptr)
    return Plan(spec).run(in, out);
  families().make(choice.job, gpu, std::array{rows}, family)->run(in, {&out, 1}, {}, {});
  ++(aligned ? done.aligned : done.any);
}

/// A crop of an image of `canvas_width` pixels a row from one column on, into another from another on, of which nothing else may
/// change.
void expect_right_crop(const Shape& shape, Pixel pixel, std::int64_t canvas_width, std::int64_t from,
                       std::int64_t to, const Filter& filter, const Options& options, Done& done) {
  const std::int64_t height = shape.height + 4;
  const Shape larger{.height = height, .width = canvas_width, .channels = shape.channels};
  const Image there = to_device(whole_image(larger, pixel, 9), cuda());
  const Region region{.y = 2, .x = from, .height = shape.height, .width = shape.width};
  Options direct = options;
  direct.method = Method::direct;
  const Image expected = convolve(to_device(ConstView(there).crop(region), cpu()), filter, direct);
  Image canvas(larger, expected.pixel());
  std::memset(canvas.view().data, 0x5a, bytes_in(canvas));
  Image there_out = to_device(canvas, cuda());
  const Region place{.y = 1, .x = to, .height = shape.height, .width = shape.width};
  const PlanSpec spec{
      .shape = expected.shape(), .pixel = pixel, .filters = {filter}, .device = cuda(), .options = options};
  run_on_rows(spec, ConstView(there).crop(region), there_out.view().crop(place), done);
  copy(expected, canvas.view().crop(place));
  EXPECT_TRUE(same_bits(canvas, to_device(there_out, cpu())))
      << text(canvas, filter) << ", " << to_string(shape) << " from column " << from << " to " << to
      << ", method " << name_of(options.method);
}

/// Rows that end anywhere between 16-byte boundaries, in images narrower than a warp's columns too: lanes whose first outputs lie
/// inside, whose second do, and those that the row's end cuts.
TEST(WarpStrip, RowsOnBoundariesThatEndAnywhere) {
  Done done;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::f16}) {
    for (const std::int64_t width : {5, 15, 17, 100, 250, 271, 496, 505, 519, 530, 703, 1001, 1023, 1030}) {
      const Shape shape{.height = 19, .width = width};
      for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f64}) {
        if (pixel == Pixel::f16 && !is_float(output)) continue;
        const Options options{.border = Border::replicate(), .output = output, .method = Method::separable};
        for (const std::int64_t taps : {3, 5})
          expect_right_crop(shape, pixel, 1104, 16, 32, factored(taps, 8), options, done);
      }
      const Options options{.border = Border::constant(3), .method = Method::direct};
      expect_right_crop(shape, pixel, 1104, 16, 32, whole_filter({.height = 1, .width = 3}, 8), options,
                        done);
      expect_right_crop(shape, pixel, 1104, 16, 32, whole_filter({.height = 3, .width = 1}, 8), options,
                        done);
    }
  }
  EXPECT_GE(done.aligned, 390);
  EXPECT_EQ(done.any, 0);
}

TEST(WarpStrip, RowsFromAnyElementOn) {
  Done done;
  const auto expect_right = [&](const Shape& shape, Pixel pixel, const Filter& filter,
                                const Options& options) {
    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, 1}, {1, 0}, {3, 6}, {16, 5}, {23, 23}})
      expect_right_crop(shape, pixel, shape.width + 23, from, to, filter, options, done);
  };
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32}) {
    for (const std::int64_t channels : {1, 2, 3, 4}) {
      for (const std::int64_t width : {1, 7, 100, 555, 1111}) {
        const Shape shape{.height = 30, .width = width, .channels = channels};
        for (const std::int64_t taps : {3, 5, 7}) {
          const Options options{
              .border = Border::reflect101(), .scale = 1.0 / 16, .offset = 3, .method = Method::direct};
          expect_right(shape, pixel, whole_filter({.height = taps, .width = taps}, 9), options);
        }
        expect_right(shape, pixel, factored(9, 9),
                     {.border = Border::constant(7), .output = Pixel::f32, .method = Method::separable});
        expect_right(shape, pixel, whole_filter({.height = 3, .width = 3}, 9, 300),
                     {.border = Border::wrap(),
                      .output = pixel == Pixel::u8 ? Pixel::i16 : pixel,
                      .method = Method::direct});
      }
    }
  }
  EXPECT_GE(done.any, 1800);
}

}  // namespace
}  // namespace halation::gpu_test
