// model_test.cpp: tiles, rungs, roofline and rank against the sources' figures and against counting.
#include "model/tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "message_of.h"
#include "model/rank.h"
#include "model/roofline.h"
#include "model/rungs.h"

namespace halation::model {
namespace {

/// Half a unit of the last printed digit and a little: three figures are printed rounded down.
constexpr double as_printed = 0.06;

/// How often each element of an image is read by a block of outputs, counted one read at a time: by z, y, x.
using Reads = std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t>;

struct CountedAxis {
  std::int64_t first, outputs, mask, extent;
};
const CountedAxis one_element{0, 1, 1, 1};

Reads count(const CountedAxis& z, const CountedAxis& y, const CountedAxis& x) {
  const auto ends = [](const CountedAxis& axis) { return axis.first + axis.outputs; };
  const auto outside = [](const CountedAxis& axis, std::int64_t at) { return at < 0 || at >= axis.extent; };
  Reads reads;
  for (std::int64_t oz = z.first; oz < ends(z); ++oz)
    for (std::int64_t oy = y.first; oy < ends(y); ++oy)
      for (std::int64_t ox = x.first; ox < ends(x); ++ox)
        for (std::int64_t kz = -(z.mask / 2); kz <= z.mask / 2; ++kz)
          for (std::int64_t ky = -(y.mask / 2); ky <= y.mask / 2; ++ky)
            for (std::int64_t kx = -(x.mask / 2); kx <= x.mask / 2; ++kx)
              if (!outside(z, oz + kz) && !outside(y, oy + ky) && !outside(x, ox + kx))
                ++reads[{oz + kz, oy + ky, ox + kx}];
  return reads;
}

TileTraffic traffic_of(const Reads& reads) {
  TileTraffic total{static_cast<std::int64_t>(reads.size()), 0};
  for (const auto& [place, times] : reads) total.accesses += times;
  return total;
}

TileAxis axis_of(const CountedAxis& axis) {
  return {axis.outputs, axis.mask, axis.first, axis.extent - axis.first - axis.outputs};
}

/// Tiles of 1 to 9 outputs and masks of 1 to 9 at every place of a row of 1 to 12 elements.
std::vector<CountedAxis> small_axes() {
  std::vector<CountedAxis> axes;
  for (std::int64_t extent = 1; extent <= 12; ++extent)
    for (std::int64_t outputs = 1; outputs <= std::min<std::int64_t>(extent, 9); ++outputs)
      for (std::int64_t first = 0; first + outputs <= extent; ++first)
        for (std::int64_t mask = 1; mask <= 9; mask += 2) axes.push_back({first, outputs, mask, extent});
  return axes;
}

TEST(Tile, FiguresOfTheSourcesIn1D) {
  const TileTraffic within = traffic(inside(8, 5));
  EXPECT_EQ(within.loads, 12);
  EXPECT_EQ(within.accesses, 40);
  EXPECT_NEAR(within.reduction(), 3.3, as_printed);
  const TileTraffic edge = traffic(boundary(8, 5));
  EXPECT_EQ(edge.loads, 10);
  EXPECT_EQ(edge.accesses, 37);
  EXPECT_NEAR(edge.reduction(), 3.7, as_printed);
  EXPECT_EQ(reuse(inside(8, 5)), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 5, 5, 5, 4, 3, 2, 1}));
}

void expect_table(int dims, const std::vector<std::int64_t>& tiles,
                  const std::vector<std::vector<double>>& printed) {
  const auto table = reduction_table(dims, tiles, std::vector<std::int64_t>{5, 9});
  ASSERT_EQ(table.size(), printed.size());
  for (std::size_t mask = 0; mask < table.size(); ++mask) {
    ASSERT_EQ(table[mask].size(), printed[mask].size());
    for (std::size_t tile = 0; tile < tiles.size(); ++tile)
      EXPECT_NEAR(table[mask][tile], printed[mask][tile], as_printed) << "tile " << tiles[tile];
  }
}

TEST(Tile, ReductionTablesOfTheSources) {
  expect_table(1, {16, 32, 64, 128, 256}, {{4.0, 4.4, 4.7, 4.9, 4.9}, {6.0, 7.2, 8.0, 8.5, 8.7}});
  expect_table(2, {8, 16, 32, 64}, {{11.1, 16, 19.7, 22.1}, {20.3, 36, 51.8, 64}});
}

