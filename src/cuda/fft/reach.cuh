// reach.cuh: tiles in memory whose sums are not all as good as their own box (own_box.cuh), what decides which, and what becomes of them.
//
//   check     a pass forth adds up its block's squares and those of groups; the map's first kernel joins what all blocks of a tile found
//   map       along rows, a warp a row, then down columns, the largest magnitude of the windows of the filter's size, a number a sample; of
//             signals, whose rows follow each other, from each row's beginnings and ends. It takes the place of the tile's numbers, which
//             have been put out, but for the last, which has memory of its own
//   rounds    from how many samples have which magnitude, and the least of the map: two at most beside the first pass; what is left then is
//             summed by taps
#pragma once

#include "cuda/fft/pass_rounds.cuh"
#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

constexpr int reach_threads = 256;
constexpr std::size_t reach_shared_bytes = 32 << 10;  ///< of the rows that a block's warps hold; beside counts, in the 48 KiB that need no asking

/// Blocks of a tile that take its rows by turns: most tiles have nothing to do, and blocks that only begin and end cost time as well.
constexpr std::int64_t reach_blocks = 64;
constexpr std::int64_t left_blocks = 256;
constexpr std::int64_t reach_signal_rows = 8;  ///< of a thread

/// Magnitudes side by side, as a word.
template <class T>
struct MapWord {
  static constexpr int bits = 8 * static_cast<int>(sizeof(typename Magnitude<T>::Code)), codes = 32 / bits;
  static constexpr std::uint32_t first = ~0U >> (32 - bits), each = ~0U / first;  ///< the first one's bits, and 1 in each

  __device__ __forceinline__ static int code(std::uint32_t word, int i) { return static_cast<int>(word >> (i * bits) & first); }
};

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
    depth = job.is_volume() ? outer : 1;
    height = job.is_volume() ? job.middle : outer;
    width = job.width;
    const std::int64_t samples = depth * height * width;
    static_assert(sizeof(Complex<T>) >= 8 * sizeof(Code));  // the maps take half of what the numbers did
    along_rows = reinterpret_cast<Code*>(job.numbers + std::int64_t{tile} * (samples / 2));
    along_middle = along_rows + samples;
    of_rows = along_middle + samples;
    map = reinterpret_cast<Code*>(job.maps) + std::int64_t{tile} * samples;
  }
  /// A row's samples.
  __device__ TileSamples<T> samples_of(std::int64_t row) const {
    if (job.split) return TileSamples<T>(job, place, 2, 0, row * width);
    FftPlace plane = place;
    plane.z += row / height;
    return TileSamples<T>(job, plane, 2, row % height, 0);
  }
  /// Outputs whose filters end at so many samples side by side: where that of the first lies, or would lie, and which of them there are.
  struct Outputs {
    std::byte* first;
    int begin, end;
  };
  __device__ Outputs outputs(std::int64_t z, std::int64_t y, std::int64_t x, int count) const {
    const std::int64_t samples[3]{job.split ? 0 : z, job.split ? 0 : y, job.split ? y * width + x : x}, kept[3]{job.kept_z, job.kept_y, job.kept_x};
    const std::int64_t begin[3]{place.z, place.y, place.x}, extents[3]{job.shape.depth, job.shape.height, job.shape.width};
    const std::int64_t strides[3]{job.out_strides.depth, job.out_strides.height, job.out_strides.width};
    Outputs found{.first = place.out - place.z * job.out_strides.depth, .begin = 0, .end = count};
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t at = samples[axis] - job.skipped[axis], behind = min(kept[axis], extents[axis] - begin[axis]) - at;
      found.first += (begin[axis] + at) * strides[axis];
      if (axis < 2 && (at < 0 || behind <= 0)) found.end = 0;
      if (axis == 2) found.begin = static_cast<int>(min(max(-at, std::int64_t{0}), std::int64_t{count}));
      if (axis == 2) found.end = static_cast<int>(min(max(behind, std::int64_t{0}), std::int64_t{found.end}));
    }
    return found;
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
  /// What the map says of outputs whose filters end at samples side by side, a word of magnitudes: puts out what needs no transform, and
  /// keeps how far below infinity the least of the others is.
  __device__ __forceinline__ void put_by_map(std::int64_t z, std::int64_t y, std::int64_t x, std::uint32_t magnitudes, int& below_infinite) const {
    using Kind = Magnitude<T>;
    const bool ends_filter = job.split ? y * width + x + MapWord<T>::codes > job.skipped[2]
                                       : z >= job.skipped[0] && y >= job.skipped[1] && x + MapWord<T>::codes > job.skipped[2];
    if (!ends_filter) return;
    bool any = false;
#pragma unroll
    for (int i = 0; i < MapWord<T>::codes; ++i) {
      const int magnitude = MapWord<T>::code(magnitudes, i);
      any = any || needs_no_transform(magnitude);
      if (!needs_no_transform(magnitude)) below_infinite = max(below_infinite, Kind::infinite - magnitude);
    }
    if (any) put(z, y, x, magnitudes);
  }

 private:
  __device__ __forceinline__ bool needs_no_transform(int magnitude) const {
    return magnitude >= Magnitude<T>::infinite || (magnitude == 0 && job.own_box);
  }
  __device__ __noinline__ void put(std::int64_t z, std::int64_t y, std::int64_t x, std::uint32_t magnitudes) const {
    using Kind = Magnitude<T>;
    const Outputs those = outputs(z, y, x, MapWord<T>::codes);
    for (int i = those.begin; i < those.end; ++i) {
      const int magnitude = MapWord<T>::code(magnitudes, i);
      if (!needs_no_transform(magnitude)) continue;
      T sum = magnitude == Kind::nan ? static_cast<T>(NAN) : T(0);
      if (magnitude == Kind::infinite) {
        sum = sum_of(z, y, x + i, [&](T number, std::int64_t tap) { return is_finite(number) ? T(0) : number * static_cast<T>(job.signs[tap]); });
      }
      store(those.first + i * job.out_strides.width, sum * job.scale + job.offset, job.out_pixel, job.rounding);
    }
  }
};

