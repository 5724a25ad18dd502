// running_box.cpp: windows of equal weights over integers, whose sums are exact: each row is summed along x as narrow whole
// numbers, and running sums over y take in the row that enters and give up the one that leaves, so that the height costs
// nothing. Weight, scale, offset and rounding meet the sum once, at the end.
//
// Where there are kernels for it (BoxIntegerKernels::slide_rows) the running sums come first, over columns of bytes, and windows
// along x are made of them in registers on the way to the output.
//
// Rows are copied to scratch with what the border puts around them, but for those that slide_tile reads where they lie. Sums of 16
// bits are taken where they cannot overflow, which they may on the way: 2^16 leaves and comes back.

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "cpu/expected.h"
#include "cpu/families.h"
#include "cpu/parts/box/kernels.h"
#include "cpu/parts/box/sum.h"
#include "cpu/parts/caches.h"
#include "cpu/tiles/lines.h"
#include "cpu/tiles/past_caches.h"
#include "cpu/tiles/scratch.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {
namespace {

/// Rows that are cut cost more than scratch that fills the second-level cache.
TileLimits tile_limits() { return {.least_samples = 512, .most_samples = 16384, .scratch_bytes = second_level_bytes()}; }
/// Outputs of so many bytes go past the caches: of 4096 × 4096 elements two bytes each gained by it, bytes lost.
constexpr std::int64_t streamed_box_bytes = 32 << 20;
/// Factors outside are left to sums that are weighed first: times whole numbers they could leave what f32 holds.
constexpr double least_factor = 0x1p-60;
constexpr double most_factor = 0x1p60;

/// Sums of columns are read and written so far past the end of a row, two vectors and as many as a window lags behind: up to 172.
constexpr std::int64_t samples_behind = 192;

constexpr double most_16 = 65535;
constexpr double most_32 = 2147483647;

double weight_of(const Taps& taps) {
  const auto& [z, y, x] = *taps.factors;
  return z[0] * y[0] * x[0];
}

double most_pixel(const Job& job) { return std::max(largest(job.in_pixel), -smallest(job.in_pixel)); }

/// The largest sum of pixels over z and x, or over all axes.
double most_sum(std::span<const Taps> filters, const Job& job, bool over_y) {
  double most = 0;
  for (const Taps& taps : filters) {
    const auto taps_in_sum = static_cast<double>(taps.size[0]) * static_cast<double>(taps.size[2]) *
                             (over_y ? static_cast<double>(taps.size[1]) : 1);
    most = std::max(most, taps_in_sum * most_pixel(job));
  }
  return most;
}

/// Elements from one line of scratch to the next.
template <class T>
std::int64_t integer_pitch(std::int64_t samples) {
  return line_pitch<T>(samples, 64);
}

template <class In, class Row, class Sum>
class RunningBoxes final : public Runner {
 public:
  RunningBoxes(std::shared_ptr<const Job> job, int workers)
      : job_(std::move(job)), kernels_(best_box_integer_kernels<In, Row, Sum>()), workers_(workers) {
    direct_ = !is_float(job_->out_pixel) && !job_->sum_f64;
    for (const Taps& taps : job_->filters) {
      const double weight = weight_of(taps);
      Box box{.taps = &taps, .along_x = BoxSum(taps.size[2])};
      box.finish = {.factor = direct_ ? weight * job_->scale : weight,
                    .offset = direct_ ? job_->offset : 0,
                    .rounding = job_->rounding};
      if (direct_ && sizeof(Sum) == 2 && job_->out_pixel == Pixel::u8) {
        box.finish.multiplier = find_multiplier(box.finish.factor, box.finish.offset, box.finish.rounding,
                                                static_cast<std::int64_t>(most_sum(job_->filters, *job_, true)))
                                    .value_or(Multiplier{});
      }
      boxes_.push_back(std::move(box));
      tallest_ = std::max(tallest_, taps.size[1]);
      widest_ = std::max(widest_, taps.size[2]);
    }
    interleaved_ = tiles(job_->out.channels);
    apart_ = tiles(1);
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(WorkerScratch::bytes(workers_, std::max(interleaved_->scratch_bytes(), apart_->scratch_bytes())));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const Tiles& tiles = packed_pixels(in, outs) ? *interleaved_ : *apart_;
    for_each_tile<In>(*job_, tiles, workers_, in, copy_samples<In>, workspace, [&](const auto& rows, const Tiles::Tile& tile, Scratch scratch) {
      for (std::size_t i = 0; i < boxes_.size(); ++i) {
        if constexpr (sizeof(In) == 1 && sizeof(Sum) == 2) {
          if (slides_rows(boxes_[i], outs[i], tiles.step())) {
            slide_tile(boxes_[i], rows, tile, outs[i], scratch);
            continue;
          }
        }
        sum_tile(boxes_[i], rows, tile, tiles.step(), outs[i], scratch);
      }
    });
  }

