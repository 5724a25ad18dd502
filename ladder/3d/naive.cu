// naive.cu: one thread an output; volume and filter are read from global memory.
//
// Idea      As in 2D, with one more axis and one more loop: outputs are independent, so give each a thread of
//           its own.
// Map       Block 32 × 4 × 4. Thread (tx, ty, tz) of block (bx, by, bz) computes out[4·bz + tz][4·by +
//           ty][32·bx + tx]; 32 neighbours of a row read 32 neighbours of a row at every tap: one or two
//           cache lines.
//
//             radius 1:   plane z − 1     plane z     plane z + 1
//                          · · · · ·     · · · · ·     · · · · ·
//                          · w w w ·     · w w w ·     · w w w ·      27 elements for the output O;
//                          · w w w ·     · w O w ·     · w w w ·      beside the volume each is a ghost cell
//                          · w w w ·     · w w w ·     · w w w ·      and counts as `outside`
//
// Traffic   An output costs 2·K³ operations, K = 2r + 1, and asks for 4·K³ bytes of volume and 4·K³ of
//           filter: 0.25 operations a byte. Neighbours in three directions ask for nearly the same, so the
//           caches answer most; the memory sees about 8 bytes an output.
// Limits    Radius up to 32; a larger one would only take its time. Any size. Radii 1 to 4 are unrolled;
//           others loop at run time.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.2, with the
//           third axis that its chapter 8 has for stencils.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:
//   correlate(volume, Filter::dense({K, K, K}, weights), {.border = Border::constant(outside)})

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
__global__ void correlate(const float* __restrict__ in, const float* __restrict__ weights,
                          float* __restrict__ out, Volume volume, int radius_asked, float outside,
                          std::int64_t first_plane, std::int64_t first_row) {
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
        sum += weights[(k * side + j) * side + i] * (inside ? in[row + i] : outside);
      }
    }
  }
  out[(z * volume.height + y) * volume.width + x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>, correlate<3>,
                                               correlate<4>};

class Naive final : public GpuRun {
 public:
  explicit Naive(const Problem& problem)
      : problem_(problem),
        kernel_(kernels[problem.radius <= 4 ? problem.radius : 0]),
        weights_(problem.weights.size()) {}

  void upload_filter(Stream stream) override {
    HALATION_CUDA_CHECK(cudaMemcpyAsync(weights_.data(), problem_.weights.data(),
                                        problem_.weights.size() * sizeof(float), cudaMemcpyHostToDevice,
                                        static_cast<cudaStream_t>(stream.handle)));
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
        kernel_<<<grid, block, 0, queue>>>(in, weights_.data(), out, volume, problem_.radius,
                                           problem_.outside, z, y);
        HALATION_CUDA_LAUNCHED("naive", queue);
      }
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_width * block_height * block_depth, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
  cuda_backend::DeviceArray<float> weights_;
};

}  // namespace

std::unique_ptr<GpuRun> naive_3d(const Problem& problem) { return std::make_unique<Naive>(problem); }

}  // namespace halation::ladder