/// The rounds of a tile, by how many samples have which magnitude: as in own_box.cuh, but that squares are told from above.
template <class T>
__device__ void plan_rounds(const FftPassArguments<T>& job, FftTileFacts<T>& facts, const std::uint32_t* counts, double samples) {
  using Kind = Magnitude<T>;
  int end = Kind::infinite;
  const auto largest_below = [&] {
    int largest = end - 1;
    while (largest > 0 && counts[largest] == 0) --largest;
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
    if (largest == 0) return;  // no output is left
    double squares = ldexp(samples, -120);  // over 4^(largest + 1 − bias)
    for (int m = largest; m > max(largest - 60, 0); --m) squares += ldexp(static_cast<double>(counts[m]), 2 * (m - largest));
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

/// Each code becomes the largest of its row's up to it, or, from the end, from it on. Whole warps call it; `words` is a multiple of 32.
/// Gives the largest of all.
template <class T, bool FromEnd>
__device__ __forceinline__ std::uint32_t largest_so_far(const std::uint32_t* from, std::uint32_t* to, int words) {
  using Word = MapWord<T>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::uint32_t before = 0;  // of the words behind, in each code
  for (int done = 0; done < words; done += 32) {
    const int at = FromEnd ? words - 1 - done - lane : done + lane;
    std::uint32_t word = from[at];
#pragma unroll
    for (int bits = Word::bits; bits < 32; bits *= 2) word = Magnitude<T>::larger(word, FromEnd ? word >> bits : word << bits);
    std::uint32_t largest = FromEnd ? word & Word::first : word >> (32 - Word::bits);
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
      const std::uint32_t other = __shfl_up_sync(~0U, largest, apart);
      if (lane >= apart) largest = max(largest, other);
    }
    const std::uint32_t of_lanes = __shfl_up_sync(~0U, largest, 1);
    to[at] = Magnitude<T>::larger(word, max(lane > 0 ? of_lanes : 0U, before) * Word::each);
    before = max(before, __shfl_sync(~0U, largest, 31));
  }
  return before;
}

/// The largest magnitudes of windows along rows, and how many samples have which. A warp takes a row, whose width is a multiple of 32; of a
/// signal it takes two windows: from the row's first sample on, and to its last.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_rows_kernel(const __grid_constant__ FftPassArguments<T> job) {
  using Kind = Magnitude<T>;
  using Code = typename Kind::Code;
  using Word = MapWord<T>;
  extern __shared__ std::uint32_t words_of_warps[];
  __shared__ std::uint32_t counts[Kind::nan + 1];
  const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), warps = threads / 32, lane = t % 32;
  const int words = job.width / Word::codes;
  std::uint32_t* const own = words_of_warps + t / 32 * 2 * words;
  for_each_tile(job, [&](unsigned of_group) {
    const FftReach<T> tile(job, of_group);
    for (int i = t; i <= Kind::nan; i += threads) counts[i] = 0;
    __syncthreads();
    for (std::int64_t row = std::int64_t{blockIdx.x} * warps + t / 32; row < tile.depth * tile.height; row += std::int64_t{gridDim.x} * warps) {
      __syncwarp();
      const TileSamples<T> samples = tile.samples_of(row);
      const auto take = [&](int x, T number) {
        const int magnitude = Kind::of(number);
        reinterpret_cast<Code*>(own)[x] = static_cast<Code>(magnitude);
        if (magnitude > 0) atomicAdd(&counts[magnitude], 1U);
      };
      constexpr int ahead = 8;
      int done = 0;
      for (; done + 32 * ahead <= job.width; done += 32 * ahead) samples.template for_each<ahead>(done + lane, 32, take);
      for (; done < job.width; done += 32) samples.template for_each<1>(done + lane, 32, take);
      __syncwarp();
      auto* const along_rows = reinterpret_cast<std::uint32_t*>(tile.along_rows) + row * words;
      if (job.split) {
        const std::uint32_t largest = largest_so_far<T, false>(own, along_rows, words);
        largest_so_far<T, true>(own, reinterpret_cast<std::uint32_t*>(tile.along_middle) + row * words, words);
        if (lane == 0) tile.of_rows[row] = static_cast<Code>(largest);
        continue;
      }
      std::uint32_t *from = own, *to = own + words;
      for (int reached = 1; reached < job.taps_x;) {
        const int step = min(reached, job.taps_x - reached), far = step / Word::codes, bits = step % Word::codes * Word::bits;
        for (int w = lane; w < words; w += 32) {
          std::uint32_t more = w >= far ? from[w - far] : 0;
          if (bits > 0) more = __funnelshift_l(w > far ? from[w - far - 1] : 0, more, bits);
          to[w] = Kind::larger(from[w], more);
        }
        __syncwarp();
        std::uint32_t* const before = from;
        from = to;
        to = before;
        reached += step;
      }
      for (int w = lane; w < words; w += 32) along_rows[w] = from[w];
    }
    __syncthreads();
    for (int i = t; i <= Kind::nan; i += threads) {
      if (counts[i] > 0) atomicAdd(&tile.facts.counts[i], counts[i]);
    }
  });
}

