// multirate.cpp: the family of filters at a lower rate (core/multirate.h). Three rounds over an image, each in tasks that threads share:
//
//   thin    rows are summed along y where they lie, then along x: D × D samples become one, in the workspace
//   filter  the few taps, along z, y and x, of samples at the lower rate
//   fill    along x a row of the lower rate becomes full rows, m of which make each of D output rows
//
// Each sample of the image is read from memory once and each output written once; what lies between is a D²-th of it. Sums along y come
// first on the way down and last on the way up: they are of whole vectors, and leave a D-th of the rows for the sums along x.
#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/expected.h"
#include "cpu/families.h"
#include "cpu/multirate/thin.h"
#include "cpu/parts/kernels.h"
#include "cpu/tiles/lines.h"
#include "cpu/tiles/parallel.h"
#include "cpu/tiles/past_caches.h"
#include "cpu/tiles/scratch.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {
namespace {

/// Samples of a row that a task goes through, about: rows of so many stay in the first-level cache.
constexpr std::int64_t task_samples = 1024;
/// Rows at the lower rate that a task makes: fewer would convert most rows of the image twice.
constexpr std::int64_t thinned_rows = 16;
constexpr std::int64_t output_rows = 128;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// One filter, and how many samples it makes at each stage.
template <class Sum>
struct Stage {
  Stage(const Taps& taps, const Job& job, double gain)
      : deep(taps.size[0] > 1), lead_z(taps.lead[0]) {
    const std::vector<double>& along_z = (*taps.factors)[0];
    for (const double weight : along_z) z.push_back(static_cast<Sum>(weight));
    y = RateAxis<Sum>(taps.multirate->axes[0], 1);
    x = RateAxis<Sum>(taps.multirate->axes[1], gain * (deep ? 1 : along_z[0]));
    const Space out = job.out.space();
    planes_in = deep ? job.in.depth : out[0];
    thinned = {y.axis().thinned(out[1]), x.axis().thinned(out[2])};
    filtered = {y.axis().filtered(out[1]), x.axis().filtered(out[2])};
  }
  std::int64_t pitch(std::int64_t step) const { return line_pitch<Sum>(thinned[1] * step); }

  std::vector<Sum> z;
  bool deep;
  std::int64_t lead_z;
  RateAxis<Sum> y, x;
  std::int64_t planes_in = 1;
  std::array<std::int64_t, 2> thinned{}, filtered{};  ///< rows and columns
};

/// The job with borders that cover what its filters read: further than their taps.
std::shared_ptr<const Job> with_wider_borders(const Job& job) {
  Job wider = job;
  const Space n = job.in.space();
  const Space out = job.out.space();
  for (std::size_t axis = 1; axis < 3; ++axis) {
    std::int64_t low = job.borders[axis].low();
    std::int64_t high = job.borders[axis].high();
    for (const Taps& taps : job.filters) {
      const MultirateAxis& along = taps.multirate->axes[axis - 1];
      low = std::min(low, along.lead);
      high = std::max(high, along.end(out[axis]));
    }
    wider.borders[axis] = BorderTable(low, high, n[axis], {job.borders[axis].mode(), job.borders[axis].constant()});
  }
  return std::make_shared<const Job>(std::move(wider));
}

template <class Sum>
class AtLowerRate final : public Runner {
 public:
  AtLowerRate(const Job& job, int workers)
      : job_(with_wider_borders(job)),
        kernels_(best_kernels<Sum>()),
        sums_are_pixels_(pixel_of<Sum> == job.out_pixel && job.scale_is_exact() && job.offset == 0 && job.combine == Combine::none),
        workers_(workers) {
    for (const Taps& taps : job.filters) {
      stages_.emplace_back(taps, *job_, sums_are_pixels_ ? job.scale : 1.0);
      const Stage<Sum>& stage = stages_.back();
      most_lines_ = std::max({most_lines_, stage.z.size(), stage.y.down().size(), stage.y.taps().size()});
    }
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(std::max(bytes(1), bytes(job_->out.channels)));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const bool together = packed_pixels(in, outs);
    const std::int64_t step = together ? in.shape.channels : 1;
    for (std::int64_t batch = 0; batch < in.shape.batch; ++batch) {
      for (std::int64_t channel = 0; channel < (together ? 1 : in.shape.channels); ++channel) {
        ConstView part = in.batch(batch);
        if (!together) part = part.channel(channel);
        run_image(part, outs, batch, channel, step, Scratch(workspace));
      }
    }
  }

