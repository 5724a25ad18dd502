// volumes_test.cpp: cubes of 3 to 9 taps over volumes, separable and dense, which walk along z: borders,
// extents and anchors, planes of every size around a block's, one plane and two, deep volumes that are cut
// into strips, and rows that no kernel for whole rows takes. By streaming and by streaming with movers, where
// these take the job, else by whichever should be quickest.
//
// Data and weights are integers so small that f32 holds every sum exactly, so every voxel must be right to
// the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

using testing::HasSubstr;

/// How many jobs the two families did.
struct Done {
  int by_all_warps = 0, by_movers = 0;
};

/// Calls `use` with every plan that is to be tested, and words for it.
template <class Use>
void for_each_plan(const PlanSpec& spec, Done& done, const Use& use) {
  const std::optional<Plan> all_warps = plan_by_or_none("streaming", spec),
                            movers = plan_by_or_none("streaming by movers", spec);
  if (all_warps) use(*all_warps, ", by all warps");
  if (movers) use(*movers, ", by movers");
  if (!all_warps && !movers) use(Plan(spec), ", by another family");
  done.by_all_warps += all_warps.has_value();
  done.by_movers += movers.has_value();
}

/// Factors of integers in [-2, 2], which differ along the axes.
Filter whole_cube(std::int64_t taps, std::uint64_t seed) {
  std::array<std::vector<double>, 3> factors;
  for (std::vector<double>& factor : factors) {
    ++seed;
    for (std::int64_t i = 0; i < taps; ++i) {
      factor.push_back(static_cast<double>(random_bits(seed << 40 ^ static_cast<std::uint64_t>(i)) % 5) - 2);
    }
    factor.back() = 1;
  }
  return Filter::separable({.z = factors[2], .y = factors[1], .x = factors[0]});
}

void expect_same(const Image& image, const Filter& filter, Options options, const std::string& what,
                 Done& done) {
  const Image expected = convolve(image, filter, options);
  if (options.method == Method::automatic) options.method = Method::separable;
  for_each_plan(spec_on_gpu(image, filter, options), done, [&](const Plan& plan, const char* by) {
    EXPECT_TRUE(same_bits(expected, result_of(plan, image)))
        << filter.size().width << " taps, " << to_string(image.shape()) << ", " << what << by;
  });
}

TEST(Volumes, EveryBorderAndSizeOfPlanes) {
  Done done;
  std::uint64_t seed = 0;
  for (const std::int64_t taps : {3, 5, 7, 9}) {
    for (const std::int64_t width : {4, 8, 68, 124, 128, 132, 260, 67, 129}) {
      for (const std::int64_t height : {1, 2, 15, 16, 17, 24, 31, 33, 50}) {
        for (const std::int64_t depth : {1, 2, 7}) {
          const Border border{border_modes[++seed % border_modes.size()], 3};
          expect_same(whole_image({.depth = depth, .height = height, .width = width}, Pixel::f32, seed),
                      whole_cube(taps, seed), {.border = border},
                      "border " + std::to_string(seed % border_modes.size()), done);
        }
      }
    }
  }
  EXPECT_GE(done.by_all_warps, 390);
}

TEST(Volumes, EveryPixel) {
  Done done;
  std::uint64_t seed = 50;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16}) {
    for (const std::int64_t width : {4, 124, 128, 136, 260, 67}) {
      for (const std::int64_t height : {1, 2, 16, 17, 33}) {
        for (const std::int64_t depth : {1, 2, 7, 20}) {
          for (const std::int64_t taps : {3, 5, 7, 9}) {
            ++seed;
            const Image image = whole_image({.depth = depth, .height = height, .width = width}, pixel, seed);
            const Border::Mode mode = border_modes[seed % border_modes.size()];
            const Options options{.border = Border{mode, mode == Border::Mode::constant ? 5.0 : 0.0},
                                  .output = seed % 3 == 0 ? Pixel::f32 : pixel,
                                  .scale = 0.5,
                                  .offset = 9,
                                  .rounding = seed % 2 == 0 ? Rounding::half_even : Rounding::truncate};
            expect_same(image, whole_cube(taps, seed), options, std::string(name_of(pixel)), done);
            if (taps == 9) continue;
            const Filter dense = whole_filter({.depth = taps, .height = taps, .width = taps}, seed, 1);
            Options directly = options;
            directly.method = Method::direct;
            expect_same(image, dense, directly,
                        std::string(name_of(pixel)) + ", border " + std::string(name_of(mode)), done);
          }
        }
      }
    }
  }
  EXPECT_GE(done.by_all_warps, 350);
  EXPECT_GE(done.by_movers, 650);
}

