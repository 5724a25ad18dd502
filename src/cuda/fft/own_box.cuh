// own_box.cuh: keeps sums by transforms as good as their own box (core/own_box.h), and what NaN and infinity
// reach apart.
//
//   check     A block adds up the squares of its tile, and those of some groups of neighbours, so chosen that
//             every filter's box holds one: where the least of these sums has the square of rms / factor or
//             more, so has every box, and the tile's sums are good.
//   resolve   Other tiles get a map: the largest exponent under each output's box, by windows that double. It
//             tells boxes of zeros, which make 0, those with NaN or infinity, and in which round a sum is
//             taken. Round by round the tile is transformed without the samples that earlier rounds took for
//             strong; a round's sums are those over boxes whose largest sample is one of its own strong ones,
//             rms / factor or more of what it transforms.
//   cost      a tile is read once for the map, and twice a round but for the first, whose sums mostly are there
#pragma once

#include "core/own_box.h"
#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

/// Which of a tile's sums are good.
enum class TileState : std::uint8_t {
  good,
  good_where_strong,  ///< over boxes that hold enough
  odd                 ///< none: samples are huge or not finite, or all so small that squares vanish, unless all are +0
};

/// What a thread, then a block, knows of a tile from the check.
template <class T>
struct TileNorms {
  static constexpr std::uint32_t minus_zero = 1U << 31;
  T squares = 0;           ///< of all samples; above 0 where those of samples vanish that are not +0
  std::uint32_t bits = 0;  ///< the largest of any sample's: 0 where all are +0, above `minus_zero` where one is negative

  template <int Count>
  __device__ __forceinline__ void add_squares(const Complex<T> (&v)[Count]) {
    T far = 0;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      squares = fma(v[i].x, v[i].x, squares);
      far = fma(v[i].y, v[i].y, far);
    }
    squares += far;
  }
  template <int Count>
  __device__ __forceinline__ void add_bits(const Complex<T> (&v)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) bits = max(max(bits_of(v[i].x), bits_of(v[i].y)), bits);
  }
  template <int Count>
  __device__ __forceinline__ void add(const Complex<T> (&v)[Count]) {
    add_squares(v);
    add_bits(v);
  }
  __device__ __forceinline__ void show_vanished_squares(bool any) {
    constexpr T least = sizeof(T) == 8 ? static_cast<T>(2.2250738585072014e-308) : static_cast<T>(1.1754943508222875e-38);
    if (any && squares == 0) squares = least;
  }
  /// Of the lanes of a warp, for all of them.
  __device__ __forceinline__ void join_lanes() {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) squares += __shfl_xor_sync(~0U, squares, apart);
    show_vanished_squares(__any_sync(~0U, bits != 0) != 0);
    bits = __any_sync(~0U, bits > minus_zero) != 0 ? ~0U : 0;
  }
  /// Of so many warps, as each of them left them, for all threads.
  template <int Warps>
  __device__ __forceinline__ static TileNorms of_block(const TileNorms (&of_warps)[Warps]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    TileNorms all;
    if (lane < Warps) all = of_warps[lane];
    all.join_lanes();
    return all;
  }

  /// Squares that overflow or vanish say nothing, but where all samples are 0.
  __device__ __forceinline__ bool are_known() const {
    constexpr T too_small = sizeof(T) == 8 ? static_cast<T>(1e-280) : static_cast<T>(1e-28);
    return (squares > too_small || squares == 0) && is_finite(squares);
  }
  /// Whether a box has enough of the tile's squares that holds so much of them.
  __device__ __forceinline__ bool are_even(T least, T samples) const {
    return are_known() && least * (samples * static_cast<T>(own_box_factor * own_box_factor)) >= squares;
  }
  /// Whether a tile's transform gives any sums that are good.
  __device__ __forceinline__ bool are_usable(const FftArguments<T>& job) const {
    return job.own_box ? are_known() : is_finite(squares);
  }
  /// Whether no sum can be negative.
  __device__ __forceinline__ bool show_no_negative(const FftArguments<T>& job) const {
    return job.own_box && job.not_negative && bits <= minus_zero;
  }

 private:
  __device__ __forceinline__ static std::uint32_t bits_of(float x) { return __float_as_uint(x); }
  __device__ __forceinline__ static std::uint32_t bits_of(double x) {
    return static_cast<std::uint32_t>(__double2hiint(x)) | (__double2loint(x) != 0 ? 1U : 0U);
  }
};

