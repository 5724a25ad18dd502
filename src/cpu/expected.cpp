// expected.cpp: arithmetic, memory and what each row costs to start.
#include "cpu/expected.h"

#include <algorithm>
#include <cmath>

#include "cpu/rates.h"

namespace halation::cpu_backend {
namespace {

constexpr double most_tile_samples = 1024;
/// Rows of a window that the second-level cache does not hold are read from further away.
constexpr double most_ring_bytes = 1 << 20;
constexpr double far = 3;

/// How much is done again, since tiles begin with rows and columns that their neighbours have summed as well,
/// and vectors end behind rows.
struct Again {
  double rows, columns, vectors;
};

/// Nanoseconds for each output.
double sample_time(const Job& job, const Taps& taps, RowSums sums, const Again& again) {
  const Method method = taps.method;
  const auto [z, y, x] = std::array{static_cast<double>(taps.size[0]), static_cast<double>(taps.size[1]),
                                    static_cast<double>(taps.size[2])};
  const Rates& r = rates();
  const double wide = job.sum_f64 ? 2 : 1;
  const bool several = taps.size[1] > 1 && job.out.height >= 6;
  if (method == Method::box && z * y * x > 1) {
    const bool whole = sums == RowSums::running;
    const RowRates& box = whole ? r.box_integer : r.box;
    const double windows = box.sample + box.single * std::log2(x) + box.plane * (z > 1 ? z : 0);
    const double ring =
        y * std::min(static_cast<double>(job.out.width), 4 * most_tile_samples) * (whole ? 4 : 4 * wide);
    return windows * (whole ? 1 : wide) * (!whole && ring > most_ring_bytes ? far : 1) * again.rows *
           again.columns * again.vectors;
  }
  const bool fixed = sums == RowSums::of_bytes;
  const bool along_one_axis = z * y * x == std::max({z, y, x});
  if (method == Method::direct || along_one_axis) {
    const RowRates& direct = fixed && along_one_axis ? r.sums32_separable : fixed ? r.sums32_direct : r.direct;
    return (direct.sample + z * y * x * (several ? direct.multiply_add : direct.single)) * wide *
           again.vectors;
  }
  const RowRates& separable = fixed ? r.sums32_separable : r.separable;
  const double sums_z = z > 1 ? z * again.rows * again.columns * separable.single : 0;
  const double sums_y = y > 1 ? y * again.columns * (several ? separable.multiply_add : separable.single) : 0;
  return (separable.sample + sums_z + sums_y + (x > 1 ? x * separable.single : 0)) * wide * again.vectors;
}

double filter_seconds(const Job& job, const Taps& taps, RowSums sums) {
  const Method method = taps.method;
  const Rates& r = rates();
  const auto width = static_cast<double>(job.out.width);
  const auto height = static_cast<double>(job.out.height);
  const auto step = static_cast<double>(job.out.channels);
  const auto columns = static_cast<double>(taps.size[2] - 1);
  const double wide = job.sum_f64 ? 2 : 1;
  const double tile_width = std::min(width, std::max(most_tile_samples / step, 4 * columns));
  const double lanes = 8 / wide;
  const Again again{.rows = (height + static_cast<double>(taps.size[1] - 1)) / height,
                    .columns = (tile_width + columns) / tile_width,
                    .vectors = std::ceil(tile_width * step / lanes) * lanes / (tile_width * step)};

  const auto inputs = static_cast<double>(job.in.elements());
  const auto outputs = static_cast<double>(job.out.elements());
  const double bytes = inputs * static_cast<double>(bytes_of(job.in_pixel)) +
                       outputs * static_cast<double>(bytes_of(job.out_pixel));
  const bool converts = sums == RowSums::of_floats && job.in_pixel != (job.sum_f64 ? Pixel::f64 : Pixel::f32);
  const bool one_tap = taps.size[0] * taps.size[1] * taps.size[2] == 1;
  const double converted =
      converts && (method != Method::box || one_tap || !is_float(job.in_pixel)) ? wide * r.copied_sample * (inputs + outputs) : 0;
  // A box of one tap only does more than the tap.
  const double arithmetic =
      (outputs * sample_time(job, taps, sums, again) + converted) * (method == Method::box && one_tap ? 2 : 1);
  const double memory = bytes > cached_bytes ? bytes * memory_byte : 0;

  const double rows = static_cast<double>(job.out.batch) * static_cast<double>(job.out.depth) * height *
                      std::ceil(width / tile_width);
  const double staged = rows * again.rows * static_cast<double>(taps.size[0]);
  return 1e-9 * (std::hypot(arithmetic + bytes * r.byte, memory) + rows * r.finished_row +
                 staged * (r.staged_row + columns * step * r.outside_sample));
}

}  // namespace

double seconds_by_rows(const Request& request, RowSums sums) {
  double seconds = 0;
  for (const Taps& taps : request.filters) seconds += filter_seconds(request.job, taps, sums);
  return seconds;
}

}  // namespace halation::cpu_backend
