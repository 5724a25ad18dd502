// int8.cpp: filters over 8 bits in whole numbers: how each filter of a job is summed, and its tiles.
#include "cpu/int8/int8.h"

#include <algorithm>
#include <cmath>

#include "cpu/expected.h"
#include "cpu/families.h"
#include "cpu/int8/filter.h"
#include "cpu/int8/matrices/kernels.h"

namespace halation::cpu_backend {
namespace {

constexpr TileLimits tile_limits{
    .least_samples = 512, .most_samples = 16384, .row_multiple = int8_rows_at_once, .column_multiple = 64, .edge_samples = 63};

/// How many times as many outputs are summed as there are: whole blocks of so many rows and samples.
double summed_share(const Job& job, std::int64_t rows, std::int64_t samples) {
  const auto height = static_cast<double>(job.out.height);
  const auto at_once = static_cast<double>(rows);
  return std::ceil(height / at_once) * at_once / height * padded_share(job, static_cast<double>(samples));
}
double summed_by_vectors(const Job& job, const Rates& rates) { return summed_share(job, int8_rows_at_once, rates.vector_bytes); }

/// Of an output sample, by pairs of rows and by products of matrices.
double ns_by_pairs(const Job& job, const Space& taps, const Rates& rates) {
  const Int8Rates& r = rates.int8;
  return summed_by_vectors(job, rates) * (r.direct + static_cast<double>(taps[0] * pairs_of(taps[1]) * taps[2]) * r.direct_pair);
}
double ns_by_matrices(const Job& job, const Space& taps, const Rates& rates) {
  const Int8Rates& r = rates.int8;
  constexpr std::int64_t at_once = groups_at_once / 2 * group_outputs;  // of weights of two bytes
  return summed_share(job, group_output_rows, at_once) *
             (r.matrices + static_cast<double>(matrix_products(taps, job.out.channels)) * r.matrix) +
         static_cast<double>(taps[0]) * r.grouped;
}

/// Whether sums that are not made by columns are made by products of matrices. Those of lower bytes hold 255² times so many taps.
bool is_by_matrices(const Job& job, const Space& taps, const Rates& rates) {
  constexpr std::int64_t most_taps = std::int64_t{1} << 15;
  if (matrix_kernels() == nullptr || taps[0] * taps[1] * taps[2] > most_taps) return false;
  return must_use_matrix_kernels() || ns_by_matrices(job, taps, rates) < ns_by_pairs(job, taps, rates);
}

/// Null where the filter is not summed in fixed point.
std::unique_ptr<const Int8Filter> make_filter(const Job& job, const Taps& taps) {
  if (const auto sums16 = sums16_point(job, taps)) return make_sums16(taps, *sums16);
  const std::optional<FixedPoint> point = fixed_point(job, taps);
  if (!point) return nullptr;
  const Sums32Finish finish{.factor = static_cast<float>(point->factor),
                           .offset = static_cast<float>(job.offset),
                           .rounding = job.rounding,
                           .shifts = point->final_shift.has_value(),
                           .shift = point->final_shift.value_or(0),
                           .bias = point->bias};
  if (point->by_columns) return make_sums32_columns(taps, *point, finish);
  if (is_by_matrices(job, taps.size, rates())) return make_sums32_matrices(taps, *point, finish, job.out.channels);
  return make_sums32_pairs(taps, *point, finish);
}

class Int8Runner final : public Runner {
 public:
  using Filters = std::vector<std::unique_ptr<const Int8Filter>>;

  Int8Runner(std::shared_ptr<const Job> job, Filters filters, int workers)
      : job_(std::move(job)),
        filters_(std::move(filters)),
        workers_(workers),
        interleaved_(tiles(job_->out.channels)),
        apart_(tiles(1)) {}
  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(WorkerScratch::bytes(workers_, std::max(interleaved_.scratch_bytes(), apart_.scratch_bytes())));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const Tiles& tiles = packed_pixels(in, outs) ? interleaved_ : apart_;
    for_each_tile<std::uint8_t>(*job_, tiles, workers_, in, copy_samples<std::uint8_t>, workspace, [&](const auto& rows, const Tiles::Tile& tile, Scratch scratch) {
      for (std::size_t i = 0; i < filters_.size(); ++i) filters_[i]->run(rows, tile, tiles.step(), outs[i], scratch);
    });
  }

  std::string explain() const override {
    int bits = 16;
    for (const auto& filter : filters_) bits = std::max(bits, filter->sum_bits());
    return std::string(filters_.back()->instruction_set()) + ", weights in fixed point of 16 bits, sums of " +
           std::to_string(bits) + ", tiles of " +
           std::to_string(interleaved_.width()) + "x" + std::to_string(interleaved_.height()) + " pixels, at most " +
           std::to_string(workers_) + (workers_ == 1 ? " thread" : " threads") +
           "; channels that are not side by side are filtered one by one, elements that are not packed are gathered row by row";
  }

