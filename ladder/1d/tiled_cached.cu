// tiled_cached.cu: a block keeps the inside of its tile in shared memory; halo cells are left to caches.
//
// Idea      The halo of a tile is the inside of its neighbours. Their blocks run at about the same time, so
//           the L2 cache has it, often the L1: load only the inside, one element a thread, and read halo
//           cells from where they are. The loading becomes simple; in exchange every tap must ask where its
//           element is.
// Map       Block 256 = output tile = input tile. Thread t of block b loads in[256·b + t] and computes
//           out[256·b + t].
//
//             a block of 8, radius 2     … e f|g h i j k l m n|o p …
//             tile                            |g h i j k l m n|         beyond the signal: `outside`
//             thread of g                  └── G ──┘                    e f from a cache, g h i from the tile
//             thread of j                        └── J ──┘              all from the tile
//
// Traffic   2·K operations an output, K = 2r + 1. While caches hold the halo cells, the memory sees 4 bytes
//           read and 4 written. Of the 256·K elements that a block asks for, r·(r + 1) come from the caches
//           (r ≤ 256) and the others from shared memory.
// Shared    1 KB.
// Limits    Radius up to 8,191: the filter lies in constant memory, 64 KB; one longer than the tile gains
//           little from it. The symbol is one for the process: let runs of this rung follow each other, each
//           after its `upload_filter`. Any width. Radii 1 to 8 are unrolled.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.5 (in 1D in the
//           editions before); the HIP course of Peking University, lecture 9. Versions in circulation skip
//           both ends of the tile and have no barrier.
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(signal, Filter(weights), {.border = Border::constant(outside)})

__constant__ float filter[2 * most_radius::tiled_cached_1d + 1];

constexpr int block_size = 256;

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(const float* __restrict__ in, float* __restrict__ out, std::int64_t width,
                          int radius_asked, float outside) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t x = std::int64_t{blockIdx.x} * block_size + thread;

  __shared__ float tile[block_size];
  tile[thread] = x < width ? in[x] : outside;
  __syncthreads();
  if (x >= width) return;

  // The taps over the signal: found once in 64 bits, so that the test at every tap takes 32.
  const int first = x < radius ? radius - static_cast<int>(x) : 0;
  const int last = width - 1 - x < radius ? radius + static_cast<int>(width - 1 - x) : 2 * radius;

  float sum = 0;
#pragma unroll
  for (int i = 0; i <= 2 * radius; ++i) {
    const int cell = thread + i - radius;
    float value = outside;
    if (0 <= cell && cell < block_size) {
      value = tile[cell];
    } else if (first <= i && i <= last) {
      value = in[x + i - radius];
    }
    sum += filter[i] * value;
  }
  out[x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class TiledCached final : public GpuRun {
 public:
  explicit TiledCached(const Problem& problem)
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
    HALATION_CUDA_LAUNCHED("tiled_cached", queue);
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_size, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
};

}  // namespace

std::unique_ptr<GpuRun> tiled_cached_1d(const Problem& problem) {
  return std::make_unique<TiledCached>(problem);
}

}  // namespace halation::ladder
