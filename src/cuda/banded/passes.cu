// passes.cu: jobs for the kernels of passes.cuh.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "core/integer_weights.h"
#include "cuda/banded/arguments.cuh"
#include "cuda/banded/banded.h"
#include "cuda/banded/jobs.h"
#include "cuda/device/device.h"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

constexpr int group_rows = 16;
constexpr int window_columns = 32;
/// Sums that are finished as whole numbers leave room for the bias.
constexpr double most_bias = 0x1p23;

/// What kernels there are for.
constexpr int all_windows[] = {2, 3, 4, 7};
constexpr int all_groups[] = {2, 3, 5, 7};

/// The least of a list that is no less; 0 where there is none.
template <std::size_t N>
int least(const int (&list)[N], std::int64_t count) {
  const auto* const found = std::lower_bound(std::begin(list), std::end(list), count);
  return found == std::end(list) ? 0 : *found;
}

/// How factors lie in windows of columns and groups of rows, where each pixel has so many elements beside each other.
struct Fit {
  int channels;
  int first_column;  // of windows, from the output's: a multiple of 16
  int shift;         // from there to the first tap
  int windows, groups;  // 0 where there are no such

  /// Of rows that lie so. Where taps of interleaved channels reach too far, channels are filtered one by one.
  Fit(const Job& job, RowLayout rows) : Fit(job.filters.front(), std::max(1, channels_in_row(rows, job.in.channels))) {
    if (!exists()) *this = Fit(job.filters.front(), 1);
  }
  Fit(const Taps& taps, int beside) : channels(beside) {
    const std::int64_t first = taps.lead[2] * channels;
    shift = static_cast<int>((first % 16 + 16) % 16);
    first_column = static_cast<int>(first - shift);
    windows = least(all_windows, divide_up(shift + 16 + (taps.size[2] - 1) * channels, window_columns));
    groups = least(all_groups, divide_up(group_rows + taps.size[1] - 1, group_rows));
  }
  bool exists() const { return windows > 0 && groups > 0; }
  std::size_t shared_bytes(bool as_bytes) const { return static_cast<std::size_t>(banded_passes_bytes(windows, groups, as_bytes)); }

  /// That share a multiprocessor.
  int blocks(const Gpu& gpu, bool as_bytes) const {
    return gpu.together(banded_passes_blocks(windows, groups), shared_bytes(as_bytes));
  }

  BandedPassesKernel kernel() const {
    const auto of_windows = [&]<int Windows>() -> BandedPassesKernel {
      switch (groups) {
        case 2: return banded_passes_of<Windows, 2>();
        case 3: return banded_passes_of<Windows, 3>();
        case 5: return banded_passes_of<Windows, 5>();
        default: return banded_passes_of<Windows, 7>();
      }
    };
    switch (windows) {
      case 2: return of_windows.template operator()<2>();
      case 3: return of_windows.template operator()<3>();
      case 4: return of_windows.template operator()<4>();
      default: return of_windows.template operator()<7>();
    }
  }
};

/// A matrix of weights (m, k) for each 32 of k as lanes hold them, low bytes, then high ones: m = lane / 4 and 8 more, k = 4 (lane mod 4) + 0 …
/// 3 and 16 more.
template <class Weight>
std::vector<std::array<std::int8_t, 16>> matrices_of(int count, const Weight& weight) {
  std::vector<std::array<std::int8_t, 16>> matrices;
  matrices.reserve(static_cast<std::size_t>(count) * 64);
  for (int matrix = 0; matrix < count; ++matrix) {
    for (int byte = 0; byte < 2; ++byte) {
      for (int lane = 0; lane < 32; ++lane) {
        std::array<std::int8_t, 16> entries{};
        for (int i = 0; i < 16; ++i) {
          const int m = lane / 4 + i / 4 % 2 * 8;
          const int k = 32 * matrix + lane % 4 * 4 + i % 4 + i / 8 * 16;
          const std::int32_t w = weight(m, k);
          const auto low = static_cast<std::int8_t>(w);
          entries[static_cast<std::size_t>(i)] = byte == 0 ? low : static_cast<std::int8_t>((w - low) / 256);
        }
        matrices.push_back(entries);
      }
    }
  }
  return matrices;
}

std::int64_t strip_rows(int groups, std::int64_t places, std::int64_t rows, std::int64_t others) {
  const std::int64_t more = std::int64_t{group_rows} * groups;  // that are read before the first is done
  return std::max<std::int64_t>(group_rows, strips_of(rows, others, places, more, group_rows).length);
}

class PassesRunner final : public Runner {
 public:
  PassesRunner(std::shared_ptr<const Job> job, const Gpu& gpu) : job_(std::move(job)), device_(gpu.device) {
    prepare(apart_, 1, gpu);
    if (const std::int64_t channels = job_->in.channels; channels > 1 && channels <= 4) prepare(beside_, static_cast<int>(channels), gpu);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::size_t constant_bytes() const override { return apart_.bytes + beside_.bytes; }
  std::string explain() const override { return "whole weights of 16 bits along x, then y, by tensor cores in one pass"; }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const bool beside = channels_in_row(row_layout_of(in, outs), in.shape.channels) > 1 && beside_.kernel != nullptr;
    launch(beside ? beside_ : apart_, in, outs[0], static_cast<cudaStream_t>(stream.handle));
  }

