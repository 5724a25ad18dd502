// equal_weights.cpp: which jobs are boxes of equal weights.
#include "cuda/parts/equal_weights.h"

#include <cmath>
#include <limits>

namespace halation::cuda_backend {
namespace {

// Measured on an H200, f32 of 8192²: 454 GPix/s at 33 columns; as many multiply-adds (long_rows.cu) do 426 at 31.
constexpr std::int64_t least_columns = 33;
constexpr std::int64_t most_columns = 4096;
// A warp takes as long for a tile of fewer outputs as for one of 640.
constexpr std::int64_t least_width = 96;
// Every box of so many rows is faster so on an H200 (docs/notebook/running_box.md).
constexpr std::int64_t least_rows = 18;
constexpr std::int64_t most_rows = 1 << 16;

}  // namespace

double weight_of(const Taps& taps) {
  const auto& [z, y, x] = *taps.factors;
  return z.front() * y.front() * x.front();
}

bool is_equal_weights(const Job& job) {
  if (!is_one_filter(job) || job.sum_f64 || job.in_pixel == Pixel::f64 || job.out_pixel == Pixel::f64) return false;
  const Taps& taps = job.filters.front();
  if (taps.form != Form::box || taps.size[0] != 1) return false;
  if (!taps.factors) return true;
  const double weight = std::fabs(weight_of(taps));
  return weight >= std::numeric_limits<float>::min() && weight <= std::numeric_limits<float>::max();
}

bool is_box_along_x(const Job& job) {
  const Taps& taps = job.filters.front();
  if (!is_equal_weights(job) || taps.size[0] != 1 || taps.size[1] != 1) return false;
  if (taps.size[2] < least_columns || taps.size[2] > most_columns || job.out.width < least_width) return false;
  return job.in.depth == job.out.depth && job.in.height == job.out.height && taps.lead[0] == 0 && taps.lead[1] == 0;
}

bool is_box_along_y(const Job& job) {
  const Taps& taps = job.filters.front();
  return is_equal_weights(job) && taps.size[2] == 1 && taps.size[1] >= least_rows && taps.size[1] <= most_rows && taps.lead[0] == 0 &&
         taps.lead[2] == 0;
}

}  // namespace halation::cuda_backend
