// runner.cuh: jobs for the kernels that walk.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/job.h"
#include "cuda/device/device.h"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/strips.h"
#include "cuda/streaming/image.cuh"
#include "cuda/streaming/movers.cuh"
#include "cuda/streaming/sizes.h"
#include "cuda/streaming/volume.cuh"

namespace halation::cuda_backend {

/// Bytes of shared memory and numbers between rows of a size's blocks; `AllWarps`: over rows on 16-byte boundaries, of `In`.
template <class In, int Z, int Y, int X, bool Factored, bool AllWarps>
struct StreamingShared {
  using M = Streaming<Z, Y, X, Factored, AllWarps>;

  static constexpr int plane_pitch(int width) {
    if (!AllWarps || Y > 1 || !M::shares_rows) return width + (X + 3) / 4 * 4 + 4;
    constexpr int pixels = SharedRows<M>::pixels;
    const int pitch = (width + pixels - 1) / pixels * pixels + (X + M::shift + 11) / 4 * 4;
    return pitch % 8 == 0 ? pitch + 4 : pitch;
  }

  static constexpr std::size_t bytes(int row_pitch, bool aligned16_stores) {
    if constexpr (AllWarps && Y > 1) {
      return Planes<M, In>::bytes;
    } else {
      const int rows = (M::ahead + 1) * M::staged_rows;
      const std::size_t staged_bytes = static_cast<std::size_t>(rows * row_pitch) * sizeof(float);
      if constexpr (AllWarps) return static_cast<std::size_t>(arrivals_bytes + SharedRows<M>::bytes) + staged_bytes;
      const int sums_out = aligned16_stores ? 0 : 2 * M::out_rows * M::row_sums;
      return static_cast<std::size_t>(rows * row_pitch + sums_out) * sizeof(float);
    }
  }

  static constexpr std::size_t most_bytes() { return bytes(plane_pitch(M::row_sums), false); }
};

/// Images of up to 9 separable taps are bound by memory; the movers' kernel comes nearer to its speed. By weights, images whose rows
/// all warps cannot stage are as quick from shared tiles (docs/notebook/cuda/streaming.md).
template <int Z, int Y, bool Factored>
constexpr bool has_all_warps = !Factored || Y > 1 || Z > 9;
template <int Z, int Y, bool Factored>
constexpr bool has_movers = Z <= 17 && (Y > 1) != Factored;

template <class In, int Z, int Y, int X, bool Factored, bool AllWarps>
class StreamingRunner final : public Runner {
  using M = Streaming<Z, Y, X, Factored, AllWarps>;
  using Shared = StreamingShared<In, Z, Y, X, Factored, AllWarps>;

