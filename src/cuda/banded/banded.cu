// banded.cu: jobs for the kernels of banded.cuh.
#include "cuda/banded/banded.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/integer_weights.h"
#include "cuda/banded/arguments.cuh"
#include "cuda/banded/jobs.h"
#include "cuda/device/device.h"
#include "cuda/parts/shared_memory.h"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

/// Windows and quads of a kernel of few taps, for each width of weights those that its registers hold.
struct Size {
  int windows, quads;
};
constexpr Size few_of_1_byte[] = {{2, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}, {3, 4}, {3, 5}, {4, 2}};
constexpr Size few_of_2_bytes[] = {{2, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}, {3, 4}, {3, 5}, {4, 2}};

template <int Bytes, auto& Sizes, std::size_t... I>
BandedKernel few_taps_of(Size size, std::index_sequence<I...>) {
  BandedKernel kernel = nullptr;
  (void)((Sizes[I].windows == size.windows && Sizes[I].quads == size.quads &&
          (kernel = banded_few_taps<Sizes[I].windows, Sizes[I].quads, Bytes>(), true)) ||
         ...);
  return kernel;
}

/// How a filter's taps lie in windows and quads, where each pixel has so many elements beside each other, and in which kernel.
struct Fit {
  int channels;
  int first_column;  // of windows, from the output's: a multiple of 4
  int shift;         // from there to the first tap
  int windows;
  int quads;
  bool few = false;

  /// Of rows that lie so. Where taps of interleaved channels reach too far, channels are filtered one by one.
  Fit(const Job& job, RowLayout rows) : Fit(job, std::max(1, channels_in_row(rows, job.in.channels))) {
    if (windows > banded_most_windows) *this = Fit(job, 1);
  }
  Fit(const Job& job, int beside) : channels(beside) {
    const Taps& taps = job.filters.front();
    const std::int64_t first = taps.lead[2] * channels;
    const auto windows_from = [&](std::int64_t boundary) {
      shift = static_cast<int>((first % boundary + boundary) % boundary);
      first_column = static_cast<int>(first - shift);
      const std::int64_t reach = shift + (taps.size[2] - 1) * channels + 8;
      return static_cast<int>(std::clamp<std::int64_t>(divide_up(reach, 8), banded_fewest_windows, 1 << 20));
    };
    // Windows on boundaries of 8 bytes are brought by half as many loads; fewer windows are worth more.
    const int by_words = windows_from(4);
    windows = windows_from(8);
    if (by_words < windows) windows = windows_from(4);
    quads = static_cast<int>(std::min<std::int64_t>(divide_up(taps.size[1], BandedCut::taps_down), 1 << 20));
    if (job.out.height <= ManyTaps::rows) return;  // a step would be half for nothing
    const auto take = [&](const auto& sizes) {
      for (const Size& size : sizes) {
        if (size.windows != windows || size.quads < quads) continue;
        few = true;
        quads = size.quads;
        return;
      }
    };
    if (taps.banded->bytes == 1) take(few_of_1_byte);
    else take(few_of_2_bytes);
  }

  /// body(Cut{}) for what cuts the outputs.
  template <class Body>
  auto with_cut(const Body& body) const {
    return few ? body(FewTaps{}) : body(ManyTaps{});
  }
  int rows() const {
    return with_cut([](auto cut) { return decltype(cut)::rows; });
  }
  int groups() const {
    return with_cut([&](auto cut) { return groups_of<decltype(cut)>(quads); });
  }
  std::size_t shared_bytes(int weight_bytes, bool as_bytes) const {
    const int bytes = with_cut([&](auto cut) {
      using Cut = decltype(cut);
      return places_of<Cut>(quads) * Cut::group_rows * Cut::row_pitch(windows) + Cut::warps * outputs_bytes<Cut>(as_bytes);
    });
    return static_cast<std::size_t>(bytes + (few ? 0 : (quads + 1) * windows * weight_bytes * 256));
  }
  /// That share a multiprocessor.
  int blocks(const Gpu& gpu, int weight_bytes, bool as_bytes) const {
    const int by_registers =
        with_cut([&](auto cut) { return decltype(cut)::blocks(windows, quads, weight_bytes); });
    return gpu.together(by_registers, shared_bytes(weight_bytes, as_bytes));
  }
  BandedKernel kernel(int weight_bytes) const {
    if (few && weight_bytes == 1)
      return few_taps_of<1, few_of_1_byte>({windows, quads}, std::make_index_sequence<std::size(few_of_1_byte)>());
    if (few) return few_taps_of<2, few_of_2_bytes>({windows, quads}, std::make_index_sequence<std::size(few_of_2_bytes)>());
    const auto many = [&]<int Windows>() { return weight_bytes == 1 ? banded_many_taps<Windows, 1>() : banded_many_taps<Windows, 2>(); };
    switch (windows) {
      case 2: return many.template operator()<2>();
      case 3: return many.template operator()<3>();
      case 4: return many.template operator()<4>();
      case 5: return many.template operator()<5>();
      case 6: return many.template operator()<6>();
      case 7: return many.template operator()<7>();
      default: return nullptr;
    }
  }
};
/// Of sums that are finished as whole numbers: the plan leaves room for the bias.
constexpr double most_bias = 0x1p24;
constexpr int most_shift = 23;
constexpr std::size_t most_table = 256;  // bytes of shared memory that kernels have besides

