// separable_optimised.cu: one pass for columns and rows: linear tile, coalesced, several outputs a thread.
//
// Idea      As separable_shared, and a value read from shared memory serves several outputs: each thread
//           slides a window of neighbours through its registers. The pass filters columns and transposes;
//           run twice, it filters both ways and turns the image back.
// Map       Block 32 × 8 over 32 columns of 64 rows; thread (tx, ty) computes rows 8·ty … 8·ty + 7 of one.
//
//                      32 columns                   one thread: eight sums in registers
//                     +-----------+
//                     |   halo    |  r              window [0 1 2 3 4 5 6 7 8 9 10]    taps 0 to 3
//                     +-----------+                 window [4 5 6 7 8 9 10 … 14]       taps 4 to 7, and so on
//                     |  8 rows   |
//                     |  a thread |  64             then the block's 64 × 32 sums go through shared memory,
//                     +-----------+                 and leave it as 32 rows of 64
//                     |   halo    |  r
//
// Shared    (68 + 2r) · 32 · 4 bytes, linear: lanes read and write neighbours, each in a bank of its own;
//           on the way out rows are 65 apart for the same reason. An output costs 1 + r/4 reads of it.
// Traffic   4·K operations an output, K = 2r + 1. The memory sees 16 bytes, in runs of at least 128: each
//           pass reads and writes the image once, the halos mostly coming from the caches.
// Limits    Radius up to 64. The factors are kernel parameters. Radii 1 to 8 are unrolled.
// Source    Slides on convolution by A. Abramov, 2011: coalesced access, linear tiles, unrolled loops.
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

constexpr int lanes = 32, warps = 8, thread_rows = 8;
constexpr int strip = warps * thread_rows;  // rows of a block
constexpr int turned_pitch = strip + 1;     // of the way out
constexpr int most_blocks_y = 65'535;       // of a grid; taller images take several launches

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void __launch_bounds__(lanes* warps)
    correlate(const float* __restrict__ in, float* __restrict__ out_turned, int width, int height,
              int radius_asked, int first_row, const Factor factor) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int block_x = static_cast<int>(blockIdx.x) * lanes;
  const int block_y = first_row + static_cast<int>(blockIdx.y) * strip;
  // Four rows more than the halos need: the window's last slide may pass them, by values that no tap uses.
  constexpr int most = CompiledRadius > 0 ? CompiledRadius : most_radius::separable_2d;
  __shared__ float tile[(strip + 2 * most + 4) * lanes];

  const int tile_rows = strip + 2 * radius;
#pragma unroll
  for (int step = 0; step < (tile_rows + warps - 1) / warps; ++step) {
    const int row = step * warps + warp;
    const int x = block_x + lane;
    const int y = block_y - radius + row;
    const bool inside = x < width && y >= 0 && y < height;
    if (row >= tile_rows) break;
    tile[row * lanes + lane] = inside ? in[static_cast<std::int64_t>(y) * width + x] : factor.outside;
  }
  __syncthreads();

  const float* column = tile + warp * thread_rows * lanes + lane;
  float sum[thread_rows] = {};
  float window[thread_rows + 4];
  for (int n = 0; n < thread_rows; ++n) window[n] = column[n * lanes];
#pragma unroll  // the loops of fixed length unroll by themselves
  for (int first = 0; first <= 2 * radius; first += 4) {
    for (int n = thread_rows; n < thread_rows + 4; ++n) window[n] = column[(first + n) * lanes];
    for (int tap = 0; tap < 4; ++tap) {
      if (first + tap > 2 * radius) continue;
      for (int n = 0; n < thread_rows; ++n) sum[n] += factor.weights[first + tap] * window[tap + n];
    }
    for (int n = 0; n < thread_rows; ++n) window[n] = window[n + 4];
  }

  __syncthreads();  // every window has been read: the tile becomes the way out
  for (int n = 0; n < thread_rows; ++n) tile[lane * turned_pitch + warp * thread_rows + n] = sum[n];
  __syncthreads();
  for (int n = 0; n < thread_rows; ++n) {
    const int x = n * (lanes / thread_rows) + warp / 2;
    const int y = warp % 2 * lanes + lane;
    if (block_x + x >= width || block_y + y >= height) continue;
    out_turned[static_cast<std::int64_t>(block_x + x) * height + (block_y + y)] = tile[x * turned_pitch + y];
  }
}
static_assert(strip == 2 * lanes && turned_pitch * lanes <= (strip + 4) * lanes);

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class SeparableOptimised final : public GpuRun {
 public:
  explicit SeparableOptimised(const Problem& problem)
      : problem_(problem),
        kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]),
        between_(problem.elements()) {
    const auto& [z, y, x] = problem.factors;
    std::copy(y.begin(), y.end(), y_.weights);
    std::copy(x.begin(), x.end(), x_.weights);
    y_.outside = problem.outside;
    x_.outside = problem.outside * std::accumulate(y.begin(), y.end(), 0.0f);  // by the pass before
  }

  void upload_filter(Stream) override {}  // the factors travel with each launch

  void run(const float* in, float* out, Stream stream) override {
    const int width = static_cast<int>(problem_.width), height = static_cast<int>(problem_.height);
    pass(in, between_.data(), width, height, y_, stream);
    pass(between_.data(), out, height, width, x_, stream);
  }

  std::vector<KernelLaunch> launches() const override {
    return std::vector<KernelLaunch>(2, {reinterpret_cast<const void*>(kernel_), lanes * warps, 0});
  }

 private:
  void pass(const float* in, float* out, int width, int height, const Factor& factor, Stream stream) {
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int first_row = 0; first_row < height; first_row += most_blocks_y * strip) {
      const int blocks_y = std::min((height - first_row + strip - 1) / strip, most_blocks_y);
      kernel_<<<dim3((width + lanes - 1) / lanes, blocks_y), dim3(lanes, warps), 0, queue>>>(
          in, out, width, height, problem_.radius, first_row, factor);
      HALATION_CUDA_LAUNCHED("separable_optimised", queue);
    }
  }

  Problem problem_;
  decltype(&correlate<0>) kernel_;
  cuda_backend::DeviceArray<float> between_;  // the image between the passes, transposed
  Factor y_{}, x_{};
};

}  // namespace

std::unique_ptr<GpuRun> separable_optimised_2d(const Problem& problem) {
  return std::make_unique<SeparableOptimised>(problem);
}

}  // namespace halation::ladder
