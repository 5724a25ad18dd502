// sparse.cu: jobs for the kernels of sparse.cuh.
#include "cuda/sparse/sparse.h"

#include <algorithm>
#include <vector>

#include "core/finite.h"
#include "cuda/device/device.h"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/strips.h"
#include "cuda/sparse/arguments.cuh"

namespace halation::cuda_backend {
namespace {

std::int64_t not_0(const Taps& taps) {
  return std::ssize(taps.weights) - std::count(taps.weights.begin(), taps.weights.end(), 0.0);
}

/// A block's rows and columns, and what they are staged as.
template <class Sum>
struct Cut {
  LineArguments lines;
  int plane_pitch, row_pitch;
  std::size_t bytes;

  Cut(const Job& job, const ConstView& in, const View& out, std::size_t limit) {
    using D = SparseTile<Sum>;
    const Taps& taps = job.filters.front();
    for (const bool side_by_side : {true, false}) {
      lines = line_arguments(in, out, job, {.groups = D::elements / 4, .rows = D::warps * D::rows, .fold = false, .side_by_side = side_by_side});
      plane_pitch = lines.width + static_cast<int>(taps.size[2]) - 1;
      row_pitch = plane_pitch * lines.channels;
      const std::int64_t staged = (D::warps * D::rows + taps.size[1] - 1) * row_pitch + D::elements;  // lanes read on behind narrow rows
      const std::int64_t sums = D::warps * D::rows * D::elements;
      bytes = static_cast<std::size_t>(std::max(staged, sums)) * sizeof(Sum);
      if (bytes <= limit) break;
    }
  }
};

template <class Sum>
class SparseRunner final : public Runner {
 public:
  SparseRunner(std::shared_ptr<const Job> job, const Gpu& gpu) : job_(std::move(job)), device_(gpu.device), shared_limit_(gpu.shared_limit) {
    const Taps& taps = job_->filters.front();
    if (may_be_non_finite(*job_)) {
      dense_ = uploaded(std::vector<Sum>(taps.weights.begin(), taps.weights.end()), cudaStreamPerThread);
      HALATION_CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    }
    for (const bool one_channel : {true, false}) {
      HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(sparse_kernel_of<Sum>(one_channel)),
                                               cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_limit_)));
    }
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::size_t constant_bytes() const override {
    return may_be_non_finite(*job_) ? job_->filters.front().weights.size() * sizeof(Sum) : 0;
  }
  std::string explain() const override {
    const Taps& taps = job_->filters.front();
    return std::to_string(not_0(taps)) + " of " + std::to_string(taps.weights.size()) + " weights, the others are 0; tiles in shared memory";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const Taps& taps = job_->filters.front();
    const Cut<Sum> cut(*job_, in, outs[0], shared_limit_);
    SparseArguments<Sum> job{};
    job.lines = cut.lines;
    job.out = outs[0].data;
    job.row_pitch = cut.row_pitch;
    job.plane_pitch = cut.plane_pitch;
    job.dense = dense_.data();
    int count = 0;
    std::size_t i = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      job.lead[axis] = taps.lead[axis];
      job.size[axis] = static_cast<int>(taps.size[axis]);
    }
    for (int z = 0; z < job.size[0]; ++z) {
      for (int y = 0; y < job.size[1]; ++y) {
        for (int x = 0; x < job.size[2]; ++x, ++i) {
          if (taps.weights[i] == 0) continue;
          job.place[count] = y * job.row_pitch + x;
          job.weight[count++] = static_cast<Sum>(taps.weights[i]);
        }
      }
      job.end[z] = count;
    }
    sparse_kernel_of<Sum>(job.lines.channels == 1)<<<blocks_of(job.lines), dim3(32, SparseTile<Sum>::warps), cut.bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("sparse taps", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  std::size_t shared_limit_;
  DeviceArray<Sum> dense_;
};

/// Bytes of shared memory of a block over rows of one channel, the most that any rows need.
std::size_t most_bytes(const Job& job) {
  const Taps& taps = job.filters.front();
  const auto of = [&]<class Sum>(Sum) {
    using D = SparseTile<Sum>;
    return static_cast<std::size_t>((D::warps * D::rows + taps.size[1] - 1) * (D::elements + taps.size[2] - 1) + D::elements) * sizeof(Sum);
  };
  return job.sum_f64 ? of(double{}) : of(float{});
}

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (!is_one_filter(job) || taps.form != Form::dense) return "one filter of dense weights alone";
  const std::int64_t count = not_0(taps);
  if (taps.weights.empty() || count > most_sparse_taps || 2 * count > std::ssize(taps.weights)) return "filters most of whose weights are 0, but for 64, alone";
  if (taps.size[0] > most_sparse_planes || most_bytes(job) > request.gpu.shared_limit) return "filters whose box fits a tile alone";
  return nullptr;
}

LaunchShape shape(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  const std::int64_t rows = SparseTile<float>::warps * (job.sum_f64 ? SparseTile<double>::rows : SparseTile<float>::rows);
  const std::int64_t beside = channels_beside(request.rows, job.in.channels);
  const std::int64_t pixels = SparseTile<float>::elements / beside / 4 * 4;
  LaunchShape shape = launch_shape(request, job.sum_f64 ? "sparse taps, f64" : "sparse taps");
  shape.traits.set(Trait::checked, may_be_non_finite(job));
  shape.blocks = divide_up(job.out.width, pixels) * divide_up(job.out.height, rows) * job.out.batch *
                 job.out.depth * (job.out.channels / beside);
  shape.together = request.gpu.together(SparseTile<float>::blocks, most_bytes(job));
  shape.steps = static_cast<double>(taps.size[0]);
  shape.outputs = 1e-3 * static_cast<double>(rows * SparseTile<float>::elements);
  shape.mads = shape.outputs * static_cast<double>(not_0(taps));
  const std::int64_t row_elements = beside * (std::min(pixels, job.out.width) + taps.size[2] - 1);
  shape.staged = 1e-3 * static_cast<double>((rows + taps.size[1] - 1) * row_elements * taps.size[0]);
  return shape;
}

}  // namespace

const Family sparse_taps{.name = "sparse taps",
                         .refuses = refuses,
                         .shape = shape,
                         .make = [](const Request& request,
                                    const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
                           if (job->sum_f64) return std::make_unique<SparseRunner<double>>(job, request.gpu);
                           return std::make_unique<SparseRunner<float>>(job, request.gpu);
                         }};

}  // namespace halation::cuda_backend