  std::string explain() const override {
    return std::string(best_kernels<float>().instruction_set) + ", running sums of whole numbers in " +
           std::to_string(8 * sizeof(Sum)) + " bits, tiles of " + std::to_string(interleaved_->width()) + "x" +
           std::to_string(interleaved_->height()) + " pixels, at most " + std::to_string(workers_) +
           (workers_ == 1 ? " thread" : " threads") + "; channels that are not side by side are filtered one by one";
  }

 private:
  struct Box {
    const Taps* taps = nullptr;
    BoxSum along_x;
    IntegerFinish finish = {};
  };

  Tiles tiles(std::int64_t step) const {
    const auto bytes = [&](std::int64_t width, std::int64_t, std::int64_t samples) { return scratch_bytes(width, samples); };
    return Tiles(job_->out, step, FilterReach(job_->filters), workers_, tile_limits(), bytes);
  }
  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const {
    const std::int64_t narrow = width * step;
    const std::int64_t wide = (width + widest_ - 1) * step;
    const std::int64_t summed = Scratch::bytes<In>(integer_pitch<In>(wide)) + Scratch::bytes<Row>(3 * integer_pitch<Row>(wide)) +
                                Scratch::bytes<Row>((tallest_ + 1) * integer_pitch<Row>(narrow)) +
                                Scratch::bytes<Sum>(integer_pitch<Sum>(narrow)) + Scratch::bytes<double>(integer_pitch<double>(narrow));
    const auto slides = [&](const Box& box) { return row_kernel(box) != nullptr; };
    if (step != 1 || std::none_of(boxes_.begin(), boxes_.end(), slides)) return summed;
    const std::int64_t slid = Scratch::bytes<In>(tallest_ * integer_pitch<In>(wide)) +
                              Scratch::bytes<Row>(integer_pitch<Row>(wide + samples_behind)) + Scratch::bytes<const In*>(tallest_);
    return std::max(slid, summed);
  }

  /// Null where sums along x are made before those along y.
  auto row_kernel(const Box& box) const {
    const bool known = box.taps->size[0] == 1 && box.taps->size[2] <= most_row_taps && box.finish.multiplier.multiplier != 0;
    return known ? kernels_.slide_rows[static_cast<std::size_t>(box.taps->size[2])] : nullptr;
  }
  bool slides_rows(const Box& box, const View& out, std::int64_t step) const {
    return row_kernel(box) != nullptr && step == 1 && out.strides.width == 1;
  }