TEST(Volumes, EveryAnchorAndExtent) {
  Done done;
  const Image image = whole_image({.depth = 19, .height = 37, .width = 140}, Pixel::f32, 1);
  std::uint64_t seed = 0;
  for (const std::int64_t taps : {3, 5, 7, 9}) {
    for (std::int64_t anchor = 0; anchor < taps; ++anchor) {
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
        const Options options{.border = Border{border_modes[++seed % border_modes.size()], -2}, .extent = extent};
        const std::string what = "anchor " + std::to_string(anchor);
        const Filter filter = whole_cube(taps, seed);
        // In the middle along x, so that rows stay on their boundaries; then along y, then along all axes.
        expect_same(image, filter.with_anchor({.z = anchor, .y = taps / 2, .x = taps / 2}), options,
                    what + " along z", done);
        expect_same(image, filter.with_anchor({.z = taps / 2, .y = anchor, .x = taps / 2}), options,
                    what + " along y", done);
        expect_same(image, filter.with_anchor({.z = anchor, .y = anchor, .x = anchor}), options, what, done);
        if (taps > 5) continue;
        Options directly = options;
        directly.method = Method::direct;
        const Filter dense = whole_filter({.depth = taps, .height = taps, .width = taps}, seed);
        expect_same(image, dense.with_anchor({.z = anchor, .y = taps / 2, .x = taps / 2}), directly,
                    what + " along z, dense", done);
        expect_same(image, dense.with_anchor({.z = anchor, .y = anchor, .x = anchor}), directly,
                    what + ", dense", done);
      }
    }
  }
  EXPECT_GE(done.by_all_warps, 60);
  EXPECT_GE(done.by_movers, 48);
}

