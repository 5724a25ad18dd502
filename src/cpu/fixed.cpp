// fixed.cpp: filters over 8 bits in whole numbers: how each filter of a job is summed, and its tiles.
#include "cpu/fixed.h"

#include "cpu/fixed_filter.h"

namespace halation::cpu_backend {
namespace {

constexpr TileLimits tile_limits{
    .least_samples = 512, .most_samples = 16384, .row_multiple = fixed_rows, .column_multiple = 64, .edge_samples = 63};

/// Null where the filter is not summed in fixed point.
std::unique_ptr<const FixedFilter> make_filter(const Job& job, const Taps& taps) {
  if (const auto narrow = narrow_point(job, taps, taps.method)) return make_narrow(taps, *narrow);
  const std::optional<FixedPoint> point = fixed_point(job, taps, taps.method);
  if (!point) return nullptr;
  const FixedFinish finish{.factor = static_cast<float>(point->factor),
                           .offset = static_cast<float>(job.offset),
                           .rounding = job.rounding,
                           .shifts = point->final_shift.has_value(),
                           .shift = point->final_shift.value_or(0),
                           .bias = point->bias};
  return point->by_columns ? make_fixed_columns(taps, *point, finish) : make_fixed_pairs(taps, *point, finish);
}

class FixedRunner final : public Runner {
 public:
  using Filters = std::vector<std::unique_ptr<const FixedFilter>>;

  FixedRunner(std::shared_ptr<const Job> job, Filters filters, int workers)
      : job_(std::move(job)), filters_(std::move(filters)), workers_(workers) {
    std::int64_t tallest = 1;
    std::int64_t widest = 1;
    for (const Taps& taps : job_->filters) {
      tallest = std::max(tallest, taps.size[1]);
      widest = std::max(widest, taps.size[2]);
    }
    const auto bytes = [&](std::int64_t width, std::int64_t step) {
      std::int64_t most = 0;
      for (const auto& filter : filters_) most = std::max(most, filter->scratch_bytes(width, step));
      return most;
    };
    interleaved_ = Tiles(job_->out, job_->out.channels, tallest, widest, workers_, tile_limits, bytes);
    apart_ = Tiles(job_->out, 1, tallest, widest, workers_, tile_limits, bytes);
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(workers_ * std::max(interleaved_.scratch_bytes(), apart_.scratch_bytes()));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const Tiles& tiles = packed_pixels(in, outs) ? interleaved_ : apart_;
    for_each_tile<std::uint8_t>(*job_, tiles, workers_, in, workspace, [&](const auto& rows, const Tiles::Tile& tile, Scratch scratch) {
      for (std::size_t i = 0; i < filters_.size(); ++i) filters_[i]->run(rows, tile, tiles.step(), outs[i], scratch);
    });
  }

  std::string explain() const override {
    int bits = 16;
    for (const auto& filter : filters_) bits = std::max(bits, filter->sum_bits());
    return std::string(best_fixed_kernels()->instruction_set) + ", weights in fixed point of 16 bits, sums of " +
           std::to_string(bits) + ", tiles of " +
           std::to_string(interleaved_.width()) + "x" + std::to_string(interleaved_.height()) + " pixels, at most " +
           std::to_string(workers_) + (workers_ == 1 ? " thread" : " threads") +
           "; channels that are not side by side are filtered one by one, elements that are not packed are gathered row by row";
  }

 private:
  std::shared_ptr<const Job> job_;
  Filters filters_;
  int workers_;
  Tiles interleaved_;
  Tiles apart_;
};

}  // namespace

std::optional<double> fixed_point_error(const Job& job, const Taps& taps, Method method) {
  if (best_fixed_kernels() == nullptr) return std::nullopt;
  if (const auto narrow = narrow_point(job, taps, method)) return narrow->error;
  const std::optional<FixedPoint> fixed = fixed_point(job, taps, method);
  if (!fixed) return std::nullopt;
  return fixed->error;
}

bool may_be_fixed_point(const Job& job) { return best_fixed_kernels() != nullptr && allows_fixed_point(job); }

std::unique_ptr<const Runner> make_fixed(const std::shared_ptr<const Job>& job, int workers) {
  if (!may_be_fixed_point(*job)) return nullptr;
  FixedRunner::Filters filters;
  for (const Taps& taps : job->filters) {
    filters.push_back(make_filter(*job, taps));
    if (filters.back() == nullptr) return nullptr;
  }
  return std::make_unique<FixedRunner>(job, std::move(filters), workers);
}

}  // namespace halation::cpu_backend