TEST(Tile, FiguresOfTheSourcesIn2D) {
  const TileAxis axes[] = {inside(8, 5), inside(8, 5)};
  EXPECT_EQ(traffic(axes).loads, 144);
  EXPECT_EQ(traffic(axes).accesses, 1600);
  EXPECT_NEAR(traffic(axes).reduction(), 11.1, as_printed);
}

TEST(Tile, OperationsPerByteOfTheSources) {
  EXPECT_DOUBLE_EQ(operations_per_byte(false), 0.25);
  EXPECT_DOUBLE_EQ(operations_per_byte(true), 0.5);
  EXPECT_NEAR(tiled_operations_per_byte(2, 64, 5), 10.98, as_printed);
  // A block by hand: 60 × 60 outputs of 25 taps from 64 × 64 elements of 4 bytes.
  EXPECT_DOUBLE_EQ(tiled_operations_per_byte(2, 64, 5), 60. * 60 * 25 * 2 / (64. * 64 * 4));
  EXPECT_DOUBLE_EQ(tiled_operations_per_byte(3, 8, 3), 6. * 6 * 6 * 27 * 2 / (8. * 8 * 8 * 4));
}

TEST(Tile, LoadsAccessesAndReuseAreThoseCounted) {
  for (const CountedAxis& axis : small_axes()) {
    const Reads reads = count(one_element, one_element, axis);
    const TileTraffic counted = traffic_of(reads);
    const TileTraffic found = traffic(axis_of(axis));
    ASSERT_EQ(found.loads, counted.loads)
        << axis.first << " " << axis.outputs << " " << axis.mask << " " << axis.extent;
    ASSERT_EQ(found.accesses, counted.accesses);
    std::vector<std::int64_t> uses;
    for (const auto& [place, times] : reads) uses.push_back(times);
    ASSERT_EQ(reuse(axis_of(axis)), uses);
    ASSERT_EQ(std::accumulate(uses.begin(), uses.end(), std::int64_t{0}), found.accesses);
  }
}

TEST(Tile, AxesMultiply) {
  const CountedAxis axes[] = {{0, 3, 5, 9}, {2, 4, 3, 7}, {5, 6, 7, 11}, {1, 1, 9, 3}};
  for (const CountedAxis& z : axes)
    for (const CountedAxis& y : axes)
      for (const CountedAxis& x : axes) {
        const TileTraffic counted = traffic_of(count(z, y, x));
        const TileAxis all[] = {axis_of(z), axis_of(y), axis_of(x)};
        ASSERT_EQ(traffic(all).loads, counted.loads);
        ASSERT_EQ(traffic(all).accesses, counted.accesses);
      }
}

TEST(Tile, LargestSizesFit) {
  const TileAxis axis = inside(most_tile, most_mask);
  const TileAxis axes[] = {axis, axis, axis};
  EXPECT_EQ(static_cast<double>(traffic(axes).accesses), std::pow(4096.0 * 255, 3));
}

TEST(Tile, RefusesSizesThatMeanNothing) {
  EXPECT_EQ(message_of([] { inside(0, 5); }), "tile must be from 1 to 4096, got 0");
  EXPECT_EQ(message_of([] { boundary(4097, 5); }), "tile must be from 1 to 4096, got 4097");
  EXPECT_EQ(message_of([] { inside(8, 4); }), "mask must be odd and from 1 to 255, got 4");
  EXPECT_EQ(message_of([] { inside(8, -1); }), "mask must be odd and from 1 to 255, got -1");
  EXPECT_EQ(message_of([] { tiled_operations_per_byte(2, 4, 5); }),
            "an input tile of 4 leaves no output for a mask of 5");
}

