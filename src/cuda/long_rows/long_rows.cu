// long_rows.cu: filters along x alone: a thread slides along its row, 20 sums and 28 inputs in registers.
//
//   warp → outputs     640 pixels of a row, side by side
//   lane → outputs     20 neighbours (slide.cuh)
//   sums               4 taps × 20 sums are 80 multiply-adds for two 16-byte reads
//   in bulk            f32 on 16-byte boundaries: blocks stay, and their warps are on their own: a bulk copy
//                      brings the inputs of a warp's next tile but one while it sums, another takes its sums
//                      away. Tiles at the sides of an image meet its border by elements
//   staged             other pixels, strides, channels and GPUs: all warps of a block stage its 4 rows
//                      (lines.cuh), then each sums one and puts it out; several blocks overlap
//   shared memory      in bulk, a warp: two to four tiles of 640 + taps numbers, and 640 sums
//   operations         taps multiply-adds an output, a thirtieth of that in reads and tests, about 9 more
//   traffic            DRAM: each element once; L2: (taps − 1) elements again for each tile or row of a block
//   limits             4,096 taps; beyond 256 they are summed part by part, each brought in turn
//   instantiations     4: in bulk and staged, with room for 256 and for 4,096 weights
#include "cuda/long_rows/long_rows.h"

#include <algorithm>

#include "cuda/device/device.h"
#include "cuda/long_rows/in_bulk.cuh"
#include "cuda/long_rows/staged.cuh"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/shared_memory.h"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

/// Along x; other axes have one weight.
std::vector<double> weights_of(const Taps& taps) {
  if (taps.form == Form::dense) return taps.weights;
  const auto& [z, y, x] = *taps.factors;
  std::vector<double> weights = x;
  for (double& weight : weights) weight *= z.front() * y.front();
  return weights;
}

template <int Capacity, bool InBulk>
class LongRowsRunner final : public Runner {
 public:
  LongRowsRunner(std::shared_ptr<const Job> job, const Gpu& gpu)
      : job_(std::move(job)), device_(gpu.device), limit_(gpu.shared_limit), multiprocessors_(gpu.multiprocessors) {
    const Taps& taps = job_->filters.front();
    const std::vector<double> weights = weights_of(taps);
    constants_.lead = taps.lead[2];
    constants_.scales = job_->scale != 1 || job_->offset != 0;
    const auto count = static_cast<int>(weights.size());
    // Of parts of one length, the last is more than a few taps.
    constants_.parts = (count + part_taps - 1) / part_taps;
    constants_.part =
        ((count + constants_.parts - 1) / constants_.parts + step_taps - 1) / step_taps * step_taps;
    const auto shift = static_cast<int>(constants_.lead & 3);
    constants_.full = cut_for(constants_.part, shift);
    constants_.last = cut_for(count - (constants_.parts - 1) * constants_.part, shift);
    std::transform(weights.begin(), weights.end(), constants_.weights,
                   [](double w) { return static_cast<float>(w); });
    // A step's weights are read ahead.
    constants_.weights_shared = (step_taps + count + 2 * step_taps + 3) / 4 * 4;
    if constexpr (InBulk) prepare_bulk();
    else allow_all_shared_memory(long_rows_staged_kernel<Capacity>, limit_);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "along rows, 20 outputs a thread"; }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    RowArguments<Capacity> job = constants_;
    const View& out = outs[0];
    job.out = out.data;
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    if constexpr (InBulk) {
      cut_into_tiles(job, in, out, *job_, warp_pixels);
      const int blocks =
          std::min((job.tiles + bulk_warps - 1) / bulk_warps, multiprocessors_ * blocks_together_);
      long_rows_bulk_kernel<Capacity>
          <<<static_cast<unsigned>(blocks), dim3(32, bulk_warps), bulk_bytes_, queue>>>(job);
      HALATION_CUDA_LAUNCHED("long rows, in bulk", queue);
    } else {
      launch_staged(job, in, out, queue);
    }
  }

 private:
  void prepare_bulk() {
    allow_all_shared_memory(long_rows_bulk_kernel<Capacity>, limit_);
    constants_.row_pitch = line_numbers(warp_pixels, constants_.part);
    // As many tiles at a time as let three blocks of a Hopper's multiprocessor live beside each other.
    constexpr int numbers_a_block = 75 * 256;
    constexpr int others = arrivals + warp_pixels;
    const int of_stages = (numbers_a_block - constants_.weights_shared) / bulk_warps - others;
    constants_.stages = std::clamp(of_stages / constants_.row_pitch, 2, most_stages);
    bulk_bytes_ = sizeof(float) *
                  static_cast<std::size_t>(constants_.weights_shared +
                                           bulk_warps * (others + constants_.stages * constants_.row_pitch));
    HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks_together_, long_rows_bulk_kernel<Capacity>, 32 * bulk_warps, bulk_bytes_));
  }

  void launch_staged(RowArguments<Capacity>& job, const ConstView& in, const View& out, cudaStream_t queue) const {
    constexpr int run_pixels = cuda_backend::run;
    std::size_t bytes = 0;
    for (const bool side_by_side : {true, false}) {
      const auto cut_for = [&](int channels) {
        return BlockShape{.groups = 32 / channels * run_pixels / 4 * channels,
                        .rows = staged_warps,
                        .fold = true,
                        .side_by_side = side_by_side};
      };
      job.lines = line_arguments(in, out, *job_, cut_for(1));
      if (job.lines.channels > 1) job.lines = line_arguments(in, out, *job_, cut_for(job.lines.channels));
      job.plane_pitch = line_numbers(job.lines.width, job.part);
      // As if all channels' runs followed each other, for the banks' sake.
      const int runs = (job.lines.width + run_pixels - 1) / run_pixels;
      while (job.lines.channels > 1 && (job.plane_pitch - runs * run_pixels) % 32 != 0) job.plane_pitch += 4;
      job.row_pitch = job.plane_pitch * job.lines.channels;
      bytes = static_cast<std::size_t>(job.weights_shared + staged_warps * job.row_pitch) * sizeof(float);
      if (bytes <= limit_) break;
    }
    long_rows_staged_kernel<Capacity><<<blocks_of(job.lines), dim3(32, staged_warps), bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("long rows", queue);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  std::size_t limit_;
  int multiprocessors_;
  int blocks_together_ = 0;
  std::size_t bulk_bytes_ = 0;
  RowArguments<Capacity> constants_{};
};

