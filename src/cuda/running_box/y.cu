// y.cu: boxes of equal weights. Along columns, over f32 rows that the copy engine brings (y.cuh): which, and how; those that
// are too high for that, rows that it cannot bring and other pixels go to y_reread.cu; along rows those that x.cu
// takes; along both, whether one axis after the other is faster.
//
//   block → outputs    a strip of 96 to 256 columns of one channel, walked down 8 rows a step
//   warps              width ÷ 32 sum, a column a thread; as many weigh, 8 neighbours of a row a thread; one brings rows. They work
//                      on neighbouring steps at once and meet once a step
//   shared memory      3 or 4 times 8 staged rows; a ring of the window's rows but one, in whole eights, and 8 more, weighed; sums
//                      of groups of 8
//   traffic            DRAM: each element once, but for the rows above each strip
//   limits             one filter, f32 to f32, rows on 16-byte boundaries; any border and extent; 18 to 224 rows
//   instantiations     5 widths
#include "cuda/running_box/running_box.h"

#include <algorithm>
#include <array>
#include <optional>

#include "cuda/device/device.h"
#include "cuda/parts/equal_weights.h"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/strips.h"
#include "cuda/running_box/y.cuh"

namespace halation::cuda_backend {
namespace {

constexpr std::int64_t most_ring = 4096;
constexpr int most_buffers = 4;
constexpr int least_buffers = 3;

using Kernel = void (*)(BoxArguments);

/// A width that the kernel is compiled for.
struct Size {
  int width;
  int pitch;
  int threads;
  int blocks;  ///< that a multiprocessor has registers for
  Kernel kernel;
};

template <int Width>
constexpr Size size_of() {
  return {Width, BoxBlock<Width>::pitch, BoxBlock<Width>::threads, BoxBlock<Width>::blocks,
          running_box_y_kernel<Width>};
}

constexpr std::array sizes{size_of<256>(), size_of<192>(), size_of<160>(), size_of<128>(), size_of<96>()};

/// Strips of a job's outputs, in whole steps.
Strips cut_strips(std::int64_t height, std::int64_t others, std::int64_t places, int taps) {
  return strips_of(height, others, places, taps - 1 + box_group, box_group);
}

/// The ring and the bytes of shared memory of blocks of a size.
std::size_t shape_block(BoxArguments& job, const Size& size) {
  job.ring_groups = (job.box.taps - 1 + box_group - 1) / box_group + 1;
  const int rows = (job.buffers + job.ring_groups) * box_group;
  const std::size_t numbers = std::size_t{1} * rows * size.pitch + std::size_t{1} * job.box.groups * size.width;
  return most_box_buffers * sizeof(Arrival) + numbers * sizeof(float);
}

/// How a job is cut: strips of a width, and blocks of so many bytes that share a multiprocessor.
struct Cut {
  const Size* size = nullptr;
  int buffers = 0;
  int blocks = 0;
  std::size_t bytes = 0;
  double cycles = 0;  ///< that it should take: by these cuts are compared
  LaunchShape shape{};
};

/// Where little fits shared memory, what a step takes however little it does counts; else instructions or
/// bytes do. Warps are taken to fill places for instructions as 12 a multiprocessor did in an earlier kernel
/// (docs/notebook/cuda/running_box.md; 36%), the more the better.
double cycles_of(const Cut& cut, double busy, double steps) {
  constexpr double step = 700;
  constexpr double bytes_a_cycle = 17;  // of a multiprocessor, to and from DRAM
  constexpr double column = 23;         // instructions of all threads for a number, weighed and summed,
  constexpr double brought = 900;       // and for a row, by lanes of the warp that brings it
  const double rows = box_group * cut.blocks * busy;  // of all blocks of a multiprocessor, a step
  const double filled = std::min(0.65, cut.blocks * busy * cut.size->threads / 32 / 33);
  const double summed = rows * (cut.size->width * column + brought) / (128 * filled);
  const double moved = rows * 4 * 2 * cut.size->width / bytes_a_cycle;
  return steps * std::max({step, summed, moved});
}

std::optional<Cut> cut_into(const Request& request, const Size& size, int buffers) {
  const Job& job = request.job;
  BoxArguments arguments{};
  arguments.box = BoxSpan(static_cast<int>(request.taps().size[1]));
  arguments.buffers = buffers;
  Cut cut{.size = &size, .buffers = buffers, .bytes = shape_block(arguments, size)};
  if (cut.bytes > request.gpu.shared_limit) return std::nullopt;
  cut.blocks = request.gpu.together(size.blocks, cut.bytes);
  const std::int64_t others =
      (job.out.width + size.width - 1) / size.width * job.out.depth * job.out.batch * job.out.channels;
  const std::int64_t places = std::int64_t{request.gpu.multiprocessors} * cut.blocks;
  const auto [length, walked] = cut_strips(job.out.height, others, places, arguments.box.taps);
  const std::int64_t rows = length + arguments.box.taps - 1 + box_group;  // of a block
  cut.shape = launch_shape(request, "running box, y by a ring");
  cut.shape.blocks = others * ((job.out.height + length - 1) / length);
  cut.shape.together = cut.blocks;
  cut.shape.steps = static_cast<double>(rows) / box_group;
  cut.shape.outputs = 1e-3 * static_cast<double>(length * size.width);
  cut.shape.staged = 1e-3 * static_cast<double>(rows * size.width);
  const double busy = std::min(1.0, static_cast<double>(cut.shape.blocks) / static_cast<double>(places));
  cut.cycles = cycles_of(cut, busy, static_cast<double>(walked) / box_group);
  return cut;
}

/// The cut that should take least; none where a block's rows do not fit shared memory.
std::optional<Cut> best_cut(const Request& request) {
  std::optional<Cut> best;
  for (const Size& size : sizes) {
    for (const int buffers : {most_buffers, least_buffers}) {
      const std::optional<Cut> cut = cut_into(request, size, buffers);
      if (cut && (!best || cut->cycles < best->cycles)) best = cut;
    }
  }
  return best;
}

class BoxRunner final : public Runner {
 public:
  BoxRunner(std::shared_ptr<const Job> job, const Gpu& gpu, const Cut& cut)
      : job_(std::move(job)), device_(gpu.device), multiprocessors_(gpu.multiprocessors), cut_(cut) {
    const Taps& taps = job_->filters.front();
    constants_.lead = taps.lead[1];
    constants_.box = BoxSpan(static_cast<int>(taps.size[1]));
    constants_.weight = static_cast<float>(weight_of(taps));
    constants_.scale = static_cast<float>(job_->scale);
    constants_.offset = static_cast<float>(job_->offset);
    constants_.buffers = cut.buffers;
    shape_block(constants_, *cut.size);
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(cut.size->kernel),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(gpu.shared_limit)));
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "sums to and from whole eights, in strips of " + std::to_string(cut_.size->width) + " columns";
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    BoxArguments job = constants_;
    job.lines = line_arguments(
        in, out, *job_,
        {.groups = cut_.size->width / 4, .rows = box_group, .fold = false, .side_by_side = false});
    job.out = out.data;
    job.lines.blocks_y = Divisor(1);
    const std::int64_t all_places = std::int64_t{multiprocessors_} * cut_.blocks;
    job.strip = static_cast<int>(cut_strips(out.shape.height, blocks_of(job.lines), all_places, job.box.taps).length);
    job.lines.blocks_y = Divisor((out.shape.height + job.strip - 1) / job.strip);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    cut_.size->kernel<<<blocks_of(job.lines), dim3(32, static_cast<unsigned>(cut_.size->threads / 32)),
                        cut_.bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("running box, y", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  int multiprocessors_;
  Cut cut_;
  BoxArguments constants_{};
};

}  // namespace

const Family running_box_y{
    .name = "running box, y by a ring",
    .refuses = [](const Request& request) -> const char* {
      const Job& job = request.job;
      if (!is_box_along_y(job) || request.taps().size[1] > most_ring)
        return "windows of 18 to 4,096 equal weights along y alone";
      if (job.in_pixel != Pixel::f32 || job.out_pixel != Pixel::f32) return "f32 alone";
      if (!input_is_aligned(request.rows) || request.rows == RowLayout::aligned_gather)
        return "rows on 16-byte boundaries alone";
      if (!request.gpu.copies_in_bulk()) return "no copy engine for shared memory on this GPU";
      return best_cut(request) ? nullptr : "no room for so many rows in shared memory";
    },
    .shape = [](const Request& request) { return best_cut(request)->shape; },
    .make = [](const Request& request,
               const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
      return std::make_unique<BoxRunner>(job, request.gpu, *best_cut(request));
    }};

}  // namespace halation::cuda_backend