  /// Sums over y first, of rows where they lie, and along x straight to the output.
  void slide_tile(const Box& box, const Lines<In>& pixel_rows, const Tiles::Tile& tile, const View& out, Scratch scratch) const {
    const Taps& taps = *box.taps;
    const std::int64_t wide = tile.width + taps.size[2] - 1;
    const std::int64_t pitch = integer_pitch<In>(wide);
    const std::int64_t columns_pitch = integer_pitch<Row>(wide + samples_behind);
    auto* staged = scratch.take<In>(taps.size[1] * pitch);
    auto* columns = scratch.take<Row>(columns_pitch);
    auto** lines = scratch.take<const In*>(taps.size[1]);
    std::fill_n(columns, columns_pitch, Row{0});
    const auto slide = row_kernel(box);
    const bool streams = goes_past_caches(out, streamed_box_bytes);
    for (std::int64_t row = 0; row < tile.height + taps.size[1] - 1; ++row) {
      const Space from{tile.z + taps.lead[0], tile.y + taps.lead[1] + row, tile.x + taps.lead[2]};
      const std::int64_t done = row - (taps.size[1] - 1);
      // What is added is read a vector past its end.
      const In* newer = done < 0 ? nullptr : pixel_rows.in_place(from[0], from[1], from[2], from[2] + wide);
      if (newer == nullptr) {
        In* line = staged + row % taps.size[1] * pitch;
        pixel_rows.stage(from[0], from[1], from[2], from[2] + wide, line);
        newer = line;
      }
      lines[row % taps.size[1]] = newer;
      if (done < 0) {
        kernels_.add(newer, columns, wide);
        continue;
      }
      slide({.newer = newer,
             .older = lines[done % taps.size[1]],
             .columns = columns,
             .out = reinterpret_cast<std::uint8_t*>(place_in(out, tile, tile.y + done)),
             .n = tile.width,
             .by = box.finish.multiplier,
             .streams = streams});
    }
    if (streams) hwy::FlushStream();  // before others read
  }

  void sum_tile(const Box& box, const Lines<In>& pixel_rows, const Tiles::Tile& tile, std::int64_t step, const View& out,
                Scratch scratch) const {
    const Taps& taps = *box.taps;
    const std::int64_t n = tile.width * step;
    const std::int64_t wide = box.along_x.length(tile.width, 1) * step;
    const std::int64_t pitch = integer_pitch<Row>(n);
    auto* pixels = scratch.take<In>(integer_pitch<In>(wide));
    std::array<Row*, 3> between{};
    for (Row*& line : between) line = scratch.take<Row>(integer_pitch<Row>(wide));
    auto* ring = scratch.take<Row>(taps.size[1] * pitch);
    auto* nothing = scratch.take<Row>(pitch);
    auto* sums = scratch.take<Sum>(integer_pitch<Sum>(n));
    auto* finished = scratch.take<std::byte>(static_cast<std::int64_t>(sizeof(double)) * integer_pitch<double>(n));
    std::fill_n(nothing, pitch, Row{0});
    std::fill_n(sums, integer_pitch<Sum>(n), Sum{0});

    const auto element = static_cast<std::int64_t>(bytes_of(job_->out_pixel));
    const std::int64_t stride = sample_stride(out.strides, step);
    const bool in_place = direct_ && stride == element;
    const bool streams = in_place && goes_past_caches(out, streamed_box_bytes);
    const Pixel written = direct_ ? job_->out_pixel : job_->sum_f64 ? Pixel::f64 : Pixel::f32;
    const auto slide = kernels_.slide[static_cast<std::size_t>(written)];

    const std::int64_t rows = tile.height + taps.size[1] - 1;
    const std::int64_t x = tile.x + taps.lead[2];
    for (std::int64_t row = 0; row < rows; ++row) {
      Row* newer = ring + row % taps.size[1] * pitch;
      const Space from{tile.z + taps.lead[0], tile.y + taps.lead[1] + row, x};
      sum_row(box, pixel_rows, step, from, x + tile.width + taps.size[2] - 1, pixels, between, newer, n);
      const std::int64_t done = row - (taps.size[1] - 1);
      const Row* older = done < 0 ? nothing : ring + done % taps.size[1] * pitch;
      Slide<Row, Sum> job{.newer = newer,
                          .older = older,
                          .sums = sums,
                          .out = nullptr,
                          .n = n,
                          .finish = box.finish,
                          .streams = streams};
      if (done >= 0) {
        std::byte* to = place_in(out, tile, tile.y + done);
        job.out = in_place ? to : finished;
        slide(job);
        if (!in_place) put_line(out.pixel, finished, to, stride, n);
      } else {
        slide(job);
      }
    }
    if (streams) hwy::FlushStream();  // before others read
  }