TEST(Rungs, AskWhatTheSourcesSay) {
  EXPECT_DOUBLE_EQ(rung_work("naive", 2, 2).operations, 50);
  EXPECT_DOUBLE_EQ(rung_work("naive", 2, 2).global_loads, 50);
  EXPECT_DOUBLE_EQ(rung_work("naive", 2, 2).operations_per_byte(), 0.25);
  EXPECT_DOUBLE_EQ(rung_work("basic", 1, 2).operations_per_byte(), 0.25);
  EXPECT_DOUBLE_EQ(rung_work("constant", 2, 2).operations_per_byte(), 0.5);
  EXPECT_NEAR(rung_work("tiled_input_block", 2, 2).operations_per_byte(), 10.98, as_printed);
  // The slides: 16 × 16 outputs, radius 8, four loads a thread.
  EXPECT_DOUBLE_EQ(rung_work("tiled_output_block", 2, 8).global_loads, 4);
  EXPECT_DOUBLE_EQ(rung_work("tiled_halo", 1, 2, Tile{1, 1, 8}).global_loads, 12.0 / 8);
  EXPECT_DOUBLE_EQ(rung_work("tiled", 3, 1, Tile{4, 4, 4}).global_loads, 216.0 / 64);
  EXPECT_DOUBLE_EQ(rung_work("separable_shared", 2, 8).global_loads, 4);  // (16 + 16) ÷ 16, twice
  EXPECT_DOUBLE_EQ(rung_work("separable_shared", 2, 8).operations, 2 * 17 * 2);
  EXPECT_DOUBLE_EQ(rung_work("library", 2, 8).operations, 2 * 17 * 17);
  EXPECT_DOUBLE_EQ(rung_work("library", 2, 8).bytes(), 8);
}

TEST(Rungs, CachedTileAsksForWhatLiesOutsideIt) {
  for (const std::int64_t tile : {1, 4, 6}) {
    for (const std::int64_t radius : {0, 1, 3, 7}) {
      const CountedAxis axis{20, tile, 2 * radius + 1, 50};
      std::int64_t outside = 0;
      const auto in_tile = [&](std::int64_t at) { return at >= 20 && at < 20 + tile; };
      for (const auto& [place, times] : count(one_element, axis, axis))
        if (!in_tile(std::get<1>(place)) || !in_tile(std::get<2>(place))) outside += times;
      const double per_output = 1 + static_cast<double>(outside) / static_cast<double>(tile * tile);
      EXPECT_DOUBLE_EQ(rung_work("tiled_cached", 2, radius, Tile{1, tile, tile}).global_loads, per_output);
    }
  }
}

TEST(Rungs, WithoutARadiusEachElementIsLoadedOnce) {
  for (const auto& [rung, dims] : {std::pair{"constant", 1},
                                   {"tiled_halo", 1},
                                   {"tiled_cached", 1},
                                   {"tiled_input_block", 2},
                                   {"tiled_output_block", 2},
                                   {"tiled_cached", 2},
                                   {"tiled", 3}}) {
    EXPECT_DOUBLE_EQ(rung_work(rung, dims, 0).global_loads, 1) << rung;
    EXPECT_DOUBLE_EQ(rung_work(rung, dims, 0).operations, 2) << rung;
    EXPECT_DOUBLE_EQ(rung_work(rung, dims, 0).least_dram_bytes, 8) << rung;
  }
}

TEST(Rungs, RefuseWhatThereIsNot) {
  EXPECT_EQ(message_of([] { rung_work("basic", 2, 1); }),
            "no rung 'basic' in 2D; choose from cpu_naive, naive, constant, texture, tiled_input_block, "
            "tiled_output_block, "
            "tiled_cached, separable_shared, separable_optimised, library, cpu_library");
  EXPECT_EQ(message_of([] { rung_work("naive", 4, 1); }), "dims must be 1, 2 or 3, got 4");
  EXPECT_EQ(message_of([] { rung_work("naive", 2, -1); }), "radius must be >= 0, got -1");
  EXPECT_EQ(message_of([] {
              rung_work("tiled_input_block", 2, 16, Tile{1, 64, 32});
            }),
            "tiled_input_block: radius 16 leaves no output in the input tile");
}

