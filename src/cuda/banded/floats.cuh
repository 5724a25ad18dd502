// floats.cuh: sums of floats and weights of 11 bits (tf32) as products of matrices, by tensor cores: blocks that halves.cuh leaves, as tf32 has the
// exponents of f32.
//
// Outputs of 8 neighbouring columns, n, are products of the columns around them, c, and a matrix whose entry (c, n) is the tap c − n away:
// a band of weights (Toeplitz). One instruction multiplies 16 rows of 8 columns (a window) by 8 × 8 weights of one row of taps. Its rows are
// every other one of a warp's 32: the 16 others read for a row of taps what these read for the next, so each load serves twice.
//
//   block → outputs    64 rows of 256 elements: 2 warps down, 4 across, each of 32 rows of 64 columns of one channel
//   registers          64 sums; weights of two rows of taps: 4 a window
//   shared memory      the rows and columns that a block's outputs read, as tf32; then the sums on their way out. Each 8 rows lie 16
//                      bytes further than their pitch, so that 8 rows, 2 apart, meet in no bank
//   operations         K rows times K + 7 columns up to a multiple of 8: 15×15 taps 360 products an output; and 1/K more loads than products
//                      need
//   traffic            DRAM: each element once; L2: halos of the filter less one for 64 rows × 256 columns
//   not finite         0 · NaN is NaN: blocks whose sums are not all finite sum tap by tap
//   limits             weights along y and x; sums in f32. sm_80: m16n8k8 of tf32
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/banded/floats_arguments.cuh"
#include "cuda/banded/products.cuh"

namespace halation::cuda_backend {

namespace banded_steps {

/// A number of 11 significant bits, to the nearest.
struct Tf32 {
  float value;

  Tf32() = default;
  template <class T>
  __device__ __forceinline__ explicit Tf32(T number) : value(static_cast<float>(number)) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    value = __uint_as_float(bits);
#endif
  }
};

/// sums += pixels · weights: 16 × 8 by 8 × 8.
__device__ __forceinline__ void multiply_add([[maybe_unused]] float (&sums)[4], [[maybe_unused]] const unsigned (&pixels)[4],
                                             [[maybe_unused]] uint2 weights) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(pixels[0]), "r"(pixels[1]), "r"(pixels[2]), "r"(pixels[3]), "r"(weights.x), "r"(weights.y));
#endif
}

/// Outputs of a block, tap by tap, from its tile: where some number of it is not finite.
inline __device__ __noinline__ void put_tap_by_tap(const BandedFloatsArguments& job, const Place& place, const Tf32* tile, int width) {
  const LineArguments& lines = job.lines;
  const int elements = width * lines.channels;
#pragma unroll 1
  for (int row = static_cast<int>(threadIdx.y); row < FloatsTile::rows && place.y + row < lines.out.height; row += FloatsTile::warps) {
#pragma unroll 1
    for (int e = static_cast<int>(threadIdx.x); e < elements; e += 32) {
      const int pixel = e / lines.channels;
      const int channel = e - pixel * lines.channels;
      const float* weight = job.dense;
      float sum = 0;
#pragma unroll 1
      for (int r = row; r < row + job.taps_down; ++r) {
        const Tf32* const line = tile + r * job.row_pitch + r / 8 * InTf32::lift + channel * job.plane_pitch + pixel;
#pragma unroll 1
        for (int x = 0; x < job.taps_across; ++x) sum += __ldg(weight++) * line[x].value;
      }
      const float value = sum * static_cast<float>(lines.scale) + static_cast<float>(lines.offset);
      std::byte* const to = job.out + place.out + (place.y + row) * lines.out_strides.height + (place.x + pixel) * lines.out_strides.width +
                            channel * lines.out_strides.channels;
      with_pixel(lines.out_pixel, [&](auto element) { store_as<decltype(element)>(to, value, lines.rounding); });
    }
  }
}

}  // namespace banded_steps