 private:
  struct Launched {
    BandedPassesKernel kernel = nullptr;
    BandedPassesArguments constants{};
    DeviceArray<std::array<std::int8_t, 16>> across, down;
    std::size_t bytes = 0;  // of weights
    int windows = 0, groups = 0;
    int places = 1;  // for blocks on the device
  };

  void prepare(Launched& launched, int channels, const Gpu& gpu) const {
    const Taps& taps = job_->filters.front();
    const Fit fit(taps, channels);
    if (!fit.exists()) return;  // such rows go channel by channel
    launched.kernel = fit.kernel();
    launched.windows = fit.windows;
    launched.groups = fit.groups;
    const BandedFactors& factors = *taps.banded->factors;
    const auto tap = [](const std::vector<std::int32_t>& weights, int index) {
      return index >= 0 && index < static_cast<int>(weights.size()) ? weights[static_cast<std::size_t>(index)] : 0;
    };
    const auto across = matrices_of(fit.windows, [&](int m, int k) {
      const int distance = k - m - fit.shift;
      return distance % channels == 0 ? tap(factors.x, distance / channels) : 0;
    });
    const auto down = matrices_of((fit.groups + 1) / 2, [&](int m, int k) { return tap(factors.y, k - m); });
    launched.across = uploaded(across, cudaStreamPerThread);
    launched.down = uploaded(down, cudaStreamPerThread);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    launched.bytes = (across.size() + down.size()) * sizeof across.front();
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(launched.kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(fit.shared_bytes(false))));
    launched.places = fit.blocks(gpu, job_->out_pixel == Pixel::u8) * gpu.multiprocessors;

    BandedPassesArguments& constants = launched.constants;
    set_filter(constants, *job_, channels, fit.first_column);
    constants.weights = reinterpret_cast<const uint4*>(launched.across.data());
    constants.weights_y = reinterpret_cast<const uint4*>(launched.down.data());
    constants.narrow = factors.narrow;
    constants.first_bias = (1 << factors.narrow >> 1) + (128 << factors.narrow);
    constants.factor = std::ldexp(1.0F, -factors.shift);
    constants.shift = factors.shift;
    const double offset = std::ldexp(job_->offset, factors.shift);
    constants.by_shift = job_->out_pixel == Pixel::u8 && is_integer(offset) && std::fabs(offset) < most_bias;
    constants.bias = constants.by_shift ? static_cast<int>(offset) + (1 << factors.shift >> 1) : 0;
    // Low bytes of sums along x are 128 too much.
    constants.middle = 0;
    for (const std::int32_t w : factors.y) constants.middle -= 128 * ((w - static_cast<std::int8_t>(w)) / 256);
  }

  void launch(const Launched& launched, const ConstView& in, const View& out, cudaStream_t stream) const {
    BandedPassesArguments job = launched.constants;
    const unsigned blocks = set_images(
        job, in, out, [&](std::int64_t others) { return strip_rows(launched.groups, launched.places, out.shape.height, others); });
    job.on_16_bytes = rows_begin_on(in, 16, job.channels > 1);
    if (job.as_bytes) job.middle += job.bias;
    const auto shared = static_cast<std::size_t>(banded_passes_bytes(launched.windows, launched.groups, job.as_bytes));
    launched.kernel<<<blocks, 32 * BandedCut::warps, shared, stream>>>(job);
    HALATION_CUDA_LAUNCHED("banded passes", stream);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  Launched apart_, beside_;  // channels
};

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (const char* why = why_no_banded(job, taps, request.gpu.code)) return why;
  if (!taps.banded || !taps.banded->factors) return "a product of factors that whole numbers of 16 bits stand for alone";
  const Fit fit(job, request.rows);
  const bool fits =
      fit.exists() && fit.shared_bytes(false) + sizeof(int) * 16 * banded_passes_pieces(fit.windows) <= request.gpu.shared_limit;
  return fits ? nullptr : "fewer taps alone";
}

LaunchShape shape(const Request& request) {
  const Job& job = request.job;
  const Gpu& gpu = request.gpu;
  const Fit fit(job, request.rows);
  LaunchShape shape = launch_shape(request, "banded passes");
  shape.together = fit.blocks(gpu, job.out_pixel == Pixel::u8);
  const std::int64_t across = divide_up(job.out.width * fit.channels, BandedCut::columns);
  const std::int64_t planes = job.out.depth * job.out.batch * (job.out.channels / fit.channels);
  const std::int64_t strip = strip_rows(fit.groups, std::int64_t{shape.together} * gpu.multiprocessors,
                                        job.out.height, across * planes);
  const std::int64_t out_groups = divide_up(strip, group_rows), groups = out_groups + fit.groups - 1;
  shape.blocks = across * planes * divide_up(job.out.height, strip);
  shape.steps = static_cast<double>(groups);
  shape.outputs = 1e-3 * static_cast<double>(out_groups * group_rows * BandedCut::columns);
  shape.staged = 1e-3 * static_cast<double>(groups * group_rows * BandedCut::columns);  // sums along x
  shape.mads = shape.staged * 2 * fit.windows + shape.outputs * 3 * ((fit.groups + 1) / 2);
  shape.traits.set(Trait::strided, fit.channels < channels_in_row(request.rows, job.in.channels));
  return shape;
}

}  // namespace

const Family banded_passes{
    .name = "banded passes",
    .refuses = refuses,
    .shape = shape,
    .make = [](const Request& request, const std::shared_ptr<const Job>& job)
        -> std::unique_ptr<const Runner> { return std::make_unique<PassesRunner>(job, request.gpu); }};

}  // namespace halation::cuda_backend
