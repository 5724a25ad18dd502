// tiled_input_block.cu: a tile in shared memory; the block is as large as the tile it reads.
//
// Idea      Read each element of a tile from memory once and let all windows of the tile share it. With the
//           block laid over the input tile, reading is simple (every thread reads what lies under it), and
//           the threads over the halo have no output: they idle while the others compute.
// Map       Block 64 × 8 over a tile of 64 × 64: thread (tx, ty) has the column tx and the rows ty, ty + 8,
//           … ty + 56 of the tile, both when it reads and when it computes. The book's block has one thread
//           an element; eight elements a thread keep eight reads under way at once and let the tile be
//           larger than 1,024 threads.
//
//             r      64 − 2r     r
//           +---+-------------+---+
//           | h   h   h   h   h   |  r         h  halo: read, then idle
//           |   +-------------+   |            o  output: read and computed
//           | h |  o   o   o  | h |
//           |   |  o   o   o  |   |  64 − 2r   neighbouring blocks are 64 − 2r apart,
//           |   +-------------+   |            their halos overlap
//           | h   h   h   h   h   |  r
//           +---------------------+
//
// Traffic   2·K² operations an output, K = 2r + 1; 64² · 4 bytes read for (64 − 2r)² outputs: 10.98
//           operations a byte at K = 5. Each tap is one read of shared memory, which at 128 bytes a clock
//           becomes the limit.
// Shared    16,384 bytes.
// Limits    Radius up to 16, where a quarter of the tile is output. The filter is a kernel parameter: it
//           lies in constant memory as in `constant`, and comes with each launch. Radii 1 to 8 are
//           unrolled.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.4; the HIP
//           course of Peking University, lecture 9; xFilters by T. Gautam, chapter 2.
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

constexpr int tile_side = 64;
constexpr int block_height = 8;
constexpr int steps = tile_side / block_height;
constexpr int most_blocks_y = 65'535;  // of a grid; taller images take several launches
static_assert(tile_side > 2 * most_radius::tiled_2d);

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void __launch_bounds__(tile_side* block_height)
    correlate(const float* __restrict__ in, float* __restrict__ out, int width, int height, int radius_asked,
              float outside, int first_row, const Filter filter) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int filter_side = 2 * radius + 1;
  const int output_side = tile_side - 2 * radius;
  const int column = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * output_side - radius + column;
  const int top = first_row + static_cast<int>(blockIdx.y) * output_side - radius;
  __shared__ float tile[tile_side][tile_side];

  // As unsigned numbers, negative ones are larger than any size: one test does the work of two.
  const bool column_inside = static_cast<unsigned>(x) < static_cast<unsigned>(width);
  float read[steps];  // all reads begin before the first value is put away
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    const int y = top + first + step * block_height;
    const bool inside = column_inside && static_cast<unsigned>(y) < static_cast<unsigned>(height);
    read[step] = inside ? in[static_cast<std::int64_t>(y) * width + x] : outside;
  }
#pragma unroll
  for (int step = 0; step < steps; ++step) tile[first + step * block_height][column] = read[step];
  __syncthreads();

  if (column < radius || column >= tile_side - radius || x >= width) return;
#pragma unroll 1  // the taps are unrolled; the rows as well would outgrow the instruction cache
  for (int row = first; row < tile_side - radius && top + row < height; row += block_height) {
    if (row < radius) continue;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < filter_side; ++j) {
#pragma unroll
      for (int i = 0; i < filter_side; ++i) {
        sum += filter.weights[j * filter_side + i] * tile[row + j - radius][column + i - radius];
      }
    }
    out[static_cast<std::int64_t>(top + row) * width + x] = sum;
  }
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class TiledInputBlock final : public GpuRun {
 public:
  explicit TiledInputBlock(const Problem& problem)
      : problem_(problem), kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]) {
    std::copy(problem.weights.begin(), problem.weights.end(), filter_.weights);
  }

  void upload_filter(Stream) override {}  // it travels with each launch

  void run(const float* in, float* out, Stream stream) override {
    const int width = static_cast<int>(problem_.width), height = static_cast<int>(problem_.height);
    const int output_side = tile_side - 2 * problem_.radius;
    const dim3 block(tile_side, block_height);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int first_row = 0; first_row < height; first_row += most_blocks_y * output_side) {
      const int blocks_y = std::min((height - first_row + output_side - 1) / output_side, most_blocks_y);
      const dim3 grid((width + output_side - 1) / output_side, blocks_y);
      kernel_<<<grid, block, 0, queue>>>(in, out, width, height, problem_.radius, problem_.outside, first_row,
                                         filter_);
      HALATION_CUDA_LAUNCHED("tiled_input_block", queue);
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), tile_side * block_height, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
  Filter filter_{};
};

}  // namespace

std::unique_ptr<GpuRun> tiled_input_block_2d(const Problem& problem) {
  return std::make_unique<TiledInputBlock>(problem);
}

}  // namespace halation::ladder
