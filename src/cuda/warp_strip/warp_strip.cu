// warp_strip.cu: jobs for the kernels of warp_strip.cuh.
#include "cuda/warp_strip/warp_strip.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "core/convert.h"
#include "cuda/device/device.h"
#include "cuda/parts/dp4a.h"
#include "cuda/parts/placed_taps.h"
#include "cuda/parts/strips.h"
#include "cuda/warp_strip/size.cuh"

namespace halation::cuda_backend {
namespace {

constexpr std::int64_t least_rows = 4;  // fewer cost several times their number

WarpStripSize size_of(Pixel pixel, WarpStripRows rows, int size, int channels, WarpStripSums sums) {
  using enum WarpStripRows;
  const bool is_aligned = rows == aligned;
  const auto of = [&]<class In>() {
    return (is_aligned ? warp_strip_size<In, aligned> : warp_strip_size<In, any>)(size, channels, sums);
  };
  return visit_pixel(pixel, [&](auto like) -> WarpStripSize {
    using T = decltype(like);
    if constexpr (std::is_same_v<T, double>)
      return {};
    else if constexpr (std::is_same_v<T, float>)
      return is_aligned ? WarpStripSize{} : warp_strip_size<float, any>(size, channels, sums);
    else
      return of.template operator()<T>();
  });
}

/// Whether outputs can be put where rows begin on any element.
bool puts_anywhere(Pixel in, Pixel out) { return out == in || out == Pixel::f32 || (in == Pixel::u8 && out == Pixel::i16); }

/// How a filter is set into one of the sizes.
struct Fit {
  int size = 0;  // K
  bool factored = false;
};

std::optional<Fit> fit_of(const Job& job, const Taps& taps) {
  const std::int64_t longest = std::max(taps.size[1], taps.size[2]);
  if (taps.size[0] != 1 || longest < 2 || longest > warp_strip_most) return {};
  // A filter along one axis has a factor of one tap along the other.
  const Fit fit{longest <= 3   ? 3
                : longest <= 5 ? 5
                : longest <= 7 ? 7
                               : 9,
                taps.form != Form::dense || taps.size[1] == 1 || taps.size[2] == 1};
  if (!fit.factored && fit.size > 7 && job.in_pixel != Pixel::f32) return {};
  // Taps that the filter does not have would spread NaN and infinities of float input.
  if (is_float(job.in_pixel) && (taps.size[1] != fit.size || taps.size[2] != fit.size)) return {};
  if (centre_of(taps.lead[2], taps.size[2], fit.size) != 0) return {};
  return fit;
}

/// The word all of whose elements are a pixel; none where the number is no pixel.
std::optional<std::uint32_t> word_of(double constant, Pixel pixel) {
  return visit_pixel(pixel, [&](auto like) -> std::optional<std::uint32_t> {
    using T = decltype(like);
    if constexpr (sizeof(T) > 4) {
      return {};
    } else {
      if (!is_element(constant, pixel)) return {};
      std::array<T, 4 / sizeof(T)> elements;
      elements.fill(to_element<T>(constant, Rounding::half_even));
      return std::bit_cast<std::uint32_t>(elements);
    }
  });
}

std::optional<std::uint32_t> outside_of(const BorderTable& border, Pixel pixel) {
  return border.mode() == Border::Mode::constant ? word_of(border.constant(), pixel) : 0U;
}

/// The sums of a filter: in whole numbers where its weights are such and there is a kernel for them, `factor` times as large.
struct SumsOf {
  WarpStripSums sums;
  double factor = 1;
};

SumsOf sums_of(const Job& job, const Taps& taps, const Fit& fit, WarpStripRows rows, int channels) {
  if (fit.factored) return {WarpStripSums::factored};
  if (job.in_pixel == Pixel::u8 && size_of(job.in_pixel, rows, fit.size, channels, WarpStripSums::integer).kernel != nullptr) {
    if (const std::optional<double> factor = to_integers(taps.weights)) return {WarpStripSums::integer, *factor};
  }
  return {WarpStripSums::dense};
}

/// How the job's filter is set into a size; none, and why, where the kernels do not do such a job.
struct Answer {
  std::optional<Fit> fit;
  const char* why_not = nullptr;
};

Answer set_into_size(const Request& request, WarpStripRows rows) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (!is_by_taps(taps)) return {{}, "sums of taps alone"};
  if (!is_one_filter(job) || job.sum_f64) return {{}, "one filter with sums in f32 alone"};
  const std::optional<Fit> fit = fit_of(job, taps);
  if (!fit) return {{}, "at most 7x7 taps, or 9x9 by factors or over f32, around the output's column, alone"};
  if (job.in.width != job.out.width) return {{}, "outputs as wide as inputs alone"};
  if (job.out.height < least_rows) return {{}, "images of 4 rows and more alone"};
  if (!outside_of(job.borders[1], job.in_pixel) || !outside_of(job.borders[2], job.in_pixel))
    return {{}, "constants around the image that are pixels alone"};
  // Columns, rows and warps are counted in 32 bits.
  constexpr std::int64_t most = std::int64_t{1} << 28;
  const Shape& n = job.in;
  const bool counted = n.width * n.channels < most && std::max(n.height, job.out.height) < most && n.depth * n.batch < most &&
                       job.out.elements() / 128 + n.depth * n.batch * job.out.height < most;
  if (!counted) return {{}, "fewer elements alone"};
  const int channels = channels_in_row(request.rows, n.channels);
  const WarpStripSize size = size_of(job.in_pixel, rows, fit->size, channels, sums_of(job, taps, *fit, rows, channels).sums);
  if (size.kernel == nullptr) return {{}, "no kernel for these pixels"};
  // Rows of several warps go on with whole pieces of their other end.
  const std::int64_t count = n.width * channels;
  if (is_periodic(job.borders[2].mode()) && count > size.columns &&
      (rows == WarpStripRows::any || count * static_cast<std::int64_t>(bytes_of(job.in_pixel)) % 16 != 0))
    return {{}, "no rows that go on at their other end between 16-byte boundaries"};
  return {fit, nullptr};
}

/// Rows of a strip, of which there are `others` beside each other, where so many `blocks` share a
/// multiprocessor. Shorter strips than would fill the GPU once: neighbours walk at the same time, which
/// memory is faster for. Measured on an H200.
int strip_of(const Fit& fit, Pixel pixel, int multiprocessors, int blocks, std::int64_t rows,
             std::int64_t others) {
  constexpr int startup = 8;  // rows that a strip could have walked until its first is there
  constexpr int schedulers = 4;
  const int more = fit.size - 1 + startup;
  const auto length_for = [&](int warps) {
    return static_cast<int>(strips_of(rows, others, std::int64_t{multiprocessors} * warps, more).length);
  };
  const int length = length_for(blocks);
  const bool is_small = fit.size == 3;
  const bool is_f32 = pixel == Pixel::f32;
  const int waves = !is_small ? 4 : is_f32 ? 16 : 8;
  // Of larger filters a warp keeps its scheduler busy: rows above strips cost more than warps that lack.
  const int low = is_small ? length : std::max(length, std::min(length_for(schedulers), 6));
  return std::max((length + waves - 1) / waves, std::min(low, is_small && is_f32 ? more : 2 * more));
}

class WarpStripRunner final : public Runner {
 public:
  WarpStripRunner(std::shared_ptr<const Job> job, const Gpu& gpu, const Fit& fit, WarpStripRows rows)
      : job_(std::move(job)), device_(gpu.device), fit_(fit), multiprocessors_(gpu.multiprocessors) {
    const int channels = static_cast<int>(std::min<std::int64_t>(job_->in.channels, 4));
    apart_ = prepared(rows, 1);
    interleaved_ = channels == 1 ? apart_ : prepared(rows, channels);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "a strip of columns a warp, sums of " + std::to_string(fit_.size) + " rows in registers";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const Shape& n = in.shape;
    if (const int channels = channels_in_row(row_layout_of(in, outs), n.channels); channels > 1) {
      return launch(interleaved_, channels, in, outs[0], queue);
    }
    for (std::int64_t c = 0; c < n.channels; ++c) launch(apart_, 1, in.channel(c), outs[0].channel(c), queue);
  }

