// float_lines.cpp: filters over lines of f32 or f64: cuts the output into tiles, runs each filter's method over them, finishes sums into
// pixels. Does any job.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/finite.h"
#include "cpu/families.h"
#include "cpu/float_lines/expected.h"
#include "cpu/float_lines/limits.h"
#include "cpu/float_lines/method.h"
#include "cpu/tiles/past_caches.h"
#include "cpu/tiles/tiles.h"
#include "halation/error.h"

namespace halation::cpu_backend {
namespace {

/// Whether a filter is one tap of weight 1, times a gain.
bool is_copy(const Taps& taps, double gain) {
  if (taps.size != Space{1, 1, 1}) return false;
  return gain * (taps.factors ? (*taps.factors)[0][0] * (*taps.factors)[1][0] * (*taps.factors)[2][0] : taps.weights[0]) == 1;
}

template <class Sum>
std::vector<std::unique_ptr<const FilterMethod<Sum>>> make_methods(const Job& job, double gain, const Kernels<Sum>& kernels) {
  std::vector<std::unique_ptr<const FilterMethod<Sum>>> list;
  for (const Taps& taps : job.filters) {
    if (is_copy(taps, gain)) {
      list.push_back(make_copy<Sum>(taps));
      continue;
    }
    switch (taps.form) {
      case Form::dense:
        list.push_back(make_direct(taps, gain, kernels, may_be_non_finite(job)));
        continue;
      case Form::factors:
        list.push_back(make_separable(taps, gain, kernels, job.out.channels));
        continue;
      case Form::box:
        list.push_back(make_box(taps, gain, kernels));
        continue;
      case Form::terms:
        list.push_back(make_low_rank(taps, gain, kernels));
        continue;
      default: break;
    }
    throw std::logic_error("float lines: a form of weights that they do not take");
  }
  return list;
}

template <class Sum>
class FloatLines final : public Runner {
 public:
  FloatLines(std::shared_ptr<const Job> job, int workers)
      : job_(std::move(job)),
        kernels_(best_kernels<Sum>()),
        sums_are_pixels_(pixel_of<Sum> == job_->out_pixel && job_->scale_is_exact() && job_->offset == 0 &&
                         job_->combine == Combine::none),
        methods_(make_methods(*job_, sums_are_pixels_ ? job_->scale : 1.0, kernels_)),
        workers_(workers),
        block_rows_(shares_rows() ? rows_at_once : 1),
        interleaved_(tiles(job_->out.channels)),
        apart_(tiles(1)) {}

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(WorkerScratch::bytes(workers_, std::max(interleaved_.scratch_bytes(), apart_.scratch_bytes())));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const Tiles& tiles = packed_pixels(in, outs) ? interleaved_ : apart_;
    const LoadSamples<Sum> load = kernels_.load[static_cast<std::size_t>(in.pixel)];
    for_each_tile<Sum>(
        *job_, tiles, workers_, in, load, workspace,
        [&](const Lines<Sum>& lines, const Tiles::Tile& tile, Scratch scratch) { run_tile(lines, tiles, tile, outs, scratch); });
  }

  std::string explain() const override {
    return std::string(kernels_.instruction_set) + ", tiles of " + std::to_string(interleaved_.width()) + "x" +
           std::to_string(interleaved_.height()) + " pixels, at most " + std::to_string(workers_) +
           (workers_ == 1 ? " thread" : " threads") +
           (std::any_of(job_->filters.begin(), job_->filters.end(), sums_few_taps) ? ", taps that are not 0 alone" : "") +
           "; channels that are not side by side are filtered one by one, elements that are not packed are gathered row by row";
  }

 private:
  /// `height`: of tiles that keep planes, else 0.
  std::int64_t scratch_bytes(std::int64_t tile_width, std::int64_t height, std::int64_t step) const {
    const std::int64_t width = tile_width + line_pixels(step);
    std::int64_t bytes = Scratch::bytes<Sum>(block_rows_ * line_pitch<Sum>(width * step));
    if (job_->combine == Combine::magnitude) {
      bytes += Scratch::bytes<double>(block_rows_ * line_pitch<double>(width * step));
    }
    for (const auto& method : methods_) bytes += scratch_bytes_of(*method, width, height, step);
    return bytes;
  }
  static std::int64_t scratch_bytes_of(const FilterMethod<Sum>& method, std::int64_t width, std::int64_t height,
                                       std::int64_t step) {
    return height > 0 ? method.scratch_bytes_of_planes(width, height, step) : method.scratch_bytes(width, step);
  }

