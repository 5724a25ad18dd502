// shared_tile.cu: jobs for the kernels of shared_tile.cuh.
#include "cuda/shared_tile/shared_tile.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "cuda/device/device.h"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/strips.h"
#include "cuda/shared_tile/arguments.cuh"
#include "halation/error.h"

namespace halation::cuda_backend {
namespace {

/// Whether warps have few rows, which makes four times as many blocks: not where these were as quick on an H200, from a block for
/// each multiprocessor on.
bool is_few(unsigned blocks, int multiprocessors) { return 4 * blocks < 3 * static_cast<unsigned>(multiprocessors); }

template <class Sum, int Capacity>
class SharedTileRunner final : public Runner {
 public:
  SharedTileRunner(std::shared_ptr<const Job> job, const Gpu& gpu)
      : job_(std::move(job)),
        device_(gpu.device),
        shared_limit_(gpu.shared_limit),
        multiprocessors_(gpu.multiprocessors),
        kernel_(shared_tile_kernel_of<Sum, Capacity, D::rows>()) {
    std::memset(static_cast<void*>(&constants_), 0, sizeof constants_);
    std::vector<Sum> weights;
    for (const Taps& taps : job_->filters) {
      TileFilter filter{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        filter.lead[axis] = taps.lead[axis];
        filter.size[axis] = static_cast<int>(taps.size[axis]);
      }
      filter.first_weight = static_cast<int>(weights.size());
      filters_.push_back(filter);
      const auto columns = static_cast<std::size_t>(taps.size[2]);
      for (std::size_t i = 0; i < taps.weights.size(); ++i) {
        weights.push_back(static_cast<Sum>(taps.weights[i]));
        if (is_unrolled && columns % 2 == 1 && (i + 1) % columns == 0) weights.push_back(0);  // which are read in pairs
      }
      flat_ = flat_ && taps.size[0] == 1 && taps.size[1] == 1;
    }
    if (weights.size() <= static_cast<std::size_t>(Capacity)) {
      std::copy(weights.begin(), weights.end(), constants_.weights);
    } else {
      far_weights_ = uploaded(weights, cudaStreamPerThread);
      HALATION_CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
      constants_.far_weights = far_weights_.data();
    }
    constants_.magnitude = job_->combine == Combine::magnitude;
    share();
    if constexpr (is_unrolled) kernel_of_few_rows_ = shared_tile_kernel_of<Sum, Capacity, D::few_rows>();
    for (const auto kernel : {kernel_, kernel_of_few_rows_}) {
      if (kernel == nullptr) continue;
      HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(shared_limit_)));
    }
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "tiles in shared memory, " + std::to_string(8 * D::rows) + " sums a thread" +
           (filters_.size() > 1 && constants_.shared ? ", one tile for all filters" : "");
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    if (constants_.magnitude) return launch(in, outs, 0, filters_.size(), queue);
    const bool alike = std::all_of(outs.begin(), outs.end(), [&](const View& out) { return out.strides == outs[0].strides; });
    const std::size_t together = constants_.shared && alike ? most_filters_together : 1;
    for (std::size_t first = 0; first < outs.size(); first += together) {
      const std::size_t count = std::min(together, outs.size() - first);
      launch(in, outs.subspan(first, count), first, count, queue);
    }
  }

 private:
  using D = SharedTile<Sum>;

  static constexpr bool is_unrolled = Capacity == few_weights;

  /// Whether all filters' taps are within one part that a block can stage once, and which.
  void share() {
    constants_.shared = true;
    std::int64_t end[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::int64_t& first = constants_.first[axis];
      first = filters_[0].lead[axis];
      end[axis] = first;
      for (const TileFilter& filter : filters_) {
        first = std::min(first, filter.lead[axis]);
        end[axis] = std::max(end[axis], filter.lead[axis] + filter.size[axis]);
      }
      const std::int64_t most = axis == 0 ? 1 : axis == 1 ? D::part_rows : D::part_columns;
      constants_.shared = constants_.shared && end[axis] - first <= most;
    }
    for (int axis : {1, 2}) {
      constants_.part[axis - 1] = static_cast<int>(end[axis] - constants_.first[axis]);
      if (constants_.shared) continue;
      constants_.part[axis - 1] = 1;
      for (const TileFilter& filter : filters_) {
        const int most = axis == 1 ? D::part_rows : D::part_columns;
        constants_.part[axis - 1] = std::max(constants_.part[axis - 1], std::min(filter.size[axis], most));
      }
    }
  }

