// multirate.cu: filters at a lower rate (core/multirate.h), in four launches: thin.cuh reads the image, two short filters of what is left of
// it go along y and x, fill.cuh writes the outputs.
//
//   traffic         DRAM: each element read once and each output written once; between them three images of a D²-th of the samples in
//                   the workspace, which stay in the second-level cache where D is 8 and the image 8192 × 8192
//   short filters   along y a thread makes 4 rows, along x 4 columns of a row in shared memory; weights by value
//   source          P. P. Vaidyanathan, Multirate Systems and Filter Banks, 1993; design in docs/notebook/cuda/multirate.md
#include "cuda/multirate/multirate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/convert.h"
#include "cuda/device/device.h"
#include "cuda/multirate/arguments.cuh"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

constexpr int low_threads = 128;
constexpr int low_outputs = 4;  ///< of a thread, along the axis that is filtered
/// Blocks that walk at a time on a multiprocessor, by the registers that `thin` takes: 96 of 128 threads, 125 of 256.
constexpr int blocks_at_once(std::int64_t factor) { return factor >= 16 ? 2 : 5; }
/// Three times a coordinate must be an int.
constexpr std::int64_t most_coordinate = std::int64_t{1} << 29;

__global__ void __launch_bounds__(low_threads) filter_columns(const __grid_constant__ LowFilterArguments job) {
  const std::uint32_t rest = job.across.quotient(blockIdx.x);
  const auto x = static_cast<int>((blockIdx.x - rest * job.across.by) * low_threads + threadIdx.x);
  const std::uint32_t plane = job.down.quotient(rest);
  const auto y = static_cast<int>(rest - plane * job.down.by) * low_outputs;
  if (x >= job.out.columns) return;
  const float* const in = job.in.data + plane * job.in.plane + y * job.in.pitch + x;
  float* const out = job.out.data + plane * job.out.plane + y * job.out.pitch + x;
  const int last = job.in.rows - 1 - y;
  float values[low_outputs];
  float sums[low_outputs] = {};
#pragma unroll
  for (int i = 0; i < low_outputs - 1; ++i) values[i] = __ldg(in + min(i, last) * job.in.pitch);
#pragma unroll 4
  for (int t = 0; t < job.taps; ++t) {
    values[low_outputs - 1] = __ldg(in + min(t + low_outputs - 1, last) * job.in.pitch);
#pragma unroll
    for (int i = 0; i < low_outputs; ++i) sums[i] = fmaf(job.weights[t], values[i], sums[i]);
#pragma unroll
    for (int i = 0; i < low_outputs - 1; ++i) values[i] = values[i + 1];
  }
#pragma unroll
  for (int i = 0; i < low_outputs; ++i) {
    if (y + i < job.out.rows) out[i * job.out.pitch] = sums[i];
  }
}

__global__ void __launch_bounds__(low_threads) filter_rows(const __grid_constant__ LowFilterArguments job) {
  constexpr int columns = low_threads * low_outputs;
  __shared__ float line[columns + multirate_most_taps];
  const std::uint32_t rest = job.across.quotient(blockIdx.x);
  const auto x = static_cast<int>(blockIdx.x - rest * job.across.by) * columns;
  const std::uint32_t plane = job.down.quotient(rest);
  const auto y = static_cast<int>(rest - plane * job.down.by);
  const float* const in = job.in.data + plane * job.in.plane + y * job.in.pitch;
  const auto thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < columns + job.taps - 1 && x + i < job.in.columns; i += low_threads) line[i] = __ldg(in + x + i);
  __syncthreads();
  float sums[low_outputs] = {};
#pragma unroll 4
  for (int t = 0; t < job.taps; ++t) {
#pragma unroll
    for (int i = 0; i < low_outputs; ++i) sums[i] = fmaf(job.weights[t], line[thread + i * low_threads + t], sums[i]);
  }
  float* const out = job.out.data + plane * job.out.plane + y * job.out.pitch;
#pragma unroll
  for (int i = 0; i < low_outputs; ++i) {
    const int at = x + thread + i * low_threads;
    if (at < job.out.columns) out[at] = sums[i];
  }
}

/// body(element) with an element of a pixel's type.
template <class Body>
auto with_pixel(Pixel pixel, const Body& body) {
  return visit_pixel(pixel, [&](auto like) {
    if constexpr (sizeof like == 8)
      return body(float{});  // which it does not take
    else
      return body(like);
  });
}

/// By factor: threads, columns and columns at the lower rate of a block.
struct BlockOf {
  int threads, columns, made;
};
BlockOf block_of(std::int64_t factor) {
  const auto block = [](auto of) { return BlockOf{decltype(of)::threads, decltype(of)::columns, decltype(of)::made}; };
  switch (factor) {
    case 2: return block(MultirateBlock<2>{});
    case 4: return block(MultirateBlock<4>{});
    case 8: return block(MultirateBlock<8>{});
    case 16: return block(MultirateBlock<16>{});
    default: return block(MultirateBlock<32>{});
  }
}

/// What the launches of a job come to.
struct Sizes {
  std::int64_t factor, planes;
  std::array<std::int64_t, 2> thinned, filtered, filled;  ///< rows and columns; the last in steps
  std::int64_t pitch;

