// y_reread.cu: boxes of equal weights along y, of any pixels and rows and of any height (y_reread.cuh): how.
//
//   lane → outputs     a column of a strip, walked down a group of 16 rows a step, or of 32 where the sums of many groups of 16
//                      would leave room for few warps
//   block → outputs    1 to 4 warps side by side; interleaved channels lie side by side, too
//   shared memory      a warp: 128 bytes a group of the window
//   operations         three additions an output, two loads and a store, whatever the window; 23 instructions of f32 (counted, sm_90)
//   traffic            DRAM: each element twice, and once more the rows above each strip
//   limits             one filter, sums in f32; any pixels but f64, strides, borders and extent; 18 rows to about 58,000 on Hopper
//   instantiations     5 input pixels × 2 groups

#include <algorithm>
#include <stdexcept>

#include "core/convert.h"
#include "cuda/device/device.h"
#include "cuda/parts/equal_weights.h"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/strips.h"
#include "cuda/running_box/running_box.h"
#include "cuda/running_box/y_reread.cuh"

namespace halation::cuda_backend {
namespace {

/// Warps of a multiprocessor that should do. By count, not measured: each has 32 loads under way and waits for memory once a step,
/// and where pixels are smaller than f32, memory has time for twice the steps. More would cut shorter strips, which begin with more
/// rows that are read for no output.
int enough_warps(Pixel pixel) { return pixel == Pixel::f32 ? 8 : 16; }

using Kernel = void (*)(RereadArguments);

/// A kernel, and how its blocks live beside each other on a multiprocessor.
struct Size {
  Kernel kernel = nullptr;
  int group = 0;
  int warps = 0;  // of a block
  std::size_t bytes = 0;
  int blocks = 0;

  int all_warps() const { return warps * blocks; }
};

int groups_of(int taps, int group) { return (taps - 1) / group - 1; }

/// Bytes of shared memory of a block.
std::size_t bytes_for(int taps, int group, int warps) {
  return static_cast<std::size_t>(groups_of(taps, group)) * static_cast<std::size_t>(warps) * 32 * sizeof(float);
}

template <int Group>
Kernel kernel_of(Pixel pixel) {
  return visit_pixel(pixel, [](auto like) -> Kernel {
    if constexpr (sizeof like == 8)
      throw std::logic_error("running box, y reread: not for these pixels");
    else
      return running_box_y_reread_kernel<decltype(like), Group>;
  });
}

/// Blocks of as many warps as let enough warps live beside each other.
template <int Group>
Size size_of(Pixel pixel, int taps, std::size_t shared_limit) {
  const int enough = enough_warps(pixel);
  const Kernel kernel = kernel_of<Group>(pixel);
  HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared_limit)));
  Size best;
  for (int warps = most_reread_warps; warps > 0; warps /= 2) {
    Size size{.kernel = kernel, .group = Group, .warps = warps};
    size.bytes = bytes_for(taps, Group, warps);
    if (size.bytes > shared_limit) continue;
    HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&size.blocks, kernel, 32 * warps, size.bytes));
    if (std::min(size.all_warps(), enough) > std::min(best.all_warps(), enough)) best = size;
  }
  return best;
}

class RereadRunner final : public Runner {
 public:
  RereadRunner(std::shared_ptr<const Job> job, const Gpu& gpu, const Size& size)
      : job_(std::move(job)), device_(gpu.device), size_(size), multiprocessors_(gpu.multiprocessors) {
    const Taps& taps = job_->filters.front();
    taps_ = static_cast<int>(taps.size[1]);
    constants_.lead = taps.lead[1];
    constants_.groups = groups_of(taps_, size.group);
    constants_.rest = (taps_ - 1) % size.group;
    constants_.weight = static_cast<float>(weight_of(taps));
    constants_.scale = static_cast<float>(job_->scale);
    constants_.offset = static_cast<float>(job_->offset);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "along columns, sums of whole groups of " + std::to_string(size_.group) + ", rows that leave read again";
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    RereadArguments job = constants_;
    const int groups = 32 * size_.warps / 4;
    job.lines = line_arguments(in, out, *job_,
                         {.groups = groups, .rows = size_.group, .fold = false, .side_by_side = in.shape.channels <= groups});
    job.out = out.data;
    job.lines.blocks_y = Divisor(1);
    // A row that enters before the first output is read, and no more; others are read, read again and written. One step waits for
    // those that leave first.
    const std::int64_t more = (taps_ - 1) / 3 + size_.group;
    const int blocks = std::max(1, std::min(size_.blocks, enough_warps(in.pixel) / size_.warps));
    job.strip = static_cast<int>(
        strips_of(out.shape.height, blocks_of(job.lines), std::int64_t{multiprocessors_} * blocks, more, size_.group).length);
    job.lines.blocks_y = Divisor((out.shape.height + job.strip - 1) / job.strip);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    size_.kernel<<<blocks_of(job.lines), dim3(32, static_cast<unsigned>(size_.warps)), size_.bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("running box, y reread", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  Size size_;
  int multiprocessors_;
  RereadArguments constants_{};
  int taps_ = 0;
};

std::unique_ptr<const Runner> make(const Request& request, const std::shared_ptr<const Job>& job) {
  const auto taps = static_cast<int>(job->filters.front().size[1]);
  const std::size_t limit = request.gpu.shared_limit;
  Size size = size_of<16>(job->in_pixel, taps, limit);
  if (size.all_warps() < enough_warps(job->in_pixel)) {
    const Size larger = size_of<32>(job->in_pixel, taps, limit);
    if (larger.all_warps() > size.all_warps()) size = larger;
  }
  return std::make_unique<RereadRunner>(job, request.gpu, size);
}

}  // namespace

const Family running_box_y_reread{
    .name = "running box, y reread",
    .refuses = [](const Request& request) -> const char* {
      constexpr std::int64_t least_taps = 33;  // of two groups of rows
      if (!is_box_along_y(request.job) || request.taps().size[1] < least_taps)
        return "windows of 33 to 65,536 equal weights along y only";
      const bool fits = bytes_for(static_cast<int>(request.taps().size[1]), 32, 1) <= request.gpu.shared_limit;
      return fits ? nullptr : "no room for so many rows in shared memory";
    },
    .shape =
        [](const Request& request) {
          LaunchShape shape = launch_shape(request, "running box, y reread");
          shape.steps = static_cast<double>(
              request.taps().size[1]);  // of each strip, which begins with a filter's rows
          shape.spread(1e-3 * static_cast<double>(request.job.out.elements()), request.gpu.multiprocessors);
          return shape;
        },
    .make = make};

}  // namespace halation::cuda_backend
