// reach.cuh: tiles in memory whose sums are not all as good as their own box (own_box.cuh), what decides which, and what becomes of them.
//
//   check     a pass forth adds up its block's squares and those of groups; the map's first kernel joins what all blocks of a tile found
//   map       along rows, then down columns, the largest magnitude of the windows of the filter's size, a number a sample; of signals,
//             whose rows follow each other, from each row's beginnings and ends. It takes the place of the tile's numbers, which have been
//             put out, but for the last, which has memory of its own
//   rounds    from how many samples have which magnitude: two at most beside the first pass; what is left then is summed by taps
#pragma once

#include "cuda/fft/pass_rounds.cuh"
#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

constexpr int reach_threads = 256;

/// Blocks of a tile that take its rows by turns: most tiles have nothing to do, and blocks that only begin and end cost time as well.
constexpr std::int64_t reach_blocks = 64;
constexpr std::int64_t left_blocks = 256;

/// A tile of the group, its samples and its maps.
template <class T>
struct FftReach {
  using Code = typename Magnitude<T>::Code;
  const FftPassArguments<T>& job;
  FftTileFacts<T>& facts;
  FftPlace place;
  std::int64_t depth, height, width;  ///< samples; of a signal, rows as its numbers lie
  Code *along_rows, *along_middle, *map;
  Code* of_rows;  ///< of a signal: the largest of each row

  __device__ FftReach(const FftPassArguments<T>& arguments, unsigned tile)
      : job(arguments), facts(job.facts[tile]), place(place_of_tile(arguments, arguments.first_tile + tile)) {
    const std::int64_t outer = 2 * std::int64_t{job.outer};
    const bool is_volume = job.outer_axis == 0 && !job.split;
    depth = is_volume ? outer : 1;
    height = is_volume ? job.middle : outer;
    width = job.width;
    const std::int64_t samples = depth * height * width;
    static_assert(sizeof(Complex<T>) >= 8 * sizeof(Code));  // the maps take half of what the numbers did
    along_rows = reinterpret_cast<Code*>(job.numbers + std::int64_t{tile} * (samples / 2));
    along_middle = along_rows + samples;
    of_rows = along_middle + samples;
    map = reinterpret_cast<Code*>(job.maps) + std::int64_t{tile} * samples;
  }
  /// Of a row's samples from its first.
  __device__ T sample(std::int64_t row, std::int64_t x) const {
    if (job.split) return number_at<T>(job, place, 0, 0, row * width + x);
    return number_at<T>(job, place, row / height, row % height, x);
  }
  /// The output whose filter ends at a sample, where there is one.
  __device__ std::byte* output(std::int64_t z, std::int64_t y, std::int64_t x) const {
    const std::int64_t samples[3]{job.split ? 0 : z, job.split ? 0 : y, job.split ? y * width + x : x}, kept[3]{job.kept_z, job.kept_y, job.kept_x};
    const std::int64_t begin[3]{place.z, place.y, place.x}, extents[3]{job.shape.depth, job.shape.height, job.shape.width};
    const std::int64_t strides[3]{job.out_strides.depth, job.out_strides.height, job.out_strides.width};
    std::byte* out = place.out - place.z * job.out_strides.depth;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t at = samples[axis] - job.skipped[axis];
      if (at < 0 || at >= kept[axis] || begin[axis] + at >= extents[axis]) return nullptr;
      out += (begin[axis] + at) * strides[axis];
    }
    return out;
  }
  /// Of product(sample, its tap) under the filter that ends at a sample.
  template <class Product>
  __device__ T sum_of(std::int64_t z, std::int64_t y, std::int64_t x, const Product& product) const {
    if (job.split) {
      x += y * width;
      y = 0;
    }
    T sum = 0;
    std::int64_t tap = 0;
    for (std::int64_t k = z - job.taps_z + 1; k <= z; ++k) {
      for (std::int64_t i = y - job.taps_y + 1; i <= y; ++i) {
        for (std::int64_t j = x - job.taps_x + 1; j <= x; ++j, ++tap) sum += product(number_at<T>(job, place, k, i, j), tap);
      }
    }
    return sum;
  }
  /// What a sample's map says of the output whose filter ends there: puts out what needs no transform.
  __device__ void put_by_map(std::int64_t z, std::int64_t y, std::int64_t x, int magnitude) const {
    using Kind = Magnitude<T>;
    if (magnitude > 0 && magnitude < Kind::infinite) return;
    if (magnitude == 0 && !job.own_box) return;
    std::byte* const out = output(z, y, x);
    if (out == nullptr) return;
    T sum = 0;
    if (magnitude == Kind::nan) {
      sum = static_cast<T>(NAN);
    } else if (magnitude == Kind::infinite) {
      sum = sum_of(z, y, x, [&](T number, std::int64_t tap) { return is_finite(number) ? T(0) : number * static_cast<T>(job.signs[tap]); });
    }
    store(out, sum * job.scale + job.offset, job.out_pixel, job.rounding);
  }
};