  explicit Sizes(const Job& job) {
    const Multirate& rates = *job.filters.front().multirate;
    const Space out = job.out.space();
    factor = rates.axes[1].factor;
    planes = out[0] * job.out.batch * job.out.channels;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      thinned[axis] = rates.axes[axis].thinned(out[axis + 1]);
      filtered[axis] = rates.axes[axis].filtered(out[axis + 1]);
      filled[axis] = rates.axes[axis].phases(out[axis + 1]);
    }
    constexpr std::int64_t boundary = 32;
    pitch = (thinned[1] + multirate_steps + boundary - 1) / boundary * boundary;
  }
  /// Of so many rows of each plane: a multiple of 128.
  std::size_t bytes(std::int64_t rows) const { return static_cast<std::size_t>(planes * rows * pitch) * sizeof(float); }
};

/// How an image is cut for a launch.
struct Cut {
  MultiratePlaces places;
  std::int64_t blocks;
};
Cut cut_of(const Job& job, const Gpu& gpu, std::int64_t rows, std::int64_t columns, std::int64_t columns_a_block) {
  Cut cut{};
  const std::int64_t across = divide_up(columns, columns_a_block);
  const std::int64_t planes = job.out.depth * job.out.batch * job.out.channels;
  const std::int64_t places = std::int64_t{gpu.multiprocessors} * blocks_at_once(job.filters.front().multirate->axes[0].factor);
  const std::int64_t length = strips_of(rows, across * planes, places, multirate_steps - 1).length;
  const std::int64_t strips = divide_up(rows, length);
  cut.places.across = Divisor(across);
  cut.places.strips = Divisor(strips);
  cut.places.channels = Divisor(job.out.channels);
  cut.places.depth = Divisor(job.out.depth);
  cut.places.strip = static_cast<int>(length);
  cut.blocks = across * strips * planes;
  return cut;
}

class MultirateRunner final : public Runner {
 public:
  MultirateRunner(std::shared_ptr<const Job> job, const Gpu& gpu)
      : job_(std::move(job)), device_(gpu.device), sizes_(*job_), block_(block_of(sizes_.factor)) {
    const Taps& taps = job_->filters.front();
    const auto& [along_y, along_x] = taps.multirate->axes;
    const auto index = std::countr_zero(static_cast<unsigned>(sizes_.factor)) - 1;
    thin_ = with_pixel(job_->in_pixel, [&](auto element) { return thin_kernel<decltype(element)>(index); });
    fill_ = with_pixel(job_->out_pixel, [&](auto element) { return fill_kernel<decltype(element)>(index); });

    const auto wider = [&](std::size_t axis, const MultirateAxis& along) {
      DeviceBorder border(job_->borders[axis]);
      border.low = std::min(border.low, along.lead);
      border.high = std::max(border.high, along.end(job_->out.space()[axis]));
      return border;
    };
    const Cut thin_cut = cut_of(*job_, gpu, sizes_.thinned[0], sizes_.thinned[1], block_.made);
    thin_blocks_ = static_cast<unsigned>(thin_cut.blocks);
    thin_arguments_.places = thin_cut.places;
    thin_arguments_.y = wider(1, along_y);
    thin_arguments_.x = wider(2, along_x);
    thin_arguments_.lead_y = static_cast<int>(along_y.lead);
    thin_arguments_.lead_x = static_cast<int>(along_x.lead);
    const auto narrowed = [](const std::vector<double>& from, double gain, float* to) {
      std::transform(from.begin(), from.end(), to, [gain](double weight) { return static_cast<float>(gain * weight); });
    };
    narrowed(along_y.down, 1, thin_arguments_.down);

    const Cut fill_cut = cut_of(*job_, gpu, sizes_.filled[0], job_->out.width, block_.columns);
    fill_blocks_ = static_cast<unsigned>(fill_cut.blocks);
    fill_arguments_.places = fill_cut.places;
    fill_arguments_.height = static_cast<int>(job_->out.height);
    fill_arguments_.width = static_cast<int>(job_->out.width);
    fill_arguments_.offset = static_cast<float>(job_->offset);
    fill_arguments_.rounding = job_->rounding;
    narrowed(along_y.up, 1, fill_arguments_.up);

    low_y_.taps = static_cast<int>(along_y.taps.size());
    narrowed(along_y.taps, 1, low_y_.weights);
    low_x_.taps = static_cast<int>(along_x.taps.size());
    narrowed(along_x.taps, job_->scale * (*taps.factors)[0].front(), low_x_.weights);
    low_y_.across = Divisor(divide_up(sizes_.thinned[1], low_threads));
    low_y_.down = Divisor(divide_up(sizes_.filtered[0], low_outputs));
    low_x_.across = Divisor(divide_up(sizes_.filtered[1], low_threads * low_outputs));
    low_x_.down = Divisor(sizes_.filtered[0]);
  }