/// The matrices of weights as lanes hold them, by quads, windows, lanes and bytes of weights: of the entries (c, n) of a window, c = 4 (lane mod 4)
/// + 0 … 3 and 16 more, n = lane / 4.
std::vector<std::array<std::int8_t, 8>> matrices_of(const Taps& taps, const Fit& fit) {
  const Banded& banded = *taps.banded;
  const auto tap = [&](int row, int column) -> std::int32_t {
    const int distance = column - fit.shift;
    if (distance < 0 || distance % fit.channels != 0) return 0;
    const int x = distance / fit.channels;
    if (x >= taps.size[2] || row >= taps.size[1]) return 0;
    return banded.weights[static_cast<std::size_t>(row * taps.size[2] + x)];
  };
  std::vector<std::array<std::int8_t, 8>> matrices;
  matrices.reserve(static_cast<std::size_t>(fit.quads * fit.windows * banded.bytes * 32));
  for (int quad = 0; quad < fit.quads; ++quad) {
    for (int window = 0; window < fit.windows; ++window) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int byte = 0; byte < banded.bytes; ++byte) {
          std::array<std::int8_t, 8> entries{};
          for (int i = 0; i < 8; ++i) {
            const int row = BandedCut::taps_down * quad + i / 4 * 2 + lane % 4 / 2;
            const int column = 8 * window + lane % 2 * 4 + i % 4 - lane / 4;
            const std::int32_t weight = tap(row, column);
            const auto low = static_cast<std::int8_t>(weight);
            entries[static_cast<std::size_t>(i)] = byte == 0 ? low : static_cast<std::int8_t>((weight - low) / 256);
          }
          matrices.push_back(entries);
        }
      }
    }
  }
  return matrices;
}

/// Rows of a block's strip, where there are `others` beside it.
std::int64_t strip_rows(const Fit& fit, int places, std::int64_t rows, std::int64_t others) {
  const std::int64_t more = BandedCut::group_rows * fit.groups();  // that are read before the first is done
  return std::max<std::int64_t>(fit.rows(), strips_of(rows, others, places, more, fit.rows()).length);
}

