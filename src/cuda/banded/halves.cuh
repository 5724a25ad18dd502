// halves.cuh: sums of floats and weights of half precision as products of matrices, by tensor cores.
//
// As floats.cuh, but one instruction multiplies 16 rows of 16 columns (a window). Outputs of 16 neighbouring columns are two matrices: that of
// columns 4t and 4t + 1, t = 0 … 3, and that of the two behind these, so that a lane has four neighbours.
//
//   block → outputs    64 rows of 256 elements: 2 warps down, 4 across, each of 32 rows of 64 columns of one channel
//   registers          64 sums; weights of two rows of taps: 8 a window
//   shared memory      the rows and columns that a block's outputs read, as f16, each 8 rows 16 bytes further than their pitch; where rows of outputs
//                      are not f32 or f16 side by side, the sums on their way out after them
//   operations         K rows times K + 15 columns up to a multiple of 16: 15×15 taps 480 products an output, at twice the rate of tf32
//   traffic            DRAM: each element once; L2: halos of the filter less one for 64 rows × 256 columns
//   odd tiles          whose pixels f16 does not hold: whose sums are not all finite, or whose pixels are all less than 2^-13 and not all 0. They are
//                      noted, and left to floats.cuh
//   limits             weights along y and x; sums in f32. sm_80: m16n8k16 of f16
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/banded/floats_arguments.cuh"
#include "cuda/banded/products.cuh"
#include "cuda/parts/neighbours.cuh"

namespace halation::cuda_backend {

namespace banded_steps {

struct Half {
  __half value;

  Half() = default;
  template <class T>
  __device__ __forceinline__ explicit Half(T number) : value(__float2half_rn(static_cast<float>(number))) {}
};

/// Less, of the largest of a tile, is off by more than half a unit of 11 bits.
constexpr float least_half = 0x1p-13F;

/// sums += pixels · weights: 16 × 16 by 16 × 8.
__device__ __forceinline__ void multiply_add_halves([[maybe_unused]] float (&sums)[4], [[maybe_unused]] const unsigned (&pixels)[4],
                                                    [[maybe_unused]] uint2 weights) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(pixels[0]), "r"(pixels[1]), "r"(pixels[2]), "r"(pixels[3]), "r"(weights.x), "r"(weights.y));
#endif
}

/// Rows of f32 from a boundary of 16 bytes on, all of which exist. The largest magnitude of what this thread brings.
template <int Columns>
__device__ __forceinline__ float stage_halves(const std::byte* from, std::int64_t row_bytes, int rows, unsigned to, int pitch) {
  constexpr int fours = Columns / 4;
  constexpr int together = 21;  // under way at once: all of 15 rows of taps
  constexpr int threads = 32 * FloatsTile::warps;
  float largest = 0;
  const int count = rows * fours;
#pragma unroll 1
  for (int first = static_cast<int>(threadIdx.y * 32 + threadIdx.x); first < count; first += together * threads) {
    float4 four[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int at = min(first + i * threads, count - 1);
      const int row = at / fours;
      four[i] = __ldg(reinterpret_cast<const float4*>(from + row * row_bytes) + (at - row * fours));
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int at = min(first + i * threads, count - 1);
      const int row = at / fours;
      const __half2 low = __floats2half2_rn(four[i].x, four[i].y);
      const __half2 high = __floats2half2_rn(four[i].z, four[i].w);
      largest = fmaxf(largest, fmaxf(fmaxf(fabsf(four[i].x), fabsf(four[i].y)), fmaxf(fabsf(four[i].z), fabsf(four[i].w))));
#if defined(__CUDA_ARCH__)
      asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(to + static_cast<unsigned>(row * pitch + row / 8 * InHalves::lift + (at - row * fours) * 4) * 2),
                   "r"(*reinterpret_cast<const unsigned*>(&low)), "r"(*reinterpret_cast<const unsigned*>(&high))
                   : "memory");
#endif
    }
  }
  return largest;
}

/// A lane's outputs of 16 columns: of two matrices, whose sums lie in the lower or the upper row.
__device__ __forceinline__ float4 four_outputs(const float (*sums)[4], int row, float scale, float offset) {
  return make_float4(sums[0][2 * row] * scale + offset, sums[0][2 * row + 1] * scale + offset, sums[1][2 * row] * scale + offset,
                     sums[1][2 * row + 1] * scale + offset);
}