  /// Sums of the windows of one row over z and x, from input place (z, y, x) up to column x_end.
  void sum_row(const Box& box, const Lines<In>& rows, std::int64_t step, const Space& from, std::int64_t x_end, In* pixels,
               const std::array<Row*, 3>& between, Row* to, std::int64_t n) const {
    const std::int64_t planes = box.taps->size[0];
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      rows.stage(from[0] + plane, from[1], from[2], x_end, pixels);
      if (planes == 1) {
        box.along_x.template sum<In, Row>(kernels_.steps, pixels, step, 1, {between[0], between[1]}, to, n);
        return;
      }
      if (plane == 0) std::fill_n(between[2], (x_end - from[2]) * step, Row{0});
      kernels_.add(pixels, between[2], (x_end - from[2]) * step);
    }
    box.along_x.template sum<Row, Row>(kernels_.steps_of_sums, between[2], step, 1, {between[0], between[1]}, to, n);
  }

  /// A line that is not where it belongs: elements apart, or sums yet to be finished.
  void put_line(Pixel pixel, const std::byte* line, std::byte* to, std::int64_t stride, std::int64_t n) const {
    const Finish finish{.scale = job_->scale, .offset = job_->offset, .rounding = job_->rounding};
    if (!direct_ && job_->sum_f64) {
      best_kernels<double>().store[static_cast<std::size_t>(pixel)](reinterpret_cast<const double*>(line), finish, to, stride, n);
    } else if (!direct_) {
      best_kernels<float>().store[static_cast<std::size_t>(pixel)](reinterpret_cast<const float*>(line), finish, to, stride, n);
    } else {
      const std::size_t element = bytes_of(pixel);
      for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * stride, line + i * static_cast<std::int64_t>(element), element);
    }
  }

  std::shared_ptr<const Job> job_;
  const BoxIntegerKernels<In, Row, Sum>& kernels_;
  int workers_;
  bool direct_ = false;  ///< running sums become pixels at once, not lines of sums
  std::vector<Box> boxes_;
  std::int64_t tallest_ = 1;
  std::int64_t widest_ = 1;
  std::optional<Tiles> interleaved_, apart_;
};

const char* refuses(const Request& request) {
  const Job& job = request.job;
  if (is_float(job.in_pixel) || job.combine != Combine::none) return "integers, not combined, alone";
  if (most_sum(request.filters, job, true) > most_32) return "sums that 32 bits hold alone";
  for (const BorderTable& border : job.borders) {
    const double value = border.constant();
    if (value != std::nearbyint(value) || value < smallest(job.in_pixel) || value > largest(job.in_pixel))
      return "constants around the image that are pixels alone";
  }
  for (const Taps& taps : request.filters) {
    if (taps.form != Form::box || taps.size == Space{1, 1, 1}) return "boxes of several taps alone";
    if (!taps.factors) continue;
    const auto holds = [](double factor) {
      return factor == 0 || (std::fabs(factor) >= least_factor && std::fabs(factor) <= most_factor);
    };
    if (!holds(weight_of(taps)) || !holds(weight_of(taps) * job.scale)) return "weights that f32 holds well alone";
  }
  return nullptr;
}

/// Bytes of a sum over z and x, and of one over all axes.
std::int64_t row_bytes(std::span<const Taps> filters, const Job& job) {
  return job.in_pixel == Pixel::u8 && most_sum(filters, job, false) <= most_16 ? 2 : 4;
}
std::int64_t sum_bytes(std::span<const Taps> filters, const Job& job) {
  return job.in_pixel == Pixel::u8 && most_sum(filters, job, true) <= most_16 ? 2 : 4;
}