/// Sums of squares over `lanes` (4, 8, 16 or 32) neighbours, of eight samples a lane. Each lane has two of
/// the eight sums, and four lanes side by side have all.
template <class T>
__device__ __forceinline__ void sums_over_lanes(const T (&q)[8], int lanes, T (&sums)[2]) {
  const bool odd = (threadIdx.x & 1) != 0, far = (threadIdx.x & 2) != 0;
  T half[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    half[i] = (odd ? q[i + 4] : q[i]) + __shfl_xor_sync(~0U, odd ? q[i] : q[i + 4], 1);
#pragma unroll
  for (int i = 0; i < 2; ++i)
    sums[i] = (far ? half[i + 2] : half[i]) + __shfl_xor_sync(~0U, far ? half[i] : half[i + 2], 2);
  for (int apart = 4; apart < lanes; apart *= 2) {
#pragma unroll
    for (T& sum : sums) sum += __shfl_xor_sync(~0U, sum, apart);
  }
}

/// The least sum of squares of a group, of eight samples a lane.
template <class T>
__device__ __forceinline__ T least_of_groups(const T (&q)[8], const FftGroups& groups) {
  T sums[2];
  sums_over_lanes(q, groups.lanes, sums);
  if (groups.pairs) {
    const bool has_next = threadIdx.x % 32 < 28;
#pragma unroll
    for (T& sum : sums) {
      const T next = __shfl_down_sync(~0U, sum, 4);
      sum += has_next ? next : T(0);
    }
  }
  return fmin(sums[0], sums[1]);
}

/// Which of a tile's samples along an axis outputs need and are added up to groups.
struct NeededSamples {
  int begin, end;

  NeededSamples() = default;
  /// Of those from this coordinate on.
  __device__ __forceinline__ NeededSamples(const DeviceBorder& border, std::int64_t first, bool inside_only) {
    constexpr std::int64_t far = 1 << 30;
    begin = static_cast<int>(max((inside_only ? 0 : border.low) - first, -far));
    end = static_cast<int>(min((inside_only ? min(border.n, border.high) : border.high) - first, far));
  }
  __device__ __forceinline__ bool hold(int at, int count) const { return at >= begin && at + count <= end; }
};

template <class T>
__device__ __forceinline__ void note_tile(const FftArguments<T>& job, unsigned tile, TileState state) {
  job.odd_tiles[tile] = static_cast<std::uint8_t>(state);
}

/// Sums that cannot be negative, without what rounding brings.
template <class T, int Count>
__device__ __forceinline__ void keep_from_below_zero(Complex<T> (&v)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) v[i] = {fmax(v[i].x, T(0)), fmax(v[i].y, T(0))};
}

/// A sample's magnitude as one number that maps take the largest of: 0 of 0; its exponent, from 1 on;
/// infinite; NaN.
template <class T>
struct Magnitude;
template <>
struct Magnitude<float> {
  using Code = std::uint8_t;
  static constexpr int infinite = 254, nan = 255, bias = 127;

  __device__ __forceinline__ static int of(float x) {
    constexpr std::uint32_t infinity = 0x7f800000U;
    const std::uint32_t bits = __float_as_uint(x) & 0x7fffffffU;
    const int finite = max(static_cast<int>(min(bits >> 23, infinite - 1U)), bits != 0 ? 1 : 0);
    return finite + (bits >= infinity ? 1 : 0) + (bits > infinity ? 1 : 0);
  }
  /// Of four codes each; pairs of bytes, since words of two codes are one instruction.
  __device__ __forceinline__ static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    constexpr std::uint32_t even = 0x00ff00ffU;
    return __vmaxu2(a & even, b & even) | __vmaxu2(a & ~even, b & ~even);
  }
};
template <>
struct Magnitude<double> {
  using Code = std::uint16_t;
  static constexpr int infinite = 2047, nan = 2048, bias = 1023;

  __device__ __forceinline__ static int of(double x) {
    if (x != x) return nan;
    const int exponent = __double2hiint(x) >> 20 & 0x7ff;
    return x == 0 ? 0 : max(exponent, 1);
  }
  __device__ __forceinline__ static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    return __vmaxu2(a, b);
  }
};

/// Magnitudes of a tile's samples, row by row, in shared memory that transforms take as well. All threads of the block call each function.
template <class T, int Rows, int Columns, int Threads>
struct MagnitudeMap {
  using Code = typename Magnitude<T>::Code;
  static constexpr int samples = Rows * Columns;
  static constexpr int of_word = 4 / sizeof(Code), row_words = Columns / of_word, words = Rows * row_words;
  static_assert(Columns % of_word == 0);

