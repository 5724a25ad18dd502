// floats.cu: jobs for the kernels of floats.cuh.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/convert.h"
#include "core/integer_weights.h"
#include "cuda/banded/banded.h"
#include "cuda/banded/floats_arguments.cuh"
#include "cuda/device/device.h"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/shared_memory.h"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

/// How a filter's taps lie in windows of columns, as a kernel has them.
struct Fit {
  std::int64_t first;  // column that is staged, from the output's
  int shift;           // from there to the first tap
  int windows;

  /// Of the columns around 16 outputs, or 8. Rows of f32 from boundaries of 32 bytes on are staged quickest; fewer windows are worth more.
  template <class Kind>
  static Fit of(const Taps& taps) {
    const auto from = [&](std::int64_t boundary) {
      const auto shift = static_cast<int>((taps.lead[2] % boundary + boundary) % boundary);
      const std::int64_t windows = divide_up(shift + taps.size[2] - 1 + Kind::window, Kind::window);
      return Fit{taps.lead[2] - shift, shift, static_cast<int>(std::clamp<std::int64_t>(windows, Kind::fewest, 1 << 10))};
    };
    const Fit as_it_is = from(1);
    if (Kind::window == InTf32::window) return as_it_is;
    const Fit aligned = from(8);
    return aligned.windows == as_it_is.windows ? aligned : as_it_is;
  }
};

/// How a kernel's blocks lie in shared memory.
template <class Kind>
struct Tile {
  int row_pitch, plane_pitch;
  std::size_t bytes;

  Tile(const Taps& taps, std::int64_t width, std::int64_t channels) {
    constexpr int unit = Kind::lift;  // numbers of 16 bytes
    const int windows = Fit::of<Kind>(taps).windows;
    plane_pitch = static_cast<int>(divide_up(width, Kind::window) * Kind::window) + Kind::window * (windows - 1);
    row_pitch = static_cast<int>((plane_pitch * channels / unit | 1) * unit);
    const std::int64_t rows = FloatsTile::rows + taps.size[1] - 1;
    const std::int64_t behind = FloatsTile::warp_columns + Kind::window * windows;  // warps read on behind narrow rows
    bytes = static_cast<std::size_t>(rows * row_pitch + (rows / 8 + 1) * Kind::lift + behind) * 16 / unit;
  }
};

constexpr std::size_t outputs_bytes = sizeof(float) * FloatsTile::rows * FloatsTile::out_pitch;

/// The most that any rows need.
template <class Kind>
std::size_t most_bytes(const Taps& taps) {
  std::size_t most = outputs_bytes;
  for (std::int64_t channels = 1; channels <= FloatsTile::across; ++channels)
    most = std::max(most, Tile<Kind>(taps, FloatsTile::across / channels * FloatsTile::warp_columns, channels).bytes);
  return most;
}

LineArguments lines_of(const Job& job, const ConstView& in, const View& out) {
  const std::int64_t channels = in.shape.channels;
  const bool side_by_side = channels <= FloatsTile::across;
  // A warp's columns are of one channel.
  const std::int64_t elements = side_by_side ? FloatsTile::across / channels * FloatsTile::warp_columns * channels : FloatsTile::elements;
  return line_arguments(in, out, job, {.groups = static_cast<int>(elements / 4), .rows = FloatsTile::rows, .fold = false, .side_by_side = side_by_side});
}

BandedFloatsKernel halves_of(int windows) { return windows == 2 ? banded_halves_of<2>() : windows == 3 ? banded_halves_of<3>() : nullptr; }

BandedFloatsKernel floats_of(int windows) {
  switch (windows) {
    case 1: return banded_floats_of<1>();
    case 2: return banded_floats_of<2>();
    case 3: return banded_floats_of<3>();
    case 4: return banded_floats_of<4>();
    case 5: return banded_floats_of<5>();
    default: return nullptr;
  }
}

/// body(row of taps, entry) by rows of taps, windows and lanes; entry(c, n) is the weight between column c and output n of the lane's window.
template <class Kind, class Body>
void for_each_lane(const Taps& taps, const std::vector<double>& weights, const Body& body) {
  const Fit fit = Fit::of<Kind>(taps);
  for (std::int64_t row = 0; row < taps.size[1]; ++row) {
    for (int window = 0; window < fit.windows; ++window) {
      for (int lane = 0; lane < 32; ++lane) {
        body(lane, [&](int c, int n) {
          const std::int64_t x = Kind::window * window + c - fit.shift - n;
          return x < 0 || x >= taps.size[2] ? 0.0 : weights[static_cast<std::size_t>(row * taps.size[2] + x)];
        });
      }
    }
  }
}

