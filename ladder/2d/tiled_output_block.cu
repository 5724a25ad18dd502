// tiled_output_block.cu: a tile in shared memory; the block is as large as the tile it writes.
//
// Idea      As tiled_input_block, but with a thread for each output, so that none idles while computing.
//           The tile to read is then larger than the block, and each thread reads several of its elements.
// Map       Block 16 × 16. Thread (tx, ty) of block (bx, by) reads the elements (tx + 16·m, ty + 16·n) of
//           the tile, as far as it goes, and computes out[16·by + ty][16·bx + tx].
//
//              r      16     r                  radius 8: the tile is 32 × 32, and the four
//           +----+--------+----+                reads of a thread are
//           |    :        :    |  r
//           |....+--------+....|                  +---------+---------+
//           |    | output |    |  16              |  first  | second  |
//           |....+--------+....|                  +---------+---------+     16 × 16 each
//           |    :        :    |  r               |  third  | fourth  |
//           +----+--------+----+                  +---------+---------+
//
// Traffic   2·K² operations an output, K = 2r + 1; (16 + 2r)² · 4 bytes read for 256 outputs: 1.3 reads an
//           output at radius 1, 4 at radius 8. Each tap is one read of shared memory, at 128 bytes a clock.
// Shared    (16 + 2r) · 48 · 4 bytes. A warp is two rows of 16: a pitch of 48 puts them into different
//           halves of the 32 banks, where the tile's own width of 32 at radius 8 would put both into the
//           same.
// Limits    Radius up to 16. The filter is a kernel parameter: it lies in constant memory as in `constant`,
//           and comes with each launch. Radii 1 to 8 are unrolled.
// Source    Slides on convolution by A. Abramov, 2011 ("avoid idle threads": 16 × 16 active pixels, apron
//           8, four loads a thread); Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th
//           ed., section 7.4.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(image, Filter::dense({1, K, K}, weights), {.border = Border::constant(outside)})

constexpr int most_side = 2 * most_radius::tiled_2d + 1;
struct Filter {
  float weights[most_side * most_side];
};

constexpr int block_side = 16;
constexpr int pitch = 48;
constexpr int most_blocks_y = 65'535;  // of a grid; taller images take several launches
static_assert(block_side + 2 * most_radius::tiled_2d <= pitch && pitch % 32 == 16);

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void __launch_bounds__(block_side* block_side)
    correlate(const float* __restrict__ in, float* __restrict__ out, int width, int height, int radius_asked,
              float outside, int first_row, const Filter filter) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int filter_side = 2 * radius + 1;
  const int tile_side = block_side + 2 * radius;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int block_x = static_cast<int>(blockIdx.x) * block_side;
  const int block_y = first_row + static_cast<int>(blockIdx.y) * block_side;
  __shared__ float tile[block_side + 2 * (CompiledRadius > 0 ? CompiledRadius : most_radius::tiled_2d)]
                       [pitch];

  const int steps = (tile_side + block_side - 1) / block_side;
#pragma unroll
  for (int n = 0; n < steps; ++n) {
#pragma unroll
    for (int m = 0; m < steps; ++m) {
      const int row = ty + n * block_side;
      const int column = tx + m * block_side;
      if (row >= tile_side || column >= tile_side) continue;
      const int y = block_y - radius + row;
      const int x = block_x - radius + column;
      // As unsigned numbers, negative ones are larger than any size: two tests do the work of four.
      const bool inside = static_cast<unsigned>(x) < static_cast<unsigned>(width) &&
                          static_cast<unsigned>(y) < static_cast<unsigned>(height);
      tile[row][column] = inside ? in[static_cast<std::int64_t>(y) * width + x] : outside;
    }
  }
  __syncthreads();

  if (block_x + tx >= width || block_y + ty >= height) return;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < filter_side; ++j) {
#pragma unroll
    for (int i = 0; i < filter_side; ++i) sum += filter.weights[j * filter_side + i] * tile[ty + j][tx + i];
  }
  out[static_cast<std::int64_t>(block_y + ty) * width + (block_x + tx)] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class TiledOutputBlock final : public GpuRun {
 public:
  explicit TiledOutputBlock(const Problem& problem)
      : problem_(problem), kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]) {
    std::copy(problem.weights.begin(), problem.weights.end(), filter_.weights);
  }

  void upload_filter(Stream) override {}  // it travels with each launch

  void run(const float* in, float* out, Stream stream) override {
    const int width = static_cast<int>(problem_.width), height = static_cast<int>(problem_.height);
    const dim3 block(block_side, block_side);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int first_row = 0; first_row < height; first_row += most_blocks_y * block_side) {
      const int blocks_y = std::min((height - first_row + block_side - 1) / block_side, most_blocks_y);
      const dim3 grid((width + block_side - 1) / block_side, blocks_y);
      kernel_<<<grid, block, 0, queue>>>(in, out, width, height, problem_.radius, problem_.outside, first_row,
                                         filter_);
      HALATION_CUDA_LAUNCHED("tiled_output_block", queue);
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_side * block_side, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
  Filter filter_{};
};

}  // namespace

std::unique_ptr<GpuRun> tiled_output_block_2d(const Problem& problem) {
  return std::make_unique<TiledOutputBlock>(problem);
}

}  // namespace halation::ladder