TEST(Roofline, TakesTheLongerOfMemoryAndArithmetic) {
  DeviceDescription device;
  device.multiprocessors = 10;
  device.clock_hz = 1e9;
  device.fma_lanes = 100;
  device.fma_lanes_f64 = 50;
  device.memory_bytes_per_second = 1e12;
  const Roofline copy = roofline(device, {.bytes = 8e9, .operations = 2e9});
  EXPECT_EQ(copy.bound, Bound::memory);
  EXPECT_DOUBLE_EQ(copy.seconds, 8e-3 + launch_seconds);
  const Roofline dense = roofline(device, {.bytes = 8e9, .operations = 40e9, .launches = 2});
  EXPECT_EQ(dense.bound, Bound::arithmetic);
  EXPECT_DOUBLE_EQ(dense.seconds, 40e9 / 2e12 + 2 * launch_seconds);
  EXPECT_DOUBLE_EQ(roofline(device, {.bytes = 8e9, .operations = 40e9, .f64 = true}).arithmetic_seconds,
                   40e9 / 1e12);
  EXPECT_EQ(roofline(device, {.bytes = 8, .operations = 2}).bound, Bound::launch);
  device.measured_copy_bytes_per_second = 0.8e12;
  device.measured_operations_per_second = 1e12;
  EXPECT_DOUBLE_EQ(roofline(device, {.bytes = 8e9}).memory_seconds, 1e-2);
  EXPECT_DOUBLE_EQ(roofline(device, {.operations = 40e9}).arithmetic_seconds, 4e-2);
}

TEST(Roofline, BuiltInDevicesHaveTheirVendorsArithmetic) {
  // Peak f32 in TFLOP/s as the data sheets print it.
  const std::pair<const char*, double> sheets[] = {{"t4", 8.1},    {"v100", 15.7},    {"rtx3090", 35.6},
                                                   {"a100", 19.5}, {"rtx4090", 82.6}, {"h100", 66.9}};
  for (const auto& [name, teraflops] : sheets)
    EXPECT_NEAR(device_described(name).operations_per_second() / 1e12, teraflops, 0.05) << name;
  EXPECT_EQ(message_of([] { device_described("voodoo"); }),
            "unknown GPU 'voodoo'; choose from course, t4, v100, rtx3090, a100, rtx4090, h100, h200");
  EXPECT_EQ(message_of([] { roofline(device_described("course"), {}); }),
            "GPU 'course' has no bandwidth or clock in its description: it serves occupancy alone");
}

TEST(Rank, SingularValuesOfKnownMatrices) {
  const auto expect_values = [](std::int64_t rows, std::int64_t columns, const std::vector<double>& weights,
                                const std::vector<double>& expected) {
    const std::vector<double> values = singular_values(rows, columns, weights);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-14 * expected[0]);
  };
  expect_values(2, 2, {3, 0, 0, -5}, {5, 3});
  expect_values(2, 2, {3, 0, 4, 5}, {std::sqrt(45), std::sqrt(5)});
  expect_values(1, 4, {1, -2, 2, 4}, {5});
  expect_values(3, 2, {1e200, 0, 0, 2e200, 0, 0}, {2e200, 1e200});
  expect_values(3, 3, std::vector<double>(9, 0), {0, 0, 0});
}

TEST(Rank, SumsOfProductsHaveTheRankOfTheirNumber) {
  for (const std::int64_t rows : {1, 3, 7, 16}) {
    for (const std::int64_t columns : {1, 5, 9}) {
      for (int terms = 0; terms <= std::min(rows, columns); ++terms) {
        std::vector<double> weights(static_cast<std::size_t>(rows * columns), 0.0);
        for (int term = 0; term < terms; ++term)
          for (std::int64_t y = 0; y < rows; ++y)
            for (std::int64_t x = 0; x < columns; ++x)  // cosines of different frequencies are independent
              weights[static_cast<std::size_t>(y * columns + x)] +=
                  std::cos(term * M_PI * (y + 0.5) / static_cast<double>(rows)) *
                  std::cos(term * M_PI * (x + 0.5) / static_cast<double>(columns));
        EXPECT_EQ(numerical_rank(singular_values(rows, columns, weights), 1e-12), terms)
            << rows << "x" << columns;
      }
    }
  }
}

TEST(Rank, SquaresOfSingularValuesSumToThoseOfWeights) {
  constexpr std::int64_t rows = 15, columns = 22;
  std::vector<double> weights(rows * columns);
  int i = 0;
  for (double& weight : weights) {
    weight = std::sin(i * i) * std::pow(10, i % 7 - 3);
    ++i;
  }
  const auto squares = [](const std::vector<double>& list) {
    return std::inner_product(list.begin(), list.end(), list.begin(), 0.0);
  };
  EXPECT_NEAR(squares(singular_values(rows, columns, weights)) / squares(weights), 1, 1e-13);
}

}  // namespace
}  // namespace halation::model
