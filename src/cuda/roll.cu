// roll.cu: jobs for the kernels of roll.cuh.
#include "cuda/roll.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "core/convert.h"
#include "cuda/columns.h"
#include "cuda/device.h"
#include "cuda/patch.h"
#include "cuda/products.h"
#include "cuda/roll.cuh"
#include "cuda/strips.h"

namespace halation::cuda_backend {
namespace {

constexpr std::int64_t least_rows = 4;  // fewer cost several times their number

RollSize size_of(Pixel pixel, RollRows rows, int size, int channels, RollSums sums) {
  const bool aligned = rows == RollRows::aligned;
  switch (pixel) {
    case Pixel::u8: return (aligned ? roll_u8 : roll_any_u8)(size, channels, sums);
    case Pixel::u16: return (aligned ? roll_u16 : roll_any_u16)(size, channels, sums);
    case Pixel::i16: return (aligned ? roll_i16 : roll_any_i16)(size, channels, sums);
    case Pixel::f16: return (aligned ? roll_f16 : roll_any_f16)(size, channels, sums);
    case Pixel::f32: return aligned ? RollSize{} : roll_any_f32(size, channels, sums);
    case Pixel::f64: return {};
  }
  return {};
}

/// Whether outputs can be put where rows begin on any element.
bool puts_anywhere(Pixel in, Pixel out) { return out == in || out == Pixel::f32 || (in == Pixel::u8 && out == Pixel::i16); }

/// How a filter is set into one of the sizes.
struct Fit {
  int size = 0;  // K
  bool factored = false;
};

std::optional<Fit> fit_of(const Job& job, const Taps& taps, Method method) {
  const std::int64_t longest = std::max(taps.size[1], taps.size[2]);
  if (taps.size[0] != 1 || longest < 2 || longest > roll_most) return {};
  // A filter along one axis has a factor of one tap along the other.
  const Fit fit{longest <= 3 ? 3 : longest <= 5 ? 5 : longest <= 7 ? 7 : 9,
                method != Method::direct || taps.size[1] == 1 || taps.size[2] == 1};
  if (!fit.factored && fit.size > 7) return {};
  // Taps that the filter does not have would spread NaN and infinities of float input.
  if (is_float(job.in_pixel) && (taps.size[1] != fit.size || taps.size[2] != fit.size)) return {};
  if (centre_of(taps.lead[2], taps.size[2], fit.size) != 0) return {};
  return fit;
}

/// Whether rows on 16-byte boundaries roll: others are quicker for what is left (march.cuh, patch.cuh).
bool aligned_rows_roll(const Job& job, const Taps& taps, const Fit& fit) {
  return fit.factored ? job.in_pixel != Pixel::f32 : job.in_pixel == Pixel::u8 && !patch_takes(job, taps);
}

/// The word all of whose elements are a pixel; none where the number is no pixel.
std::optional<std::uint32_t> word_of(double constant, Pixel pixel) {
  return visit_pixel(pixel, [&](auto like) -> std::optional<std::uint32_t> {
    using T = decltype(like);
    if constexpr (sizeof(T) > 4) {
      return {};
    } else {
      const T element = to_element<T>(constant, Rounding::half_even);
      if (static_cast<double>(element) != constant) return {};
      std::array<T, 4 / sizeof(T)> elements;
      elements.fill(element);
      return std::bit_cast<std::uint32_t>(elements);
    }
  });
}

std::optional<std::uint32_t> outside_of(const BorderTable& border, Pixel pixel) {
  return border.mode() == Border::Mode::constant ? word_of(border.constant(), pixel) : 0U;
}

/// How the job's filter is set into a size; none where warps do not roll through such a job, however its rows lie.
std::optional<Fit> rolled(const Job& job, const Taps& taps, Method method) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64 || job.in_pixel == Pixel::f64) return {};
  const std::optional<Fit> fit = fit_of(job, taps, method);
  if (!fit || job.in.width != job.out.width || job.out.height < least_rows) return {};
  if (!outside_of(job.borders[1], job.in_pixel) || !outside_of(job.borders[2], job.in_pixel)) return {};
  // Columns, rows and warps are counted in 32 bits.
  constexpr std::int64_t most = std::int64_t{1} << 28;
  const Shape& n = job.in;
  const bool counted = n.width * n.channels < most && std::max(n.height, job.out.height) < most && n.depth * n.batch < most &&
                       job.out.elements() / 128 + n.depth * n.batch * job.out.height < most;
  return counted ? fit : std::nullopt;
}