  /// Pixels beyond a tile that it sums as well: two cache lines of samples.
  static std::int64_t line_pixels(std::int64_t step) {
    constexpr std::int64_t samples = 2 * line_elements<Sum>;
    return (samples + step - 1) / step;
  }

  /// Rows that share nothing are made one by one: staged ones stay in the first-level cache until they are finished.
  bool shares_rows() const {
    const FilterReach reach(job_->filters);
    return reach.tallest > 1 || reach.deepest > 1;
  }

  Tiles tiles(std::int64_t step) const {
    const bool in_place = pixel_of<Sum> == job_->in_pixel &&
                          std::all_of(methods_.begin(), methods_.end(), [](const auto& method) { return method->reads_in_place(); });
    const bool direct = in_place && std::all_of(job_->filters.begin(), job_->filters.end(),
                                                [](const Taps& taps) { return taps.form == Form::dense; });
    const bool boxes = std::all_of(job_->filters.begin(), job_->filters.end(),
                                   [](const Taps& taps) { return taps.form == Form::box; });
    const bool keeps = std::any_of(methods_.begin(), methods_.end(), [](const auto& method) { return method->keeps_planes(); });
    std::int64_t block_rows = 1;
    for (const Taps& taps : job_->filters) {
      block_rows = std::min(std::lcm(block_rows, block_rows_of(taps)), job_->out.height);
    }
    const TileLimits limits = line_limits(
        *job_,
        {.in_place = in_place, .direct = direct, .boxes = boxes, .shares_rows = shares_rows(), .keeps = keeps, .block_rows = block_rows});
    const auto bytes = [&](std::int64_t width, std::int64_t kept_rows, std::int64_t samples) {
      return scratch_bytes(width, kept_rows, samples);
    };
    return Tiles(job_->out, step, FilterReach(job_->filters), workers_, limits, bytes);
  }

