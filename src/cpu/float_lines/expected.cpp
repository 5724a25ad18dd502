// expected.cpp: rows of tiles, samples that become sums, sums of them, and sums that become pixels.
#include "cpu/float_lines/expected.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu/expected.h"
#include "cpu/float_lines/limits.h"
#include "cpu/parts/box/kernels.h"
#include "cpu/tiles/past_caches.h"

namespace halation::cpu_backend {
namespace {

/// Whether packed rows of the output go past the caches and share cache lines with each other.
bool shares_lines_past_caches(const Job& job) {
  const View out{nullptr, job.out, strides_of(job.out, job.out_pixel), job.out_pixel, {}};
  return goes_past_caches(out) &&
         job.out.width * job.out.channels * static_cast<std::int64_t>(bytes_of(job.out_pixel)) % 64 != 0;
}

/// One filter of a job.
struct Counting {
  const Job& job;
  const Taps& taps;
  const Rates& rates;
  double wide;     ///< of sums
  bool are_sums;   ///< the input's samples
  double z, y, x;  ///< taps
  double outside;  ///< samples outside that a row needs

  Counting(const Request& request, const Taps& filter)
      : job(request.job),
        taps(filter),
        rates(request.costs),
        wide(width_of_sums(job)),
        are_sums(job.in_pixel == pixel_of_sums(job)),
        z(static_cast<double>(taps.size[0])),
        y(static_cast<double>(taps.size[1])),
        x(static_cast<double>(taps.size[2])),
        outside(static_cast<double>((taps.size[2] - 1) * job.out.channels)) {}

  /// Tiles with `held` lines of scratch, and as many more for each row that they keep.
  TileCounts tiles(const LineTiling& tiling, std::int64_t held, std::int64_t planes_kept) const {
    const auto bytes = [&](std::int64_t width, std::int64_t height, std::int64_t step) {
      const std::int64_t lines = height > 0 ? planes_kept * (height + taps.size[1] - 1) + rows_at_once : held;
      return lines * (width + taps.size[2] - 1) * step * static_cast<std::int64_t>(4 * wide);
    };
    const Tiles cut(job.out, job.out.channels, FilterReach({&taps, 1}), priced_workers,
                    line_limits(job, tiling), bytes);
    return {job, taps, cut};
  }

  double stored(const TileCounts& n) const {
    if (job.out_pixel != pixel_of_sums(job)) return wide * n.samples * rates.store.of(job.out_pixel);
    return shares_lines_past_caches(job) ? n.image_rows * rates.lines.shared_line : 0;
  }

