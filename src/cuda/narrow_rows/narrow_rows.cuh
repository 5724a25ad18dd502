// narrow_rows.cuh: dense weights over rows that are narrower than a block of lanes, taken as one long line of elements.
//
//   block → outputs    256 threads; a thread has 8 outputs of one column, one below the other, and as many columns lie side by side as there
//                      are elements in a row: rows of 3 make blocks of 680 rows, rows of 64 of 32
//   shared memory      the rows that a block's outputs read, of one plane of the filter at a time, as numbers, as they lie in memory, with a gap
//                      behind each 8 of them; where the border along x is constant a pixel more a row, which is the constant; then the
//                      sums on their way out
//   operations         a multiply-add for each output and weight, a load of shared memory for 8 + height − 1 of each 8 · height
//   traffic            DRAM: each element once; L2: height − 1 rows more a block
//   instantiations     10 (CMakeLists.txt): f32 and f64, filters of 1, 3, 5, 7 rows or any
#pragma once

#include "cuda/narrow_rows/arguments.cuh"
#include "cuda/parts/pixels.cuh"
#include "cuda/parts/with_pixel.cuh"

namespace halation::cuda_backend {

namespace narrow_steps {

constexpr std::int64_t no_row = std::int64_t{1} << 62;

/// Rows first … first + rows − 1 of a plane into shared memory; `source` is room for where each of them lies.
template <class Sum>
__device__ __forceinline__ void stage(const NarrowArguments<Sum>& job, const std::byte* plane, bool plane_exists, std::int64_t first, int rows,
                                      std::int64_t* source, Sum* tile) {
  const int elements = rows * job.in_elements;
  if (job.in_flat && plane_exists && first >= 0 && first + rows <= job.borders[1].n) {
    with_pixel(job.in_pixel, [&](auto element) {
      using T = decltype(element);
      const std::byte* const from = plane + first * job.in_strides.height;
#pragma unroll 4
      for (int e = static_cast<int>(threadIdx.x); e < elements; e += narrow_threads) {
        const auto group = static_cast<int>(job.by_in_group.quotient(static_cast<unsigned>(e)));
        tile[e + group * job.in_gap] = load_constant<T, Sum>(from + e * static_cast<int>(sizeof(T)));
      }
    });
    return;
  }
  for (int r = static_cast<int>(threadIdx.x); r < rows; r += narrow_threads) {
    const std::int64_t y = plane_exists ? job.borders[1].source(first + r) : -1;
    source[r] = y < 0 ? no_row : y * job.in_strides.height;  // which goes up where strides do
  }
  __syncthreads();
  const auto outside = static_cast<Sum>(job.borders[plane_exists ? 1 : 0].constant);
  with_pixel(job.in_pixel, [&](auto element) {
    using T = decltype(element);
#pragma unroll 4
    for (int e = static_cast<int>(threadIdx.x); e < elements; e += narrow_threads) {
      const int r = static_cast<int>(job.by_in_elements.quotient(static_cast<unsigned>(e)));
      const int column = e - r * job.in_elements;
      const std::int64_t row = source[r];
      Sum value = outside;
      if (row != no_row) value = load_constant<T, Sum>(plane + row + column * static_cast<int>(sizeof(T)));
      tile[r * job.pitch + r / narrow_own * job.in_gap + column] = value;
    }
  });
  if (job.pitch == job.in_elements) return;
  const auto outside_x = static_cast<Sum>(job.borders[2].constant);
  for (int e = static_cast<int>(threadIdx.x); e < rows * job.channels; e += narrow_threads) {
    const int r = static_cast<int>(job.by_channels.quotient(static_cast<unsigned>(e)));
    tile[r * job.pitch + r / narrow_own * job.in_gap + job.in_elements + e - r * job.channels] =
        source[r] == no_row ? outside : outside_x;
  }
}

/// Adds one column of weights, `width` numbers apart, to a thread's sums; behind each 8 rows from the first
/// there is a gap.
template <class Sum, int Height>
__device__ __forceinline__ void add_column(const Sum* from, int pitch, int gap, const Sum* weights, int width,
                                           int height, Sum (&sums)[narrow_own]) {
  if constexpr (Height > 0) {
    Sum weight[Height];
#pragma unroll
    for (int k = 0; k < Height; ++k) weight[k] = weights[k * width];
#pragma unroll
    for (int j = 0; j < narrow_own + Height - 1; ++j) {
      const Sum value = from[j * pitch + j / narrow_own * gap];
#pragma unroll
      for (int i = 0; i < narrow_own; ++i) {
        if (j >= i && j - i < Height) sums[i] += weight[j - i] * value;
      }
    }
  } else {
    Sum window[narrow_own];
#pragma unroll
    for (int i = 0; i + 1 < narrow_own; ++i) window[i] = from[i * pitch];
    from += (narrow_own - 1) * pitch;
#pragma unroll 1
    for (int k = 0; k < height; ++k, from += pitch) {
      if (k % narrow_own == 1) from += gap;
      window[narrow_own - 1] = *from;
      const Sum weight = weights[k * width];
#pragma unroll
      for (int i = 0; i < narrow_own; ++i) sums[i] += weight * window[i];
#pragma unroll
      for (int i = 0; i + 1 < narrow_own; ++i) window[i] = window[i + 1];
    }
  }
}

}  // namespace narrow_steps

template <class Sum, int Height>
__global__ void __launch_bounds__(narrow_threads, narrow_blocks<Sum>)
    narrow_kernel(const __grid_constant__ NarrowArguments<Sum> job) {
  extern __shared__ __align__(16) std::byte shared_memory[];
  const int staged_rows = job.rows + job.size[1] - 1, taps = job.size[0] * job.size[1] * job.size[2];
  const int reach = job.out_width + job.size[2] - 1;
  // Where rows lie, weights, where columns are read, and the tile.
  auto* const source = reinterpret_cast<std::int64_t*>(shared_memory);
  auto* const weights = reinterpret_cast<Sum*>(source + staged_rows);
  auto* const column_at = reinterpret_cast<int*>(weights + taps + (sizeof(Sum) == 4 ? taps % 2 : 0));
  auto* const tile = reinterpret_cast<Sum*>(column_at + reach + reach % 2);

  const unsigned rest = job.blocks.quotient(blockIdx.x);
  const std::int64_t y = static_cast<std::int64_t>(blockIdx.x - rest * job.blocks.by) * job.rows;
  const unsigned images = job.depth.quotient(rest);
  const std::int64_t z = rest - images * job.depth.by;
  const unsigned channel = job.batch.quotient(images);
  const std::int64_t image = images - channel * job.batch.by;
  const std::byte* const in = job.in + image * job.in_strides.batch + channel * job.in_strides.channels;
  std::byte* const out = job.out + image * job.out_strides.batch + channel * job.out_strides.channels + z * job.out_strides.depth;

  for (int i = static_cast<int>(threadIdx.x); i < taps; i += narrow_threads) weights[i] = __ldg(job.weights + i);
  for (int i = static_cast<int>(threadIdx.x); i < reach; i += narrow_threads) {
    const auto x = static_cast<int>(job.borders[2].source(job.lead[2] + i));
    column_at[i] = x < 0 ? job.in_elements : x * job.channels;
  }

  const auto thread = threadIdx.x;
  const int group = static_cast<int>(job.by_out_elements.quotient(thread));
  const int column = static_cast<int>(thread) - group * job.out_elements;
  const int x = static_cast<int>(job.by_channels.quotient(static_cast<unsigned>(column)));
  const bool works = group * narrow_own < job.rows;
  Sum sums[narrow_own] = {};
  for (int plane = 0; plane < job.size[0]; ++plane) {
    __syncthreads();  // until all have used the plane before
    const std::int64_t source_z = job.borders[0].source(z + job.lead[0] + plane);
    narrow_steps::stage(job, in + (source_z < 0 ? 0 : source_z) * job.in_strides.depth, source_z >= 0, y + job.lead[1], staged_rows, source, tile);
    __syncthreads();
    if (!works) continue;
    const Sum* const from =
        tile + group * (narrow_own * job.pitch + job.in_gap) + (column - x * job.channels);
    const Sum* weight = weights + plane * job.size[1] * job.size[2];
#pragma unroll 1
    for (int tap = 0; tap < job.size[2]; ++tap) {
      narrow_steps::add_column<Sum, Height>(from + column_at[x + tap], job.pitch, job.in_gap, weight + tap,
                                            job.size[2], job.size[1], sums);
    }
  }

  __syncthreads();  // until all have used the tile, where sums go now
  const auto scale = static_cast<Sum>(job.scale);
  const auto offset = static_cast<Sum>(job.offset);
  if (works) {
#pragma unroll
    for (int i = 0; i < narrow_own; ++i)
      tile[(group * narrow_own + i) * job.out_elements + group * job.out_gap + column] =
          sums[i] * scale + offset;
  }
  __syncthreads();
  const std::int64_t left = job.out_height - y;
  const int elements = static_cast<int>(left < job.rows ? left : job.rows) * job.out_elements;
  with_pixel(job.out_pixel, [&](auto element) {
    using T = decltype(element);
    if (job.out_flat) {
      std::byte* const to = out + y * job.out_strides.height;
#pragma unroll 4
      for (int e = static_cast<int>(threadIdx.x); e < elements; e += narrow_threads) {
        const auto gaps = static_cast<int>(job.by_out_group.quotient(static_cast<unsigned>(e))) * job.out_gap;
        store_as<T>(to + e * static_cast<int>(sizeof(T)), tile[e + gaps], job.rounding);
      }
      return;
    }
#pragma unroll 4
    for (int e = static_cast<int>(threadIdx.x); e < elements; e += narrow_threads) {
      const int r = static_cast<int>(job.by_out_elements.quotient(static_cast<unsigned>(e)));
      std::byte* const to = out + (y + r) * job.out_strides.height + (e - r * job.out_elements) * static_cast<int>(sizeof(T));
      store_as<T>(to, tile[e + r / narrow_own * job.out_gap], job.rounding);
    }
  });
}

template <class Sum>
NarrowKernel<Sum> narrow_kernel_of(int height) {
  switch (height) {
    case 1: return narrow_kernel<Sum, 1>;
    case 3: return narrow_kernel<Sum, 3>;
    case 5: return narrow_kernel<Sum, 5>;
    case 7: return narrow_kernel<Sum, 7>;
    default: return narrow_kernel<Sum, 0>;
  }
}

}  // namespace halation::cuda_backend
