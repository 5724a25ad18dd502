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
#include <cmath>
#include <limits>

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
  Kernel kernel;
};

template <int Width>
constexpr Size size_of() {
  return {Width, BoxBlock<Width>::pitch, BoxBlock<Width>::threads, running_box_y_kernel<Width>};
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

/// How a job is cut, by what it should take. Where little fits shared memory, what a step takes however little it does counts; else
/// instructions or bytes do. Instructions are counted, and warps are taken to fill places for them as 12 a multiprocessor did in an
/// earlier kernel (docs/notebook/cuda/running_box.md; 36%), the more the better.
struct Choice {
  const Size* size = nullptr;
  int buffers = 0;
  int blocks = 0;  // that share a multiprocessor
  std::size_t bytes = 0;
  double seconds = 0;
};

Choice choose(const Job& job, const Gpu& gpu, const BoxSpan& box) {
  constexpr double clock = 1.8e9;
  constexpr double step_cycles = 700;
  constexpr double bytes_a_cycle = 17;  // of a multiprocessor, to and from DRAM
  constexpr double column = 23;         // instructions of all threads for a number, weighed and summed,
  constexpr double brought = 900;       // and for a row, by lanes of the warp that brings it
  Choice best;
  for (const Size& size : sizes) {
    const auto kernel = reinterpret_cast<const void*>(size.kernel);
    HALATION_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(gpu.shared_limit)));
    for (const int buffers : {most_buffers, least_buffers}) {
      BoxArguments shape{};
      shape.box = box;
      shape.buffers = buffers;
      Choice choice{.size = &size, .buffers = buffers, .bytes = shape_block(shape, size)};
      if (choice.bytes > gpu.shared_limit) continue;
      HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&choice.blocks, kernel, size.threads, choice.bytes));
      if (choice.blocks == 0) continue;
      const std::int64_t others =
          (job.out.width + size.width - 1) / size.width * job.out.depth * job.out.batch * job.out.channels;
      const std::int64_t all_places = std::int64_t{gpu.multiprocessors} * choice.blocks;
      const auto [length, walked] = cut_strips(job.out.height, others, all_places, box.taps);
      const std::int64_t strips = (job.out.height + length - 1) / length;
      const double busy = std::min(1.0, static_cast<double>(others * strips) / static_cast<double>(all_places));
      const double rows = box_group * choice.blocks * busy;  // of all blocks of a multiprocessor, a step
      const double filled = std::min(0.65, choice.blocks * busy * size.threads / 32 / 33);
      const double summed = rows * (size.width * column + brought) / (128 * filled);
      const double moved = rows * 4 * 2 * size.width / bytes_a_cycle;
      choice.seconds = static_cast<double>(walked) / box_group * std::max({step_cycles, summed, moved}) / clock;
      if (best.size == nullptr || choice.seconds < best.seconds) best = choice;
    }
  }
  return best;
}

class BoxRunner final : public Runner {
 public:
  BoxRunner(std::shared_ptr<const Job> job, const Gpu& gpu, const Choice& choice)
      : job_(std::move(job)), device_(gpu.device), multiprocessors_(gpu.multiprocessors), choice_(choice) {
    const Taps& taps = job_->filters.front();
    constants_.lead = taps.lead[1];
    constants_.box = BoxSpan(static_cast<int>(taps.size[1]));
    constants_.weight = static_cast<float>(weight_of(taps));
    constants_.scale = static_cast<float>(job_->scale);
    constants_.offset = static_cast<float>(job_->offset);
    constants_.buffers = choice.buffers;
    shape_block(constants_, *choice.size);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "sums to and from whole eights, in strips of " + std::to_string(choice_.size->width) + " columns";
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    BoxArguments job = constants_;
    job.lines = line_arguments(in, out, *job_, {.groups = choice_.size->width / 4, .rows = box_group, .fold = false, .side_by_side = false});
    job.out = out.data;
    job.lines.blocks_y = Divisor(1);
    const std::int64_t all_places = std::int64_t{multiprocessors_} * choice_.blocks;
    job.strip = static_cast<int>(cut_strips(out.shape.height, blocks_of(job.lines), all_places, job.box.taps).length);
    job.lines.blocks_y = Divisor((out.shape.height + job.strip - 1) / job.strip);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    choice_.size->kernel<<<blocks_of(job.lines), dim3(32, static_cast<unsigned>(choice_.size->threads / 32)), choice_.bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("running box, y", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  int multiprocessors_;
  Choice choice_;
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
      BoxArguments least{};
      least.box = BoxSpan(static_cast<int>(request.taps().size[1]));
      least.buffers = least_buffers;
      return shape_block(least, sizes.back()) > request.gpu.shared_limit ? "no room for so many rows in shared memory" : nullptr;
    },
    .shape =
        [](const Request& request) {
          // Above this height reading rows again takes less than what a ring leaves room for (instruction count, untuned).
          constexpr std::int64_t least_reread = 225;
          LaunchShape shape = launch_shape(request, "running box, y by a ring");
          const double times = request.taps().size[1] < least_reread ? 1 : 2;
          shape.spread(1e-3 * times * static_cast<double>(request.job.out.elements()),
                       request.gpu.multiprocessors);
          return shape;
        },
    .make = [](const Request& request,
               const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
      const Choice choice = choose(*job, request.gpu, BoxSpan(static_cast<int>(request.taps().size[1])));
      return std::make_unique<BoxRunner>(job, request.gpu, choice);
    }};

}  // namespace halation::cuda_backend