  __device__ __forceinline__ static std::uint32_t* of() { return reinterpret_cast<std::uint32_t*>(block_memory()); }
  __device__ __forceinline__ static Code* codes() { return reinterpret_cast<Code*>(block_memory()); }
  /// Each becomes the largest of the window of so many columns, or rows, that ends there.
  __device__ static void spread(int taps, bool along_y) {
    constexpr int each = (words + Threads - 1) / Threads;
    constexpr bool is_whole = words % Threads == 0;
    // Words of a thread lie in one column of words, where that is so.
    constexpr bool in_column = is_whole && Threads % row_words == 0;
    const int t = thread_now();
    std::uint32_t mine[each];
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (is_whole || t + k * Threads < words) mine[k] = of()[t + k * Threads];
    }
    for (int reached = 1; reached < taps;) {
      const int step = min(reached, taps - reached);
      const int far = along_y ? step * row_words : step / of_word,
                bits = along_y ? 0 : step % of_word * (32 / of_word);
#pragma unroll
      for (int k = 0; k < each; ++k) {
        const int at = t + k * Threads, word = along_y ? at : in_column ? t % row_words : at % row_words;
        const bool is_there = is_whole || at < words;
        std::uint32_t more = is_there && word >= far ? of()[at - far] : 0;
        if (bits > 0) more = __funnelshift_l(is_there && word > far ? of()[at - far - 1] : 0, more, bits);
        if (is_there) mine[k] = Magnitude<T>::larger(mine[k], more);
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < each; ++k) {
        if (is_whole || t + k * Threads < words) of()[t + k * Threads] = mine[k];
      }
      __syncthreads();
      reached += step;
    }
  }
};

/// What a round transforms: samples of magnitudes below `end`.
template <class T>
struct RoundNorms {
  T largest = 0;
  double squares = 0;

  __device__ __forceinline__ void add(T magnitude) {
    largest = fmax(largest, magnitude);
    squares = fma(static_cast<double>(magnitude), static_cast<double>(magnitude), squares);
  }
  __device__ __forceinline__ void join(const RoundNorms& other) {
    largest = fmax(largest, other.largest);
    squares += other.squares;
  }
  /// From this magnitude on a sample makes its boxes strong: rms / factor, or what is surely no less, where
  /// squares overflow or vanish. At least 1.
  __device__ __forceinline__ int strong_from(int samples) const {
    const bool known = squares > 1e-280 && squares < 1e300;
    const double rms = known ? sqrt(squares / samples) : static_cast<double>(largest);
    int exponent = 0;
    const double fraction = frexp(rms / own_box_factor, &exponent);  // of 0.5 and more
    const int least = fraction > 0.5 ? exponent : exponent - 1;      // 2^least and more is strong
    return max(least + Magnitude<T>::bias, 1);
  }
};

/// The least of what all threads of a block have.
__device__ inline int least_of_block(int mine) {
  __shared__ int least;
  if (threadIdx.x == 0) least = mine;
  __syncthreads();
  atomicMin(&least, mine);
  __syncthreads();
  return least;
}

/// What all threads of a block know.
template <int Threads, class T>
__device__ void join_block(RoundNorms<T>& norms) {
  constexpr int warps = Threads / 32;
  __shared__ RoundNorms<T> of_warps[warps];
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2)
    norms.join({__shfl_xor_sync(~0U, norms.largest, apart), __shfl_xor_sync(~0U, norms.squares, apart)});
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = norms;
  __syncthreads();
  norms = RoundNorms<T>();
  for (const RoundNorms<T>& of_warp : of_warps) norms.join(of_warp);
}

/// One transform of a tile: samples of magnitudes from `end` on become 0, others are multiplied by a power of
/// two; outputs are those over boxes whose largest sample has a magnitude from `begin` to `end`.
template <class T>
struct RoundOfTile {
  int begin = 0, end = Magnitude<T>::infinite;
  T scale = 1;
  bool no_negative = false;

  __device__ __forceinline__ bool transforms(T x) const { return Magnitude<T>::of(x) < end; }
  __device__ __forceinline__ bool takes(int magnitude) const { return magnitude >= begin && magnitude < end; }
  __device__ __forceinline__ T operator()(T x) const { return transforms(x) ? x * scale : T(0); }
};

/// What the map tells of a tile.
struct MapFacts {
  bool negative = false;  ///< any sample
  bool odd = false;       ///< any box holds NaN or infinity
  int least = 0;          ///< magnitude of a box that holds neither, and not only zeros, of an output
};

