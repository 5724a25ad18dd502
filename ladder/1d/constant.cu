// constant.cu: as basic, with the filter in constant memory.
//
// Idea      All threads read the same weight at the same time and nobody writes it: that is what constant
//           memory is for. One read serves a whole warp, and an instruction takes the weight as an operand,
//           without a load.
// Map       Block 256. Thread t of block b computes out[256·b + t].
//
//             blocks of 8          |     edge      |    inside     | … |     edge      |
//             signal           . . a b c d e f g h i j k l m n o p   …   q r s t u v w x . .
//             radius 2         └── A ──┘       └── I ──┘
//
//             Block-uniform: an `inside` block has its windows within the signal and needs no test at its
//             taps; of a long signal, all blocks but a few are inside.
//
// Traffic   2·K operations and 4·K bytes an output, K = 2r + 1: 0.5 operations a byte, twice as many as
//           `basic`. The caches turn the 4·K into about 8 bytes that the memory sees.
// Limits    Radius up to 8,191: 16,383 weights are 65,532 of 65,536 bytes. Any width. The symbol is one for
//           the process: let runs of this rung follow each other, each after its `upload_filter`. Radii 1 to
//           8 are unrolled.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.3; the HIP
//           course of Peking University, lecture 9.
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(signal, Filter(weights), {.border = Border::constant(outside)})

__constant__ float filter[2 * most_radius::constant_1d + 1];

constexpr int block_size = 256;

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(const float* __restrict__ in, float* __restrict__ out, std::int64_t width,
                          int radius_asked, float outside) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const std::int64_t block_x = std::int64_t{blockIdx.x} * block_size;
  const std::int64_t x = block_x + threadIdx.x;
  if (x >= width) return;

  float sum = 0;
  const bool inside_block = block_x >= radius && block_x + block_size + radius <= width;
  if (inside_block) {
    const float* window = in + (x - radius);
#pragma unroll
    for (int i = 0; i <= 2 * radius; ++i) sum += filter[i] * window[i];
  } else {
    for (int i = 0; i <= 2 * radius; ++i) {
      const std::int64_t in_x = x + i - radius;
      const bool inside = 0 <= in_x && in_x < width;
      sum += filter[i] * (inside ? in[in_x] : outside);
    }
  }
  out[x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class Constant final : public GpuRun {
 public:
  explicit Constant(const Problem& problem)
      : problem_(problem), kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]) {}

  void upload_filter(Stream stream) override {
    HALATION_CUDA_CHECK(
        cudaMemcpyToSymbolAsync(filter, problem_.weights.data(), problem_.weights.size() * sizeof(float), 0,
                                cudaMemcpyHostToDevice, static_cast<cudaStream_t>(stream.handle)));
  }

  void run(const float* in, float* out, Stream stream) override {
    const auto blocks = static_cast<unsigned>((problem_.width + block_size - 1) / block_size);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel_<<<blocks, block_size, 0, queue>>>(in, out, problem_.width, problem_.radius, problem_.outside);
    HALATION_CUDA_LAUNCHED("constant", queue);
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_size, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
};

}  // namespace

std::unique_ptr<GpuRun> constant_1d(const Problem& problem) { return std::make_unique<Constant>(problem); }

}  // namespace halation::ladder