  /// Every tap, or one axis after another, for each term of a filter of low rank.
  double taps_time() const {
    const bool is_low_rank = taps.form == Form::terms;
    const bool direct = taps.form == Form::dense || (!is_low_rank && z * y * x == std::max({z, y, x}));
    const auto terms = is_low_rank ? static_cast<double>(taps.terms.size()) : 1.0;
    const LineRates& r = rates.lines;
    const LineTiling tiling{.in_place = are_sums,
                            .direct = are_sums && taps.form == Form::dense,
                            .boxes = false,
                            .shares_rows = taps.size[1] > 1 || taps.size[0] > 1,
                            .keeps = direct && taps.size[0] > 1};
    const std::int64_t ring = taps.size[1] + rows_at_once - 1;
    // The share of samples that are staged though they are sums: those at the sides of rows.
    const double sides = std::min(1.0, 128 / static_cast<double>(job.out.width * job.out.channels));
    const TileCounts n =
        tiles(tiling, direct ? (taps.size[0] + 1) * ring : taps.size[0] + ring + static_cast<std::int64_t>(terms + 1) * rows_at_once,
              taps.size[0]);
    const double planes = direct ? n.again_planes : z;
    const double staged = are_sums && taps.size[2] == 1 ? 0 : are_sums ? sides : 1;
    const double padded =
        wide * n.samples * padded_share(job, static_cast<double>(rates.vector_bytes) / (4 * wide));
    double time =
        n.rows * (r.row + (staged > 0 ? n.again_rows * planes * r.staged_row : 0)) +
        wide * n.samples * n.again_rows * n.again_columns * planes * staged * rates.load.of(job.in_pixel) +
        n.image_rows * n.again_rows * planes * outside * rates.outside_sample;
    if (direct && tiling.shares_rows) {
      // Sums of fewer vectors at once wait for each other.
      const auto four_vectors = static_cast<double>(rates.vector_bytes) / wide;  // samples
      const double waited = wide * n.samples * padded_share(job, four_vectors) - padded;
      const bool is_short = static_cast<double>(job.out.width * job.out.channels) < four_vectors;
      const bool few = sums_few_taps(taps);
      const double zeros = few ? static_cast<double>(std::count(taps.weights.begin(), taps.weights.end(), 0.0)) : 0;
      const double each = few ? static_cast<double>(tap_alone) : 1;
      time += padded * (r.direct + (z * y * x - zeros) * each * r.direct_tap) + (is_short && !few ? waited * z * y * x * r.direct_tap : 0);
    } else if (direct) {
      time += n.rows * r.row_alone + padded * (r.row_sum + x * r.row_tap);
    } else {
      if (z > 1)
        time += n.rows * n.again_rows * r.pass + padded * n.again_rows * n.again_columns * z * r.column_tap;
      if (y > 1 || is_low_rank)
        time += terms * (n.rows / rows_at_once * r.pass + padded * n.again_columns * (r.column + y * r.column_tap));
      if (x > 1 || is_low_rank) time += n.rows * r.pass + padded * (r.row_sum + terms * x * r.row_tap);
    }
    return time + stored(n);
  }

  double box_time() const {
    const LineBoxRates& r = rates.line_boxes;
    const bool is_high = block_rows_of(taps) > 1;
    const bool is_low = job.out.channels == 1 && taps.size[0] == 1 && !is_high && taps.size[2] <= most_row_taps;
    const LineTiling tiling{.in_place = false,
                            .direct = false,
                            .boxes = true,
                            .shares_rows = taps.size[1] > 1 || taps.size[0] > 1,
                            .keeps = false,
                            .block_rows = block_rows_of(taps)};
    const std::int64_t ring = taps.size[1] + rows_at_once - 1;
    const TileCounts n = tiles(tiling, ring + (is_low ? 0 : taps.size[0] + 3), 0);
    const double doublings = std::log2(x);
    const double samples = wide * n.samples;
    const bool reads_in_place = are_sums && (is_low || (taps.size[0] == 1 && taps.size[2] == 1));
    double time = n.rows * (rates.lines.row + (1 + n.again_rows * z) * r.row) +
                  n.image_rows * n.again_rows * z * outside * rates.outside_sample;
    if (!reads_in_place) time += samples * n.again_rows * n.again_columns * z * rates.load.of(job.in_pixel);
    if (is_low) {
      if (y > 1) time += samples * n.again_columns * (r.low_column + y * r.low_column_tap);
      if (x > 1) time += samples * (r.low_row + doublings * r.low_row_doubling);
      return time + stored(n);
    }
    if (z > 1) time += samples * n.again_rows * n.again_columns * z * rates.lines.column_tap;
    time += samples * n.again_rows * (r.sum + doublings * n.again_columns * r.doubling);
    if (is_high) time += samples * r.block;
    if (y > 1 && !is_high) time += samples * (r.column + y * r.column_tap);
    return time + stored(n);
  }
};

}  // namespace

double seconds_by_lines(const Request& request) {
  double seconds = 0;
  for (const Taps& taps : request.filters) {
    const Counting counting(request, taps);
    // A box of one tap does more than the tap.
    const bool is_box = taps.form == Form::box;
    const bool one_tap = taps.size == Space{1, 1, 1};
    const double time = is_box && !one_tap ? counting.box_time() : counting.taps_time() * (is_box ? 2 : 1);
    seconds += seconds_of(time, 1, bytes_moved(request.job), request.costs);
  }
  return seconds;
}

}  // namespace halation::cpu_backend