const char* refuses_alike(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (!is_by_taps(taps)) return "sums of taps alone";
  if (!is_one_filter(job) || job.sum_f64) return "one filter with sums in f32 alone";
  if (taps.size[0] != 1 || taps.size[1] != 1 || taps.size[2] < 2 || taps.size[2] > many_taps) return "2 to 4,096 taps along x alone";
  if (job.in.depth != job.out.depth || job.in.height != job.out.height || taps.lead[0] != 0 || taps.lead[1] != 0)
    return "outputs in the rows of their inputs alone";
  return job.out.width < 256 ? "rows of 256 pixels and more alone" : nullptr;
}

LaunchShape shape_staged(const Request& request) {
  const Job& job = request.job;
  const std::int64_t beside = channels_beside(request.rows, job.in.channels);
  const std::int64_t pixels = 32 / beside * run;
  const std::int64_t across = divide_up(job.out.width, pixels);
  const std::int64_t planes = job.out.batch * job.out.depth * (job.out.channels / beside);
  const std::int64_t taps = request.taps().size[2];
  LaunchShape shape = launch_shape(request, "long rows");
  shape.traits.set(Trait::folded, job.out.height == 1);
  shape.blocks = planes * (job.out.height == 1 ? divide_up(across, staged_warps)
                                               : across * divide_up(job.out.height, staged_warps));
  shape.together = staged_blocks;
  shape.steps = static_cast<double>(divide_up(taps, part_taps));
  shape.chain = 1e-3 * static_cast<double>(taps * run);
  shape.outputs = 1e-3 * static_cast<double>(staged_warps * pixels * beside);
  shape.staged = 1e-3 * static_cast<double>(staged_warps * beside * (pixels + taps));
  shape.mads = shape.outputs * static_cast<double>(taps);
  return shape;
}

LaunchShape shape_in_bulk(const Request& request) {
  const Job& job = request.job;
  const std::int64_t tiles = divide_up(job.out.width, warp_pixels) * (job.out.elements() / job.out.width);
  const std::int64_t taps = request.taps().size[2];
  LaunchShape shape = launch_shape(request, "long rows, in bulk");
  shape.steps = static_cast<double>(divide_up(taps, part_taps));
  shape.chain = 1e-3 * static_cast<double>(taps * run);
  shape.spread(1e-3 * static_cast<double>(tiles * warp_pixels), request.gpu.multiprocessors);
  shape.mads = shape.outputs * static_cast<double>(taps);
  return shape;
}

template <bool InBulk>
std::unique_ptr<const Runner> make(const Request& request, const std::shared_ptr<const Job>& job) {
  if (request.taps().size[2] <= few_taps) return std::make_unique<LongRowsRunner<few_taps, InBulk>>(job, request.gpu);
  return std::make_unique<LongRowsRunner<many_taps, InBulk>>(job, request.gpu);
}

}  // namespace

const Family long_rows_in_bulk{.name = "long rows, in bulk",
                               .refuses = [](const Request& request) -> const char* {
                                 if (const char* why = refuses_alike(request)) return why;
                                 if (request.job.in_pixel != Pixel::f32 || !input_is_aligned(request.rows))
                                   return "f32 rows on 16-byte boundaries alone";
                                 return request.gpu.copies_in_bulk() ? nullptr : "no copy engine for shared memory on this GPU";
                               },
                               .shape = shape_in_bulk,
                               .make = make<true>};

const Family long_rows{
    .name = "long rows", .refuses = refuses_alike, .shape = shape_staged, .make = make<false>};

}  // namespace halation::cuda_backend