 private:
  struct Launched {
    WarpStripKernel kernel = nullptr;
    WarpStripArguments constants{};
    int columns = 0;  // of a warp
    int unit = 1;     // its first column is a multiple of
    int blocks = 1;   // of a multiprocessor
  };
  Launched prepared(WarpStripRows rows, int channels) const {
    const Taps& taps = job_->filters.front();
    Launched launched;
    const auto [sums, factor] = sums_of(*job_, taps, fit_, rows, channels);
    const WarpStripSize size = size_of(job_->in_pixel, rows, fit_.size, channels, sums);
    if (size.kernel == nullptr) return launched;  // such rows go another way
    launched.kernel = size.kernel;
    launched.columns = size.columns;
    launched.unit = rows == WarpStripRows::aligned ? 16 / static_cast<int>(bytes_of(job_->in_pixel)) : 1;
    launched.blocks = size.blocks;
    WarpStripArguments& job = launched.constants;
    job.border_y = DeviceBorder(job_->borders[1]);
    job.border_x = DeviceBorder(job_->borders[2]);
    job.constant_y = *outside_of(job_->borders[1], job_->in_pixel);
    job.constant_x = *outside_of(job_->borders[2], job_->in_pixel);
    job.scale = static_cast<float>(job_->scale / factor);
    job.offset = static_cast<float>(job_->offset);
    job.rounding = job_->rounding;
    const std::int64_t centre_y = centre_of(taps.lead[1], taps.size[1], fit_.size);
    job.centre_y = static_cast<int>(centre_y);
    const std::int64_t first_y = taps.lead[1] - centre_y + fit_.size / 2;
    const std::int64_t first_x = taps.lead[2] + fit_.size / 2;
    if (sums == WarpStripSums::factored) {
      set_factors(job, taps, first_y, first_x);
      return launched;
    }
    const PlacedWeights weights = placed(taps, first_y, first_x);
    if (sums == WarpStripSums::integer) {
      set_words(job.words, weights, static_cast<std::size_t>(fit_.size), factor);
    } else {
      for (int i = 0; i < fit_.size * fit_.size; ++i) {
        const double weight = weights[static_cast<std::size_t>(i / fit_.size)][static_cast<std::size_t>(i % fit_.size)];
        job.weights[i] = static_cast<float>(job_->scale * weight);
      }
    }
    return launched;
  }

