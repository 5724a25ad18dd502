// narrow_rows.cu: jobs for the kernels of narrow_rows.cuh.
#include "cuda/narrow_rows/narrow_rows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cuda/device/device.h"
#include "cuda/narrow_rows/arguments.cuh"
#include "cuda/parts/strips.h"
#include "halation/error.h"

namespace halation::cuda_backend {
namespace {

/// The height that the kernel for a filter of so many rows is compiled for; 0 where it is for any.
int compiled_height(std::int64_t height) {
  return height > 7 || height % 2 == 0 ? 0 : static_cast<int>(height);
}

constexpr std::size_t least_shared_limit = 48 << 10;  // which every GPU grants without being asked

/// A block's outputs and what it keeps in shared memory.
struct Cut {
  int channels, in_elements, out_elements, pitch, rows, in_gap, out_gap;
  std::int64_t staged_rows, blocks;
  std::size_t bytes;

  Cut(const Job& job, RowLayout layout) {
    const Taps& taps = job.filters.front();
    channels = channels_in_row(layout, job.in.channels);
    in_elements = static_cast<int>(job.in.width * channels);
    out_elements = static_cast<int>(job.out.width * channels);
    const bool is_constant = job.borders[2].mode() == Border::Mode::constant;
    pitch = in_elements + (is_constant ? channels : 0);
    const std::int64_t most_rows = std::int64_t{narrow_threads / out_elements} * narrow_own;
    rows = static_cast<int>(std::min(most_rows, divide_up(job.out.height, narrow_own) * narrow_own));
    staged_rows = rows + taps.size[1] - 1;
    blocks = divide_up(job.out.height, rows) * job.out.depth * job.out.batch * (job.out.channels / channels);
    const auto gap = [&](int of_rows) {
      return job.sum_f64 ? narrow_gap<double>(of_rows, out_elements)
                         : narrow_gap<float>(of_rows, out_elements);
    };
    in_gap = gap(pitch);
    out_gap = gap(out_elements);
    bytes = shared_bytes(job);
    if (bytes <= least_shared_limit) return;
    in_gap = out_gap = 0;
    bytes = shared_bytes(job);
  }

