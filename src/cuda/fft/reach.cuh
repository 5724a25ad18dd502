// reach.cuh: tiles in memory with numbers that are not finite: which outputs these reach, and what they make of them.
//
// Along one axis after the other a sample is told whether a window of the filter's size that ends there holds a NaN or an infinity of
// either sign: by where one of each was met last. The last axis puts out. The maps, of a byte a sample, take the place of the tile's
// numbers, which have been put out.
#pragma once

#include "cuda/fft/pass_arguments.cuh"
#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

/// Where numbers of each kind were met last along an axis.
struct LastMet {
  static constexpr std::int64_t never = std::int64_t{-1} << 40;
  std::int64_t at[3]{never, never, never};

  __device__ void meet(std::uint8_t kinds, std::int64_t here) {
    for (int k = 0; k < 3; ++k) {
      if ((kinds >> k & 1) != 0) at[k] = here;
    }
  }
  /// The kinds in a window of so many samples that ends here.
  __device__ std::uint8_t in_window(std::int64_t here, std::int64_t taps) const {
    std::uint8_t kinds = 0;
    for (int k = 0; k < 3; ++k) kinds |= static_cast<std::uint8_t>((at[k] > here - taps ? 1 : 0) << k);
    return kinds;
  }
};

/// A tile of the group, its samples and its maps.
template <class T>
struct FftReach {
  const FftPassArguments<T>& job;
  FftPlace place;
  std::int64_t depth, height, width;  ///< samples
  std::uint8_t *along_rows, *along_middle;

  __device__ explicit FftReach(const FftPassArguments<T>& arguments) : job(arguments), place(place_of_tile(arguments, arguments.first_tile + blockIdx.y)) {
    const std::int64_t outer = 2 * std::int64_t{job.outer};
    depth = job.outer_axis == 0 && !job.split ? outer : 1;
    height = job.split ? 1 : job.outer_axis == 0 ? job.middle : outer;
    width = job.split ? outer * job.width : job.width;
    const std::int64_t samples = depth * height * width;
    static_assert(sizeof(Complex<T>) >= 4);  // two maps take no more than the numbers did
    along_rows = reinterpret_cast<std::uint8_t*>(job.numbers + std::int64_t{blockIdx.y} * (samples / 2));
    along_middle = along_rows + samples;
  }
  __device__ std::uint8_t kind_at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    const std::int64_t sources[3]{job.borders[0].source(place.z + job.lead[0] + z), job.borders[1].source(place.y + job.lead[1] + y),
                                  job.borders[2].source(place.x + job.lead[2] + x)};
    const std::byte* from = place.in;
    for (int axis = 0; axis < 3; ++axis) {
      if (sources[axis] < 0) return kind_of(static_cast<T>(job.borders[axis].constant));
    }
    from += sources[0] * job.in_strides.depth + sources[1] * job.in_strides.height + sources[2] * job.in_strides.width;
    switch (job.in_pixel) {
      case Pixel::f16: return kind_of(load<f16, T>(from));
      case Pixel::f32: return kind_of(load<float, T>(from));
      case Pixel::f64: return kind_of(load<double, T>(from));
      default: return plain_number;  // integers beside constants that are not finite
    }
  }
  /// The output whose filter ends at a sample, where there is one, and where that filter holds numbers of such kinds.
  __device__ void put(std::int64_t z, std::int64_t y, std::int64_t x, std::uint8_t kinds) const {
    const std::int64_t samples[3]{z, y, x}, kept[3]{job.kept_z, job.kept_y, job.kept_x}, begin[3]{place.z, place.y, place.x};
    const std::int64_t extents[3]{job.shape.depth, job.shape.height, job.shape.width};
    const std::int64_t strides[3]{job.out_strides.depth, job.out_strides.height, job.out_strides.width};
    std::byte* out = place.out - place.z * job.out_strides.depth;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t at = samples[axis] - job.skipped[axis];
      if (at < 0 || at >= kept[axis] || begin[axis] + at >= extents[axis]) return;
      out += (begin[axis] + at) * strides[axis];
    }
    T sum = 0;
    if ((kinds & not_a_number) != 0) {
      sum = static_cast<T>(NAN);
    } else if (job.one_sign != 0) {
      if ((kinds & plus_infinity) != 0) sum += odd_product<T>(plus_infinity, static_cast<std::int8_t>(job.one_sign));
      if ((kinds & minus_infinity) != 0) sum += odd_product<T>(minus_infinity, static_cast<std::int8_t>(job.one_sign));
    } else {
      const std::int8_t* sign = job.signs;
      for (std::int64_t k = z - job.taps_z + 1; k <= z && sum == sum; ++k) {
        for (std::int64_t i = y - job.taps_y + 1; i <= y && sum == sum; ++i) {
          for (std::int64_t j = x - job.taps_x + 1; j <= x; ++j, ++sign) {
            const std::uint8_t kind = kind_at(k, i, j);
            if (kind != plain_number) sum += odd_product<T>(kind, *sign);
          }
        }
      }
    }
    store(out, sum * job.scale + job.offset, job.out_pixel, job.rounding);
  }
};