 public:
  StreamingRunner(std::shared_ptr<const Job> job, const Gpu& gpu)
      : job_(std::move(job)), device_(gpu.device), limit_(gpu.shared_limit), multiprocessors_(gpu.multiprocessors) {
    const Taps& taps = job_->filters.front();
    std::copy(taps.lead.begin(), taps.lead.end(), constants_.lead);
    constants_.scale = static_cast<float>(job_->scale);
    constants_.offset = static_cast<float>(job_->offset);
    if constexpr (Factored) {
      const auto& [z, y, x] = *taps.factors;
      // Images are walked along y.
      const std::vector<double>& along = Y > 1 ? z : y;
      const std::vector<double>& across = Y > 1 ? y : z;
      const auto to_f32 = [](double w) { return static_cast<float>(w); };
      std::transform(along.begin(), along.end(), constants_.weights, to_f32);
      for (std::size_t i = 0; i < static_cast<std::size_t>(X); ++i)
        constants_.weights[Z + i] = static_cast<float>(Y > 1 ? x[i] : across.front() * x[i]);
      if constexpr (Y > 1) std::transform(y.begin(), y.end(), constants_.weights + Z + X, to_f32);
    } else {
      std::transform(taps.weights.begin(), taps.weights.end(), constants_.weights,
                     [](double w) { return static_cast<float>(w); });
    }
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel()), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(limit_)));
    const std::size_t bytes = Shared::bytes(Shared::plane_pitch(M::row_sums), job_->out_pixel == Pixel::f32);
    blocks_together_ = gpu.together(M::blocks, bytes);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    const std::string units = Y == 1 ? "rows" : Factored ? "planes, summed across and down," : "planes";
    return units + " met by all " + std::to_string(Z) + " outputs they are part of at once, sums in registers";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    StreamingArguments<M::weights> job = constants_;
    std::size_t bytes = 0;
    for (const bool side_by_side : {!AllWarps, false}) {
      job.lines = line_arguments(in, out, *job_, {.groups = M::row_sums / 4, .rows = M::out_rows, .fold = false, .side_by_side = side_by_side});
      job.plane_pitch = Shared::plane_pitch(job.lines.width);
      job.row_pitch = job.plane_pitch * job.lines.channels;
      job.aligned16_stores = stores_aligned16(job.lines, out);
      bytes = Shared::bytes(job.row_pitch, job.aligned16_stores);
      if (bytes <= limit_) break;
    }
    job.out = out.data;
    cut_strips(job);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel()<<<blocks_of(job.lines), dim3(32, M::warps + M::movers), bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("streaming", queue);
  }

 private:
  static constexpr auto kernel() {
    if constexpr (!AllWarps) return streaming_movers_kernel<Z, Y, X, Factored>;
    else if constexpr (Y > 1) return streaming_volume_kernel<In, Z, Y, X, Factored>;
    else return streaming_image_kernel<Z, X, Factored>;
  }

  /// As many strips along the way as end soonest: what all blocks, as many at a time as there are places on the GPU, walk.
  void cut_strips(StreamingArguments<M::weights>& job) const {
    LineArguments& lines = job.lines;
    Divisor& along = M::volume ? lines.depth : lines.blocks_y;
    const std::int64_t extent = M::volume ? lines.out.depth : lines.out.height;
    along = Divisor(1);
    const std::int64_t others = blocks_of(lines);
    const std::int64_t places = std::int64_t{multiprocessors_} * blocks_together_;
    job.strip = static_cast<int>(strips_of(extent, others, places, Z - 1).length);
    along = Divisor((extent + job.strip - 1) / job.strip);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  std::size_t limit_;
  int multiprocessors_;
  int blocks_together_ = 1;
  StreamingArguments<M::weights> constants_{};
};

template <class In, int Z, int Y, int X, bool Factored, bool AllWarps>
constexpr StreamingKernel streaming_kernel() {
  using M = Streaming<Z, Y, X, Factored, AllWarps>;
  return {.bytes = StreamingShared<In, Z, Y, X, Factored, AllWarps>::most_bytes(),
          .warps = M::warps,
          .columns = M::row_sums,
          .rows = M::volume ? M::out_rows : 1,
          .together = M::blocks,
          .make = [](const std::shared_ptr<const Job>& job, const Gpu& gpu) -> std::unique_ptr<const Runner> {
            return std::make_unique<StreamingRunner<In, Z, Y, X, Factored, AllWarps>>(job, gpu);
          }};
}

template <class In, int Z, int Y, int X, bool Factored>
constexpr StreamingSize streaming_size() {
  StreamingSize size{.size = Y > 1 ? Space{Z, Y, X} : Space{1, Z, X},
                     .factored = Factored,
                     .pixel = PixelOf<In>::value,
                     .all_warps = {},
                     .movers = {}};
  if constexpr (has_all_warps<Z, Y, Factored>)
    size.all_warps = streaming_kernel<In, Z, Y, X, Factored, true>();
  if constexpr (has_movers<Z, Y, Factored> && std::is_same_v<In, float>)
    size.movers = streaming_kernel<In, Z, Y, X, Factored, false>();
  return size;
}

namespace streaming_lists {

template <class... In, int... Z, int... Y, int... X, bool... Factored>
std::span<const StreamingSize> sizes_of(StreamingList<StreamedTaps<In, Z, Y, X, Factored>...>) {
  static constexpr StreamingSize sizes[] = {streaming_size<In, Z, Y, X, Factored>()...};
  return sizes;
}

}  // namespace streaming_lists

template <class List>
std::span<const StreamingSize> streaming_sizes() {
  return streaming_lists::sizes_of(List{});
}

}  // namespace halation::cuda_backend
