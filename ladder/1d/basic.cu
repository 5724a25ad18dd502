// basic.cu: one thread an output; signal and filter are read from global memory.
//
// Idea      Every output is independent of the others, so give each a thread of its own and let it run the
//           loop of the CPU.
// Map       Block 256. Thread t of block b computes out[256·b + t].
//
//             signal, radius 2     . . a b c d e f g h i . .     . is a ghost cell: no memory is read,
//             thread of c              └── C ──┘                   it counts as `outside`
//             thread of d                └── D ──┘               neighbours in a warp read neighbours
//             thread of i                          └── I ──┘       in memory: whole cache lines
//
// Traffic   An output costs 2·K operations, K = 2r + 1, and asks for 4·K bytes of signal and 4·K of filter:
//           0.25 operations a byte. Neighbours ask for nearly the same bytes, so the caches answer most; the
//           memory sees about 8 bytes an output.
// Limits    Radius up to 65,536; a larger one would only take its time. Any width: positions are 64-bit, and
//           2³¹ blocks of 256 are more than any memory holds. Radii 1 to 8 are unrolled; others loop at run
//           time.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., chapter 7 (the 1D kernel
//           is in the editions before); the HIP course of Peking University, lecture 9. Theirs writes beyond
//           the end unless the block divides the width.
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(signal, Filter(weights), {.border = Border::constant(outside)})

constexpr int block_size = 256;

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(const float* __restrict__ in, const float* __restrict__ weights,
                          float* __restrict__ out, std::int64_t width, int radius_asked, float outside) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const std::int64_t x = std::int64_t{blockIdx.x} * block_size + threadIdx.x;
  if (x >= width) return;

  // The taps over the signal: found once in 64 bits, so that the test at every tap takes 32.
  const int first = x < radius ? radius - static_cast<int>(x) : 0;
  const int last = width - 1 - x < radius ? radius + static_cast<int>(width - 1 - x) : 2 * radius;

  float sum = 0;
#pragma unroll
  for (int i = 0; i <= 2 * radius; ++i) {
    const bool inside = first <= i && i <= last;
    sum += weights[i] * (inside ? in[x + i - radius] : outside);
  }
  out[x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class Basic final : public GpuRun {
 public:
  explicit Basic(const Problem& problem)
      : problem_(problem),
        kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]),
        weights_(problem.weights.size()) {}

  void upload_filter(Stream stream) override {
    HALATION_CUDA_CHECK(cudaMemcpyAsync(weights_.data(), problem_.weights.data(),
                                        problem_.weights.size() * sizeof(float), cudaMemcpyHostToDevice,
                                        static_cast<cudaStream_t>(stream.handle)));
  }

  void run(const float* in, float* out, Stream stream) override {
    const auto blocks = static_cast<unsigned>((problem_.width + block_size - 1) / block_size);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel_<<<blocks, block_size, 0, queue>>>(in, weights_.data(), out, problem_.width, problem_.radius,
                                              problem_.outside);
    HALATION_CUDA_LAUNCHED("basic", queue);
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_size, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
  cuda_backend::DeviceArray<float> weights_;
};

}  // namespace

std::unique_ptr<GpuRun> basic_1d(const Problem& problem) { return std::make_unique<Basic>(problem); }

}  // namespace halation::ladder
