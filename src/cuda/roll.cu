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
#include "cuda/roll.cuh"
#include "cuda/strips.h"

namespace halation::cuda_backend {
namespace {

constexpr std::int64_t least_rows = 4;  // fewer cost several times their number

RollSize size_of(Pixel pixel, int size, int channels, RollSums sums) {
  switch (pixel) {
    case Pixel::u8: return roll_u8(size, channels, sums);
    case Pixel::u16: return roll_u16(size, channels, sums);
    case Pixel::i16: return roll_i16(size, channels, sums);
    case Pixel::f16: return roll_f16(size, channels, sums);
    case Pixel::f32:
    case Pixel::f64: return {};
  }
  return {};
}

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
  if (!fit.factored && (fit.size > 7 || job.in_pixel != Pixel::u8)) return {};
  // Taps that the filter does not have would spread NaN and infinities of float input.
  if (is_float(job.in_pixel) && (taps.size[1] != fit.size || taps.size[2] != fit.size)) return {};
  if (centre_of(taps.lead[2], taps.size[2], fit.size) != 0) return {};
  return fit;
}

/// The power of 2 by which all weights become whole numbers of 8 bits; none where there is no such.
std::optional<double> to_whole(const std::vector<double>& weights) {
  for (double factor = 1; factor <= 0x1p20; factor *= 2) {
    const auto fits = [&](double w) { return w * factor == std::nearbyint(w * factor); };
    if (!std::all_of(weights.begin(), weights.end(), fits)) continue;
    const auto small = [&](double w) { return w * factor >= -128 && w * factor <= 127; };
    return std::all_of(weights.begin(), weights.end(), small) ? std::optional(factor) : std::nullopt;
  }
  return {};
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

class RollRunner final : public Runner {
 public:
  RollRunner(std::shared_ptr<const Job> job, Device device, const Fit& fit, std::unique_ptr<const Runner> otherwise)
      : job_(std::move(job)), device_(device), fit_(fit), otherwise_(std::move(otherwise)) {
    HALATION_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device.index));
    const int channels = static_cast<int>(std::min<std::int64_t>(job_->in.channels, 4));
    const RollSums sums = fit.factored ? RollSums::factored : RollSums::dense;
    const std::optional<double> factor = fit.factored ? std::nullopt : to_whole(job_->filters.front().weights);
    apart_ = prepared(1, factor ? RollSums::whole : sums, factor.value_or(1));
    interleaved_ = channels == 1 ? apart_ : prepared(channels, sums, 1);
  }

