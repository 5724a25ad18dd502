// constant.cu: as naive, with the filter in constant memory.
//
// Idea      All threads read the same weight at the same time and nobody writes it: that is what constant
//           memory is for. One read serves a whole warp, and an instruction takes the weight as an operand,
//           without a load of its own.
// Map       Block 32 × 8. Thread (tx, ty) of block (bx, by) computes out[8·by + ty][32·bx + tx]: a warp is
//           32 neighbours of a row, so that each of its reads is one run of 128 bytes.
//
//             image: blocks                       window of one thread, radius 1
//           +------+------+------+
//           | edge | edge | edge |                . . .        block-uniform: an `inside` block has its
//           windows
//           +------+------+------+                . O .        within the image and needs no test; it is
//           nearly | edge |inside| edge |                . . .        every block of a large image
//           +------+------+------+
//           | edge | edge | edge |
//           +------+------+------+
//
// Traffic   2·K² operations and 4·K² bytes an output, K = 2r + 1: 0.5 operations a byte, twice as many as
//           `naive`. The caches turn the 4·K² into about 8 bytes that the memory sees.
// Limits    Radius up to 63: 127² weights are 64,516 of 65,536 bytes. The symbol is one for the process:
//           let runs of this rung follow each other, each after its `upload_filter`. Radii 1 to 8 are
//           unrolled.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.3; the HIP
//           course of Peking University, lecture 9; xFilters by T. Gautam, chapter 2.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(image, Filter::dense({1, K, K}, weights), {.border = Border::constant(outside)})

constexpr int most_side = 2 * most_radius::constant_2d + 1;
__constant__ float filter[most_side * most_side];

constexpr int block_width = 32;
constexpr int block_height = 8;
constexpr int most_blocks_y = 65'535;  // of a grid; taller images take several launches

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(const float* __restrict__ in, float* __restrict__ out, int width, int height,
                          int radius_asked, float outside, int first_row) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int filter_side = 2 * radius + 1;
  const int block_x = static_cast<int>(blockIdx.x) * block_width;
  const int block_y = first_row + static_cast<int>(blockIdx.y) * block_height;
  const int x = block_x + static_cast<int>(threadIdx.x);
  const int y = block_y + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;

  float sum = 0;
  const bool inside_block = block_x >= radius && block_x + block_width + radius <= width &&
                            block_y >= radius && block_y + block_height + radius <= height;
  if (inside_block) {
    const float* row = in + static_cast<std::int64_t>(y - radius) * width + (x - radius);
#pragma unroll
    for (int j = 0; j < filter_side; ++j, row += width) {
#pragma unroll
      for (int i = 0; i < filter_side; ++i) sum += filter[j * filter_side + i] * row[i];
    }
  } else {
    for (int j = 0; j < filter_side; ++j) {
      for (int i = 0; i < filter_side; ++i) {
        const int in_x = x + i - radius;
        const int in_y = y + j - radius;
        // As unsigned numbers, negative ones are larger than any size: two tests do the work of four.
        const bool inside = static_cast<unsigned>(in_x) < static_cast<unsigned>(width) &&
                            static_cast<unsigned>(in_y) < static_cast<unsigned>(height);
        sum += filter[j * filter_side + i] *
               (inside ? in[static_cast<std::int64_t>(in_y) * width + in_x] : outside);
      }
    }
  }
  out[static_cast<std::int64_t>(y) * width + x] = sum;
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
    const int width = static_cast<int>(problem_.width), height = static_cast<int>(problem_.height);
    const dim3 block(block_width, block_height);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int first_row = 0; first_row < height; first_row += most_blocks_y * block_height) {
      const int blocks_y = std::min((height - first_row + block_height - 1) / block_height, most_blocks_y);
      const dim3 grid((width + block_width - 1) / block_width, blocks_y);
      kernel_<<<grid, block, 0, queue>>>(in, out, width, height, problem_.radius, problem_.outside,
                                         first_row);
      HALATION_CUDA_LAUNCHED("constant", queue);
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_width * block_height, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
};

}  // namespace

std::unique_ptr<GpuRun> constant_2d(const Problem& problem) { return std::make_unique<Constant>(problem); }

}  // namespace halation::ladder
