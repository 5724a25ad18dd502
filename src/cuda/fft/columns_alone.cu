// columns_alone.cu: how long a job's columns are, and the launches.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "cuda/device/device.h"
#include "cuda/fft/fft.h"
#include "cuda/fft/pass_arguments.cuh"
#include "cuda/fft/plan_parts.h"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

template <class T>
std::span<const FftAloneKernels<T>> kernels_of() {
  static const std::array list{fft_alone<T, 8, 8, 1>(), fft_alone<T, 16, 8, 1>(), fft_alone<T, 12, 12, 2>(), fft_alone<T, 16, 16, 2>(),
                               fft_alone<T, 12, 12, 4>(), fft_alone<T, 16, 10, 4>(), fft_alone<T, 16, 12, 4>(), fft_alone<T, 16, 16, 4>()};
  return list;
}

template <class T>
struct Cut {
  const FftAloneKernels<T>* columns = nullptr;
  std::int64_t kept = 0, down = 0;
  double most_blocks = 0;  ///< whichever way channels lie
  LaunchShape shape{};
  double seconds = 0;

  const char* refuses() const {
    if (columns == nullptr) return "no column in shared memory is long enough";
    return most_blocks < 0x1p30 ? nullptr : "more blocks than a launch can have";
  }
};

constexpr std::size_t axis_of_groups = 1;

/// Groups of samples of which every box holds one (own_box.cuh); 0: none.
template <class T>
int lanes_of(const FftAloneKernels<T>& columns, const Job& job) {
  const int lanes = group_along(taps_judged(job, 1, axis_of_groups), std::gcd(columns.group_rows, 32));
  return lanes < 8 ? 0 : lanes;
}

template <class T>
Cut<T> choose_columns(const Job& job, const Taps& taps, const Gpu& gpu) {
  Cut<T> best;
  for (const FftAloneKernels<T>& columns : kernels_of<T>()) {
    if (columns.shared_bytes > gpu.shared_limit) continue;
    Cut<T> cut{.columns = &columns};
    const std::int64_t samples = 2 * std::int64_t{columns.length};
    cut.kept = samples - taps.size[1] + 1;
    if (cut.kept * 16 < samples) continue;
    cut.down = divide_up(job.out.height, cut.kept);
    cut.most_blocks = static_cast<double>(job.out.elements()) / static_cast<double>(job.out.height) * static_cast<double>(cut.down);
    const double tiles = static_cast<double>(cut.down * job.out.depth * job.out.batch);
    const double all = tiles * static_cast<double>(samples * job.out.width * job.out.channels);
    const double bytes =
        all * static_cast<double>(bytes_of(job.in_pixel)) +
        static_cast<double>(job.out.elements() * static_cast<std::int64_t>(bytes_of(job.out_pixel)));
    // The longest columns, of 16 · 16 · 4 numbers, have too few registers for two blocks of 512 threads.
    cut.shape = launch_shape(
        job, sizeof(T) == 8 ? (columns.length == 64 ? "fft columns, shortest, f64" : "fft columns, f64")
             : columns.length == 1024 ? "fft columns, longest"
             : columns.third == 1     ? "fft columns, shortest"
                                      : "fft columns");
    cut.shape.traits.set(Trait::far_borders, has_far_borders(job));
    const bool checked = is_bounded_by_own_box(job) || may_be_non_finite(job);
    cut.shape.traits.set(Trait::checked, checked);
    cut.shape.starts = checked ? 1 : 0;
    cut.shape.blocks = divide_up(job.out.width * job.out.channels, columns.columns) * cut.down *
                       job.out.depth * job.out.batch;
    cut.shape.together = columns.blocks;
    cut.shape.outputs = 1e-3 * static_cast<double>(samples * columns.columns);
    cut.shape.chain = cut.shape.outputs / columns.threads;
    cut.shape.bytes = bytes;
    if (is_bounded_by_own_box(job) && lanes_of(columns, job) == 0)
      cut.shape.mads = cut.shape.outputs;  // transformed again
    cut.seconds = gpu.seconds(cut.shape);
    if (best.columns == nullptr || cut.seconds < best.seconds) best = cut;
  }
  return best;
}