/// The largest magnitude of what this thread looks at: of `rows` rows, and of each channel's `columns` in them.
__device__ __forceinline__ float largest_of(const Half* tile, int rows, int columns, int channels, int row_pitch, int plane_pitch) {
  float largest = 0;
#pragma unroll 1
  for (int r = static_cast<int>(threadIdx.y); r < rows; r += FloatsTile::warps) {
#pragma unroll 1
    for (int c = 0; c < channels; ++c) {
      const Half* const line = tile + r * row_pitch + r / 8 * InHalves::lift + c * plane_pitch;
      for (int x = static_cast<int>(threadIdx.x); x < columns; x += 32) largest = fmaxf(largest, fabsf(__half2float(line[x].value)));
    }
  }
  return largest;
}

/// The same of f16, on their way when this returns.
template <int Columns>
__device__ __forceinline__ void copy_halves(const std::byte* from, std::int64_t row_bytes, int rows, unsigned to, int pitch) {
  constexpr int units = Columns / 8;
#pragma unroll 4
  for (int at = static_cast<int>(threadIdx.y * 32 + threadIdx.x); at < rows * units; at += 32 * FloatsTile::warps) {
    const int row = at / units;
    const int unit = at - row * units;
    copy_16(to + static_cast<unsigned>(row * pitch + row / 8 * InHalves::lift + unit * 8) * 2, from + row * row_bytes + unit * 16);
  }
}

}  // namespace banded_steps

