// tiled_halo.cu: a block copies its tile, with halos left and right, to shared memory and computes there.
//
// Idea      The outputs of a block read nearly the same elements. Load each of them once, by all threads
//           together, into memory that the block shares; then every tap is a read of shared memory, and ghost
//           cells are met only while loading.
// Map       Block 256 = output tile. Thread t of block b computes out[256·b + t] from tile[t] to tile[t +
//           2r]. The input tile is loaded in three steps: left halo, centre, right halo. A halo longer than
//           the block takes several turns.
//
//             a block of 8, radius 2     . . a b c d e f g h i j …     . is a ghost cell, loaded as `outside`
//                                        └┬┘ └──────┬──────┘ └┬┘
//                                      left 2    centre 8   right 2
//             taps that read each        1 2 3 4 5 5 5 5 4 3 2 1
//
// Traffic   2·K operations an output, K = 2r + 1. A block reads 4·(256 + 2r) bytes where `constant` asks for
//           4·256·K: 4.9 times fewer at K = 5, 8.7 times at K = 9; 2.5 and 4.4 operations a byte.
// Shared    4·(256 + 2r) bytes. The threads of a warp read neighbouring banks, without conflict.
// Limits    Radius up to 6,016: its tile fills the 48 KB that every GPU gives a block. The filter lies in
//           constant memory. The symbol is one for the process: let runs of this rung follow each other, each
//           after its `upload_filter`. Any width. Radii 1 to 8 are unrolled.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.4 (in 1D in the
//           editions before); the HIP course of Peking University, lecture 9. Theirs fails where the halo is
//           longer than the block.
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(signal, Filter(weights), {.border = Border::constant(outside)})

__constant__ float filter[2 * most_radius::tiled_halo_1d + 1];

constexpr int block_size = 256;
static_assert(sizeof(float) * (block_size + 2 * most_radius::tiled_halo_1d) <= 48 * 1024);

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(const float* __restrict__ in, float* __restrict__ out, std::int64_t width,
                          int radius_asked, float outside) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t centre = std::int64_t{blockIdx.x} * block_size;  // where it begins
  const auto element = [&](std::int64_t x) { return 0 <= x && x < width ? in[x] : outside; };

  extern __shared__ float tile[];
  for (int i = thread; i < radius; i += block_size) tile[i] = element(centre - radius + i);
  tile[radius + thread] = element(centre + thread);
  for (int i = thread; i < radius; i += block_size)
    tile[radius + block_size + i] = element(centre + block_size + i);
  __syncthreads();
  if (centre + thread >= width) return;

  float sum = 0;
#pragma unroll
  for (int i = 0; i <= 2 * radius; ++i) sum += filter[i] * tile[thread + i];
  out[centre + thread] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

class TiledHalo final : public GpuRun {
 public:
  explicit TiledHalo(const Problem& problem)
      : problem_(problem),
        tile_bytes_(sizeof(float) * static_cast<std::size_t>(block_size + 2 * problem.radius)),
        kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]) {}

  void upload_filter(Stream stream) override {
    HALATION_CUDA_CHECK(
        cudaMemcpyToSymbolAsync(filter, problem_.weights.data(), problem_.weights.size() * sizeof(float), 0,
                                cudaMemcpyHostToDevice, static_cast<cudaStream_t>(stream.handle)));
  }

  void run(const float* in, float* out, Stream stream) override {
    const auto blocks = static_cast<unsigned>((problem_.width + block_size - 1) / block_size);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel_<<<blocks, block_size, tile_bytes_, queue>>>(in, out, problem_.width, problem_.radius,
                                                        problem_.outside);
    HALATION_CUDA_LAUNCHED("tiled_halo", queue);
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_size, tile_bytes_}};
  }

 private:
  Problem problem_;
  std::size_t tile_bytes_;
  decltype(&correlate<0>) kernel_;
};

}  // namespace

std::unique_ptr<GpuRun> tiled_halo_1d(const Problem& problem) { return std::make_unique<TiledHalo>(problem); }

}  // namespace halation::ladder