template <class T>
class FftColumnsRunner final : public Runner {
 public:
  FftColumnsRunner(std::shared_ptr<const Job> job, const Gpu& gpu, const Cut<T>& cut)
      : job_(std::move(job)), device_(gpu.device), multiprocessors_(gpu.multiprocessors), cut_(cut) {
    const Taps& taps = job_->filters.front();
    const auto allow = [&](const void* kernel) {
      HALATION_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(cut.columns->shared_bytes)));
    };
    allow(reinterpret_cast<const void*>(cut.columns->filter));
    allow(reinterpret_cast<const void*>(cut.columns->resolve));
    allow(reinterpret_cast<const void*>(cut.columns->spectrum));
    describe(constants_, *job_, facts_of_columns(*job_, gpu), axis_of_groups);
    constants_.outer_axis = 1;
    constants_.middle = 1;
    constants_.taps_z = 1;
    constants_.kept_y = static_cast<int>(cut.kept);
    constants_.skipped[1] = constants_.taps_y - 1;
    constants_.groups[0].lanes = lanes_of(*cut.columns, *job_);
    transform_weights(taps);
  }

  /// A state for each block.
  std::size_t workspace_bytes() const override { return constants_.notes_odd ? static_cast<std::size_t>(blocks(false)) : 0; }
  std::size_t constant_bytes() const override {
    return 2 * static_cast<std::size_t>(cut_.columns->length) * sizeof(Complex<T>) + job_->filters.front().weights.size();
  }
  std::string explain() const override {
    return "columns of " + std::to_string(2 * cut_.columns->length) + " samples, of which " + std::to_string(cut_.kept) + " are put out";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    FftPassArguments<T> job = constants_;
    place(job, in, out);
    // Channels that lie inside of pixels are columns of their own.
    const bool inside = std::abs(in.strides.channels) < std::abs(in.strides.width);
    job.channels = Divisor(inside ? out.shape.channels : 1);
    job.planes = Divisor(inside ? 1 : out.shape.channels);
    job.across = Divisor(across(inside));
    job.down = Divisor(cut_.down);
    job.depth = Divisor(out.shape.depth);
    job.tiles = static_cast<unsigned>(blocks(inside));
    job.odd_tiles = reinterpret_cast<std::uint8_t*>(workspace.data());
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const auto threads = static_cast<unsigned>(cut_.columns->threads);
    cut_.columns->filter<<<job.tiles, threads, cut_.columns->shared_bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft columns", queue);
    if (!job.notes_odd) return;
    const unsigned at_once = std::min(job.tiles, static_cast<unsigned>(multiprocessors_ * cut_.columns->blocks));
    cut_.columns->resolve<<<at_once, threads, cut_.columns->shared_bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft resolve columns", queue);
  }

 private:
  /// Blocks beside each other: channels are columns of their own where they lie `inside` pixels.
  std::int64_t across(bool inside) const {
    return divide_up(job_->out.width * (inside ? job_->out.channels : 1), cut_.columns->columns);
  }
  /// All blocks: no fewer where channels lie apart.
  std::int64_t blocks(bool inside) const {
    return across(inside) * cut_.down * job_->out.depth * (inside ? 1 : job_->out.channels) * job_->out.batch;
  }
  void transform_weights(const Taps& taps) {
    const FlippedWeights<T> flipped(taps, constants_.whole);
    constants_.gain = flipped.gain;
    cudaStream_t queue = cudaStreamPerThread;
    const DeviceArray<T> weights = uploaded(flipped.weights, queue);
    signs_ = uploaded(flipped.signs, queue);
    constants_.signs = signs_.data();
    roots_ = uploaded(roots_of_steps<T>(cut_.columns->first, cut_.columns->second, cut_.columns->third, true), queue);
    constants_.turns[0] = roots_.data();
    spectrum_ = DeviceArray<Complex<T>>(static_cast<std::size_t>(cut_.columns->length));
    constants_.spectrum = spectrum_.data();
    cut_.columns->spectrum<<<1, static_cast<unsigned>(cut_.columns->threads), cut_.columns->shared_bytes, queue>>>(
        weights.data(), static_cast<int>(taps.size[1]), roots_.data(), spectrum_.data());
    HALATION_CUDA_LAUNCHED("fft column spectrum", queue);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(queue));
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  int multiprocessors_;
  Cut<T> cut_;
  DeviceArray<std::int8_t> signs_;
  DeviceArray<Complex<T>> spectrum_, roots_;
  FftPassArguments<T> constants_{};
};

struct FftColumns {
  template <class T>
  using Run = FftColumnsRunner<T>;
  template <class T>
  static Cut<T> choose(const Request& request) {
    return choose_columns<T>(request.job, request.taps(), request.gpu);
  }
  static const char* refuses(const Taps& taps) {
    return taps.size[0] != 1 || taps.size[1] == 1 || taps.size[2] != 1 ? "filters along y alone" : nullptr;
  }
};

}  // namespace

const Family fft_along_y = family_of_transforms<FftColumns>("fft columns");

TransformFacts facts_of_columns(const Job& job, const Gpu& gpu) {
  return with_sum(job, [&](auto sum) -> TransformFacts {
    const Taps& taps = job.filters.front();
    const auto cut = choose_columns<decltype(sum)>(job, taps, gpu);
    if (cut.columns == nullptr || taps.size[2] > 1) return {.samples = 0, .roundings = 0};
    const double once = roundings_of_steps({cut.columns->first, cut.columns->second, cut.columns->third});
    return {.samples = 2.0 * cut.columns->length, .roundings = roundings_there_and_back(once)};
  });
}

}  // namespace halation::cuda_backend
