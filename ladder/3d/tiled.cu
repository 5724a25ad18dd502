// tiled.cu: a block copies its tile, with a halo on all sides, to shared memory and computes there.
//
// Idea      Each element is read by K³ outputs, most of them of one block: load it once, by all threads
//           together, into memory that the block shares. The tile to read is larger than the block, so a
//           thread loads several elements.
// Map       Block 32 × 4 × 4 = output tile. Thread (tx, ty, tz) of block (bx, by, bz) computes out[4·bz +
//           tz][4·by + ty][32·bx + tx]. Thread n of the 512, counted along x, y, z, loads the elements n, n +
//           512, n + 1024, … of the tile.
//
//             one plane of the tile      r         32         r
//                                     +----+--------------+----+
//                                     |    :              :    |  r       4 + 2r planes such as this one;
//                                     |....+--------------+....|          the first r and the last r of them
//                                     |    |   outputs    |    |  4       are halo all over
//                                     |....+--------------+....|
//                                     |    :              :    |  r       ghost cells are loaded as `outside`
//                                     +----+--------------+----+
//
// Traffic   2·K³ operations an output, K = 2r + 1. A block reads (32 + 2r)·(4 + 2r)² elements for 512
//           outputs: 2.4 an output at radius 1 instead of 27, 11 at radius 4 instead of 729; 5.6 and 32
//           operations a byte.
// Shared    4·(32 + 2r)·(4 + 2r)² bytes: 4.9 KB at radius 1. A warp reads 32 neighbouring banks, without
//           conflict.
// Limits    Radius up to 7: 59,616 bytes of tile, and GPUs since 2018 give a block 64 KB where it asks. Any
//           size. The filter is a symbol in constant memory, one for the process: let runs of this rung
//           follow each other, each after its `upload_filter`. Radii 1 to 4 are unrolled.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., sections 7.4 and 8.3.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:
//   correlate(volume, Filter::dense({K, K, K}, weights), {.border = Border::constant(outside)})

constexpr int most_side = 2 * most_radius::tiled_3d + 1;
__constant__ float filter[most_side * most_side * most_side];

constexpr int block_width = 32, block_height = 4, block_depth = 4;
constexpr int block_size = block_width * block_height * block_depth;
constexpr int most_blocks = 65'535;  // of a grid along y and z; larger volumes take several launches

constexpr std::size_t tile_bytes(int radius) {
  return sizeof(float) * (block_width + 2 * radius) * (block_height + 2 * radius) *
         (block_depth + 2 * radius);
}
static_assert(tile_bytes(most_radius::tiled_3d) <= 64 * 1024);

struct Volume {
  std::int64_t depth, height, width;
};

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(const float* __restrict__ in, float* __restrict__ out, Volume volume,
                          int radius_asked, float outside, std::int64_t first_plane, std::int64_t first_row) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int side = 2 * radius + 1;
  const int tile_width = block_width + 2 * radius;
  const int tile_height = block_height + 2 * radius;
  const int elements = tile_width * tile_height * (block_depth + 2 * radius);
  const std::int64_t block_x = std::int64_t{blockIdx.x} * block_width;
  const std::int64_t block_y = first_row + blockIdx.y * block_height;
  const std::int64_t block_z = first_plane + blockIdx.z * block_depth;
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;

  extern __shared__ float tile[];
  for (int n = (tz * block_height + ty) * block_width + tx; n < elements; n += block_size) {
    const std::int64_t in_x = block_x - radius + n % tile_width;
    const std::int64_t in_y = block_y - radius + n / tile_width % tile_height;
    const std::int64_t in_z = block_z - radius + n / (tile_width * tile_height);
    const bool inside = 0 <= in_x && in_x < volume.width && 0 <= in_y && in_y < volume.height && 0 <= in_z &&
                        in_z < volume.depth;
    tile[n] = inside ? in[(in_z * volume.height + in_y) * volume.width + in_x] : outside;
  }
  __syncthreads();

  const std::int64_t x = block_x + tx, y = block_y + ty, z = block_z + tz;
  if (x >= volume.width || y >= volume.height || z >= volume.depth) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < side; ++k) {
#pragma unroll
    for (int j = 0; j < side; ++j) {
      const float* window = tile + ((tz + k) * tile_height + ty + j) * tile_width + tx;
#pragma unroll
      for (int i = 0; i < side; ++i) sum += filter[(k * side + j) * side + i] * window[i];
    }
  }
  out[(z * volume.height + y) * volume.width + x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>, correlate<3>,
                                               correlate<4>};

class Tiled final : public GpuRun {
 public:
  explicit Tiled(const Problem& problem)
      : problem_(problem), kernel_(kernels[problem.radius <= 4 ? problem.radius : 0]) {
    constexpr int most_bytes = tile_bytes(most_radius::tiled_3d);  // above 48 KB they must be asked for
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel_),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes));
  }

  void upload_filter(Stream stream) override {
    HALATION_CUDA_CHECK(
        cudaMemcpyToSymbolAsync(filter, problem_.weights.data(), problem_.weights.size() * sizeof(float), 0,
                                cudaMemcpyHostToDevice, static_cast<cudaStream_t>(stream.handle)));
  }

  void run(const float* in, float* out, Stream stream) override {
    const Volume volume{problem_.depth, problem_.height, problem_.width};
    const dim3 block(block_width, block_height, block_depth);
    const auto blocks = [](std::int64_t outputs, int side) {
      return static_cast<unsigned>(std::min<std::int64_t>((outputs + side - 1) / side, most_blocks));
    };
    const auto blocks_x = static_cast<unsigned>((volume.width + block_width - 1) / block_width);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (std::int64_t z = 0; z < volume.depth; z += most_blocks * block_depth) {
      for (std::int64_t y = 0; y < volume.height; y += most_blocks * block_height) {
        const dim3 grid(blocks_x, blocks(volume.height - y, block_height),
                        blocks(volume.depth - z, block_depth));
        kernel_<<<grid, block, tile_bytes(problem_.radius), queue>>>(in, out, volume, problem_.radius,
                                                                     problem_.outside, z, y);
        HALATION_CUDA_LAUNCHED("tiled", queue);
      }
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_size, tile_bytes(problem_.radius)}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
};

}  // namespace

std::unique_ptr<GpuRun> tiled_3d(const Problem& problem) { return std::make_unique<Tiled>(problem); }

}  // namespace halation::ladder