  std::string explain() const override {
    std::string factors;
    for (const Stage<Sum>& stage : stages_)
      factors += (factors.empty() ? "" : ", ") + std::to_string(stage.y.factor()) + "x" + std::to_string(stage.x.factor());
    return std::string(kernels_.instruction_set) + ", at rates lower by " + factors + ", at most " + std::to_string(workers_) +
           (workers_ == 1 ? " thread" : " threads") + "; channels that are not side by side are filtered one by one";
  }

 private:
  std::int64_t image_samples(const Stage<Sum>& stage, std::int64_t planes, std::int64_t step) const {
    return planes * stage.thinned[0] * stage.pitch(step);
  }
  /// Pixels at the lower rate of a task along a row.
  static std::int64_t columns(std::int64_t factor, std::int64_t step) { return std::max<std::int64_t>(8, task_samples / (factor * step)); }

  std::int64_t thin_bytes(const Stage<Sum>& stage, std::int64_t step) const {
    const std::int64_t n = columns(stage.x.factor(), step);
    const std::int64_t pitch = line_pitch<Sum>(stage.x.read_for(n) * step);
    return Scratch::bytes<Sum>((static_cast<std::int64_t>(stage.y.down().size()) + 1) * pitch) + stage.x.scratch_bytes(n, step);
  }
  std::int64_t filter_bytes(const Stage<Sum>& stage, std::int64_t step) const {
    return Scratch::bytes<Sum>(line_pitch<Sum>((task_samples + static_cast<std::int64_t>(stage.x.taps().size())) * step));
  }
  std::int64_t ring_bytes(const Stage<Sum>& stage, std::int64_t step) const {
    return Scratch::bytes<Sum>(stage.y.axis().up_taps() * line_pitch<Sum>(fill_columns(step) * step)) +
           stage.x.scratch_bytes(fill_columns(step) / stage.x.factor(), step);
  }
  /// Output pixels of a task along a row: whole steps of every filter.
  std::int64_t fill_columns(std::int64_t step) const {
    std::int64_t most = 1;
    for (const Stage<Sum>& stage : stages_) most = std::max(most, stage.x.factor());
    return most * columns(most, step);
  }
  std::int64_t fill_bytes(std::int64_t step) const {
    std::int64_t sum = Scratch::bytes<Sum>(line_pitch<Sum>(fill_columns(step) * step)) +
                       Scratch::bytes<double>(line_pitch<double>(fill_columns(step) * step));
    for (const Stage<Sum>& stage : stages_) sum += ring_bytes(stage, step);
    return sum;
  }
  std::int64_t worker_bytes(std::int64_t step) const {
    std::int64_t most = fill_bytes(step);
    for (const Stage<Sum>& stage : stages_) most = std::max({most, thin_bytes(stage, step), filter_bytes(stage, step)});
    return most + Scratch::bytes<const Sum*>(static_cast<std::int64_t>(most_lines_)) + 64;
  }
  /// Thinned samples, for one filter at a time; filtered ones, of all.
  std::int64_t bytes(std::int64_t step) const {
    std::int64_t between = 0;
    std::int64_t kept = 0;
    for (const Stage<Sum>& stage : stages_) {
      std::int64_t own = Scratch::bytes<Sum>(image_samples(stage, stage.planes_in, step));
      if (stage.deep) own += Scratch::bytes<Sum>(image_samples(stage, job_->out.depth, step)) + Scratch::bytes<Sum>(stage.pitch(step));
      between = std::max(between, own);
      kept += Scratch::bytes<Sum>(job_->out.depth * stage.filtered[0] * stage.pitch(step));
    }
    return between + kept + WorkerScratch::bytes(workers_, worker_bytes(step));
  }