  std::size_t workspace_bytes() const override { return otherwise_->workspace_bytes(); }
  std::string explain() const override {
    return "a strip of columns a warp, sums of " + std::to_string(fit_.size) +
           " rows in registers; rows that do not begin on 16-byte boundaries: " + otherwise_->explain();
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const std::optional<Columns> columns = columns_of(in, outs[0]);
    const auto widest = static_cast<std::int64_t>(16 / bytes_of(in.pixel) * bytes_of(outs[0].pixel));
    if (!columns || !is_aligned(in, 16) || !is_aligned(outs[0], std::min<std::int64_t>(16, widest)) || cannot_wrap(in, *columns)) {
      return otherwise_->run(in, outs, workspace, stream);
    }
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int c = 0; c < columns->channels_apart; ++c) {
      if (columns->channels_apart > 1) launch(apart_, 1, in.channel(c), outs[0].channel(c), queue);
      else launch(interleaved_, columns->channels_in_row, in, outs[0], queue);
    }
  }

 private:
  struct Launched {
    RollKernel kernel = nullptr;
    RollArguments constants{};
    int columns = 0;  // of a warp
    int blocks = 1;   // of a multiprocessor
  };

  /// Rows of several warps go on with whole pieces of their other end.
  bool cannot_wrap(const ConstView& in, const Columns& columns) const {
    const std::int64_t count = in.shape.width * columns.channels_in_row;
    return job_->borders[2].mode() == Border::Mode::wrap && count > (columns.channels_in_row > 1 ? interleaved_ : apart_).columns &&
           count * static_cast<std::int64_t>(bytes_of(in.pixel)) % 16 != 0;
  }

  Launched prepared(int channels, RollSums sums, double factor) const {
    const Taps& taps = job_->filters.front();
    Launched launched;
    const RollSize size = size_of(job_->in_pixel, fit_.size, channels, sums);
    launched.kernel = size.kernel;
    launched.columns = size.columns;
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
    for (std::int64_t y = 0; y < taps.size[1]; ++y) {
      double row[roll_most] = {};
      for (std::int64_t x = 0; x < taps.size[2]; ++x)
        row[first_x + x] = taps.weights[static_cast<std::size_t>(y * taps.size[2] + x)];
      if (sums == RollSums::whole) {
        set_words(job.words + 4 * (first_y + y), row, factor);
      } else {
        for (int x = 0; x < fit_.size; ++x) job.weights[(first_y + y) * fit_.size + x] = static_cast<float>(job_->scale * row[x]);
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

  /// As `Words` of roll.cuh has them: place −1 is none.
  void set_words(std::int32_t* words, const double* row, double factor) const {
    using Places = std::array<std::array<int, 4>, 4>;
    constexpr Places three{{{0, 1, 2, -1}, {-1, 0, 1, 2}, {-1, -1, -1, -1}, {-1, -1, -1, -1}}};
    constexpr Places five{{{0, 1, 2, 3}, {1, 2, 3, 4}, {-1, -1, 4, -1}, {-1, 0, -1, -1}}};
    constexpr Places seven{{{-1, 0, 1, 2}, {3, 4, 5, 6}, {0, 1, 2, 3}, {4, 5, 6, -1}}};
    const Places& places = fit_.size == 3 ? three : fit_.size == 5 ? five : seven;
    for (std::size_t w = 0; w < 4; ++w) {
      std::array<std::int8_t, 4> bytes{};
      for (std::size_t i = 0; i < 4; ++i) {
        if (places[w][i] >= 0) bytes[i] = static_cast<std::int8_t>(row[places[w][i]] * factor);
      }
      words[w] = std::bit_cast<std::int32_t>(bytes);
    }
  }

  void launch(const Launched& launched, int channels, const ConstView& in, const View& out, cudaStream_t stream) const {
    RollArguments job = launched.constants;
    job.in = in.data;
    job.out = out.data;
    job.in_row = in.strides.height;
    job.in_plane = in.strides.depth;
    job.in_batch = in.strides.batch;
    job.out_row = out.strides.height;
    job.out_plane = out.strides.depth;
    job.out_batch = out.strides.batch;
    job.columns = static_cast<int>(out.shape.width * channels);
    job.rows = static_cast<int>(out.shape.height);
    job.in_rows = static_cast<int>(in.shape.height);
    job.out_pixel = out.pixel;
    const int lane_columns = 16 / static_cast<int>(bytes_of(in.pixel));
    const int warp_columns = launched.columns;
    job.last_column = std::max(0, (job.columns + lane_columns - 1) / lane_columns * lane_columns - warp_columns);
    const std::int64_t across = (job.columns + warp_columns - 1) / warp_columns;
    job.wraps = job_->borders[2].mode() == Border::Mode::wrap && across > 1;
    const std::int64_t planes = in.shape.depth * in.shape.batch;
    // Shorter strips than would fill the GPU once: neighbours walk at the same time, which memory is faster for.
    const int waves = fit_.size == 3 ? 8 : 4;
    const int more = fit_.size - 1 + startup;
    const std::int64_t places = std::int64_t{multiprocessors_} * launched.blocks;
    const auto length = static_cast<int>(strips_of(job.rows, across * planes, places, more).length);
    job.strip = std::max((length + waves - 1) / waves, std::min(length, 2 * more));
    const std::int64_t strips = (job.rows + job.strip - 1) / job.strip;
    job.across = Divisor(across);
    job.strips = Divisor(strips);
    job.depth = Divisor(in.shape.depth);
    launched.kernel<<<static_cast<unsigned>(across * strips * planes), 32, 0, stream>>>(job);
    HALATION_CUDA_LAUNCHED("roll", stream);
  }

  static constexpr int startup = 8;  // rows that a strip could have walked until its first is there

  std::shared_ptr<const Job> job_;
  Device device_;
  Fit fit_;
  std::unique_ptr<const Runner> otherwise_;  // for views of other arrangements
  int multiprocessors_ = 1;
  Launched interleaved_, apart_;
};

}  // namespace

bool roll_takes(const Job& job, const Taps& taps, Method method) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64 || job.in_pixel == Pixel::f32 ||
      job.in_pixel == Pixel::f64)
    return false;
  if (!fit_of(job, taps, method) || job.in.width != job.out.width || job.out.height < least_rows) return false;
  if (!outside_of(job.borders[1], job.in_pixel) || !outside_of(job.borders[2], job.in_pixel)) return false;
  // Columns, rows and warps are counted in 32 bits.
  constexpr std::int64_t most = std::int64_t{1} << 28;
  const Shape& n = job.in;
  return n.width * n.channels < most && std::max(n.height, job.out.height) < most && n.depth * n.batch < most &&
         job.out.elements() / 128 + n.depth * n.batch * job.out.height < most;
}

std::unique_ptr<const Runner> make_roll(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise) {
  const Taps& taps = job->filters.front();
  if (!roll_takes(*job, taps, taps.method)) return nullptr;
  const Fit fit = *fit_of(*job, taps, taps.method);
  return std::make_unique<RollRunner>(std::move(job), device, fit, otherwise());
}

}  // namespace halation::cuda_backend
