// job_case.h: one case of the oracle sweep: a point in the space of everything that a filter job can vary.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halation/halation.h"

namespace halation::sweep {

/// The axes of the space. A case holds, for each, the index of one of its values (listed in job_case.cpp).
enum AxisOfSpace : std::size_t {
  width, height, depth, batch, channels, pixel, output, taps_x, taps_y, taps_z, anchor, border_x, border_y, border_z, constant,
  extent, operation, scale, offset, rounding, sum, method, weights, filters, in_layout, out_layout, in_strides, out_strides, values,
  threads, axis_count
};

using Point = std::array<std::uint8_t, axis_count>;

/// How many values an axis has, and its name.
std::size_t value_count(std::size_t axis);
const char* axis_name(std::size_t axis);

/// Cases in which every value of every axis occurs with every value of every other. The same list each time.
std::vector<Point> pairwise_points();

/// Point `index` of the random sequence `seed`.
Point random_point(std::uint64_t seed, std::uint64_t index);

/// The arrangement of a view in memory.
enum class Arrangement { packed, pitched, sub_rectangle, upside_down, mirrored, skipping, transposed, broadcast };

/// What the pixels hold. Integers have counterparts: their largest and smallest numbers for what is not finite.
enum class Values : std::uint8_t {
  noise, extremes, some_not_finite, smooth, least_normal,
  near_largest,  ///< so that sums may overflow
  one_nan, one_infinity, one_minus_infinity, many_infinities, all_nan, all_infinite,
  one_outlier,   ///< 1e30 among ones
  few_ones,      ///< all others are zero
  dim_half,      ///< of a ten-thousandth of the other half
  nodata_patches, count
};
std::string_view name_of(Values values);

/// A point made concrete. Extents and taps are cut down until the reference needs at most `most_work` multiply-adds.
struct JobCase {
  PlanSpec spec;
  Layout in_layout = Layout::interleaved;
  Layout out_layout = Layout::interleaved;
  Arrangement in_arrangement = Arrangement::packed;
  Arrangement out_arrangement = Arrangement::packed;
  Values values = Values::noise;
  bool integer_weights = false;
  std::uint64_t seed = 0;
  std::string text;  ///< all values, for a failure's report
};

/// What sets extents, taps and some more, whatever the point has.
enum class Special {
  none,
  large,            ///< of several tiles, where transforms may be chosen; 50 times the work
  longer_than_axis  ///< a filter along one axis, somewhat longer than it, beside lines of any length; 50 times the work
};

JobCase make_case(const Point& point, std::uint64_t seed, double most_work, Special special = Special::none);

/// Case `index` of the random sequence `seed`, a few of them special.
JobCase random_case(std::uint64_t seed, std::uint64_t index, double most_work);

/// Case `index` of the sequence `seed` of jobs as people have them: pictures, signals and volumes of 0.1 to 20 million samples, filters
/// of usual sizes, views of packed or planar rows, some of which begin on no 16-byte boundary. Sequence 0 is that of 252 jobs of the bench.
JobCase usual_case(std::uint64_t seed, std::uint64_t index);

/// The same of filters of 1 to 511 taps along each axis, odd and even (volumes: to 39), over `times` 3,000 to 4 million samples, packed; half
/// of the products of bells may be approximated.
JobCase large_case(std::uint64_t seed, std::uint64_t index, double times = 1);

/// The same beside the main road: batches of small images, volumes of small pixels, products of long factors over bytes, f64, weights of
/// ranks 2 to 8, axes of 1 to 8, rows of odd width.
JobCase beside_case(std::uint64_t seed, std::uint64_t index, double times = 1);

/// Which of them: as `--filters` of the tools names it.
enum class Filters { usual, large, beside };
std::optional<Filters> filters_named(std::string_view name);
JobCase case_of(Filters filters, std::uint64_t seed, std::uint64_t index, double times = 1);

}  // namespace halation::sweep
