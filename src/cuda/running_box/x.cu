// x.cu: boxes of equal weights along x (x.cuh): which, and how.
//
//   warp → outputs     one to four times 640 pixels of a row, side by side: the more, the longer the window
//   lane → outputs     20 neighbours, whose windows share a middle of whole groups of 20 numbers
//   in bulk            as long rows (in_bulk.cuh): a bulk copy brings the inputs of a warp's next tile
//                      but one, another takes its sums away, and no warp waits for another
//   shared memory      a warp: two tiles of 640 to 2,560 + taps numbers, 640 sums, and 64 sums of groups
//   operations         20 to 27 instructions an output, whatever the window (counted, sm_90)
//   traffic            DRAM: each element once; L2: taps − 1 elements again for each tile
//   limits             f32 rows on 16-byte boundaries, of 96 pixels and more; 33 to 4,096 taps
//   instantiations     1
#include <algorithm>

#include "cuda/device/device.h"
#include "cuda/parts/equal_weights.h"
#include "cuda/running_box/running_box.h"
#include "cuda/running_box/x.cuh"

namespace halation::cuda_backend {
namespace {

// Of 640 outputs in a tile.
constexpr int least_stretches = 1;
constexpr int most_stretches = 4;
class BoxXRunner final : public Runner {
 public:
  BoxXRunner(std::shared_ptr<const Job> job, const Gpu& gpu) : job_(std::move(job)), device_(gpu.device) {
    const Taps& taps = job_->filters.front();
    const auto count = static_cast<int>(taps.size[2]);
    constants_.lead = taps.lead[2];
    constants_.parts = 1;
    constants_.last = cut_for(count, static_cast<int>(taps.lead[2] & 3));
    constants_.full = constants_.last;
    constants_.scales = job_->scale != 1 || job_->offset != 0;
    constants_.weights[0] = static_cast<float>(weight_of(taps));
    set_middle(constants_);
    // Twice the outputs that a tile has columns beside them.
    constants_.tile =
        std::clamp((2 * count + warp_pixels - 1) / warp_pixels, least_stretches, most_stretches) *
        warp_pixels;
    constants_.row_pitch = line_numbers(constants_.tile, count);
    share_multiprocessor(gpu);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "along rows, sums to and from whole groups of 20"; }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    BoxXArguments job = constants_;
    cut_into_tiles(job, in, outs[0], *job_, job.tile);
    const int blocks = std::min((job.tiles + warps_ - 1) / warps_, blocks_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    running_box_x_kernel<<<static_cast<unsigned>(blocks), dim3(32, static_cast<unsigned>(warps_)),
                         bytes_of_block(warps_), queue>>>(job);
    HALATION_CUDA_LAUNCHED("running_box_x_kernel", queue);
  }

 private:
  std::size_t bytes_of_block(int warps) const {
    const int of_warp = arrivals + warp_pixels + shared_groups + box_x_stages * constants_.row_pitch;
    return static_cast<std::size_t>(warps * of_warp) * sizeof(float);
  }

  /// Blocks of as many warps as let most warps live beside each other.
  void share_multiprocessor(const Gpu& gpu) {
    const std::size_t limit = gpu.shared_limit;
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(running_box_x_kernel),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(limit)));
    int most = 0;
    for (int warps = most_box_x_warps; warps > 0; --warps) {
      if (bytes_of_block(warps) > limit) continue;
      int together = 0;
      HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, running_box_x_kernel,
                                                                        32 * warps, bytes_of_block(warps)));
      if (together * warps <= most) continue;
      most = together * warps;
      warps_ = warps;
      blocks_ = together * gpu.multiprocessors;
    }
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  BoxXArguments constants_{};
  int warps_ = 1;
  int blocks_ = 1;  // that the device holds at a time
};

}  // namespace

const Family running_box_x{
    .name = "running box, x",
    .refuses = [](const Request& request) -> const char* {
      if (!is_box_along_x(request.job)) return "windows of 33 to 4,096 equal weights along x alone";
      if (request.job.in_pixel != Pixel::f32 || !input_is_aligned(request.rows))
        return "f32 rows on 16-byte boundaries alone";
      return request.gpu.copies_in_bulk() ? nullptr : "no copy engine for shared memory on this GPU";
    },
    .shape =
        [](const Request& request) {
          LaunchShape shape = launch_shape(request, "running box, x");
          shape.spread(1e-3 * static_cast<double>(request.job.out.elements()), request.gpu.multiprocessors);
          return shape;
        },
    .make = [](const Request& request, const std::shared_ptr<const Job>& job)
        -> std::unique_ptr<const Runner> { return std::make_unique<BoxXRunner>(job, request.gpu); }};

}  // namespace halation::cuda_backend