template <int Windows>
__global__ void __launch_bounds__(32 * FloatsTile::warps, FloatsTile::blocks)
    banded_halves_kernel(const __grid_constant__ BandedFloatsArguments job) {
  using namespace banded_steps;
  using Cut = FloatsTile;
  constexpr int pairs = Cut::warp_columns / 16;
  constexpr int loads = pairs + Windows - 1;
  constexpr int whole_columns = Cut::elements + 16 * (Windows - 1);
  extern __shared__ uint4 banded_memory[];
  __shared__ int seen;
  auto* const tile = reinterpret_cast<Half*>(banded_memory);
  const LineArguments& lines = job.lines;
  Place place = place_of(lines, blockIdx.x, Cut::rows);
  place.lift = InHalves::lift;
  const int lane = static_cast<int>(threadIdx.x);
  const int warp = static_cast<int>(threadIdx.y);
  const int width = pixels_left(lines, place.x);
  if (lane == 0 && warp == 0) {
    seen = 0;
    job.odd[blockIdx.x] = 0;
  }
  __syncthreads();

  const std::int64_t x = place.x + job.first[2];
  const std::int64_t y = place.y + job.first[1];
  const std::int64_t z = place.z + job.first[0];
  const int rows = Cut::rows + job.taps_down - 1;
  float largest = 0;
  const bool whole = job.in_units && width == Cut::elements && x >= 0 && x + whole_columns <= lines.borders[2].n && y >= 0 && y + rows <= lines.borders[1].n;
  if (whole) {
    const std::byte* const from = place.in + z * lines.in_strides.depth + y * lines.in_strides.height + x * lines.in_strides.width;
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    if (job.looks) {
      largest = stage_halves<whole_columns>(from, lines.in_strides.height, rows, to, job.row_pitch);
    } else {
      copy_halves<whole_columns>(from, lines.in_strides.height, rows, to, job.row_pitch);
      staged();
    }
  } else {
    // Of columns that only zeros of the band meet, all must be there: they are not to be NaN.
    const int columns = (width + 15) / 16 * 16 + 16 * (Windows - 1);
    stage<9>(lines, place, z, y, x, rows, columns, tile, job.row_pitch, job.plane_pitch);
    if (job.looks) {
      __syncthreads();
      largest = largest_of(tile, rows, columns, lines.channels, job.row_pitch, job.plane_pitch);
    }
  }

  const auto [channel, column, row, exists] = WarpOutputs(lines, warp, width);
  RowsOfTaps<Windows, uint4> taps(reinterpret_cast<const uint4*>(job.weights) + lane);
  if (job.looks) {
    // What f16 has made 0 may be all that there is.
    const int has = (!whole || __any_sync(0xffffffff, largest > 0) ? 1 : 0) | (__any_sync(0xffffffff, largest >= least_half) ? 2 : 0);
    if (lane == 0) atomicOr(&seen, has);
  }
  __syncthreads();
  if (job.looks && seen == 1) {
    if (lane == 0 && warp == 0) job.odd[blockIdx.x] = 1;
    return;
  }

  float sums[2][2 * pairs][4] = {};
  bool is_odd = false;
  if (exists) {
    // The row and half of a window that this lane names: matrices of rows 0, 2 … 14 and 16, 18 … 30, and both 8 columns further.
    int r = row + lane % 8 * 2 + lane / 8 % 2 * 16;
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(tile + channel * job.plane_pitch + column + lane / 16 * 8));
    const auto step = [&]<bool First, bool Last>() {
      const unsigned from = base + static_cast<unsigned>(r * job.row_pitch + r / 8 * InHalves::lift) * 2;
      ++r;
      constexpr int ahead = 2;
      unsigned pixels[ahead + 1][4];
#pragma unroll
      for (int w = 0; w < ahead; ++w) load_matrices(pixels[w], from + 32 * w);
#pragma unroll
      for (int w = 0; w < loads; ++w) {
        if (w + ahead < loads) load_matrices(pixels[(w + ahead) % (ahead + 1)], from + 32 * (w + ahead));
        const unsigned(&own)[4] = pixels[w % (ahead + 1)];
#pragma unroll
        for (int p = 0; p < pairs; ++p) {
          if (p > w || p + Windows <= w) continue;
          if constexpr (!Last) {
            multiply_add_halves(sums[0][2 * p], own, make_uint2(taps.now[w - p].x, taps.now[w - p].y));
            multiply_add_halves(sums[0][2 * p + 1], own, make_uint2(taps.now[w - p].z, taps.now[w - p].w));
          }
          if constexpr (!First) {
            multiply_add_halves(sums[1][2 * p], own, make_uint2(taps.before[w - p].x, taps.before[w - p].y));
            multiply_add_halves(sums[1][2 * p + 1], own, make_uint2(taps.before[w - p].z, taps.before[w - p].w));
          }
        }
      }
    };
    taps.walk(job.taps_down, step);

    float zeros = 0;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float each = 0;
#pragma unroll
        for (int half = 0; half < 4; ++half) each += 0 * sums[half % 2][2 * p + i / 2][half / 2 * 2 + i % 2];
        if (column + 16 * p + lane % 4 * 4 + i < width) zeros += each;
      }
    }
    is_odd = zeros != 0;  // NaN
  }

  const auto scale = static_cast<float>(lines.scale);
  const auto offset = static_cast<float>(lines.offset);
  if (is_odd) job.odd[blockIdx.x] = 1;
  const int own = row + lane / 4 * 2;
  if (job.out_fours) {
    if (!exists) return;
    const bool as_halves = lines.out_pixel == Pixel::f16;
    const int size = as_halves ? 2 : 4;
    std::byte* const to = job.out + place.out + (place.y + own) * lines.out_strides.height + (place.x + column + lane % 4 * 4) * size;
#pragma unroll
    for (int half = 0; half < 4; ++half) {
      const int down = half / 2 * 16 + half % 2;
      if (place.y + own + down >= lines.out.height) continue;
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        if (column + 16 * p + lane % 4 * 4 >= width) continue;
        const float4 four = four_outputs(sums[half % 2] + 2 * p, half / 2, scale, offset);
        std::byte* const at = to + down * lines.out_strides.height + 16 * p * size;
        if (!as_halves) {
          *reinterpret_cast<float4*>(at) = four;
        } else {
          const float each[4] = {four.x, four.y, four.z, four.w};
          store_rounded<f16, 4>(at, each);
        }
      }
    }
    return;
  }
  __syncthreads();  // until all have used the tile, where sums go now
  auto* const outputs = reinterpret_cast<float*>(banded_memory);
  if (exists) {
#pragma unroll
    for (int half = 0; half < 4; ++half) {
      float* const to = outputs + (own + half / 2 * 16 + half % 2) * Cut::out_pitch;
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        const int pixel = column + 16 * p + lane % 4 * 4;
        const float4 four = four_outputs(sums[half % 2] + 2 * p, half / 2, scale, offset);
        if (lines.channels == 1) {
          *reinterpret_cast<float4*>(to + pixel) = four;
        } else {
          const float each[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int i = 0; i < 4; ++i) to[(pixel + i) * lines.channels + channel] = each[i];
        }
      }
    }
  }
  __syncthreads();
  put_block(job, place, outputs, warp);
}

template <int Windows>
BandedFloatsKernel banded_halves_of() {
  return banded_halves_kernel<Windows>;
}

}  // namespace halation::cuda_backend