/// The rounds of a tile, by its samples' magnitudes: as in own_box.cuh, but that squares are told from above by how many samples have which.
template <class T>
__device__ void plan_rounds(const FftPassArguments<T>& job, FftTileFacts<T>& facts, double samples) {
  using Kind = Magnitude<T>;
  int end = Kind::infinite;
  const auto largest_below = [&] {
    int largest = end - 1;
    while (largest > 0 && facts.counts[largest] == 0) --largest;
    return largest;
  };
  const auto round_until = [&](int begin) {
    constexpr int most = sizeof(T) == 8 ? 1022 : 126;
    const int exponent = largest_below() + 1 - Kind::bias;  // of what no sample reaches
    return typename FftTileFacts<T>::Round{begin, end, job.whole ? 0 : min(max(exponent, -most), most)};
  };
  if (!job.own_box) {
    facts.rounds[0] = round_until(0);
    return;
  }
  bool is_there = facts.state == static_cast<std::uint32_t>(TileState::good_where_strong);
  for (int r = 0; r < fft_rounds && end > 1;) {
    const int largest = largest_below();
    double squares = ldexp(samples, -120);  // over 4^(largest + 1 − bias)
    for (int m = largest; m > max(largest - 60, 0); --m) squares += ldexp(static_cast<double>(facts.counts[m]), 2 * (m - largest));
    int exponent = 0;
    const double fraction = frexp(sqrt(squares / samples) / own_box_factor, &exponent);
    const int begin = min(max(largest + 1 + (fraction > 0.5 ? exponent : exponent - 1), 1), end - 1);
    if (!is_there) facts.rounds[r++] = round_until(begin);
    is_there = false;
    end = begin;
  }
  facts.left = round_until(1);
}

/// Lists the tiles that are to be done again: by what blocks of the pass forth found, a block a tile.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_list_tiles_kernel(const __grid_constant__ FftPassArguments<T> job) {
  __shared__ TileNorms<T> of_warps[reach_threads / 32];
  const int t = static_cast<int>(threadIdx.x);
  // In this order whatever blocks end first: the same bits each time.
  const FftCheck<T>* const checks = job.checks + std::int64_t{blockIdx.y} * job.checks_of_tile;
  TileNorms<T> norms;
  T least = static_cast<T>(INFINITY);
  for (int i = t; i < job.checks_of_tile; i += reach_threads) {
    norms.squares += checks[i].squares;
    least = fmin(least, checks[i].least);
  }
  norms.join_lanes();
  if (t % 32 == 0) of_warps[t / 32] = norms;
  __syncthreads();
  norms = TileNorms<T>::of_block(of_warps);
  const T samples = static_cast<T>(2) * static_cast<T>(job.outer) * static_cast<T>(job.middle) * static_cast<T>(job.width);
  const bool even = __syncthreads_and(!job.own_box || norms.are_even(least, samples) ? 1 : 0) != 0;
  const TileState state = !norms.are_usable(job) ? TileState::odd : even ? TileState::good : TileState::good_where_strong;
  if (t > 0 || state == TileState::good) return;
  job.facts[blockIdx.y].state = static_cast<std::uint32_t>(state);
  job.facts[atomicAdd(&job.facts[job.tiles_here].state, 1U)].again = blockIdx.y;
}

/// The largest magnitudes of windows along rows, and how many samples have which.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_rows_kernel(const __grid_constant__ FftPassArguments<T> job) {
  using Kind = Magnitude<T>;
  using Code = typename Kind::Code;
  extern __shared__ std::uint32_t words[];
  __shared__ std::uint32_t counts[Kind::nan + 1];
  const int t = static_cast<int>(threadIdx.x);
  for_each_tile(job, [&](unsigned of_group) {
    const FftReach<T> tile(job, of_group);
    for (int i = t; i <= Kind::nan; i += reach_threads) counts[i] = 0;
    Code* const codes = reinterpret_cast<Code*>(words);
    const int width = static_cast<int>(tile.width);
    // Of a signal two windows: from the row's first sample on, and to its last.
    for (std::int64_t row = blockIdx.x; row < tile.depth * tile.height; row += gridDim.x) {
      __syncthreads();
      for (int x = t; x < width; x += reach_threads) {
        const int magnitude = Kind::of(tile.sample(row, x));
        codes[x] = static_cast<Code>(magnitude);
        if (magnitude > 0) atomicAdd(&counts[magnitude], 1U);
      }
      Code* from = codes;
      Code* to = codes + width;
      const auto spread = [&](int taps, int sign, Code* result) {
        __syncthreads();
        for (int reached = 1; reached < taps;) {
          const int step = min(reached, taps - reached);
          for (int x = t; x < width; x += reach_threads) {
            const int other = x - sign * step;
            to[x] = other >= 0 && other < width ? max(from[x], from[other]) : from[x];
          }
          __syncthreads();
          Code* const before = from;
          from = to;
          to = before == codes ? codes + 2 * width : before;
          reached += step;
        }
        for (int x = t; x < width; x += reach_threads) result[row * width + x] = from[x];
        __syncthreads();
      };
      spread(job.split ? width : job.taps_x, 1, tile.along_rows);
      if (!job.split) continue;
      if (t == 0) tile.of_rows[row] = from[width - 1];
      from = codes;
      to = codes + width;
      spread(width, -1, tile.along_middle);
    }
    __syncthreads();
    for (int i = t; i <= Kind::nan; i += reach_threads) {
      if (counts[i] > 0) atomicAdd(&tile.facts.counts[i], counts[i]);
    }
  });
}