TEST(Volumes, StripsBatchesAndPlanesOfChannels) {
  Done done;
  const auto expect_same_of = [&](const Filter& filter, Method method) {
    const auto expect = [&](const Shape& shape, std::uint64_t seed, Layout layout, Options options,
                            const std::string& what) {
      options.method = method;
      expect_same(whole_image(shape, Pixel::f32, seed, layout), filter, options, what, done);
    };
    const Layout interleaved = Layout::interleaved;
    expect({.depth = 3001, .height = 40, .width = 132}, 4, interleaved, {.border = Border::reflect()},
           "deep");
    expect({.depth = 20'011, .height = 3, .width = 4}, 5, interleaved, {.border = Border::wrap()},
           "very deep");
    expect({.depth = 129, .height = 300, .width = 516}, 6, interleaved, {.border = Border::constant(2)},
           "many blocks");
    expect({.batch = 3, .depth = 11, .height = 35, .width = 136}, 7, interleaved,
           {.border = Border::replicate()}, "batch");
    const Shape channels{.depth = 11, .height = 35, .width = 136, .channels = 3};
    expect(channels, 8, Layout::planar, {.border = Border::reflect101(), .scale = 0.5, .offset = 3},
           "planar channels");
    expect(channels, 9, interleaved, {}, "channels side by side");
  };
  for (const std::int64_t taps : {3, 5, 7, 9}) expect_same_of(whole_cube(taps, 3), Method::separable);
  for (const std::int64_t taps : {3, 5})
    expect_same_of(whole_filter({.depth = taps, .height = taps, .width = taps}, 3), Method::direct);
  EXPECT_GE(done.by_all_warps, 25);
  EXPECT_GE(done.by_movers, 12);
}

TEST(Volumes, RowsOnNoBoundary) {
  const Shape shape{.depth = 12, .height = 34, .width = 136};
  const Image canvas = whole_image({.depth = 12, .height = 34, .width = 141}, Pixel::f32, 10);
  const Image there = to_device(canvas, cuda());
  for (const std::int64_t taps : {3, 5, 7, 9}) {
    const Filter filter = whole_cube(taps, 11);
    const Region region{.x = 1, .depth = shape.depth, .height = shape.height, .width = shape.width};
    PlanSpec spec{.shape = shape, .pixel = Pixel::f32, .filters = {filter}};
    const Plan on_cpu(spec);
    spec.device = cuda();
    Image expected(shape, Pixel::f32);
    on_cpu.run(canvas.view().crop(region), expected.view());
    // Movers take only dense weights.
    for (const auto& [method, family] :
         {std::pair{Method::separable, "axis by axis"}, std::pair{Method::direct, "streaming by movers"}}) {
      if (method == Method::direct && taps == 9) continue;
      spec.options.method = method;
      const Plan on_gpu = plan_by(family, spec);
      Image found = allocate(shape, Pixel::f32, cuda());
      on_gpu.run(there.view().crop(region), found.view());
      EXPECT_TRUE(same_bits(expected, to_device(found, cpu()))) << taps << " taps, " << family;
    }
  }
}

TEST(Volumes, NanStaysInItsWindow) {
  Done done;
  Image image = whole_image({.depth = 25, .height = 70, .width = 264}, Pixel::f32, 12);
  for (const auto& [z, y, x] : {std::array{0, 0, 0}, std::array{11, 32, 127}, std::array{24, 69, 263}}) {
    image.view().at<float>({.z = z, .y = y, .x = x}) = std::numeric_limits<float>::quiet_NaN();
  }
  for (const std::int64_t taps : {3, 5, 7, 9}) {
    const Options options{.border = Border::constant(1), .method = Method::separable};
    const Filter filter = whole_cube(taps, 13);
    const Image expected = convolve(image, filter, options);
    const auto* right = reinterpret_cast<const float*>(expected.view().data);
    for_each_plan(spec_on_gpu(image, filter, options), done, [&](const Plan& plan, const char* by) {
      const Image found = result_of(plan, image);
      const auto* got = reinterpret_cast<const float*>(found.view().data);
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < image.shape().elements(); ++i) {
        wrong += std::isnan(right[i]) ? !std::isnan(got[i]) : got[i] != right[i];
      }
      EXPECT_EQ(wrong, 0) << taps << " taps" << by;
    });
  }
  EXPECT_GE(done.by_all_warps, 4);
}

TEST(Volumes, DenseCubes) {
  Done done;
  std::uint64_t seed = 0;
  for (const std::int64_t taps : {3, 5, 7}) {
    const Filter filter = whole_filter({.depth = taps, .height = taps, .width = taps}, 14);
    for (const Border::Mode mode : border_modes) {
      const Image image = whole_image({.depth = 9, .height = 35, .width = 264}, Pixel::f32, ++seed);
      expect_same(image, filter, {.border = Border{mode, 5}, .method = Method::direct},
                  "border " + std::string(name_of(mode)), done);
    }
  }
  EXPECT_GE(done.by_all_warps, 15);
  EXPECT_GE(done.by_movers, 15);
}

TEST(Volumes, AreSummedInOnePass) {
  const Shape shape{.depth = 512, .height = 512, .width = 512};
  for (const std::int64_t taps : {3, 5, 7, 9}) {
    const Plan plan({.shape = shape, .pixel = Pixel::f32, .filters = {whole_cube(taps, 15)}, .device = cuda()});
    EXPECT_THAT(plan.explain(), HasSubstr("planes, summed across and down, met by all " + std::to_string(taps) + " outputs"));
  }
}

}  // namespace
}  // namespace halation::gpu_test
