// expected.h: what families count of a filter to say what it should take: pieces of one thread's work, and
// bytes.
#pragma once

#include "cpu/families.h"
#include "cpu/rates.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {

/// Seconds of one thread for so much work, shared by threads so many times, while memory brings so many
/// bytes: both overlap, but not wholly, so that their times join like the sides of a right angle.
double seconds_of(double nanoseconds, int times_shared, double bytes, const Rates& rates);

/// The share of bytes that no cache of so many holds: caches do not end at a byte.
double share_beyond(double bytes, double cache_bytes, const Rates& rates);

/// How many times a float is as wide as f32 where sums are f64.
inline double width_of_sums(const Job& job) { return job.sum_f64 ? 2 : 1; }
inline Pixel pixel_of_sums(const Job& job) { return job.sum_f64 ? Pixel::f64 : Pixel::f32; }

/// Of a job whose filters are summed one after the other, each as `of_filter` expects.
double seconds_of_filters(const Request& request, double (*of_filter)(const Request&, const Taps&));

/// Threads that tiles are cut for where they are priced.
inline constexpr int priced_workers = 2;

/// What a job's tiles come to, in samples and rows of tiles.
struct TileCounts {
  double samples;        ///< of the output
  double image_rows;     ///< of the output
  double rows;           ///< of tiles
  double again_rows;     ///< how many times as many input rows as output rows tiles read
  double again_columns;  ///< samples of such a row over those of an output row
  double again_planes;   ///< planes that are staged for each output plane

  TileCounts(const Job& job, const Taps& taps, const Tiles& tiles);
};

/// Samples along a row, of the output, in whole blocks of so many; over those that there are.
double padded_share(const Job& job, double block);

}  // namespace halation::cpu_backend