class BandedRunner final : public Runner {
 public:
  BandedRunner(std::shared_ptr<const Job> job, const Gpu& gpu) : job_(std::move(job)), device_(gpu.device) {
    apart_ = prepared(1, gpu);
    if (const int channels = static_cast<int>(std::min<std::int64_t>(job_->in.channels, 4)); channels > 1)
      beside_ = prepared(channels, gpu);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::size_t constant_bytes() const override { return apart_.bytes + beside_.bytes; }
  std::string explain() const override {
    const Banded& banded = *job_->filters.front().banded;
    return "whole weights of " + std::to_string(8 * banded.bytes) + " bits by tensor cores";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const Fit fit(*job_, row_layout_of(in, outs));
    launch(fit, fit.channels > 1 ? beside_ : apart_, in, outs[0], queue);
  }

 private:
  struct Launched {
    BandedKernel kernel = nullptr;
    BandedArguments constants{};
    DeviceArray<std::array<std::int8_t, 8>> weights;
    std::size_t bytes = 0;   // of weights
    int places = 1;          // for blocks on the device
  };

  Launched prepared(int channels, const Gpu& gpu) const {
    const Taps& taps = job_->filters.front();
    const Fit fit(*job_, channels);
    Launched launched;
    launched.kernel = fit.kernel(taps.banded->bytes);
    if (launched.kernel == nullptr) return launched;  // such rows go another way
    allow_all_shared_memory(launched.kernel, gpu.shared_limit);
    launched.places = fit.blocks(gpu, taps.banded->bytes, job_->out_pixel == Pixel::u8) * gpu.multiprocessors;
    const auto matrices = matrices_of(taps, fit);
    launched.weights = uploaded(matrices, cudaStreamPerThread);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    launched.bytes = matrices.size() * sizeof matrices.front();
    BandedArguments& job = launched.constants;
    set_filter(job, *job_, channels, fit.first_column);
    job.weights = reinterpret_cast<const uint4*>(launched.weights.data());
    job.quads = fit.quads;
    job.factor = static_cast<float>(taps.banded->factor(job_->scale));
    finish_by_shift(job);
    return launched;
  }

  /// Bytes are finished as whole numbers where the factor is a power of two: ties go up, not to even, so sums are off anyway, or whole.
  void finish_by_shift(BandedArguments& job) const {
    const Banded& banded = *job_->filters.front().banded;
    int exponent = 0;
    job.by_shift = std::frexp(banded.factor(job_->scale), &exponent) == 0.5 && exponent <= 1 && exponent > -most_shift &&
                   job_->out_pixel == Pixel::u8;
    job.shift = 1 - exponent;
    const double offset = std::ldexp(job_->offset, job.shift);
    job.by_shift = job.by_shift && (job.shift == 0 || banded.error > 0) && is_integer(offset) && std::fabs(offset) < most_bias / 2;
    job.bias = job.by_shift ? static_cast<int>(offset) + (1 << job.shift >> 1) : 0;
    if (!job.by_shift) job.shift = 0;
  }

  void launch(const Fit& fit, const Launched& launched, const ConstView& in, const View& out, cudaStream_t stream) const {
    BandedArguments job = launched.constants;
    const unsigned blocks =
        set_images(job, in, out, [&](std::int64_t others) { return strip_rows(fit, launched.places, out.shape.height, others); });
    if (!job.as_bytes) job.bias = 0;
    const std::size_t shared = fit.shared_bytes(job_->filters.front().banded->bytes, job.as_bytes);
    launched.kernel<<<blocks, 32 * BandedCut::warps, shared, stream>>>(job);
    HALATION_CUDA_LAUNCHED("banded", stream);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  Launched apart_, beside_;  // channels
};

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (const char* why = why_no_banded(job, taps, request.gpu.code)) return why;
  if (!taps.banded || taps.banded->weights.empty() || taps.size[0] != 1) return "weights along y and x that whole numbers of 16 bits stand for alone";
  const Fit fit(job, request.rows);
  const bool fits = fit.windows <= banded_most_windows &&
                    fit.shared_bytes(taps.banded->bytes, false) + most_table <= request.gpu.shared_limit;
  return fits ? nullptr : "fewer taps alone";
}

LaunchShape shape(const Request& request) {
  const Job& job = request.job;
  const Gpu& gpu = request.gpu;
  const Fit fit(job, request.rows);
  LaunchShape shape = launch_shape(request, "banded");
  shape.together = fit.blocks(gpu, request.taps().banded->bytes, job.out_pixel == Pixel::u8);
  const std::int64_t across = divide_up(job.out.width * fit.channels, BandedCut::columns);
  const std::int64_t planes = job.out.depth * job.out.batch * (job.out.channels / fit.channels);
  const std::int64_t strip =
      strip_rows(fit, shape.together * gpu.multiprocessors, job.out.height, across * planes);
  const std::int64_t steps = divide_up(strip, fit.rows());
  shape.blocks = across * planes * divide_up(job.out.height, strip);
  shape.steps = static_cast<double>(steps * fit.rows()) / BandedCut::group_rows;
  const auto products = static_cast<double>(fit.quads * fit.windows * request.taps().banded->bytes);
  shape.outputs = 1e-3 * static_cast<double>(steps * fit.rows() * BandedCut::columns);
  shape.mads = shape.outputs * products;
  shape.chain = shape.steps * products;
  shape.traits.set(Trait::wraps, is_periodic(job.borders[2].mode()));
  // Channels one by one bring and put each line of memory as often as there are channels in it.
  const int in_row = channels_in_row(request.rows, job.in.channels);
  shape.traits.set(Trait::strided, fit.channels < in_row);
  shape.bytes *= std::max(1, in_row / fit.channels);
  return shape;
}

std::unique_ptr<const Runner> make(const Request& request, const std::shared_ptr<const Job>& job) {
  return std::make_unique<BandedRunner>(job, request.gpu);
}

}  // namespace

const Family banded{.name = "banded", .refuses = refuses, .shape = shape, .make = make};

}  // namespace halation::cuda_backend
