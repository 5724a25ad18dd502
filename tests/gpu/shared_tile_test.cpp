// shared_tile_test.cpp: tiles in shared memory (shared_tile.cuh), whose warps have fewer rows of outputs where an image
// has few blocks: rows of every number of taps that are unrolled, on few blocks and on many.
//
// Right answers come from the CPU, which the sweep compares with the reference. Data and weights are whole
// numbers small enough for f32 to hold every sum exactly, so every pixel must be right to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

/// Three times as many blocks as make warps have all their rows, at one block an image.
std::int64_t many_images() {
  int multiprocessors = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  return std::int64_t{6} * multiprocessors;
}

/// All outputs of filters that tiles must take, against the CPU's.
void expect_same(const Image& image, const std::vector<Filter>& filters, const Options& options,
                 Combine combine = Combine::none) {
  PlanSpec spec{.shape = image.shape(),
                .pixel = image.pixel(),
                .filters = filters,
                .combine = combine,
                .device = cuda(),
                .options = options};
  spec.options.method = Method::direct;
  const Plan plan = plan_by("shared tile", spec);
  spec.device = cpu();
  const Plan oracle(spec);
  const Image there = to_device(image, cuda());
  std::vector<Image> expected;
  std::vector<Image> found;
  for (std::size_t i = 0; i < plan.outputs(); ++i) {
    expected.emplace_back(oracle.output_shape(), oracle.output_pixel());
    found.push_back(allocate(plan.output_shape(), plan.output_pixel(), cuda()));
    ASSERT_EQ(cudaMemset(found.back().view().data, 0xff, bytes_in(found.back())), cudaSuccess);
  }
  oracle.run(image, std::vector<View>(expected.begin(), expected.end()));
  plan.run(there, std::vector<View>(found.begin(), found.end()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const FilterSize& size = filters[i].size();
    EXPECT_TRUE(same_bits(expected[i], to_device(found[i], cpu())))
        << "output " << i << " of " << size.height << "x" << size.width << " taps, image "
        << to_string(image.shape());
  }
}

TEST(Tiles, RowsOfEveryNumberOfTapsOnFewAndOnManyBlocks) {
  const Image few = whole_image({.batch = 2, .height = 45, .width = 301}, Pixel::f32, 1);
  const Image many = whole_image({.batch = many_images(), .height = 19, .width = 37}, Pixel::f32, 2);
  std::uint64_t seed = 0;
  for (std::int64_t taps = 1; taps <= 16; ++taps) {
    for (const std::int64_t rows : {2, 9, 16}) {
      const std::vector<Filter> filter{whole_filter({.height = rows, .width = taps}, ++seed)};
      // Patches take no outputs beyond the image.
      for (const Image* image : {&few, &many})
        expect_same(*image, filter, {.border = Border::reflect101(), .extent = Extent::full});
    }
  }
}

TEST(Tiles, MoreRowsOfTapsThanAPart) {
  const std::vector<Filter> filter{whole_filter({.height = 37, .width = 5}, 1)};
  for (const std::int64_t batch : {std::int64_t{1}, many_images()}) {
    expect_same(whole_image({.batch = batch, .height = 41, .width = 30}, Pixel::f32, 3), filter,
                {.border = Border::wrap()});
  }
}

TEST(Tiles, ChannelsSideBySide) {
  const std::vector<Filter> filter{whole_filter({.height = 9, .width = 9}, 1)};
  for (const std::int64_t channels : {2, 3, 4, 16}) {
    for (const std::int64_t batch : {std::int64_t{1}, many_images()}) {
      const Image image =
          whole_image({.batch = batch, .height = 21, .width = 14, .channels = channels}, Pixel::u8, 4);
      expect_same(image, filter,
                  {.border = Border::constant(7), .extent = Extent::full, .output = Pixel::f32});
    }
  }
}

TEST(Tiles, SeveralFiltersAtOnce) {
  const std::vector<Filter> filters{whole_filter({.height = 5, .width = 9}, 1),
                                    whole_filter({.height = 5, .width = 9}, 2),
                                    whole_filter({.height = 3, .width = 9}, 3)};
  for (const std::int64_t batch : {std::int64_t{1}, many_images()}) {
    expect_same(whole_image({.batch = batch, .height = 25, .width = 43}, Pixel::f32, 5), filters,
                {.border = Border::replicate()});
  }
}

TEST(Tiles, Magnitudes) {
  const std::vector<Filter> filters{whole_filter({.height = 3, .width = 3}, 1, 1),
                                    whole_filter({.height = 3, .width = 3}, 2, 1)};
  for (const std::int64_t batch : {std::int64_t{1}, many_images()}) {
    expect_same(whole_image({.batch = batch, .height = 25, .width = 43}, Pixel::f32, 6), filters,
                {.border = Border::replicate()}, Combine::magnitude);
  }
}

TEST(Tiles, MagnitudesWhoseSquaresOverflowOrVanish) {
  const Filter three = whole_filter({.height = 3, .width = 3}, 1, 1), other = whole_filter({.height = 3, .width = 3}, 2, 1);
  const auto box = [](std::int64_t size) {
    return Filter::dense({.height = size, .width = size},
                         std::vector<double>(static_cast<std::size_t>(size * size), 1.0));
  };
  const struct {
    std::vector<Filter> filters;
    Method method;
    const char* family;
  } jobs[]{{{three, other}, Method::direct, "shared tile"},
           {{three, other, three}, Method::direct, "shared tile"},
           {{box(3), box(65)}, Method::separable, "filter by filter"}};
  for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
    const double far = pixel == Pixel::f64 ? 1e200 : 1e30;
    for (const double value : {1 / far, 1.0, far}) {
      Image image({.height = 40, .width = 50}, pixel);
      for (std::int64_t i = 0; i < image.shape().elements(); ++i) {
        if (pixel == Pixel::f64) reinterpret_cast<double*>(image.view().data)[i] = value;
        else reinterpret_cast<float*>(image.view().data)[i] = static_cast<float>(value);
      }
      for (const auto& [filters, method, family] : jobs) {
        const PlanSpec spec{.shape = image.shape(),
                            .pixel = pixel,
                            .filters = filters,
                            .combine = Combine::magnitude,
                            .device = cuda(),
                            .options = {.border = Border::replicate(), .output = pixel, .method = method}};
        // No other family takes several filters by factors. It is not asked for: methods are priced for a
        // filter by itself.
        const Plan plan = method == Method::direct ? plan_by(family, spec) : Plan(spec);
        EXPECT_THAT(plan.explain(), ::testing::HasSubstr("family: " + std::string(family) + ";"));
        double squares = 0;
        for (const Filter& filter : filters) {
          const std::vector<double> weights = filter.weights();
          const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
          squares += sum * sum;
        }
        for (const double found : values_of(result_of(plan, image))) ASSERT_NEAR(found / value / std::sqrt(squares), 1, 1e-5) << value << ", " << family;
      }
    }
  }
}

TEST(Tiles, SignalsFoldedIntoRows) {
  // Which long rows do not take: f64, and magnitudes of several filters, for which one tile is staged.
  const std::vector<Filter> filters{whole_filter({.width = 7}, 1), whole_filter({.width = 7}, 2)};
  const std::int64_t of_a_block = std::int64_t{32} * 256;
  for (const std::int64_t width : {std::int64_t{5003}, many_images() / 2 * of_a_block + 3}) {
    expect_same(whole_image({.width = width}, Pixel::f64, 7), filters, {.border = Border::reflect()});
  }
  expect_same(whole_image({.width = 5003}, Pixel::f32, 8), filters, {.border = Border::reflect()});
}

}  // namespace
}  // namespace halation::gpu_test
