// march_runner.cuh: jobs for the kernels that walk.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/job.h"
#include "cuda/device.h"
#include "cuda/lines_of.h"
#include "cuda/march.cuh"
#include "cuda/march.h"
#include "cuda/march_image.cuh"
#include "cuda/march_sizes.h"
#include "cuda/march_volume.cuh"
#include "cuda/strips.h"

namespace halation::cuda_backend {

template <int Z, int Y, int X, bool Factored>
class MarchRunner final : public Runner {
  template <bool Whole>
  using M = March<Z, Y, X, Factored, Whole>;

 public:
  /// Whether there is a kernel with warps that move data.
  static constexpr bool moves = Z <= 17 && (Y > 1 ? !Factored : Factored || Z > 7);

  /// Whether rows may be such as the kernels for whole rows take.
  static bool whole_possible(const Job& job) {
    // Memory binds images up to 9 separable taps; the movers' kernel comes nearer to its speed.
    return (!Factored || Y > 1 || Z > 9) && march_whole(job, job.filters.front()) &&
           compiled_for(kernel_of<true>()) >= (Y > 1 ? 80 : 90);
  }
  static bool possible(const Job& job) { return moves || whole_possible(job); }

  MarchRunner(std::shared_ptr<const Job> job, Device device, std::unique_ptr<const Runner> otherwise)
      : job_(std::move(job)), device_(device), otherwise_(std::move(otherwise)), limit_(shared_memory_limit(device)) {
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
    multiprocessors_ = multiprocessors_of(device);
    if constexpr (moves) prepare<false>();
    whole_ = whole_possible(*job_);
    if (whole_) prepare<true>();
  }

  std::size_t workspace_bytes() const override { return otherwise_ ? otherwise_->workspace_bytes() : 0; }
  std::string explain() const override {
    const std::string units = Y == 1 ? "rows" : Factored ? "planes, summed across and down," : "planes";
    return units + " met by all " + std::to_string(Z) + " outputs they are part of at once, sums in registers";
  }

  void run(ConstView in, std::span<const View> outs, [[maybe_unused]] std::span<std::byte> workspace,
           Stream stream) const override {
    const UseDevice use(device_);
    if (whole_ && launch<true>(in, outs[0], stream)) return;
    if constexpr (moves) launch<false>(in, outs[0], stream);
    else otherwise_->run(in, outs, workspace, stream);
  }

 private:
  template <bool Whole>
  static auto kernel_of() {
    if constexpr (!Whole) return march<Z, Y, X, Factored>;
    else if constexpr (Y > 1) return march_volume<Z, Y, X, Factored>;
    else return march_image<Z, X, Factored>;
  }

  template <bool Whole>
  void prepare() {
    const auto kernel = kernel_of<Whole>();
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(
        reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(limit_)));
    const std::size_t bytes = shared_bytes<Whole>(plane_pitch<Whole>(M<Whole>::row_sums), job_->out_pixel == Pixel::f32);
    HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_together_[Whole], kernel, M<Whole>::threads, bytes));
  }

  /// False where rows or groups are not whole.
  template <bool Whole>
  bool launch(const ConstView& in, const View& out, Stream stream) const {
    using March = M<Whole>;
    MarchArguments<March::weights> job = constants_;
    std::size_t bytes = 0;
    for (const bool side_by_side : {!Whole, false}) {
      job.lines = lines_of(
          in, out, *job_,
          {.groups = March::row_sums / 4, .rows = March::out_rows, .fold = false, .side_by_side = side_by_side});
      job.plane_pitch = plane_pitch<Whole>(job.lines.width);
      job.row_pitch = job.plane_pitch * job.lines.channels;
      job.whole_stores = stores_whole(job.lines, out);
      bytes = shared_bytes<Whole>(job.row_pitch, job.whole_stores);
      if (bytes <= limit_) break;
    }
    if (Whole && !(job.whole_stores && loads_whole(job.lines, in))) return false;
    constexpr std::int64_t most_planes = 1 << 29;
    const std::int64_t plane_bytes = in.strides.height * in.shape.height;
    if (Whole && Y > 1 && (in.strides.height < 0 || plane_bytes > 0x7fffffff || in.shape.depth > most_planes)) return false;
    job.out = out.data;
    cut_strips(job, March::volume, blocks_together_[Whole]);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel_of<Whole>()<<<blocks_of(job.lines), dim3(32, March::warps + March::movers), bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("march", queue);
    return true;
  }

  template <bool Whole>
  static int plane_pitch(int width) {
    if (!Whole || Y > 1 || !M<true>::shares_rows) return width + (X + 3) / 4 * 4 + 4;
    constexpr int pixels = SharedRows<M<true>>::pixels;
    const int pitch = (width + pixels - 1) / pixels * pixels + (X + M<true>::shift + 11) / 4 * 4;
    return pitch % 8 == 0 ? pitch + 4 : pitch;
  }

  template <bool Whole>
  static std::size_t shared_bytes(int row_pitch, bool whole_stores) {
    using March = M<Whole>;
    const int rows = (March::ahead + 1) * March::staged_rows;
    if (Whole && Y > 1) return Planes<March>::bytes;
    const std::size_t staged_bytes = static_cast<std::size_t>(rows * row_pitch) * sizeof(float);
    if (Whole) return static_cast<std::size_t>(arrivals_bytes + SharedRows<March>::bytes) + staged_bytes;
    const int sums_out = whole_stores ? 0 : 2 * March::out_rows * March::row_sums;
    return static_cast<std::size_t>(rows * row_pitch + sums_out) * sizeof(float);
  }

  /// As many strips along the way as end soonest: what all blocks, as many at a time as there are places on
  /// the GPU, walk.
  void cut_strips(MarchArguments<M<false>::weights>& job, bool volume, int blocks_together) const {
    Lines& lines = job.lines;
    Divisor& along = volume ? lines.depth : lines.blocks_y;
    const std::int64_t extent = volume ? lines.out.depth : lines.out.height;
    along = Divisor(1);
    const std::int64_t others = blocks_of(lines);
    const std::int64_t places = std::int64_t{multiprocessors_} * blocks_together;
    job.strip = static_cast<int>(strips_of(extent, others, places, Z - 1).length);
    along = Divisor((extent + job.strip - 1) / job.strip);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  std::unique_ptr<const Runner> otherwise_;  // for rows that no kernel of this size takes
  std::size_t limit_;
  MarchArguments<M<false>::weights> constants_{};
  int multiprocessors_ = 1;
  bool whole_ = false;
  int blocks_together_[2] = {1, 1};  // without and with whole rows
};

template <int Z, int Y, int X, bool Factored>
constexpr MarchSize march_size() {
  using This = MarchRunner<Z, Y, X, Factored>;
  return {Y > 1 ? Space{Z, Y, X} : Space{1, Z, X}, Factored,
          [](std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise) -> std::unique_ptr<const Runner> {
            if (!This::possible(*job)) return nullptr;
            return std::make_unique<This>(std::move(job), device, This::moves ? nullptr : otherwise());
          }};
}

}  // namespace halation::cuda_backend