  void run_image(const ConstView& in, std::span<const View> outs, std::int64_t batch, std::int64_t channel, std::int64_t step,
                 Scratch scratch) const {
    const WorkerScratch own(scratch.part(WorkerScratch::bytes(workers_, worker_bytes(step))).left(), workers_, worker_bytes(step));
    const auto of_worker = [&](int worker) { return own.of(worker); };
    const Lines<Sum> lines(*job_, in, step, kernels_.load[static_cast<std::size_t>(in.pixel)]);
    std::array<Sum*, 16> few{};
    std::vector<Sum*> many;
    Sum** const filtered = stages_.size() <= few.size() ? few.data() : (many.resize(stages_.size()), many.data());
    for (std::size_t f = 0; f < stages_.size(); ++f)
      filtered[f] = scratch.take<Sum>(job_->out.depth * stages_[f].filtered[0] * stages_[f].pitch(step));
    for (std::size_t f = 0; f < stages_.size(); ++f) {
      const Stage<Sum>& stage = stages_[f];
      Scratch rest = scratch;
      Sum* from = rest.take<Sum>(image_samples(stage, stage.planes_in, step));
      thin_image(stage, lines, step, from, of_worker);
      if (stage.deep) from = sum_planes(stage, step, from, rest, of_worker);
      filter_image(stage, step, from, filtered[f], of_worker);
    }
    fill_image(filtered, outs, batch, channel, step, of_worker);
  }

  template <class OfWorker>
  void thin_image(const Stage<Sum>& stage, const Lines<Sum>& lines, std::int64_t step, Sum* to, const OfWorker& of_worker) const {
    const std::int64_t n = columns(stage.x.factor(), step);
    const std::int64_t across = divide_up(stage.thinned[1], n);
    const std::int64_t down = divide_up(stage.thinned[0], thinned_rows);
    parallel(workers_, stage.planes_in * down * across, [&](int worker, std::int64_t task) {
      const std::int64_t column = task % across * n;
      const std::int64_t row = task / across % down * thinned_rows;
      const std::int64_t z = task / across / down;
      Sum* const first = to + (z * stage.thinned[0] + row) * stage.pitch(step) + column * step;
      thin_tile(stage, lines, z, row, std::min(thinned_rows, stage.thinned[0] - row), column, std::min(n, stage.thinned[1] - column), step,
                first, of_worker(worker));
    });
  }

  void thin_tile(const Stage<Sum>& stage, const Lines<Sum>& lines, std::int64_t z, std::int64_t row, std::int64_t rows,
                 std::int64_t column, std::int64_t n, std::int64_t step, Sum* to, Scratch scratch) const {
    const auto taps = static_cast<std::int64_t>(stage.y.down().size());
    const std::int64_t read = stage.x.read_for(n);
    const std::int64_t pitch = line_pitch<Sum>(stage.x.read_for(columns(stage.x.factor(), step)) * step);
    const Sum** const pointers = scratch.take<const Sum*>(static_cast<std::int64_t>(most_lines_));
    Sum* const ring = scratch.take<Sum>((taps + 1) * pitch);
    Sum* const sums = ring + taps * pitch;
    const std::int64_t low = stage.x.axis().lead + column * stage.x.factor();
    const std::int64_t high = std::min(low + read, job_->borders[2].high());
    const bool are_lines = (high - low) * step >= line_slack;  // as kernels read them: whole vectors, though nothing may be read behind a row
    std::int64_t staged = stage.y.axis().lead + row * stage.y.factor();  // rows below are in the ring
    const std::int64_t top = staged;
    for (std::int64_t j = 0; j < rows; ++j) {
      const std::int64_t begin = top + j * stage.y.factor();
      staged = std::max(staged, begin);
      for (std::int64_t i = 0; i < taps; ++i) {
        const std::int64_t y = begin + i;
        Sum* const line = ring + (y - top) % taps * pitch;
        const Sum* const there = are_lines ? lines.in_place(z, y, low, high) : nullptr;
        pointers[i] = there != nullptr ? there : line;
        if (y < staged) continue;
        staged = y + 1;
        if (there == nullptr) lines.stage(z, y, low, high, line);
      }
      const std::int64_t samples = (high - low) * step;
      const Sum* row_sums = pointers[0];
      if (taps > 1 || high - low < read) {
        sum_lines(kernels_, stage.y.down(), pointers, sums, samples);
        std::fill(sums + samples, sums + read * step, Sum(0));
        row_sums = sums;
      }
      stage.x.thin(kernels_, row_sums, step, n, to + j * stage.pitch(step), scratch);
    }
  }

