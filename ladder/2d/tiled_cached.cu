// tiled_cached.cu: only the tile's inside in shared memory; its halo comes from the caches.
//
// Idea      The halo of one tile is the inside of its neighbours, which read it at about the same time: it
//           probably lies in a cache. So keep the simple tile, as large as the block, and read halo
//           elements from memory again.
// Map       Block 32 × 16. Thread (tx, ty) of block (bx, by) reads in[16·by + ty][32·bx + tx] into the tile
//           and computes out at the same place.
//
//           . . . . . . . . . . .
//           . +---------------+ .       in the tile        shared memory
//           . |               | .       in its halo (.)    global memory, by the caches
//           . |     tile      | .       outside the image  `outside`
//           . |               | .
//           . +---------------+ .       every tap asks which of the three it is
//           . . . . . . . . . . .
//
// Traffic   2·K² operations an output, K = 2r + 1; one read an output into the tile, and a share of the K²
//           taps, about 1 − (1 − r/32)·(1 − r/16) where r < 16, from the caches: 5% at radius 1, half at
//           radius 8.
// Shared    2,048 bytes.
// Limits    Radius up to 16. The filter is a kernel parameter: it lies in constant memory as in `constant`,
//           and comes with each launch. Radii 1 to 8 are unrolled.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.5; the HIP
//           course of Peking University, lecture 9. Theirs drop the halo, or the test that it lies in the
//           image.
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

constexpr int tile_width = 32;
constexpr int tile_height = 16;
constexpr int most_blocks_y = 65'535;  // of a grid; taller images take several launches

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void __launch_bounds__(tile_width* tile_height)
    correlate(const float* __restrict__ in, float* __restrict__ out, int width, int height, int radius_asked,
              float outside, int first_row, const Filter filter) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int filter_side = 2 * radius + 1;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * tile_width + tx;
  const int y = first_row + static_cast<int>(blockIdx.y) * tile_height + ty;
  __shared__ float tile[tile_height][tile_width];

  tile[ty][tx] = x < width && y < height ? in[static_cast<std::int64_t>(y) * width + x] : outside;
  __syncthreads();

  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < filter_side; ++j) {
#pragma unroll
    for (int i = 0; i < filter_side; ++i) {
      const int dy = j - radius;
      const int dx = i - radius;
      // As unsigned numbers, negative ones are larger than any size: two tests do the work of four.
      float value = outside;
      if (static_cast<unsigned>(tx + dx) < tile_width && static_cast<unsigned>(ty + dy) < tile_height) {
        value = tile[ty + dy][tx + dx];
      } else if (static_cast<unsigned>(x + dx) < static_cast<unsigned>(width) &&
                 static_cast<unsigned>(y + dy) < static_cast<unsigned>(height)) {
        value = in[static_cast<std::int64_t>(y + dy) * width + (x + dx)];
      }
      sum += filter.weights[j * filter_side + i] * value;
    }
  }
  out[static_cast<std::int64_t>(y) * width + x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class TiledCached final : public GpuRun {
 public:
  explicit TiledCached(const Problem& problem)
      : problem_(problem), kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]) {
    std::copy(problem.weights.begin(), problem.weights.end(), filter_.weights);
  }

  void upload_filter(Stream) override {}  // it travels with each launch

  void run(const float* in, float* out, Stream stream) override {
    const int width = static_cast<int>(problem_.width), height = static_cast<int>(problem_.height);
    const dim3 block(tile_width, tile_height);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int first_row = 0; first_row < height; first_row += most_blocks_y * tile_height) {
      const int blocks_y = std::min((height - first_row + tile_height - 1) / tile_height, most_blocks_y);
      const dim3 grid((width + tile_width - 1) / tile_width, blocks_y);
      kernel_<<<grid, block, 0, queue>>>(in, out, width, height, problem_.radius, problem_.outside, first_row,
                                         filter_);
      HALATION_CUDA_LAUNCHED("tiled_cached", queue);
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), tile_width * tile_height, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
  Filter filter_{};
};

}  // namespace

std::unique_ptr<GpuRun> tiled_cached_2d(const Problem& problem) {
  return std::make_unique<TiledCached>(problem);
}

}  // namespace halation::ladder