/// Windows down a column of `n` words that lie `pitch` apart. Stretches of the column are as long as windows; a thread takes the windows that
/// end in one of them. Such a window holds the end of the stretch before and the beginning of its own. use(at, largest) of each.
template <class T, class Use>
__device__ __forceinline__ void spread_stretch(const std::uint32_t* from, std::uint32_t* to, int n, std::int64_t pitch, int taps, int stretch, const Use& use) {
  constexpr int ahead = 16;  // loads that wait for memory together
  const int begin = stretch * taps, count = min(taps, n - begin);
  std::uint32_t largest = 0;
  for (int done = 0; begin > 0 && done < taps - 1; done += ahead) {
    std::uint32_t some[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) some[i] = done + i < taps - 1 ? __ldg(from + (begin - 1 - done - i) * pitch) : 0;
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      largest = Magnitude<T>::larger(largest, some[i]);
      const int at = taps - 2 - done - i;
      if (at >= 0 && at < count) to[(begin + at) * pitch] = largest;
    }
  }
  largest = 0;
  for (int done = 0; done < count; done += ahead) {
    std::uint32_t some[ahead], behind[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      const bool is_there = done + i < count;
      some[i] = is_there ? __ldg(from + (begin + done + i) * pitch) : 0;
      behind[i] = is_there && begin > 0 && done + i < taps - 1 ? to[(begin + done + i) * pitch] : 0;
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (done + i >= count) break;
      largest = Magnitude<T>::larger(largest, some[i]);
      const std::uint32_t all = Magnitude<T>::larger(largest, behind[i]);
      to[(begin + done + i) * pitch] = all;
      use(begin + done + i, all);
    }
  }
}