std::uint32_t bits_of(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }
std::uint32_t bits_of(f16 low, f16 high) {
  return std::bit_cast<std::uint16_t>(low) | static_cast<std::uint32_t>(std::bit_cast<std::uint16_t>(high)) << 16;
}

/// Of the entries (c, n) of a window a lane has c = lane mod 4 and 4 more, n = lane / 4.
std::vector<uint2> tf32_matrices(const Taps& taps, const std::vector<double>& weights) {
  std::vector<uint2> matrices;
  for_each_lane<InTf32>(taps, weights, [&](int lane, const auto& entry) {
    matrices.push_back({bits_of(entry(lane % 4, lane / 4)), bits_of(entry(lane % 4 + 4, lane / 4))});
  });
  return matrices;
}

/// And of two matrices c = 2 (lane mod 4), the next, and both 8 further; n = lane / 4 stands for two neighbours of every four columns.
std::vector<uint2> half_matrices(const Taps& taps, const std::vector<double>& weights) {
  std::vector<uint2> matrices;
  for_each_lane<InHalves>(taps, weights, [&](int lane, const auto& entry) {
    for (const int matrix : {0, 1}) {
      const int n = lane / 8 * 4 + matrix * 2 + lane / 4 % 2;
      const auto two = [&](int c) { return bits_of(to_element<f16>(entry(c, n), Rounding::half_even), to_element<f16>(entry(c + 1, n), Rounding::half_even)); };
      matrices.push_back({two(lane % 4 * 2), two(lane % 4 * 2 + 8)});
    }
  });
  return matrices;
}

class BandedFloatsRunner final : public Runner {
 public:
  BandedFloatsRunner(std::shared_ptr<const Job> job, const Gpu& gpu) : job_(std::move(job)), device_(gpu.device), multiprocessors_(gpu.multiprocessors) {
    const Taps& taps = job_->filters.front();
    std::vector<double> weights;
    weights.reserve(taps.weights.size());
    for (const double weight : taps.weights) weights.push_back(as_tf32(weight));
    // In halves the largest lies in [2^14, 2^15): others lose bits below 2^-28 of it alone.
    int exponent = 0;
    (void)std::frexp(largest_magnitude(weights), &exponent);
    up_ = 15 - exponent;
    std::vector<double> scaled_up = weights;
    for (double& weight : scaled_up) weight = std::ldexp(weight, up_);
    const std::vector<float> dense(weights.begin(), weights.end());
    const std::vector<uint2> halves = half_matrices(taps, scaled_up);
    const std::vector<uint2> tf32 = tf32_matrices(taps, weights);
    dense_ = uploaded(dense, cudaStreamPerThread);
    halves_ = uploaded(halves, cudaStreamPerThread);
    tf32_ = uploaded(tf32, cudaStreamPerThread);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    bytes_ = dense.size() * sizeof dense.front() + (halves.size() + tf32.size()) * sizeof halves.front();
    by_halves_ = halves_of(Fit::of<InHalves>(taps).windows);
    by_floats_ = floats_of(Fit::of<InTf32>(taps).windows);
    allow_all_shared_memory(by_halves_, gpu.shared_limit);
    allow_all_shared_memory(by_floats_, gpu.shared_limit);
  }