  /// Along z, of planes that are thinned out. What lies outside is the constant as it is: `down` sums up to 1.
  template <class OfWorker>
  Sum* sum_planes(const Stage<Sum>& stage, std::int64_t step, const Sum* from, Scratch& scratch, const OfWorker& of_worker) const {
    const std::int64_t pitch = stage.pitch(step);
    Sum* const to = scratch.take<Sum>(image_samples(stage, job_->out.depth, step));
    Sum* const outside = scratch.take<Sum>(pitch);
    std::fill_n(outside, pitch, static_cast<Sum>(job_->borders[0].constant()));
    parallel(workers_, job_->out.depth * stage.thinned[0], [&](int worker, std::int64_t task) {
      Scratch own = of_worker(worker);
      const Sum** const pointers = own.take<const Sum*>(static_cast<std::int64_t>(most_lines_));
      const std::int64_t row = task % stage.thinned[0];
      const std::int64_t z = task / stage.thinned[0] + stage.lead_z;
      for (std::size_t k = 0; k < stage.z.size(); ++k) {
        const std::int64_t source = job_->borders[0].source(z + static_cast<std::int64_t>(k));
        pointers[k] = source < 0 ? outside : from + (source * stage.thinned[0] + row) * pitch;
      }
      sum_lines(kernels_, stage.z, pointers, to + task * pitch, stage.thinned[1] * step);
    });
    return to;
  }

  template <class OfWorker>
  void filter_image(const Stage<Sum>& stage, std::int64_t step, const Sum* from, Sum* to, const OfWorker& of_worker) const {
    const std::int64_t pitch = stage.pitch(step);
    const std::int64_t n = std::max<std::int64_t>(1, task_samples / step);
    const std::int64_t across = divide_up(stage.filtered[1], n);
    const auto beside = static_cast<std::int64_t>(stage.x.taps().size()) - 1;
    parallel(workers_, job_->out.depth * stage.filtered[0] * across, [&](int worker, std::int64_t task) {
      Scratch own = of_worker(worker);
      const Sum** const pointers = own.take<const Sum*>(static_cast<std::int64_t>(most_lines_));
      Sum* const sums = own.take<Sum>(line_pitch<Sum>((n + beside) * step));
      const std::int64_t column = task % across * n;
      const std::int64_t row = task / across % stage.filtered[0];
      const std::int64_t z = task / across / stage.filtered[0];
      const std::int64_t count = std::min(n, stage.filtered[1] - column);
      const Sum* const first = from + (z * stage.thinned[0] + row) * pitch + column * step;
      for (std::size_t t = 0; t < stage.y.taps().size(); ++t) pointers[t] = first + static_cast<std::int64_t>(t) * pitch;
      sum_lines(kernels_, stage.y.taps(), pointers, sums, (count + beside) * step);
      sum_along(kernels_, stage.x.taps(), sums, step, to + (z * stage.filtered[0] + row) * pitch + column * step, count * step);
    });
  }

  /// Full rows of one filter in one task: those that its next output rows are sums of.
  struct Ring {
    Sum* lines = nullptr;
    std::int64_t pitch = 0;
    std::int64_t next = 0;  ///< row of the lower rate that is not there yet
    Scratch scratch{{}};
  };