/// How threads share the columns of words that a map goes down: each takes so many rows of one.
struct MapColumns {
  std::int64_t columns, rows, rows_of_thread;

  __host__ __device__ std::int64_t threads() const { return columns * ((rows + rows_of_thread - 1) / rows_of_thread); }
};
template <class T>
__host__ __device__ MapColumns middle_columns(const FftPassArguments<T>& job) {
  return {.columns = 2 * std::int64_t{job.outer} * (job.width / MapWord<T>::codes), .rows = job.middle, .rows_of_thread = job.taps_y};
}
template <class T>
__host__ __device__ MapColumns outer_columns(const FftPassArguments<T>& job) {
  const std::int64_t of_row = job.width / MapWord<T>::codes;
  return {.columns = job.is_volume() ? job.middle * of_row : of_row,
          .rows = 2 * std::int64_t{job.outer},
          .rows_of_thread = job.split ? reach_signal_rows : job.is_volume() ? job.taps_z : job.taps_y};
}

/// Along the middle axis of a volume.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_middle_kernel(const __grid_constant__ FftPassArguments<T> job) {
  for_each_tile(job, [&](unsigned of_group) {
    const FftReach<T> tile(job, of_group);
    const MapColumns all = middle_columns(job);
    const std::int64_t words = job.width / MapWord<T>::codes, n = std::int64_t{blockIdx.x} * reach_threads + threadIdx.x;
    if (n >= all.threads()) return;
    const std::int64_t stretch = n / all.columns, column = n - stretch * all.columns, z = column / words;
    const std::int64_t first = z * tile.height * words + column - z * words;
    spread_stretch<T>(reinterpret_cast<const std::uint32_t*>(tile.along_rows) + first, reinterpret_cast<std::uint32_t*>(tile.along_middle) + first,
                      static_cast<int>(tile.height), words, job.taps_y, static_cast<int>(stretch), [](int, std::uint32_t) {});
  });
}