double filter_seconds(const Request& request, const Taps& taps) {
  const Job& job = request.job;
  const Rates& rates = request.costs;
  const std::span<const Taps> alone(&taps, 1);
  const std::int64_t bytes_x = row_bytes(alone, job);
  const auto scratch = [&](std::int64_t width, std::int64_t, std::int64_t step) {
    return (taps.size[1] + 5) * width * step * bytes_x;
  };
  const Tiles tiles(job.out, job.out.channels, FilterReach(alone), priced_workers, tile_limits(), scratch);
  const TileCounts n(job, taps, tiles);
  const RunningBoxRates& r = rates.running;
  const auto planes = static_cast<double>(taps.size[0]);
  const double doublings = std::log2(static_cast<double>(taps.size[2]));
  const bool is_narrow = sum_bytes(alone, job) == 2;
  // Kernels that slide want a multiplier (find_multiplier), which takes long to find and which means have; of
  // other weights few do.
  const bool is_mean =
      !taps.factors ||
      std::fabs(weight_of(taps) * job.scale * planes * static_cast<double>(taps.size[1] * taps.size[2]) - 1) <
          1e-6;
  const bool slides = is_mean && rates.vector_bytes == 64 && is_narrow && taps.size[0] == 1 &&
                      taps.size[2] <= most_row_taps && job.out_pixel == Pixel::u8 && job.out.channels == 1 &&
                      !job.sum_f64;
  double nanoseconds = n.image_rows * n.again_rows * planes *
                       static_cast<double>((taps.size[2] - 1) * job.out.channels) * rates.outside_sample;
  if (slides) {
    nanoseconds += n.rows * n.again_rows * r.slid_row +
                   n.samples * (n.again_rows * n.again_columns * r.slide + doublings * r.slide_doubling);
  } else {
    const double summed = n.samples * n.again_rows;
    nanoseconds += n.rows * n.again_rows * planes * r.row +
                   summed * (static_cast<double>(bytes_x) *
                                 (planes * r.byte + n.again_columns * doublings * r.byte_doubling) +
                             (is_narrow ? r.sum16 : r.sum32)) +
                   n.samples * width_of_sums(job) * (is_float(job.out_pixel) ? r.other : r.integer);
    nanoseconds += n.samples / static_cast<double>(tiles.height()) * r.begun;
    if (job.sum_f64 && job.out_pixel != Pixel::f64)
      nanoseconds += 2 * n.samples * rates.store.of(job.out_pixel);
  }
  return seconds_of(nanoseconds, 1, bytes_moved(job), rates);
}

double seconds(const Request& request) { return seconds_of_filters(request, filter_seconds); }

std::unique_ptr<const Runner> make(const std::shared_ptr<const Job>& job, int workers) {
  switch (job->in_pixel) {
    case Pixel::u8:
      if (sum_bytes(job->filters, *job) == 2)
        return std::make_unique<RunningBoxes<std::uint8_t, std::uint16_t, std::uint16_t>>(job, workers);
      if (row_bytes(job->filters, *job) == 2)
        return std::make_unique<RunningBoxes<std::uint8_t, std::uint16_t, std::int32_t>>(job, workers);
      return std::make_unique<RunningBoxes<std::uint8_t, std::int32_t, std::int32_t>>(job, workers);
    case Pixel::u16:
      return std::make_unique<RunningBoxes<std::uint16_t, std::int32_t, std::int32_t>>(job, workers);
    default: return std::make_unique<RunningBoxes<std::int16_t, std::int32_t, std::int32_t>>(job, workers);
  }
}

}  // namespace

const Family running_box{.name = "running box", .refuses = refuses, .seconds = seconds, .make = make};

}  // namespace halation::cpu_backend