  void launch(const ConstView& in, std::span<const View> outs, std::size_t first, std::size_t count, cudaStream_t stream) const {
    SharedTileArguments<Sum, Capacity> job = constants_;
    job.filters = static_cast<int>(count);
    for (std::size_t i = 0; i < count; ++i) job.filter[i] = filters_[first + i];
    for (std::size_t i = 0; i < outs.size(); ++i) job.out[i] = outs[i].data;
    std::size_t bytes = cut(job, in, outs[0], D::rows);
    const bool few_rows = is_unrolled && is_few(blocks_of(job.lines), multiprocessors_);
    if (few_rows) bytes = cut(job, in, outs[0], D::few_rows);
    const auto kernel = few_rows ? kernel_of_few_rows_ : kernel_;
    kernel<<<blocks_of(job.lines), dim3(32, D::warps), bytes, stream>>>(job);
    HALATION_CUDA_LAUNCHED("shared tile", stream);
  }

  /// Cuts the images for warps that have `rows` rows of outputs: bytes of shared memory of a block.
  std::size_t cut(SharedTileArguments<Sum, Capacity>& job, const ConstView& in, const View& out, int rows) const {
    std::size_t bytes = 0;
    for (const bool side_by_side : {true, false}) {
      job.lines =
          line_arguments(in, out, *job_, {.groups = D::groups, .rows = D::warps * rows, .fold = flat_, .side_by_side = side_by_side});
      // A window of 4 taps may reach 4 numbers past the last that is staged.
      job.plane_pitch = job.lines.width + (job.part[1] + 3) / 4 * 4 + 4;
      job.row_pitch = job.plane_pitch * job.lines.channels;
      const int sums_out = D::warps * rows * D::row_sums;
      const int staged = (D::warps * rows + job.part[0] - 1) * job.row_pitch;
      const int numbers = job.filters > 1 ? staged + sums_out : std::max(staged, sums_out);
      bytes = static_cast<std::size_t>(numbers) * sizeof(Sum);
      if (bytes <= shared_limit_) break;
    }
    return bytes;
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  std::size_t shared_limit_;
  int multiprocessors_;
  SharedTileKernel<Sum, Capacity> kernel_;
  SharedTileKernel<Sum, Capacity> kernel_of_few_rows_ = nullptr;  // where taps are unrolled
  std::vector<TileFilter> filters_;
  bool flat_ = true;  // rows of taps alone
  SharedTileArguments<Sum, Capacity> constants_;
  DeviceArray<Sum> far_weights_;
};

std::unique_ptr<const Runner> make(const Request& request, const std::shared_ptr<const Job>& job) {
  const Gpu& gpu = request.gpu;
  std::size_t weights = 0;
  std::int64_t padded = 0;
  const std::int64_t columns = job->filters[0].size[2];
  bool unrolled = columns <= most_unrolled;
  for (const Taps& taps : job->filters) {
    weights += taps.weights.size();
    padded += static_cast<std::int64_t>(taps.weights.size()) / columns * (columns + columns % 2);
    unrolled = unrolled && taps.size[2] == columns && taps.lead[2] == job->filters[0].lead[2];
  }
  if (weights > std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::unsupported, "method direct on a GPU: " + std::to_string(weights) + " weights are too many, at most " +
                                            std::to_string(std::numeric_limits<int>::max()) + " are possible");
  }
  if (job->sum_f64) return std::make_unique<SharedTileRunner<double, many_weights<double>>>(job, gpu);
  if (unrolled && padded <= few_weights) return std::make_unique<SharedTileRunner<float, few_weights>>(job, gpu);
  return std::make_unique<SharedTileRunner<float, many_weights<float>>>(job, gpu);
}

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const auto is_direct = [](const Taps& taps) { return taps.form == Form::dense; };
  if (!std::all_of(job.filters.begin(), job.filters.end(), is_direct)) return "dense weights alone";
  return job.combine != Combine::none && job.filters.size() > most_filters_together ? "magnitudes of 8 filters at most" : nullptr;
}