/// Block `block` of those that halves.cuh has.
template <int Windows>
__device__ __forceinline__ void banded_floats_block(const BandedFloatsArguments& job, unsigned block) {
  using namespace banded_steps;
  using Cut = FloatsTile;
  constexpr int tiles = Cut::warp_columns / 8;
  constexpr int windows = tiles + Windows - 1;
  extern __shared__ uint4 banded_memory[];
  auto* const tile = reinterpret_cast<Tf32*>(banded_memory);
  const LineArguments& lines = job.lines;
  Place place = place_of(lines, block, Cut::rows);
  place.lift = InTf32::lift;
  const int lane = static_cast<int>(threadIdx.x);
  const int warp = static_cast<int>(threadIdx.y);
  const int width = pixels_left(lines, place.x);

  // Of columns that only zeros of the band meet, all must be there: they are not to be NaN.
  const int columns = (width + 7) / 8 * 8 + 8 * (Windows - 1);
  stage<9>(lines, place, place.z + job.first[0], place.y + job.first[1], place.x + job.first[2], Cut::rows + job.taps_down - 1, columns, tile,
           job.row_pitch, job.plane_pitch);

  const auto [channel, column, row, exists] = WarpOutputs(lines, warp, width);
  RowsOfTaps<Windows, uint2> taps(job.weights + lane);
  __syncthreads();

  float sums[2][tiles][4] = {};
  bool is_odd = false;
  if (exists) {
    // The row and half of a window that this lane names: matrices of rows 0, 2 … 14 and 16, 18 … 30, and both 4 columns further.
    int r = row + lane % 8 * 2 + lane / 8 % 2 * 16;
    const unsigned base =
        static_cast<unsigned>(__cvta_generic_to_shared(tile + channel * job.plane_pitch + column + lane / 16 * 4));
    const auto step = [&]<bool First, bool Last>() {
      const unsigned from = base + static_cast<unsigned>(r * job.row_pitch + r / 8 * InTf32::lift) * 4;
      ++r;
      constexpr int ahead = 2;
      unsigned pixels[ahead + 1][4];
#pragma unroll
      for (int w = 0; w < ahead; ++w) load_matrices(pixels[w], from + 32 * w);
#pragma unroll
      for (int w = 0; w < windows; ++w) {
        if (w + ahead < windows) load_matrices(pixels[(w + ahead) % (ahead + 1)], from + 32 * (w + ahead));
#pragma unroll
        for (int t = 0; t < tiles; ++t) {
          if (t > w || t + Windows <= w) continue;
          if constexpr (!Last) multiply_add(sums[0][t], pixels[w % (ahead + 1)], taps.now[w - t]);
          if constexpr (!First) multiply_add(sums[1][t], pixels[w % (ahead + 1)], taps.before[w - t]);
        }
      }
    };
    taps.walk(job.taps_down, step);

    float zeros = 0;
#pragma unroll
    for (int t = 0; t < tiles; ++t) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float each = 0 * (sums[0][t][i] + sums[1][t][i]);
        if (column + 8 * t + lane % 4 * 2 + i % 2 < width) zeros += each;
      }
    }
    is_odd = zeros != 0;  // NaN
  }
  if (__syncthreads_or(is_odd) != 0) return put_tap_by_tap(job, place, tile, width);

  auto* const outputs = reinterpret_cast<float*>(banded_memory);
  const auto scale = static_cast<float>(lines.scale);
  const auto offset = static_cast<float>(lines.offset);
  if (exists) {
#pragma unroll
    for (int t = 0; t < tiles; ++t) {
      const int pixel = column + 8 * t + lane % 4 * 2;
#pragma unroll
      for (int half = 0; half < 4; ++half) {
        const float2 two = make_float2(sums[half % 2][t][half / 2 * 2] * scale + offset, sums[half % 2][t][half / 2 * 2 + 1] * scale + offset);
        float* const to = outputs + (row + lane / 4 * 2 + half / 2 * 16 + half % 2) * Cut::out_pitch;
        if (lines.channels == 1) {
          *reinterpret_cast<float2*>(to + pixel) = two;
        } else {
          to[pixel * lines.channels + channel] = two.x;
          to[(pixel + 1) * lines.channels + channel] = two.y;
        }
      }
    }
  }
  __syncthreads();
  put_block(job, place, outputs, warp);
}

/// Those of a launch's blocks that are odd, shared out over fewer.
template <int Windows>
__global__ void __launch_bounds__(32 * FloatsTile::warps, FloatsTile::blocks)
    banded_floats_kernel(const __grid_constant__ BandedFloatsArguments job) {
  const unsigned thread = threadIdx.y * 32 + threadIdx.x;
  constexpr unsigned threads = 32 * FloatsTile::warps;
#pragma unroll 1
  for (unsigned first = blockIdx.x; first < job.blocks; first += threads * gridDim.x) {
    const unsigned own = first + thread * gridDim.x;
    if (__syncthreads_or(own < job.blocks && job.odd[own] != 0) == 0) continue;
#pragma unroll 1
    for (unsigned i = 0; i < threads && first + i * gridDim.x < job.blocks; ++i) {
      const unsigned block = first + i * gridDim.x;
      if (job.odd[block] == 0) continue;
      banded_floats_block<Windows>(job, block);
      __syncthreads();  // until all have used shared memory
    }
  }
}

template <int Windows>
BandedFloatsKernel banded_floats_of() {
  return banded_floats_kernel<Windows>;
}

}  // namespace halation::cuda_backend