class RollRunner final : public Runner {
 public:
  RollRunner(std::shared_ptr<const Job> job, Device device, const Fit& fit, std::unique_ptr<const Runner> otherwise)
      : job_(std::move(job)),
        device_(device),
        fit_(fit),
        otherwise_(std::move(otherwise)),
        multiprocessors_(multiprocessors_of(device)) {
    if (aligned_rows_roll(*job_, job_->filters.front(), fit_)) aligned_ = prepared(RollRows::aligned);
    if (puts_anywhere(job_->in_pixel, job_->out_pixel)) any_ = prepared(RollRows::any);
  }

  std::size_t workspace_bytes() const override { return otherwise_->workspace_bytes(); }
  std::string explain() const override {
    const std::string rolls = "a strip of columns a warp, sums of " + std::to_string(fit_.size) + " rows in registers";
    if (!aligned_) return "rows that do not begin on 16-byte boundaries: " + rolls + "; others: " + otherwise_->explain();
    const std::string others = any_ ? "; strides between pixels: " : "; rows that do not begin on 16-byte boundaries: ";
    return rolls + others + otherwise_->explain();
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const std::optional<Columns> columns = columns_of(in, outs[0]);
    const bool aligned = is_aligned_alike(in, outs[0]);
    const std::optional<Prepared>& prepared = aligned ? aligned_ : any_;
    if (!columns || !prepared || cannot_wrap(*prepared, in, *columns, aligned)) {
      return otherwise_->run(in, outs, workspace, stream);
    }
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int c = 0; c < columns->channels_apart; ++c) {
      if (columns->channels_apart > 1) launch(prepared->apart, 1, in.channel(c), outs[0].channel(c), queue);
      else launch(prepared->interleaved, columns->channels_in_row, in, outs[0], queue);
    }
  }

 private:
  struct Launched {
    RollKernel kernel = nullptr;
    RollArguments constants{};
    int columns = 0;  // of a warp
    int unit = 1;     // its first column is a multiple of
    int blocks = 1;   // of a multiprocessor
  };
  struct Prepared {
    Launched interleaved, apart;  // channels
  };

  /// Rows of several warps go on with whole pieces of their other end.
  bool cannot_wrap(const Prepared& prepared, const ConstView& in, const Columns& columns, bool aligned) const {
    const std::int64_t count = in.shape.width * columns.channels_in_row;
    return job_->borders[2].mode() == Border::Mode::wrap &&
           count > (columns.channels_in_row > 1 ? prepared.interleaved : prepared.apart).columns &&
           (!aligned || count * static_cast<std::int64_t>(bytes_of(in.pixel)) % 16 != 0);
  }

  Prepared prepared(RollRows rows) const {
    const int channels = static_cast<int>(std::min<std::int64_t>(job_->in.channels, 4));
    const RollSums sums = fit_.factored ? RollSums::factored : RollSums::dense;
    const bool may_be_whole = !fit_.factored && job_->in_pixel == Pixel::u8 && (rows == RollRows::any || fit_.size == 7);
    const std::optional<double> factor = may_be_whole ? to_whole(job_->filters.front().weights) : std::nullopt;
    Prepared prepared;
    prepared.apart = prepared_for(rows, 1, factor ? RollSums::whole : sums, factor.value_or(1));
    const bool whole = factor && fit_.size == 3;  // the others are of one channel
    prepared.interleaved =
        channels == 1 ? prepared.apart : prepared_for(rows, channels, whole ? RollSums::whole : sums, whole ? *factor : 1);
    return prepared;
  }

  Launched prepared_for(RollRows rows, int channels, RollSums sums, double factor) const {
    const Taps& taps = job_->filters.front();
    Launched launched;
    const RollSize size = size_of(job_->in_pixel, rows, fit_.size, channels, sums);
    launched.kernel = size.kernel;
    launched.columns = size.columns;
    launched.unit = rows == RollRows::aligned ? 16 / static_cast<int>(bytes_of(job_->in_pixel)) : 1;
    HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&launched.blocks, launched.kernel, 32, 0));
    RollArguments& job = launched.constants;
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
    if (sums == RollSums::factored) {
      set_factors(job, taps, first_y, first_x);
      return launched;
    }
    const PlacedWeights weights = placed(taps, first_y, first_x);
    if (sums == RollSums::whole) {
      set_words(job.words, weights, static_cast<std::size_t>(fit_.size), factor);
    } else {
      for (int i = 0; i < fit_.size * fit_.size; ++i) {
        const double weight = weights[static_cast<std::size_t>(i / fit_.size)][static_cast<std::size_t>(i % fit_.size)];
        job.weights[i] = static_cast<float>(job_->scale * weight);
      }
    }
    return launched;
  }

  void set_factors(RollArguments& job, const Taps& taps, std::int64_t first_y, std::int64_t first_x) const {
    const std::vector<double> one{1.0};
    const bool direct = taps.method == Method::direct;
    const std::vector<double>& y = !direct ? (*taps.factors)[1] : taps.size[1] > 1 ? taps.weights : one;
    const std::vector<double>& x = !direct ? (*taps.factors)[2] : taps.size[1] > 1 ? one : taps.weights;
    const double gain = job_->scale * (direct ? 1.0 : (*taps.factors)[0].front());
    for (std::size_t i = 0; i < y.size(); ++i)
      job.weights[first_y + static_cast<std::int64_t>(i)] = static_cast<float>(gain * y[i]);
    for (std::size_t i = 0; i < x.size(); ++i)
      job.weights[fit_.size + first_x + static_cast<std::int64_t>(i)] = static_cast<float>(x[i]);
  }

  void launch(const Launched& launched, int channels, const ConstView& in, const View& out, cudaStream_t stream) const {
    RollArguments job = launched.constants;
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
    job.wraps = job_->borders[2].mode() == Border::Mode::wrap && across > 1;
    const std::int64_t planes = in.shape.depth * in.shape.batch;
    job.strip = strip_of(launched, job.rows, across * planes);
    const std::int64_t strips = (job.rows + job.strip - 1) / job.strip;
    job.across = Divisor(across);
    job.strips = Divisor(strips);
    job.depth = Divisor(in.shape.depth);
    launched.kernel<<<static_cast<unsigned>(across * strips * planes), 32, 0, stream>>>(job);
    HALATION_CUDA_LAUNCHED("roll", stream);
  }

  /// Rows of a strip, of which there are `others` beside each other. Shorter strips than would fill the GPU once: neighbours walk at
  /// the same time, which memory is faster for. Measured on an H200.
  int strip_of(const Launched& launched, int rows, std::int64_t others) const {
    constexpr int startup = 8;  // rows that a strip could have walked until its first is there
    constexpr int schedulers = 4;
    const int more = fit_.size - 1 + startup;
    const auto length_for = [&](int warps) {
      return static_cast<int>(strips_of(rows, others, std::int64_t{multiprocessors_} * warps, more).length);
    };
    const int length = length_for(launched.blocks);
    const bool is_small = fit_.size == 3;
    const bool is_f32 = job_->in_pixel == Pixel::f32;
    const int waves = !is_small ? 4 : is_f32 ? 16 : 8;
    // Of larger filters a warp keeps its scheduler busy: rows above strips cost more than warps that lack.
    const int low = is_small ? length : std::max(length, std::min(length_for(schedulers), 6));
    return std::max((length + waves - 1) / waves, std::min(low, is_small && is_f32 ? more : 2 * more));
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  Fit fit_;
  std::unique_ptr<const Runner> otherwise_;  // for views of other arrangements
  int multiprocessors_;
  std::optional<Prepared> aligned_, any_;  // for rows on 16-byte boundaries, and for others; none where `otherwise_` is faster
};

}  // namespace

bool roll_takes(const Job& job, const Taps& taps, Method method) {
  const std::optional<Fit> fit = rolled(job, taps, method);
  return fit && aligned_rows_roll(job, taps, *fit);
}

std::unique_ptr<const Runner> make_roll(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise) {
  const Taps& taps = job->filters.front();
  const std::optional<Fit> fit = rolled(*job, taps, taps.method);
  if (!fit || !(aligned_rows_roll(*job, taps, *fit) || puts_anywhere(job->in_pixel, job->out_pixel))) return nullptr;
  return std::make_unique<RollRunner>(std::move(job), device, *fit, otherwise());
}

}  // namespace halation::cuda_backend