constexpr int reach_threads = 256;

/// Blocks of a tile that take its rows by turns: most tiles have nothing to do, and blocks that only begin and end cost time as well.
constexpr std::int64_t reach_blocks = 64;

/// Row by row: of a signal's tile the only one, whose outputs are put out.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_rows_kernel(const __grid_constant__ FftPassArguments<T> job) {
  if (job.odd[blockIdx.y] == 0) return;
  const FftReach<T> tile(job);
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t each = (tile.width + reach_threads - 1) / reach_threads;
  const std::int64_t begin = each * t, end = min(begin + each, tile.width);
  __shared__ LastMet met[reach_threads];
  for (std::int64_t row = blockIdx.x; row < tile.depth * tile.height; row += gridDim.x) {
    const std::int64_t z = row / tile.height, y = row - z * tile.height;
    LastMet last;
    for (std::int64_t x = begin; x < end; ++x) last.meet(tile.kind_at(z, y, x), x);
    __syncthreads();  // the row before has been read
    met[t] = last;
    __syncthreads();
    last = LastMet();
    for (int before = 0; before < t; ++before) {
      for (int k = 0; k < 3; ++k) last.at[k] = max(last.at[k], met[before].at[k]);
    }
    for (std::int64_t x = begin; x < end; ++x) {
      last.meet(tile.kind_at(z, y, x), x);
      const std::uint8_t kinds = last.in_window(x, job.taps_x);
      if (job.split) {
        if (kinds != plain_number) tile.put(z, y, x, kinds);
      } else {
        tile.along_rows[row * tile.width + x] = kinds;
      }
    }
  }
}

/// A thread a column along the middle axis of a volume.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_middle_kernel(const __grid_constant__ FftPassArguments<T> job) {
  if (job.odd[blockIdx.y] == 0) return;
  const FftReach<T> tile(job);
  const std::int64_t column = std::int64_t{blockIdx.x} * reach_threads + threadIdx.x, z = column / tile.width, x = column - z * tile.width;
  if (z >= tile.depth) return;
  LastMet last;
  for (std::int64_t y = 0; y < tile.height; ++y) {
    const std::int64_t at = (z * tile.height + y) * tile.width + x;
    last.meet(tile.along_rows[at], y);
    tile.along_middle[at] = last.in_window(y, job.taps_y);
  }
}

/// A thread a column along the outer axis: its outputs.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_outer_kernel(const __grid_constant__ FftPassArguments<T> job) {
  if (job.odd[blockIdx.y] == 0) return;
  const FftReach<T> tile(job);
  const bool is_volume = job.outer_axis == 0;
  const std::int64_t others = is_volume ? tile.height * tile.width : tile.width;
  const std::int64_t column = std::int64_t{blockIdx.x} * reach_threads + threadIdx.x;
  if (column >= others) return;
  const std::uint8_t* const from = is_volume ? tile.along_middle : tile.along_rows;
  const std::int64_t y = column / tile.width, x = column - y * tile.width;
  LastMet last;
  for (std::int64_t at = 0; at < (is_volume ? tile.depth : tile.height); ++at) {
    last.meet(from[at * others + column], at);
    const std::uint8_t kinds = last.in_window(at, is_volume ? job.taps_z : job.taps_y);
    if (kinds == plain_number) continue;
    if (is_volume) tile.put(at, y, x, kinds);
    else tile.put(0, at, x, kinds);
  }
}

}  // namespace halation::cuda_backend