  std::size_t workspace_bytes() const override { return sizes_.bytes(sizes_.thinned[0]) + 2 * sizes_.bytes(sizes_.filtered[0]); }
  std::string explain() const override {
    const std::string factor = std::to_string(sizes_.factor);
    return "at a rate lower by " + factor + "x" + factor + ", strips of " + std::to_string(thin_arguments_.places.strip) + " rows of that, and of " +
           std::to_string(fill_arguments_.places.strip);
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const auto low = [&](std::size_t at, std::int64_t rows, std::int64_t columns) {
      return LowRate{reinterpret_cast<float*>(workspace.data() + at), sizes_.pitch, rows * sizes_.pitch, static_cast<int>(rows),
                     static_cast<int>(columns)};
    };
    const std::size_t thinned_bytes = sizes_.bytes(sizes_.thinned[0]);
    const LowRate thinned = low(0, sizes_.thinned[0], sizes_.thinned[1]);
    const LowRate between = low(thinned_bytes, sizes_.filtered[0], sizes_.thinned[1]);
    const LowRate filtered = low(thinned_bytes + sizes_.bytes(sizes_.filtered[0]), sizes_.filtered[0], sizes_.filtered[1]);

    const auto threads = static_cast<unsigned>(block_.threads);
    ThinArguments thin = thin_arguments_;
    thin.in = in.data;
    thin.strides = in.strides;
    thin.out = thinned;
    thin_<<<thin_blocks_, threads, 0, queue>>>(thin);
    HALATION_CUDA_LAUNCHED("multirate thin", queue);

    LowFilterArguments along_y = low_y_;
    along_y.in = thinned;
    along_y.out = between;
    filter_columns<<<blocks_of(along_y), low_threads, 0, queue>>>(along_y);
    HALATION_CUDA_LAUNCHED("multirate columns", queue);
    LowFilterArguments along_x = low_x_;
    along_x.in = between;
    along_x.out = filtered;
    filter_rows<<<blocks_of(along_x), low_threads, 0, queue>>>(along_x);
    HALATION_CUDA_LAUNCHED("multirate rows", queue);

    FillArguments fill = fill_arguments_;
    fill.in = filtered;
    fill.out = out.data;
    fill.strides = out.strides;
    fill_<<<fill_blocks_, threads, 0, queue>>>(fill);
    HALATION_CUDA_LAUNCHED("multirate fill", queue);
  }

 private:
  unsigned blocks_of(const LowFilterArguments& job) const {
    return static_cast<unsigned>(std::int64_t{job.across.by} * job.down.by * sizes_.planes);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  Sizes sizes_;
  BlockOf block_;
  ThinKernel thin_ = nullptr;
  FillKernel fill_ = nullptr;
  unsigned thin_blocks_ = 0, fill_blocks_ = 0;
  ThinArguments thin_arguments_;
  FillArguments fill_arguments_;
  LowFilterArguments low_y_, low_x_;
};

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (!is_one_filter(job) || taps.form != Form::lower_rate) return "one filter at a lower rate alone";
  if (taps.size[0] != 1) return "filters along x and y alone";
  const auto& [along_y, along_x] = taps.multirate->axes;
  if (along_y.factor != along_x.factor) return "one factor along x and y alone";
  if (job.sum_f64) return "sums in f32 alone";
  if (along_y.taps.size() > multirate_most_taps || along_x.taps.size() > multirate_most_taps) return "at most 512 taps at the lower rate alone";
  for (std::size_t axis = 1; axis < 3; ++axis) {
    const MultirateAxis& along = axis == 1 ? along_y : along_x;
    if (std::max({job.in.space()[axis], job.out.space()[axis], along.end(job.out.space()[axis]), -along.lead}) > most_coordinate)
      return "extents of 2^29 at most";
  }
  const Sizes sizes(job);
  constexpr std::int64_t most_blocks = 0x7fffffff;
  const std::int64_t blocks = sizes.planes * sizes.filtered[0] * divide_up(sizes.thinned[1], low_threads);
  return blocks > most_blocks ? "more blocks than a launch can have" : nullptr;
}

}  // namespace

const Family multirate{
    .name = "multirate",
    .refuses = refuses,
    .shape =
        [](const Request& request) {
          const Job& job = request.job;
          const auto& [along_y, along_x] = request.taps().multirate->axes;
          const Sizes sizes(job);
          LaunchShape shape = launch_shape(request, "multirate");
          shape.launches = 4;
          // Samples at the lower rate count with their taps; those around the image are read as well.
          const std::int64_t low = sizes.planes * sizes.thinned[0] * sizes.thinned[1];
          const auto taps = static_cast<double>(along_y.taps.size() + along_x.taps.size());
          shape.spread(1e-3 * static_cast<double>(low * sizes.factor * sizes.factor + job.out.elements()),
                       request.gpu.multiprocessors);
          shape.mads =
              1e-3 * static_cast<double>(low) * taps / static_cast<double>(shape.launches * shape.blocks);
          shape.bytes = bytes_moved(job) + 24 * static_cast<double>(low);
          return shape;
        },
    .make = [](const Request& request, const std::shared_ptr<const Job>& job)
        -> std::unique_ptr<const Runner> { return std::make_unique<MultirateRunner>(job, request.gpu); }};

}  // namespace halation::cuda_backend