 private:
  std::size_t shared_bytes(const Job& job) const {
    const Taps& taps = job.filters.front();
    const std::size_t sum = job.sum_f64 ? sizeof(double) : sizeof(float);
    const std::int64_t numbers = std::max(staged_rows * pitch + staged_rows / narrow_own * in_gap,
                                          std::int64_t{rows} * out_elements + rows / narrow_own * out_gap);
    return static_cast<std::size_t>(staged_rows) * 8 +
           static_cast<std::size_t>(taps.size[0] * taps.size[1] * taps.size[2] + 1) * sum +
           static_cast<std::size_t>(job.out.width + taps.size[2]) * 4 +
           static_cast<std::size_t>(numbers) * sum;
  }
};

template <class Sum>
class NarrowRunner final : public Runner {
 public:
  NarrowRunner(std::shared_ptr<const Job> job, const Gpu& gpu) : job_(std::move(job)), device_(gpu.device) {
    const Taps& taps = job_->filters.front();
    weights_ = uploaded(std::vector<Sum>(taps.weights.begin(), taps.weights.end()), cudaStreamPerThread);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::size_t constant_bytes() const override { return job_->filters.front().weights.size() * sizeof(Sum); }
  std::string explain() const override {
    return "rows of " + std::to_string(job_->in.width) + " pixels as one line in shared memory, 8 outputs a thread";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const Taps& taps = job_->filters.front();
    const Cut cut(*job_, row_layout_of(in, outs));
    NarrowArguments<Sum> job{};
    job.in = in.data;
    job.out = outs[0].data;
    job.in_strides = in.strides;
    job.out_strides = outs[0].strides;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      job.borders[axis] = DeviceBorder(job_->borders[axis]);
      job.size[axis] = static_cast<int>(taps.size[axis]);
      job.lead[axis] = taps.lead[axis];
    }
    job.scale = job_->scale;
    job.offset = job_->offset;
    job.in_pixel = in.pixel;
    job.out_pixel = outs[0].pixel;
    job.rounding = job_->rounding;
    job.channels = cut.channels;
    job.in_elements = cut.in_elements;
    job.out_elements = cut.out_elements;
    job.out_width = static_cast<int>(job_->out.width);
    job.out_height = job_->out.height;
    job.pitch = cut.pitch;
    job.rows = cut.rows;
    job.in_gap = cut.in_gap;
    job.out_gap = cut.out_gap;
    const auto follow = [](const Strides& strides, int elements, Pixel pixel) {
      return strides.height == elements * static_cast<std::int64_t>(bytes_of(pixel));
    };
    job.in_flat = cut.pitch == cut.in_elements && follow(in.strides, cut.in_elements, in.pixel);
    job.out_flat = follow(outs[0].strides, cut.out_elements, outs[0].pixel);
    job.by_in_elements = Divisor(cut.in_elements);
    job.by_in_group = Divisor(narrow_own * cut.in_elements);
    job.by_out_elements = Divisor(cut.out_elements);
    job.by_out_group = Divisor(narrow_own * cut.out_elements);
    job.by_channels = Divisor(cut.channels);
    job.blocks = Divisor(divide_up(job_->out.height, cut.rows));
    job.depth = Divisor(job_->out.depth);
    job.batch = Divisor(job_->out.batch);
    job.weights = weights_.data();
    narrow_kernel_of<Sum>(compiled_height(
        job.size[1]))<<<static_cast<unsigned>(cut.blocks), narrow_threads, cut.bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("narrow rows", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  DeviceArray<Sum> weights_;
};

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (!is_one_filter(job) || taps.form != Form::dense) return "one filter of dense weights alone";
  const int channels = channels_in_row(request.rows, job.in.channels);
  if (channels == 0) return "elements of rows side by side alone";
  if (std::max(job.in.width, job.out.width) * channels > most_narrow_elements)
    return "rows of at most 64 elements alone";
  if (taps.size[0] * taps.size[1] * taps.size[2] > most_narrow_taps) return "filters of at most 1,024 weights alone";
  const Cut cut(job, request.rows);
  if (cut.bytes > least_shared_limit || cut.blocks > 0x7fffffff)
    return "tiles that fit a block's shared memory alone";
  return nullptr;
}

LaunchShape shape(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  const Cut cut(job, request.rows);
  const bool is_any = compiled_height(taps.size[1]) == 0;
  LaunchShape shape =
      launch_shape(request, job.sum_f64 ? (is_any ? "narrow rows, any height, f64" : "narrow rows, f64")
                            : is_any    ? "narrow rows, any height"
                                        : "narrow rows");
  shape.blocks = cut.blocks;
  shape.together =
      request.gpu.together(job.sum_f64 ? narrow_blocks<double> : narrow_blocks<float>, cut.bytes);
  // What a thread reads of shared memory.
  shape.steps = static_cast<double>(taps.size[0] * taps.size[2] * (narrow_own + taps.size[1] - 1));
  shape.outputs = 1e-3 * static_cast<double>(cut.rows * cut.out_elements);
  shape.staged = 1e-3 * static_cast<double>(cut.staged_rows * cut.in_elements * taps.size[0]);
  shape.mads = shape.outputs * static_cast<double>(taps.size[0] * taps.size[1] * taps.size[2]);
  shape.chain = 1e-3 * narrow_own * static_cast<double>(taps.size[0] * taps.size[1] * taps.size[2]);
  return shape;
}

}  // namespace

const Family narrow_rows{.name = "narrow rows",
                         .refuses = refuses,
                         .shape = shape,
                         .make = [](const Request& request,
                                    const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
                           if (job->sum_f64) return std::make_unique<NarrowRunner<double>>(job, request.gpu);
                           return std::make_unique<NarrowRunner<float>>(job, request.gpu);
                         }};

}  // namespace halation::cuda_backend
