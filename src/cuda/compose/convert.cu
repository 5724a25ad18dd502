// convert.cu: pixels of any type as f32, for kernels whose rows the copy engine brings.
//
//   thread → elements  four neighbours of a row, by one load where they lie in one word; of four rows, under way at once
//   block → elements   128 columns of 32 rows
//   traffic            each element once, 4 bytes written for it; of interleaved channels all for each of them, from L2
//   instantiations     4 pixels
#include "cuda/compose/convert.h"

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "core/convert.h"
#include "cuda/device/device.h"
#include "cuda/device/runtime.h"
#include "cuda/parts/divisor.h"
#include "cuda/parts/pixels.cuh"
#include "halation/error.h"

namespace halation::cuda_backend {
namespace {

constexpr int warps = 8;
constexpr int rows = 4;  // of a thread
constexpr int columns = 4;

/// Blocks of a plane side by side, neighbouring ones of all channels, and these row by row.
struct Arguments {
  const std::byte* in;
  std::byte* out;
  Strides from;
  Strides to;
  Shape n;
  Divisor across, channels, down, depth;
  bool words;  // all fours begin on a boundary of their size, side by side
};

template <class In>
struct alignas(columns * sizeof(In)) Four {
  std::conditional_t<sizeof(In) == 1, std::uint8_t, std::uint16_t> of[columns];
};

template <class In>
__device__ __forceinline__ void load_columns(const Arguments& job, const std::byte* from, int left, float (&numbers)[columns]) {
  if (job.words && left >= columns) {
    const Four<In> four = *reinterpret_cast<const Four<In>*>(from);
#pragma unroll
    for (int i = 0; i < columns; ++i) numbers[i] = load<In, float>(reinterpret_cast<const std::byte*>(&four.of[i]));
  } else {
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      if (i < left) numbers[i] = load_constant<In, float>(from + i * job.from.width);
    }
  }
}

template <class In>
__global__ void __launch_bounds__(32 * warps) convert(const __grid_constant__ Arguments job) {
  unsigned block = blockIdx.x;
  const auto next = [&](const Divisor& divisor) {
    const unsigned quotient = divisor.quotient(block);
    const unsigned rest = block - quotient * divisor.by;
    block = quotient;
    return static_cast<std::int64_t>(rest);
  };
  const std::int64_t x = (next(job.across) * 32 + threadIdx.x) * columns;
  const std::int64_t channel = next(job.channels);
  const std::int64_t y = next(job.down) * warps * rows + threadIdx.y;
  const std::int64_t z = next(job.depth);
  const std::int64_t batch = block;
  const auto left = static_cast<int>(min(job.n.width - x, static_cast<std::int64_t>(columns)));
  if (left <= 0) return;
  const auto place = [&](const Strides& strides) {
    return batch * strides.batch + channel * strides.channels + z * strides.depth + y * strides.height + x * strides.width;
  };
  const std::byte* from = job.in + place(job.from);
  std::byte* to = job.out + place(job.to);
  float numbers[rows][columns] = {};
#pragma unroll
  for (int r = 0; r < rows; ++r, from += warps * job.from.height) {
    if (y + r * warps < job.n.height) load_columns<In>(job, from, left, numbers[r]);
  }
#pragma unroll
  for (int r = 0; r < rows; ++r, to += warps * job.to.height) {
    const float(&four)[columns] = numbers[r];
    if (y + r * warps < job.n.height) *reinterpret_cast<float4*>(to) = make_float4(four[0], four[1], four[2], four[3]);
  }
}

class ConvertRunner final : public Runner {
 public:
  explicit ConvertRunner(Device device) : device_(device) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "pixels as f32"; }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    Arguments job{};
    job.in = in.data;
    job.out = out.data;
    job.from = in.strides;
    job.to = out.strides;
    job.n = in.shape;
    const auto blocks = [](std::int64_t count, std::int64_t of_block) { return (count + of_block - 1) / of_block; };
    const std::int64_t across = blocks(in.shape.width, 32 * columns);
    const std::int64_t down = blocks(in.shape.height, warps * rows);
    const double all = static_cast<double>(across) * static_cast<double>(down) *
                       static_cast<double>(in.shape.channels * in.shape.depth * in.shape.batch);
    if (all > 0x7fffffff)
      throw Error(ErrorCode::unsupported, "image " + to_string(in.shape) + " has more blocks than a launch can have");
    job.across = Divisor(across);
    job.channels = Divisor(in.shape.channels);
    job.down = Divisor(down);
    job.depth = Divisor(in.shape.depth);
    const auto element = static_cast<std::int64_t>(bytes_of(in.pixel));
    const Strides& from = in.strides;
    const auto whole = [&](std::int64_t extent, std::int64_t bytes) { return extent == 1 || bytes % (columns * element) == 0; };
    job.words = from.width == element && whole(0, reinterpret_cast<std::intptr_t>(in.data)) &&
                whole(in.shape.height, from.height) && whole(in.shape.depth, from.depth) && whole(in.shape.batch, from.batch) &&
                whole(in.shape.channels, from.channels);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel_of(in.pixel)<<<static_cast<unsigned>(all), dim3(32, warps), 0, queue>>>(job);
    HALATION_CUDA_LAUNCHED("convert", queue);
  }

 private:
  using Kernel = void (*)(Arguments);

  static Kernel kernel_of(Pixel pixel) {
    return visit_pixel(pixel, [](auto like) -> Kernel {
      if constexpr (sizeof like > 2)
        throw std::logic_error("convert: not for these pixels");
      else
        return convert<decltype(like)>;
    });
  }

  Device device_;
};

}  // namespace

std::unique_ptr<const Runner> make_convert(Device device) { return std::make_unique<ConvertRunner>(device); }

}  // namespace halation::cuda_backend