  template <class OfWorker>
  void fill_image(Sum* const* filtered, std::span<const View> outs, std::int64_t batch, std::int64_t channel, std::int64_t step,
                  const OfWorker& of_worker) const {
    const Space out = job_->out.space();
    const std::int64_t width = fill_columns(step);
    const std::int64_t across = divide_up(out[2], width);
    const std::int64_t down = divide_up(out[1], output_rows);
    const bool in_place = sums_are_pixels_ && std::all_of(outs.begin(), outs.end(), [&](const View& view) {
      return sample_stride(view.strides, step) == static_cast<std::int64_t>(sizeof(Sum));
    });
    const bool streams = in_place && std::all_of(outs.begin(), outs.end(), [](const View& view) { return goes_past_caches(view); });
    parallel(workers_, out[0] * down * across, [&](int worker, std::int64_t task) {
      const Tiles::Tile tile{.batch = batch, .channel = channel, .z = task / across / down, .y = task / across % down * output_rows,
                             .x = task % across * width, .planes = 1, .height = 0, .width = std::min(width, out[2] - task % across * width)};
      fill_tile(filtered, outs, tile, std::min(output_rows, out[1] - tile.y), step, in_place, streams, of_worker(worker));
    });
  }

  void fill_tile(Sum* const* filtered, std::span<const View> outs, const Tiles::Tile& tile, std::int64_t rows, std::int64_t step,
                 bool in_place, bool streams, Scratch scratch) const {
    const std::int64_t samples = tile.width * step;
    const bool magnitude = job_->combine == Combine::magnitude;
    Sum* const sums = scratch.take<Sum>(line_pitch<Sum>(fill_columns(step) * step));
    double* const squares = scratch.take<double>(line_pitch<double>(fill_columns(step) * step));
    if (!magnitude) {
      for (std::size_t f = 0; f < stages_.size(); ++f) {
        Ring ring = ring_at(stages_[f], tile.y, step, scratch);
        for (std::int64_t y = tile.y; y < tile.y + rows; ++y) {
          Sum* const to = in_place ? reinterpret_cast<Sum*>(place_in(outs[f], tile, y)) : sums;
          sum_row(stages_[f], filtered[f], tile, y, step, ring, to, streams);
          if (!in_place) finish(outs[f], place_in(outs[f], tile, y), sums, samples, step);
        }
      }
    } else {
      // One after the other, each from where it was: there are few filters of a magnitude.
      std::array<Ring, most_combined> rings{};
      for (std::size_t f = 0; f < stages_.size(); ++f) {
        rings[f] = ring_at(stages_[f], tile.y, step, scratch.part(ring_bytes(stages_[f], step)));
      }
      for (std::int64_t y = tile.y; y < tile.y + rows; ++y) {
        std::fill_n(squares, samples, 0.0);
        for (std::size_t f = 0; f < stages_.size(); ++f) {
          sum_row(stages_[f], filtered[f], tile, y, step, rings[f], sums, false);
          kernels_.add_squares(sums, squares, samples);
        }
        kernels_.roots(squares, sums, samples);
        finish(outs[0], place_in(outs[0], tile, y), sums, samples, step);
      }
    }
    if (streams) hwy::FlushStream();  // before others read
  }

  Ring ring_at(const Stage<Sum>& stage, std::int64_t y, std::int64_t step, Scratch scratch) const {
    const std::int64_t pitch = line_pitch<Sum>(fill_columns(step) * step);
    Sum* const lines = scratch.take<Sum>(stage.y.axis().up_taps() * pitch);
    return {lines, pitch, y / stage.y.factor(), scratch};
  }

  /// Output row y of a tile.
  void sum_row(const Stage<Sum>& stage, const Sum* filtered, const Tiles::Tile& tile, std::int64_t y, std::int64_t step, Ring& ring, Sum* to,
               bool streams) const {
    const std::int64_t m = stage.y.axis().up_taps();
    const std::int64_t q = y / stage.y.factor();
    for (; ring.next < q + m; ++ring.next) {
      const Sum* const row = filtered + (tile.z * stage.filtered[0] + ring.next) * stage.pitch(step) + tile.x / stage.x.factor() * step;
      stage.x.fill(kernels_, row, step, divide_up(tile.width, stage.x.factor()), ring.lines + ring.next % m * ring.pitch, ring.scratch);
    }
    std::array<const Sum*, most_up_taps> lines{};
    for (std::int64_t s = 0; s < m; ++s) lines[static_cast<std::size_t>(s)] = ring.lines + (q + s) % m * ring.pitch;
    sum_lines(kernels_, stage.y.up(y % stage.y.factor()), lines.data(), to, tile.width * step,
              streams && bytes_behind_line(to) == 0);
  }