  /// A byte a block.
  std::size_t workspace_bytes() const override {
    const Shape& out = job_->out;
    const std::int64_t columns = std::max<std::int64_t>(1, out.width / FloatsTile::warp_columns + 1);
    return static_cast<std::size_t>(columns * divide_up(out.height, FloatsTile::rows) * out.depth * out.batch * out.channels);
  }
  std::size_t constant_bytes() const override { return bytes_; }
  std::string explain() const override {
    return "pixels and weights of " + std::to_string(tf32_bits) + " bits by tensor cores: f16, and tf32 where that does not hold pixels";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const Taps& taps = job_->filters.front();
    BandedFloatsArguments job{};
    job.lines = lines_of(*job_, in, outs[0]);
    job.out = outs[0].data;
    job.dense = dense_.data();
    job.taps_down = static_cast<int>(taps.size[1]);
    job.taps_across = static_cast<int>(taps.size[2]);
    job.odd = reinterpret_cast<std::uint8_t*>(workspace.data());
    job.first[0] = taps.lead[0];
    job.first[1] = taps.lead[1];
    const dim3 block(32, FloatsTile::warps);

    const Fit in_halves = Fit::of<InHalves>(taps);
    const Tile<InHalves> halves(taps, job.lines.width, job.lines.channels);
    BandedFloatsArguments first = job;
    first.weights = halves_.data();
    first.first[2] = in_halves.first;
    first.row_pitch = halves.row_pitch;
    first.plane_pitch = halves.plane_pitch;
    first.lines.scale = std::ldexp(job.lines.scale, -up_);
    first.looks = in.pixel == Pixel::f32;
    const auto element = static_cast<std::int64_t>(bytes_of(in.pixel));
    first.in_units = job.lines.channels == 1 && in.strides.width == element && rows_begin_on(in, 16, false, in_halves.first * element);
    first.out_fours = job.lines.channels == 1 && job.lines.out_packed && outs[0].shape.width % 4 == 0 &&
                      (outs[0].pixel == Pixel::f32 || outs[0].pixel == Pixel::f16) &&
                      rows_begin_on(outs[0], 4 * static_cast<std::int64_t>(bytes_of(outs[0].pixel)), false);
    by_halves_<<<blocks_of(job.lines), block, first.out_fours ? halves.bytes : std::max(halves.bytes, outputs_bytes), queue>>>(first);
    HALATION_CUDA_LAUNCHED("banded floats, in halves", queue);

    const Tile<InTf32> tf32(taps, job.lines.width, job.lines.channels);
    job.weights = tf32_.data();
    job.first[2] = taps.lead[2];
    job.row_pitch = tf32.row_pitch;
    job.plane_pitch = tf32.plane_pitch;
    job.blocks = blocks_of(job.lines);
    const unsigned places = static_cast<unsigned>(2 * multiprocessors_);
    by_floats_<<<std::min(job.blocks, places), block, std::max(tf32.bytes, outputs_bytes), queue>>>(job);
    HALATION_CUDA_LAUNCHED("banded floats, odd tiles", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  int multiprocessors_;
  DeviceArray<float> dense_;
  DeviceArray<uint2> halves_, tf32_;
  int up_ = 0;  // exponent of the power of 2 that weights in halves are larger by
  std::size_t bytes_ = 0;
  BandedFloatsKernel by_halves_ = nullptr, by_floats_ = nullptr;
};

constexpr std::size_t most_beside = 64;  // bytes of shared memory that kernels have besides

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (!is_one_filter(job) || taps.form != Form::matrices || !taps.banded || !taps.banded->over_floats)
    return "one filter over floats in tf32 alone";
  if (request.gpu.code < 80) return "compute capability 8.0 and later alone";
  const bool fits = Fit::of<InHalves>(taps).windows <= InHalves::most && Fit::of<InTf32>(taps).windows <= InTf32::most &&
                    std::max(most_bytes<InHalves>(taps), most_bytes<InTf32>(taps)) + most_beside <= request.gpu.shared_limit;
  return fits ? nullptr : "fewer taps alone";
}

LaunchShape shape(const Request& request) {
  using Cut = FloatsTile;
  const Job& job = request.job;
  const Taps& taps = request.taps();
  const std::int64_t channels = channels_beside(request.rows, job.in.channels);
  const std::int64_t beside = channels <= Cut::across ? channels : 1;
  const std::int64_t pixels = Cut::across / beside * Cut::warp_columns;
  LaunchShape shape = launch_shape(request, "banded floats");
  shape.blocks = divide_up(job.out.width, pixels) * divide_up(job.out.height, Cut::rows) * job.out.batch *
                 job.out.depth * (job.out.channels / beside);
  shape.together = request.gpu.together(Cut::blocks, most_bytes<InHalves>(taps));
  const auto products = static_cast<double>((taps.size[1] + 1) * Fit::of<InHalves>(taps).windows);
  shape.outputs = 1e-3 * static_cast<double>(Cut::rows * Cut::elements);
  shape.staged = 1e-3 * static_cast<double>((Cut::rows + taps.size[1] - 1) * Cut::elements);
  shape.mads = shape.outputs * products;
  shape.chain = products;
  return shape;
}

}  // namespace

const Family banded_floats{
    .name = "banded floats",
    .refuses = refuses,
    .shape = shape,
    .make = [](const Request& request, const std::shared_ptr<const Job>& job)
        -> std::unique_ptr<const Runner> { return std::make_unique<BandedFloatsRunner>(job, request.gpu); }};

}  // namespace halation::cuda_backend
