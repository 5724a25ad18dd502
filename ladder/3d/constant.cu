// constant.cu: as naive, with the filter in constant memory.
//
// Idea      All threads read the same weight at the same time and nobody writes it: that is what constant
//           memory is for. One read serves a whole warp, and an instruction takes the weight as an operand,
//           without a load.
// Map       Block 32 × 4 × 4. Thread (tx, ty, tz) of block (bx, by, bz) computes out[4·bz + tz][4·by +
//           ty][32·bx + tx].
//
//             radius 1:   plane z − 1     plane z     plane z + 1
//                          · · · · ·     · · · · ·     · · · · ·
//                          · w w w ·     · w w w ·     · w w w ·      27 elements for the output O;
//                          · w w w ·     · w O w ·     · w w w ·      beside the volume each is a ghost cell
//                          · w w w ·     · w w w ·     · w w w ·      and counts as `outside`
//
// Traffic   2·K³ operations and 4·K³ bytes an output, K = 2r + 1: 0.5 operations a byte, twice as many as
//           `naive`. The caches turn the 4·K³ into about 8 bytes that the memory sees.
// Limits    Radius up to 12: 15,625 weights are 62,500 of 65,536 bytes. Any size. The symbol is one for the
//           process: let runs of this rung follow each other, each after its `upload_filter`. Radii 1 to 4
//           are unrolled.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.3, with one
//           more axis.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:
//   correlate(volume, Filter::dense({K, K, K}, weights), {.border = Border::constant(outside)})

constexpr int most_side = 2 * most_radius::constant_3d + 1;
__constant__ float filter[most_side * most_side * most_side];

constexpr int block_width = 32, block_height = 4, block_depth = 4;
constexpr int most_blocks = 65'535;  // of a grid along y and z; larger volumes take several launches

struct Volume {
  std::int64_t depth, height, width;
};

/// The first and the last tap over the volume along one axis: found once in 64 bits, so that tests take 32.
struct Taps {
  int first, last;
  __device__ Taps(std::int64_t at, std::int64_t extent, int radius)
      : first(at < radius ? radius - static_cast<int>(at) : 0),
        last(extent - 1 - at < radius ? radius + static_cast<int>(extent - 1 - at) : 2 * radius) {}
  __device__ bool contain(int tap) const { return first <= tap && tap <= last; }
};

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(const float* __restrict__ in, float* __restrict__ out, Volume volume,
                          int radius_asked, float outside, std::int64_t first_plane, std::int64_t first_row) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int side = 2 * radius + 1;
  const std::int64_t x = std::int64_t{blockIdx.x} * block_width + threadIdx.x;
  const std::int64_t y = first_row + blockIdx.y * block_height + threadIdx.y;
  const std::int64_t z = first_plane + blockIdx.z * block_depth + threadIdx.z;
  if (x >= volume.width || y >= volume.height || z >= volume.depth) return;

  const Taps over_x(x, volume.width, radius);
  const Taps over_y(y, volume.height, radius);
  const Taps over_z(z, volume.depth, radius);
  // Where the window's planes and rows begin in `in`, inside or not.
  std::int64_t plane = ((z - radius) * volume.height + (y - radius)) * volume.width + (x - radius);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < side; ++k, plane += volume.height * volume.width) {
    std::int64_t row = plane;
#pragma unroll
    for (int j = 0; j < side; ++j, row += volume.width) {
      const bool row_inside = over_z.contain(k) && over_y.contain(j);
#pragma unroll
      for (int i = 0; i < side; ++i) {
        const bool inside = row_inside && over_x.contain(i);
        sum += filter[(k * side + j) * side + i] * (inside ? in[row + i] : outside);
      }
    }
  }
  out[(z * volume.height + y) * volume.width + x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>, correlate<3>,
                                               correlate<4>};

class Constant final : public GpuRun {
 public:
  explicit Constant(const Problem& problem)
      : problem_(problem), kernel_(kernels[problem.radius <= 4 ? problem.radius : 0]) {}

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
        kernel_<<<grid, block, 0, queue>>>(in, out, volume, problem_.radius, problem_.outside, z, y);
        HALATION_CUDA_LAUNCHED("constant", queue);
      }
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_width * block_height * block_depth, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
};

}  // namespace

std::unique_ptr<GpuRun> constant_3d(const Problem& problem) { return std::make_unique<Constant>(problem); }

}  // namespace halation::ladder