  void finish(const View& out, std::byte* to, const Sum* sums, std::int64_t samples, std::int64_t step) const {
    const Finish finish{.scale = sums_are_pixels_ ? 1 : job_->scale, .offset = job_->offset, .rounding = job_->rounding};
    kernels_.store[static_cast<std::size_t>(out.pixel)](sums, finish, to, sample_stride(out.strides, step), samples);
  }

 public:
  static constexpr std::size_t most_combined = 16;

 private:
  static constexpr std::size_t most_up_taps = 8;

  std::shared_ptr<const Job> job_;
  const Kernels<Sum>& kernels_;
  bool sums_are_pixels_;  ///< the scale is part of the taps
  int workers_;
  std::vector<Stage<Sum>> stages_;
  std::size_t most_lines_ = 1;
};

const char* refuses(const Request& request) {
  if (!is_multirate(request.filters)) return "filters at a lower rate alone";
  if (request.job.combine == Combine::magnitude && request.filters.size() > AtLowerRate<float>::most_combined)
    return "magnitudes of 16 filters at most";
  return nullptr;
}

double filter_seconds(const Request& request, const Taps& taps) {
  const Job& job = request.job;
  const Rates& rates = request.costs;
  const double wide = width_of_sums(job);
  const auto [along_y, along_x] = taps.multirate->axes;
  const Space out = job.out.space();
  const auto real = [](std::int64_t n) { return static_cast<double>(n); };
  const double images = real(job.out.batch * job.out.channels);
  const double outputs = images * real(out[0] * out[1] * out[2]);
  const double planes = images * real(taps.size[0] > 1 ? job.in.depth : out[0]);
  // Rows and columns that are read, those outside among them.
  const double rows = real(along_y.end(out[1]) - along_y.lead);
  const double columns = real(along_x.end(out[2]) - along_x.lead);
  const double thinned = real(along_y.thinned(out[1])) * real(along_x.thinned(out[2]));
  const double filtered = real(along_y.filtered(out[1])) * real(along_x.filtered(out[2]));
  const LineRates& lines = rates.lines;
  const double tap = lines.column_tap;
  const double shared_out = 1.5 * rates.axis.gathered_sample;
  const auto up_rows = static_cast<double>(along_y.filtered(out[1])) * real(out[2]);
  double nanoseconds = planes * rows * columns * (real(along_y.up_taps()) * tap + lines.column / real(along_y.factor));
  if (job.in_pixel != pixel_of_sums(job)) nanoseconds += planes * rows * columns * rates.load.of(job.in_pixel);
  nanoseconds += planes * real(along_y.thinned(out[1])) * columns * (4 * tap + shared_out);
  if (taps.size[0] > 1) nanoseconds += images * real(out[0]) * thinned * (real(taps.size[0]) * tap + lines.column);
  nanoseconds += images * real(out[0]) *
                 (thinned * real(static_cast<std::int64_t>(along_y.taps.size())) * tap + filtered * real(static_cast<std::int64_t>(along_x.taps.size())) * lines.row_tap);
  nanoseconds += images * real(out[0]) * up_rows * (4 * tap + shared_out);
  nanoseconds += outputs * (real(along_y.up_taps()) * tap + lines.column);
  if (job.out_pixel != pixel_of_sums(job) || job.combine != Combine::none) nanoseconds += outputs * rates.store.of(job.out_pixel);
  nanoseconds *= wide;
  nanoseconds += images * 3 * rates.axis_start;
  return seconds_of(nanoseconds, 3, bytes_moved(job), rates);
}

}  // namespace

const Family multirate{.name = "multirate",
                       .refuses = refuses,
                       .seconds = [](const Request& request) { return seconds_of_filters(request, filter_seconds); },
                       .make = [](const std::shared_ptr<const Job>& job, int workers) -> std::unique_ptr<const Runner> {
                         if (job->sum_f64) return std::make_unique<AtLowerRate<double>>(*job, workers);
                         return std::make_unique<AtLowerRate<float>>(*job, workers);
                       }};

}  // namespace halation::cpu_backend