LaunchShape shape(const Request& request) {
  const Job& job = request.job;
  const Gpu& gpu = request.gpu;
  const std::int64_t beside = channels_beside(request.rows, job.in.channels);
  const std::int64_t pixels = 4 * (SharedTile<float>::groups / beside);
  const std::int64_t planes = job.out.batch * job.out.depth * (job.out.channels / beside);
  // Rows of taps over a signal are folded.
  const bool is_signal = job.out.height == 1 && job.out.depth == 1 &&
                         std::all_of(job.filters.begin(), job.filters.end(), [](const Taps& taps) { return taps.size[0] == 1 && taps.size[1] == 1; });
  const auto blocks_of_rows = [&](std::int64_t rows) {
    const std::int64_t across = divide_up(job.out.width, pixels);
    return planes * (is_signal ? divide_up(across, rows) : across * divide_up(job.out.height, rows));
  };
  std::int64_t taps = 0;
  std::int64_t padded = 0;
  std::int64_t rows_of_taps = 0;
  std::int64_t parts = 0;
  Space largest{1, 1, 1};
  bool is_unrolled = !job.sum_f64;
  for (const Taps& filter : job.filters) {
    const auto& [z, y, x] = filter.size;
    taps += z * y * x;
    padded += z * y * (x + x % 2);
    rows_of_taps += z * y;
    parts = std::max(parts, z * divide_up(y, SharedTile<float>::part_rows) * divide_up(x, SharedTile<float>::part_columns));
    for (std::size_t axis = 0; axis < 3; ++axis) largest[axis] = std::max(largest[axis], filter.size[axis]);
    is_unrolled = is_unrolled && x == job.filters[0].size[2] && x <= 16;
  }
  is_unrolled = is_unrolled && padded <= few_weights;
  std::int64_t rows = SharedTile<float>::warps * (job.sum_f64 ? SharedTile<double>::rows : SharedTile<float>::rows);
  const bool few = is_unrolled && is_few(static_cast<unsigned>(blocks_of_rows(rows)), gpu.multiprocessors);
  if (few) rows = SharedTile<float>::warps * SharedTile<float>::few_rows;
  const bool is_row = largest[0] == 1 && largest[1] == 1;
  LaunchShape shape =
      launch_shape(request, job.sum_f64   ? is_row ? "shared tile, f64, rows" : "shared tile, f64"
                            : few         ? "shared tile, few rows"
                            : is_unrolled ? "shared tile, unrolled"
                            : is_row      ? "shared tile, rows"
                                          : "shared tile");
  const std::int64_t row_elements =
      beside * (pixels + std::min<std::int64_t>(largest[2], SharedTile<float>::part_columns) - 1);
  shape.traits.set(Trait::folded, is_signal);
  shape.traits.set(Trait::one_by_one, row_elements > 9 * 32);
  shape.blocks = blocks_of_rows(rows);
  shape.together = job.sum_f64 ? SharedTile<double>::blocks : SharedTile<float>::blocks;
  shape.steps = static_cast<double>(is_unrolled ? parts : parts + rows_of_taps);
  shape.chain = 1e-3 * static_cast<double>(4 * taps * rows / SharedTile<float>::warps);
  shape.outputs = 1e-3 * static_cast<double>(rows * pixels * beside);
  shape.staged = 1e-3 * static_cast<double>(
                            parts * row_elements *
                            (rows + std::min<std::int64_t>(largest[1], SharedTile<float>::part_rows) - 1));
  shape.mads = shape.outputs * static_cast<double>(taps);
  return shape;
}

}  // namespace

const Family shared_tile{.name = "shared tile", .refuses = refuses, .shape = shape, .make = make};

}  // namespace halation::cuda_backend