 private:
  Tiles tiles(std::int64_t step) const {
    const auto bytes = [&](std::int64_t width, std::int64_t, std::int64_t samples) {
      std::int64_t most = 0;
      for (const auto& filter : filters_) most = std::max(most, filter->scratch_bytes(width, samples));
      return most;
    };
    TileLimits limits = tile_limits;
    const bool in_place = std::all_of(filters_.begin(), filters_.end(), [](const auto& filter) { return filter->reads_in_place(); });
    if (!in_place) limits.edge_samples = 0;
    return Tiles(job_->out, step, FilterReach(job_->filters), workers_, limits, bytes);
  }

  std::shared_ptr<const Job> job_;
  Filters filters_;
  int workers_;
  Tiles interleaved_;
  Tiles apart_;
};

double filter_seconds(const Request& request, const Taps& taps) {
  const Job& job = request.job;
  const Rates& rates = request.costs;
  const auto no_scratch = [](std::int64_t, std::int64_t, std::int64_t) { return std::int64_t{0}; };
  const Tiles tiles(job.out, job.out.channels, FilterReach({&taps, 1}), priced_workers, tile_limits,
                    no_scratch);
  const TileCounts n(job, taps, tiles);
  const Int8Rates& r = rates.int8;
  const auto [z, y, x] = std::array{static_cast<double>(taps.size[0]), static_cast<double>(taps.size[1]),
                                    static_cast<double>(taps.size[2])};
  const auto pairs = [](std::int64_t count) { return static_cast<double>(pairs_of(count)); };
  double nanoseconds = n.rows * r.row + n.image_rows * n.again_rows * z * (x - 1) *
                                            static_cast<double>(job.out.channels) * rates.outside_sample;
  const double summed = n.samples * summed_by_vectors(job, rates);
  const bool by_columns =
      taps.size[0] == 1 && (taps.form != Form::dense || taps.size[1] == 1 || taps.size[2] == 1);
  if (taps.size[0] == 1 && std::max(taps.size[1], taps.size[2]) <= 3) {
    const double products = taps.form == Form::box ? r.windows : 1;
    nanoseconds += by_columns
                       ? products * (summed * n.again_columns * r.sums16_column + n.samples * r.sums16_row)
                       : summed * r.sums16_direct;
  } else if (by_columns) {
    nanoseconds += summed * n.again_columns * (r.column + pairs(taps.size[1]) * r.column_pair) +
                   n.samples * (r.row_sum + (job.out.channels > 1 ? r.row_apart : 0) + pairs(taps.size[2]) * r.row_pair);
  } else if (is_by_matrices(job, taps.size, rates)) {
    nanoseconds += n.samples * n.again_rows * n.again_columns * ns_by_matrices(job, taps.size, rates);
  } else {
    nanoseconds += n.samples * (n.again_rows * n.again_columns * z * r.paired + ns_by_pairs(job, taps.size, rates));
  }
  return seconds_of(nanoseconds, 1, bytes_moved(job), rates);
}

}  // namespace

std::optional<double> fixed_point_error(const Job& job, const Taps& taps) {
  if (best_sums32_kernels() == nullptr) return std::nullopt;
  if (const auto sums16 = sums16_point(job, taps)) return sums16->error;
  const std::optional<FixedPoint> fixed = fixed_point(job, taps);
  if (!fixed) return std::nullopt;
  return fixed->error;
}

const Family int8{
    .name = "fixed point",
    .refuses = [](const Request& request) -> const char* {
      if (!all_by_taps(request.filters)) return "sums of taps alone";
      if (best_sums32_kernels() == nullptr) return "no instructions for it on this CPU";
      if (!allows_fixed_point(request.job)) return "u8 to u8 or i16, constants that are pixels, sums apart and not in f64";
      for (const Taps& taps : request.filters) {
        if (taps.form == Form::box && (taps.size != Space{1, 3, 3} || request.job.out_pixel != Pixel::u8))
          return "boxes of 3x3 to u8 alone";
        if (taps.form != Form::dense && taps.size[0] > 1) return "no factors along depth";
        const bool known = taps.factors || !taps.weights.empty();
        if (known && !fixed_point_error(request.job, taps))
          return "weights that 16 bits hold well enough alone";
      }
      return nullptr;
    },
    .seconds = [](const Request& request) { return seconds_of_filters(request, filter_seconds); },
    .make = [](const std::shared_ptr<const Job>& job, int workers) -> std::unique_ptr<const Runner> {
      Int8Runner::Filters filters;
      for (const Taps& taps : job->filters) filters.push_back(make_filter(*job, taps));
      return std::make_unique<Int8Runner>(job, std::move(filters), workers);
    }};

}  // namespace halation::cpu_backend