/// Windows along a column of so many numbers that lie `pitch` apart: from the ends of stretches as long as a window, and their beginnings.
template <class Code>
__device__ void spread_column(const Code* from, Code* to, std::int64_t n, std::int64_t pitch, std::int64_t taps) {
  for (std::int64_t begin = 0; begin < n; begin += taps) {
    const std::int64_t end = min(begin + taps, n);
    Code largest = 0;
    for (std::int64_t at = end - 1; at >= begin; --at) {
      largest = max(largest, from[at * pitch]);
      if (at + taps - 1 < n) to[(at + taps - 1) * pitch] = largest;
    }
    largest = 0;
    for (std::int64_t at = begin; at < end; ++at) {
      largest = max(largest, from[at * pitch]);
      to[at * pitch] = at < taps - 1 ? largest : max(largest, to[at * pitch]);
    }
  }
}

/// A thread a column along the middle axis of a volume.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_middle_kernel(const __grid_constant__ FftPassArguments<T> job) {
  for_each_tile(job, [&](unsigned of_group) {
    const FftReach<T> tile(job, of_group);
    const std::int64_t column = std::int64_t{blockIdx.x} * reach_threads + threadIdx.x, z = column / tile.width, x = column - z * tile.width;
    if (z >= tile.depth) return;
    const std::int64_t first = z * tile.height * tile.width + x;
    spread_column(tile.along_rows + first, tile.along_middle + first, tile.height, tile.width, job.taps_y);
  });
}

/// A thread a column along the outer axis: the map, and what it puts out. The first also plans the rounds.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_outer_kernel(const __grid_constant__ FftPassArguments<T> job) {
  using Code = typename Magnitude<T>::Code;
  for_each_tile(job, [&](unsigned of_group) {
    const FftReach<T> tile(job, of_group);
    const bool is_volume = job.outer_axis == 0 && !job.split;
    const std::int64_t columns = is_volume ? tile.height * tile.width : tile.width, n = is_volume ? tile.depth : tile.height;
    const std::int64_t column = std::int64_t{blockIdx.x} * reach_threads + threadIdx.x;
    if (column == 0) plan_rounds(job, tile.facts, static_cast<double>(columns * n));
    if (column >= columns) return;
    Code* const map = tile.map + column;
    if (!job.split) {
      spread_column((is_volume ? tile.along_middle : tile.along_rows) + column, map, n, columns, is_volume ? job.taps_z : job.taps_y);
    } else {
      for (std::int64_t row = 0; row < n; ++row) {
        const std::int64_t first = row * columns + column - job.taps_x + 1;  // of the window; windows are longer than rows
        Code largest = tile.along_rows[row * columns + column];
        if (first >= 0) largest = max(largest, tile.along_middle[first]);
        for (std::int64_t between = max(first / columns + 1, std::int64_t{0}); first >= 0 && between < row; ++between) largest = max(largest, tile.of_rows[between]);
        map[row * columns] = largest;
      }
    }
    const std::int64_t y = column / tile.width, x = column - y * tile.width;
    for (std::int64_t at = 0; at < n; ++at) {
      if (is_volume) tile.put_by_map(at, y, x, map[at * columns]);
      else tile.put_by_map(0, at, x, map[at * columns]);
    }
  });
}

/// Outputs that no round takes, by taps.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_left_kernel(const __grid_constant__ FftPassArguments<T> job) {
  for_each_tile(job, [&](unsigned of_group) {
    const FftTileFacts<T>& facts = job.facts[of_group];
    if (facts.left.begin >= facts.left.end) return;
    const FftReach<T> tile(job, of_group);
    const std::int64_t samples = tile.depth * tile.height * tile.width, last = std::int64_t{job.taps_z} * job.taps_y * job.taps_x - 1;
    const RoundOfTile<T> round{.begin = facts.left.begin, .end = facts.left.end, .scale = ldexp(T(1), -facts.left.exponent)};
    const FftFinish<T> finish{job, 1 / round.scale, true};
    for (std::int64_t at = std::int64_t{blockIdx.x} * reach_threads + threadIdx.x; at < samples; at += std::int64_t{gridDim.x} * reach_threads) {
      if (!round.takes(tile.map[at])) continue;
      const std::int64_t row = at / tile.width, x = at - row * tile.width, z = row / tile.height, y = row - z * tile.height;
      std::byte* const out = tile.output(z, y, x);
      if (out == nullptr) continue;
      const T sum = tile.sum_of(z, y, x, [&](T number, std::int64_t tap) { return job.weights[last - tap] * round(number); });
      store(out, finish(sum), job.out_pixel, job.rounding);
    }
  });
}

}  // namespace halation::cuda_backend