/// Along the outer axis: the map, and what it puts out. Of a signal a thread takes a word of some rows. The first block also plans the rounds.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_outer_kernel(const __grid_constant__ FftPassArguments<T> job) {
  using Kind = Magnitude<T>;
  using Code = typename Kind::Code;
  __shared__ std::uint32_t counts[Kind::nan + 1];
  const int t = static_cast<int>(threadIdx.x);
  for_each_tile(job, [&](unsigned of_group) {
    const FftReach<T> tile(job, of_group);
    if (blockIdx.x == 0) {
      for (int i = t; i <= Kind::nan; i += reach_threads) counts[i] = tile.facts.counts[i];
      __syncthreads();
      if (t == 0) plan_rounds(job, tile.facts, counts, static_cast<double>(tile.depth * tile.height * tile.width));
    }
    const MapColumns all_columns = outer_columns(job);
    const std::int64_t columns = all_columns.columns, row_words = job.width / MapWord<T>::codes, n = std::int64_t{blockIdx.x} * reach_threads + t;
    int below_infinite = 0;
    if (n < all_columns.threads()) {
      const std::int64_t stretch = n / columns, column = n - stretch * columns, y = column / row_words, x = (column - y * row_words) * MapWord<T>::codes;
      auto* const map = reinterpret_cast<std::uint32_t*>(tile.map) + column;
      if (job.split) {
        const int width = job.width, end = static_cast<int>(min(all_columns.rows, (stretch + 1) * reach_signal_rows));
        for (int row = static_cast<int>(stretch) * reach_signal_rows; row < end; ++row) {
          // Windows are longer than rows: the word's begin in one row, or in two, and hold those between whole.
          const int first = row * width + static_cast<int>(x) - job.taps_x + 1, last = first + MapWord<T>::codes - 1, begin_row = last / width;
          std::uint32_t all = reinterpret_cast<const std::uint32_t*>(tile.along_rows)[row * columns + column];
          if (last >= 0) {
            Code between = 0;
            for (int whole = begin_row + 1; whole < row; ++whole) between = max(between, tile.of_rows[whole]);
#pragma unroll
            for (int i = 0; i < MapWord<T>::codes; ++i) {
              if (first + i < 0) continue;
              Code largest = max(between, tile.along_middle[first + i]);
              if (first + i < begin_row * width) largest = max(largest, tile.of_rows[begin_row]);
              all = Kind::larger(all, static_cast<std::uint32_t>(largest) << (i * MapWord<T>::bits));
            }
          }
          map[row * columns] = all;
          tile.put_by_map(0, row, x, all, below_infinite);
        }
      } else {
        const auto* const from = reinterpret_cast<const std::uint32_t*>(job.is_volume() ? tile.along_middle : tile.along_rows) + column;
        const auto taps = static_cast<int>(all_columns.rows_of_thread);
        spread_stretch<T>(from, map, static_cast<int>(all_columns.rows), columns, taps, static_cast<int>(stretch), [&](int at, std::uint32_t all) {
          if (job.is_volume()) tile.put_by_map(at, y, x, all, below_infinite);
          else tile.put_by_map(0, at, x, all, below_infinite);
        });
      }
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) below_infinite = max(below_infinite, __shfl_xor_sync(~0U, below_infinite, apart));
    if (t % 32 == 0 && below_infinite > 0) atomicMax(&tile.facts.below_infinite, below_infinite);
  });
}

/// Outputs that no round takes, by taps.
template <class T>
__global__ void __launch_bounds__(reach_threads) fft_reach_left_kernel(const __grid_constant__ FftPassArguments<T> job) {
  for_each_tile(job, [&](unsigned of_group) {
    const FftTileFacts<T>& facts = job.facts[of_group];
    if (!has_outputs(facts, facts.left)) return;
    const FftReach<T> tile(job, of_group);
    const std::int64_t samples = tile.depth * tile.height * tile.width, last = std::int64_t{job.taps_z} * job.taps_y * job.taps_x - 1;
    const RoundOfTile<T> round{.begin = facts.left.begin, .end = facts.left.end, .scale = ldexp(T(1), -facts.left.exponent)};
    const FftFinish<T> finish{job, 1 / round.scale, true};
    for (std::int64_t at = std::int64_t{blockIdx.x} * reach_threads + threadIdx.x; at < samples; at += std::int64_t{gridDim.x} * reach_threads) {
      if (!round.takes(tile.map[at])) continue;
      const std::int64_t row = at / tile.width, x = at - row * tile.width, z = row / tile.height, y = row - z * tile.height;
      const auto out = tile.outputs(z, y, x, 1);
      if (out.begin >= out.end) continue;
      const T sum = tile.sum_of(z, y, x, [&](T number, std::int64_t tap) { return job.weights[last - tap] * round(number); });
      store(out.first, finish(sum), job.out_pixel, job.rounding);
    }
  });
}

}  // namespace halation::cuda_backend