/// Puts the map of a tile's outputs into their memory. Inlined, as all that takes a tile: it would lie in local
/// memory, were its address passed on.
template <class Tile>
__device__ __forceinline__ MapFacts draw_map(const Tile& tile, RoundNorms<typename Tile::Number>& norms) {
  using T = typename Tile::Number;
  using Kind = Magnitude<T>;
  using Code = typename Tile::Map::Code;
  using Map = typename Tile::Map;
  Code* const outputs = tile.outputs();
  RoundNorms<T> mine;
  MapFacts facts{.least = Kind::infinite};
  tile.for_each_sample([&](int place, T x) {
    const int magnitude = Kind::of(x);
    Map::codes()[place] = static_cast<Code>(magnitude);
    if (magnitude < Kind::infinite) mine.add(fabs(x));
    facts.negative = facts.negative || x < 0;
  });
  norms = mine;
  __syncthreads();
  tile.spread();
  with_pixel(tile.job.out_pixel, [&](auto element) {
    tile.for_each_place([&](int place, bool is_output, std::byte* to) {
      const int magnitude = Map::codes()[place];
      outputs[place] = static_cast<Code>(magnitude);
      if (!is_output) return;
      facts.odd = facts.odd || magnitude >= Kind::infinite;
      if (magnitude > 0)
        facts.least = min(facts.least, magnitude);
      else if (tile.job.own_box)
        store_as<decltype(element)>(to, tile.job.offset, tile.job.rounding);
    });
  });
  facts.negative = __syncthreads_or(facts.negative ? 1 : 0) != 0;
  facts.odd = __syncthreads_or(facts.odd ? 1 : 0) != 0;
  facts.least = tile.least(tile.job.own_box ? facts.least : 0);
  return facts;
}

/// Of the samples that a round transforms.
template <class Tile>
__device__ __forceinline__ RoundNorms<typename Tile::Number> norms_of(
    const Tile& tile, const RoundOfTile<typename Tile::Number>& round) {
  RoundNorms<typename Tile::Number> norms;
  tile.for_each_sample([&](int, typename Tile::Number x) {
    if (round.transforms(x)) norms.add(fabs(x));
  });
  return norms;
}

/// Outputs whose boxes hold NaN or infinity.
template <class Tile>
__device__ __forceinline__ void put_not_finite(const Tile& tile) {
  using T = typename Tile::Number;
  using Kind = Magnitude<T>;
  const auto* const outputs = tile.outputs();
  tile.for_each_place([&](int place, bool is_output, std::byte* to) {
    if (!is_output || outputs[place] < Kind::infinite) return;
    T sum = static_cast<T>(NAN);
    if (outputs[place] == Kind::infinite) {
      sum = tile.sum_of(place, [&](T x, int tap) {
        return is_finite(x) ? T(0) : x * static_cast<T>(tile.job.signs[tap]);
      });
    }
    store(to, sum * tile.job.scale + tile.job.offset, tile.job.out_pixel, tile.job.rounding);
  });
}

/// All outputs of a tile whose check failed. `Tile` says how it lies:
///   Number, Map, threads          of the block
///   samples                       of what norms are of: the tile, or each of its columns
///   job
///   outputs()                     memory of its own for the map of the tile's outputs
///   for_each_sample(use)          use(place, sample) of the thread's own
///   spread()                      the map over windows of the filter's size
///   join(norms), least(magnitude) of all that share norms
///   for_each_place(use)           use(place, whether an output's filter ends there, where it is) of the thread's own
///   transform(round)              filters the tile, puts out what the round takes
///   sum_of(place, product)        of product(sample, its tap), by taps
/// Where sums `are_there`, those of the first round are good as they are.
template <class Tile>
__device__ __forceinline__ void resolve(const Tile& tile, bool are_there) {
  using T = typename Tile::Number;
  const auto& job = tile.job;
  RoundNorms<T> norms;
  const MapFacts facts = draw_map(tile, norms);
  RoundOfTile<T> round;
  round.no_negative = !facts.negative && job.own_box && job.not_negative;
  for (int r = 0; __syncthreads_or(round.end > facts.least ? 1 : 0) != 0; ++r) {
    if (r > 0) norms = norms_of(tile, round);
    tile.join(norms);
    round.begin = job.own_box ? min(norms.strong_from(Tile::samples), max(round.end - 1, 1)) : 0;
    if (r > 0 || !are_there) {
      round.scale = job.whole ? T(1) : scale_for(norms.largest);
      tile.transform(round);
    }
    round.end = round.begin;
  }
  if (facts.odd) put_not_finite(tile);
}

}  // namespace halation::cuda_backend