  void set_factors(WarpStripArguments& job, const Taps& taps, std::int64_t first_y, std::int64_t first_x) const {
    const std::vector<double> one{1.0};
    const bool direct = taps.form == Form::dense;
    const std::vector<double>& y = !direct ? (*taps.factors)[1] : taps.size[1] > 1 ? taps.weights : one;
    const std::vector<double>& x = !direct ? (*taps.factors)[2] : taps.size[1] > 1 ? one : taps.weights;
    const double gain = job_->scale * (direct ? 1.0 : (*taps.factors)[0].front());
    for (std::size_t i = 0; i < y.size(); ++i)
      job.weights[first_y + static_cast<std::int64_t>(i)] = static_cast<float>(gain * y[i]);
    for (std::size_t i = 0; i < x.size(); ++i)
      job.weights[fit_.size + first_x + static_cast<std::int64_t>(i)] = static_cast<float>(x[i]);
  }

  void launch(const Launched& launched, int channels, const ConstView& in, const View& out, cudaStream_t stream) const {
    WarpStripArguments job = launched.constants;
    set_views(job, in, out);
    const auto to_last = [](std::int64_t stride, std::int64_t extent) { return std::max<std::int64_t>(stride, 0) * (extent - 1); };
    job.in_end = in.data + to_last(in.strides.height, in.shape.height) + to_last(in.strides.depth, in.shape.depth) +
                 to_last(in.strides.batch, in.shape.batch) +
                 in.shape.width * channels * static_cast<std::int64_t>(bytes_of(in.pixel));
    job.columns = static_cast<int>(out.shape.width * channels);
    job.rows = static_cast<int>(out.shape.height);
    job.in_rows = static_cast<int>(in.shape.height);
    const int warp_columns = launched.columns;
    job.last_column = std::max(0, (job.columns + launched.unit - 1) / launched.unit * launched.unit - warp_columns);
    const std::int64_t across = (job.columns + warp_columns - 1) / warp_columns;
    job.wraps = is_periodic(job_->borders[2].mode()) && across > 1;
    const std::int64_t planes = in.shape.depth * in.shape.batch;
    job.strip = strip_of(fit_, job_->in_pixel, multiprocessors_, launched.blocks, job.rows, across * planes);
    const std::int64_t strips = (job.rows + job.strip - 1) / job.strip;
    job.across = Divisor(across);
    job.strips = Divisor(strips);
    job.depth = Divisor(in.shape.depth);
    launched.kernel<<<static_cast<unsigned>(across * strips * planes), 32, 0, stream>>>(job);
    HALATION_CUDA_LAUNCHED("warp strip", stream);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  Fit fit_;
  int multiprocessors_;
  Launched interleaved_, apart_;  // channels
};

/// Channels apart are launches one after another.
LaunchShape shape_of(const Request& request, WarpStripRows kind) {
  const Job& job = request.job;
  const Gpu& gpu = request.gpu;
  const Taps& taps = request.taps();
  const Fit fit = *fit_of(job, taps);
  const bool is_any = kind == WarpStripRows::any;
  LaunchShape shape =
      launch_shape(request, fit.factored ? is_any ? "warp strip, factored" : "warp strip, aligned, factored"
                            : is_any     ? "warp strip"
                                         : "warp strip, aligned");
  const auto beside = static_cast<int>(channels_beside(request.rows, job.in.channels));
  const WarpStripSize size =
      size_of(job.in_pixel, kind, fit.size, beside, fit.factored ? WarpStripSums::factored : WarpStripSums::dense);
  const std::int64_t others = divide_up(job.out.width * beside, size.columns) * job.out.depth * job.out.batch;
  shape.together = size.blocks;
  const std::int64_t strip = std::min<std::int64_t>(
      job.out.height,
      strip_of(fit, job.in_pixel, gpu.multiprocessors, shape.together, job.out.height, others));
  shape.launches = job.out.channels / beside;
  shape.blocks = others * divide_up(job.out.height, strip);
  const std::int64_t steps = strip + fit.size - 1;
  const int taps_summed = fit.factored ? 2 * fit.size : fit.size * fit.size;
  shape.steps = static_cast<double>(steps);
  shape.outputs = 1e-3 * static_cast<double>(size.columns * steps);
  shape.staged = shape.outputs * static_cast<double>(fit.size);  // from the lanes beside
  shape.mads = shape.outputs * taps_summed;
  shape.chain = shape.mads / 32;
  return shape;
}

template <WarpStripRows Rows>
std::unique_ptr<const Runner> make(const Request& request, const std::shared_ptr<const Job>& job) {
  return std::make_unique<WarpStripRunner>(job, request.gpu, *set_into_size(request, Rows).fit, Rows);
}

}  // namespace

const Family warp_strip_aligned{
    .name = "warp strip, aligned",
    .refuses = [](const Request& request) -> const char* {
      if (!is_aligned(request.rows) && request.rows != RowLayout::aligned_pixels)
        return "rows on 16-byte boundaries alone";
      return set_into_size(request, WarpStripRows::aligned).why_not;
    },
    .shape = [](const Request& request) { return shape_of(request, WarpStripRows::aligned); },
    .make = make<WarpStripRows::aligned>};

const Family warp_strip{
    .name = "warp strip",
    .refuses = [](const Request& request) -> const char* {
      const RowLayout rows = request.rows;
      if (rows != RowLayout::aligned_input && rows != RowLayout::packed && rows != RowLayout::packed_pixels)
        return "rows on no 16-byte boundaries alone";
      if (!puts_anywhere(request.job.in_pixel, request.job.out_pixel))
        return "outputs of the input's pixel, f32 and, of u8, i16 alone";
      return set_into_size(request, WarpStripRows::any).why_not;
    },
    .shape = [](const Request& request) { return shape_of(request, WarpStripRows::any); },
    .make = make<WarpStripRows::any>};

}  // namespace halation::cuda_backend
