// naive.cu: one thread an output; image and filter are read from global memory.
//
// Idea      Every output is independent of the others, so give each a thread of its own and let it run the
//           loops of the CPU.
// Map       Block 16 × 16. Thread (tx, ty) of block (bx, by) computes out[16·by + ty][16·bx + tx].
//
//             image                     what one thread reads, radius 2
//           +-----------------+
//           |     . . . . .   |         . . . . .     every read is tested: a ghost cell (outside the
//           |     . . . . .   |         . . . . .     image) counts as `outside`
//           |     . . O . .   |         . . O . .
//           |     . . . . .   |         . . . . .
//           |     . . . . .   |         . . . . .
//           +-----------------+
//
// Traffic   An output costs 2·K² operations, K = 2r + 1, and asks for 4·K² bytes of image and 4·K² of
//           filter: 0.25 operations a byte. Neighbours ask for nearly the same bytes, so the caches answer
//           most; the memory sees about 8 bytes an output.
// Limits    Radius up to 256. Radii 1 to 8 are compiled with unrolled loops; others loop at run time.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.2; slides on
//           convolution by A. Abramov, 2011; xFilters by T. Gautam. Unlike theirs, any size will do.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(image, Filter::dense({1, K, K}, weights), {.border = Border::constant(outside)})

constexpr int block_side = 16;
constexpr int most_blocks_y = 65'535;  // of a grid; taller images take several launches

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(const float* __restrict__ in, const float* __restrict__ weights,
                          float* __restrict__ out, int width, int height, int radius_asked, float outside,
                          int first_row) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int filter_side = 2 * radius + 1;
  const int x = static_cast<int>(blockIdx.x * block_side + threadIdx.x);
  const int y = first_row + static_cast<int>(blockIdx.y * block_side + threadIdx.y);
  if (x >= width || y >= height) return;

  float sum = 0;
#pragma unroll
  for (int j = 0; j < filter_side; ++j) {
#pragma unroll
    for (int i = 0; i < filter_side; ++i) {
      const int in_x = x + i - radius;
      const int in_y = y + j - radius;
      // As unsigned numbers, negative ones are larger than any size: two tests do the work of four.
      const bool inside = static_cast<unsigned>(in_x) < static_cast<unsigned>(width) &&
                          static_cast<unsigned>(in_y) < static_cast<unsigned>(height);
      const float value = inside ? in[static_cast<std::int64_t>(in_y) * width + in_x] : outside;
      sum += weights[j * filter_side + i] * value;
    }
  }
  out[static_cast<std::int64_t>(y) * width + x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class Naive final : public GpuRun {
 public:
  explicit Naive(const Problem& problem)
      : problem_(problem),
        kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]),
        weights_(problem.weights.size()) {}

  void upload_filter(Stream stream) override {
    HALATION_CUDA_CHECK(cudaMemcpyAsync(weights_.data(), problem_.weights.data(),
                                        problem_.weights.size() * sizeof(float), cudaMemcpyHostToDevice,
                                        static_cast<cudaStream_t>(stream.handle)));
  }

  void run(const float* in, float* out, Stream stream) override {
    const int width = static_cast<int>(problem_.width), height = static_cast<int>(problem_.height);
    const dim3 block(block_side, block_side);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int first_row = 0; first_row < height; first_row += most_blocks_y * block_side) {
      const int blocks_y = std::min((height - first_row + block_side - 1) / block_side, most_blocks_y);
      const dim3 grid((width + block_side - 1) / block_side, blocks_y);
      kernel_<<<grid, block, 0, queue>>>(in, weights_.data(), out, width, height, problem_.radius,
                                         problem_.outside, first_row);
      HALATION_CUDA_LAUNCHED("naive", queue);
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_side * block_side, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
  cuda_backend::DeviceArray<float> weights_;
};

}  // namespace

std::unique_ptr<GpuRun> naive_2d(const Problem& problem) { return std::make_unique<Naive>(problem); }

}  // namespace halation::ladder
