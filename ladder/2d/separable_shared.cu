// separable_shared.cu: a row pass and a column pass, each from a tile in shared memory.
//
// Idea      Where the weights are a column times a row, w[j][i] = y[j] · x[i], filter all rows by x first
//           and then all columns of the result by y: 2·K products an output instead of K².
// Map       Block 16 × 16 in both passes. Thread (tx, ty) of block (bx, by) computes (16·bx + tx, 16·by +
//           ty) of the pass's result, and reads every 16th element of its row or column of the tile.
//
//             row pass                              column pass         +--------+
//                r      16      r                                       |  halo  |  r
//             +------+--------+------+                                  +--------+
//             | halo | output | halo |  16     →    the image           | output |  16
//             +------+--------+------+              between passes      +--------+
//                                                                       |  halo  |  r
//           Above and below the image, the row pass would find           +--------+
//           rows of `outside` alone: there its result is outside · Σx.        16
//
// Traffic   4·K operations an output, K = 2r + 1. Each pass reads (16 + 2r) / 16 · 4 bytes an output and
//           writes 4: at radius 8, 24 bytes for both, of which the memory sees 16 at least.
// Shared    16 · (16 + 2r) · 4 bytes in each pass. Two rows of 16 threads make a warp: where the tile is 32
//           wide (radius 8) the row pass meets each bank twice; `separable_optimised` mends that.
// Limits    Radius up to 64. The factors are kernel parameters. Radii 1 to 8 are unrolled.
// Source    Slides on convolution by A. Abramov, 2011: separable filters in shared memory.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(image, Filter::separable({.y = y, .x = x}), {.border = Border::constant(outside)})

struct Factor {
  float weights[2 * most_radius::separable_2d + 1];
  float outside;  // what the pass finds beyond its image
};

constexpr int block_side = 16;
constexpr int most_blocks_y = 65'535;  // of a grid; taller images take several launches

template <int Radius>
constexpr int most_tile_side = block_side + 2 * (Radius > 0 ? Radius : most_radius::separable_2d);

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void along_rows(const float* __restrict__ in, float* __restrict__ out, int width, int height,
                           int radius_asked, int first_row, const Factor factor) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int block_x = static_cast<int>(blockIdx.x) * block_side;
  const int y = first_row + static_cast<int>(blockIdx.y) * block_side + ty;
  const std::int64_t row = static_cast<std::int64_t>(y) * width;
  __shared__ float tile[block_side][most_tile_side<CompiledRadius>];

  for (int column = tx; column < block_side + 2 * radius; column += block_side) {
    const int x = block_x - radius + column;
    tile[ty][column] = x >= 0 && x < width && y < height ? in[row + x] : factor.outside;
  }
  __syncthreads();

  if (block_x + tx >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int i = 0; i <= 2 * radius; ++i) sum += factor.weights[i] * tile[ty][tx + i];
  out[row + block_x + tx] = sum;
}

template <int CompiledRadius>
__global__ void along_columns(const float* __restrict__ in, float* __restrict__ out, int width, int height,
                              int radius_asked, int first_row, const Factor factor) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * block_side + tx;
  const int block_y = first_row + static_cast<int>(blockIdx.y) * block_side;
  __shared__ float tile[most_tile_side<CompiledRadius>][block_side];

  for (int row = ty; row < block_side + 2 * radius; row += block_side) {
    const int y = block_y - radius + row;
    tile[row][tx] =
        y >= 0 && y < height && x < width ? in[static_cast<std::int64_t>(y) * width + x] : factor.outside;
  }
  __syncthreads();

  if (x >= width || block_y + ty >= height) return;
  float sum = 0;
#pragma unroll
  for (int j = 0; j <= 2 * radius; ++j) sum += factor.weights[j] * tile[ty + j][tx];
  out[static_cast<std::int64_t>(block_y + ty) * width + x] = sum;
}

// By radius; the first of each serves all that have no kernel of their own.
using Kernel = decltype(&along_rows<0>);
constexpr Kernel row_kernels[] = {along_rows<0>, along_rows<1>, along_rows<2>, along_rows<3>, along_rows<4>,
                                  along_rows<5>, along_rows<6>, along_rows<7>, along_rows<8>};
constexpr Kernel column_kernels[] = {along_columns<0>, along_columns<1>, along_columns<2>,
                                     along_columns<3>, along_columns<4>, along_columns<5>,
                                     along_columns<6>, along_columns<7>, along_columns<8>};

class SeparableShared final : public GpuRun {
 public:
  explicit SeparableShared(const Problem& problem)
      : problem_(problem), compiled_(problem.radius <= 8 ? problem.radius : 0), between_(problem.elements()) {
    const auto& [z, y, x] = problem.factors;
    std::copy(y.begin(), y.end(), y_.weights);
    std::copy(x.begin(), x.end(), x_.weights);
    x_.outside = problem.outside;
    y_.outside = problem.outside * std::accumulate(x.begin(), x.end(), 0.0f);  // by the pass before
  }

  void upload_filter(Stream) override {}  // the factors travel with each launch

  void run(const float* in, float* out, Stream stream) override {
    pass(row_kernels[compiled_], in, between_.data(), x_, stream);
    pass(column_kernels[compiled_], between_.data(), out, y_, stream);
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(row_kernels[compiled_]), block_side * block_side, 0},
            {reinterpret_cast<const void*>(column_kernels[compiled_]), block_side * block_side, 0}};
  }

 private:
  void pass(Kernel kernel, const float* in, float* out, const Factor& factor, Stream stream) const {
    const int width = static_cast<int>(problem_.width), height = static_cast<int>(problem_.height);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int first_row = 0; first_row < height; first_row += most_blocks_y * block_side) {
      const int blocks_y = std::min((height - first_row + block_side - 1) / block_side, most_blocks_y);
      const dim3 grid((width + block_side - 1) / block_side, blocks_y);
      kernel<<<grid, dim3(block_side, block_side), 0, queue>>>(in, out, width, height, problem_.radius,
                                                               first_row, factor);
      HALATION_CUDA_LAUNCHED("separable_shared", queue);
    }
  }

  Problem problem_;
  int compiled_;
  cuda_backend::DeviceArray<float> between_;  // the image between the passes
  Factor y_{}, x_{};
};

}  // namespace

std::unique_ptr<GpuRun> separable_shared_2d(const Problem& problem) {
  return std::make_unique<SeparableShared>(problem);
}

}  // namespace halation::ladder