  void run_tile(const Lines<Sum>& lines, const Tiles& tiles, const Tiles::Tile& place, std::span<const View> outs,
                Scratch scratch) const {
    const std::int64_t step = tiles.step();
    const std::int64_t samples = place.width * step;
    const std::int64_t pitch = line_pitch<Sum>(samples);
    auto* sums = scratch.take<Sum>(block_rows_ * pitch);
    std::array<Sum*, rows_at_once> rows_of_sums{};
    for (int row = 0; row < block_rows_; ++row) rows_of_sums[row] = sums + row * pitch;
    // Sums that are pixels already go where they belong.
    const bool in_place = sums_are_pixels_ && std::all_of(outs.begin(), outs.end(), [&](const View& out) {
      return sample_stride(out.strides, step) == static_cast<std::int64_t>(sizeof(Sum));
    });
    const bool may_shift = kernels_.shifts_rows &&
                           std::all_of(methods_.begin(), methods_.end(), [](const auto& method) { return method->shifts_rows(); });
    const bool joins = outs.size() == 1 && are_joined(outs.front(), place);
    const std::int64_t least_row = joins ? least_joined_row_bytes : least_streamed_row_bytes;
    const bool streams = in_place && std::all_of(outs.begin(), outs.end(),
                                                 [&](const View& out) { return goes_past_caches(out, streamed_bytes, least_row); });
    // Rows that begin on no cache line are cut where lines end, so that each line is written by one tile.
    const auto are_begun_at = [&](std::int64_t x) {
      return std::all_of(outs.begin(), outs.end(), [&](const View& out) { return begins_lines(out, place, x); });
    };
    const bool begins = are_begun_at(place.x);
    const bool shifts = streams && may_shift;
    // Rows of methods that do not shift them are put where they belong afterwards, where they begin differently far behind cache lines, or
    // on none and are short.
    const bool puts = streams && !shifts && !begins && !std::all_of(outs.begin(), outs.end(), [&](const View& out) {
      return begin_alike(out, place) && goes_past_caches(out);
    });
    RowsPastCaches rows_past_caches;
    const std::int64_t right = place.x + place.width;
    const std::int64_t beyond = shifts && !are_begun_at(right) ? std::min(line_pixels(step), job_->out.width - right) : 0;
    alignas(cache_line_bytes) Sum joint[line_elements<Sum>];
    LineTile<Sum> tile{.lines = lines,
                       .z = place.z,
                       .x = place.x,
                       .width = place.width + beyond,
                       .y = place.y,
                       .height = place.height,
                       .follows = shifts && place.x > 0 && !begins,
                       .beyond = beyond,
                       .joint = shifts && joins && !begins ? joint : nullptr,
                       .keeps_planes = tiles.keeps_planes(),
                       .first_plane = true};
    const bool magnitude = job_->combine == Combine::magnitude;
    const std::int64_t square_pitch = line_pitch<double>(samples);
    double* squares = magnitude ? scratch.take<double>(block_rows_ * square_pitch) : nullptr;

    Tiles::Tile at = place;
    for (; tile.z < place.z + place.planes; ++tile.z, ++at.z, tile.first_plane = false) {
      for (std::int64_t y = place.y; y < place.y + place.height; y += block_rows_) {
        const int rows = static_cast<int>(std::min<std::int64_t>(block_rows_, place.y + place.height - y));
        if (magnitude) std::fill_n(squares, rows * square_pitch, 0.0);
        Scratch rest = scratch;
        for (std::size_t f = 0; f < methods_.size(); ++f) {
          const Scratch own = rest.part(scratch_bytes_of(*methods_[f], tile.width, tile.keeps_planes ? tile.height : 0, step));
          if (in_place && !puts) {
            for (int row = 0; row < rows; ++row)
              rows_of_sums[row] = reinterpret_cast<Sum*>(place_in(outs[f], at, y + row));
          }
          methods_[f]->filter(tile, y, rows, own, rows_of_sums.data(), streams && !puts);
          if (in_place && !puts) continue;
          for (int row = 0; row < rows; ++row) {
            if (puts) {
              rows_past_caches.put(rows_of_sums[row], place_in(outs[f], at, y + row), samples * static_cast<std::int64_t>(sizeof(Sum)));
            } else if (magnitude) {
              kernels_.add_squares(rows_of_sums[row], squares + row * square_pitch, samples);
            } else {
              finish(outs[f], place_in(outs[f], at, y + row), rows_of_sums[row], samples, step);
            }
          }
        }
        for (int row = 0; magnitude && row < rows; ++row) {
          kernels_.roots(squares + row * square_pitch, rows_of_sums[row], samples);
          finish(outs[0], place_in(outs[0], at, y + row), rows_of_sums[row], samples, step);
        }
      }
    }
    if (streams) hwy::FlushStream();  // before others read
  }

  void finish(const View& out, std::byte* to, const Sum* sums, std::int64_t samples, std::int64_t step) const {
    const Finish finish{.scale = sums_are_pixels_ ? 1 : job_->scale, .offset = job_->offset, .rounding = job_->rounding};
    kernels_.store[static_cast<std::size_t>(out.pixel)](sums, finish, to, sample_stride(out.strides, step), samples);
  }

  std::shared_ptr<const Job> job_;
  const Kernels<Sum>& kernels_;
  bool sums_are_pixels_;  ///< the scale is part of the weights
  std::vector<std::unique_ptr<const FilterMethod<Sum>>> methods_;
  int workers_;
  int block_rows_;  ///< rows that are made at once
  Tiles interleaved_, apart_;
};

/// What is copied bit by bit is not summed.
bool copies_f32(const Job& job) {
  return job.in_pixel == Pixel::f32 && job.out_pixel == Pixel::f32 && job.combine == Combine::none && job.offset == 0 &&
         std::all_of(job.filters.begin(), job.filters.end(), [&](const Taps& taps) { return is_copy(taps, job.scale); });
}

}  // namespace

const Family float_lines{
    .name = "float lines",
    .refuses = [](const Request& request) -> const char* {
      const auto is_ours = [](const Taps& taps) { return is_by_taps(taps) || taps.form == Form::terms; };
      return std::all_of(request.filters.begin(), request.filters.end(), is_ours) ? nullptr : "sums of taps alone";
    },
    .seconds = seconds_by_lines,
    .make = [](const std::shared_ptr<const Job>& job, int workers) -> std::unique_ptr<const Runner> {
      if (job->sum_f64 && !copies_f32(*job))
        return std::make_unique<FloatLines<double>>(job, workers);
      return std::make_unique<FloatLines<float>>(job, workers);
    }};

}  // namespace halation::cpu_backend
