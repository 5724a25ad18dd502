// own_box.cuh: keeps sums by transforms as good as their own box (core/own_box.h), and what NaN and infinity reach apart.
//
//   check     A block adds up the squares of its tile and those of some groups of neighbours, so chosen that every filter's box holds a
//             whole group: where the least group has rms² / factor² or more, so has every box, and the tile's sums are good.
//   resolve   Other tiles are looked at sample by sample. A bit a sample, spread over windows of the filter's size, tells what a box
//             holds. Boxes of zeros make 0. Sums whose box holds a strong sample are taken from the tile's transform; for the rest the
//             strong samples are left out, and what is left is transformed again; after `most_rounds` come sums by taps. Last, boxes
//             that hold NaN or infinity.
//   cost      a look reads the tile once; a tile of zeros and strong samples takes one look, others two a round
#pragma once

#include "core/own_box.h"
#include "cuda/fft/samples.cuh"

namespace halation::cuda_backend {

/// Transforms that a tile gets before what is left of its outputs is summed by taps.
constexpr int most_rounds = 4;

/// Which of a tile's sums are good.
enum class TileState : std::uint8_t {
  good,
  good_where_strong,  ///< over boxes that hold enough
  odd                 ///< none: samples are huge or not finite, or all so small that squares vanish
};

/// What a thread, then a block, knows of a tile from the check.
template <class T>
struct TileNorms {
  T squares = 0;                       ///< of all samples
  T least = static_cast<T>(INFINITY);  ///< sum of squares of a group
  std::uint32_t signs = 0;             ///< the highest bit: of any sample

  template <int Count>
  __device__ __forceinline__ void add(const Complex<T> (&v)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      squares = fma(v[i].x, v[i].x, fma(v[i].y, v[i].y, squares));
      signs |= sign_word(v[i].x) | sign_word(v[i].y);
    }
  }
  /// Groups of 4, 8, 16 or 32 lanes, of one sample or, `in_pairs`, of samples 2 · i and 2 · i + 1; of those only where counts(i, of the
  /// imaginary parts).
  template <int Count, class Counts>
  __device__ __forceinline__ void add_groups(const Complex<T> (&v)[Count], int lanes, bool in_pairs, const Counts& counts) {
    const bool odd = (threadIdx.x & 1) != 0, far = (threadIdx.x & 2) != 0;
    const auto square = [&](T x, int i, bool imaginary) { return counts(i, imaginary) ? x * x : static_cast<T>(INFINITY); };
    // A lane keeps one of four sums over four lanes.
#pragma unroll
    for (int i = 0; i < Count; i += 2) {
      T real[2]{square(v[i].x, i, false), square(v[i + 1].x, i + 1, false)}, imaginary[2]{square(v[i].y, i, true), square(v[i + 1].y, i + 1, true)};
      if (in_pairs) {
        real[0] = real[1] = real[0] + real[1];
        imaginary[0] = imaginary[1] = imaginary[0] + imaginary[1];
      }
      const T low = (odd ? imaginary[0] : real[0]) + __shfl_xor_sync(~0U, odd ? real[0] : imaginary[0], 1);
      const T high = (odd ? imaginary[1] : real[1]) + __shfl_xor_sync(~0U, odd ? real[1] : imaginary[1], 1);
      T sum = (far ? high : low) + __shfl_xor_sync(~0U, far ? low : high, 2);
      for (int apart = 4; apart < lanes; apart *= 2) sum += __shfl_xor_sync(~0U, sum, apart);
      least = fmin(least, sum);
    }
  }
  __device__ __forceinline__ void join(const TileNorms& other) {
    squares += other.squares;
    least = fmin(least, other.least);
    signs |= other.signs;
  }
  /// Of the lanes of a warp, for all of them.
  __device__ __forceinline__ void join_lanes() {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      join({__shfl_xor_sync(~0U, squares, apart), __shfl_xor_sync(~0U, least, apart), __shfl_xor_sync(~0U, signs, apart)});
    }
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

  /// Squares that overflow or vanish say nothing.
  __device__ __forceinline__ bool are_known() const {
    constexpr T too_small = sizeof(T) == 8 ? static_cast<T>(1e-280) : static_cast<T>(1e-28);
    return squares > too_small && is_finite(squares);
  }
  /// Whether every group, and so every box, has enough of the tile's squares.
  __device__ __forceinline__ bool are_even(T samples) const {
    return are_known() && least * (samples * static_cast<T>(own_box_factor * own_box_factor)) >= squares;
  }
  /// What a tile's transform gives.
  __device__ __forceinline__ TileState state(const FftArguments<T>& job, T samples) const {
    if (!job.own_box) return is_finite(squares) ? TileState::good : TileState::odd;
    if (!are_known()) return TileState::odd;
    return job.group_lanes > 0 && are_even(samples) ? TileState::good : TileState::good_where_strong;
  }
  /// Whether no sum can be negative.
  __device__ __forceinline__ bool show_no_negative(const FftArguments<T>& job) const {
    return job.own_box && job.not_negative && signs >> 31 == 0;
  }

 private:
  __device__ __forceinline__ static std::uint32_t sign_word(float x) { return __float_as_uint(x); }
  __device__ __forceinline__ static std::uint32_t sign_word(double x) { return static_cast<std::uint32_t>(__double2hiint(x)); }
};

/// Sums that cannot be negative, without what rounding brings.
template <class T, int Count>
__device__ __forceinline__ void keep_from_below_zero(Complex<T> (&v)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) v[i] = {fmax(v[i].x, T(0)), fmax(v[i].y, T(0))};
}

/// Bits of a tile's samples: rows of `Words` words, `Lanes` samples a word. All threads of the block call each function.
template <int Rows, int Words, int Threads, int Lanes = 32>
struct TileBits {
  static constexpr int words = Rows * Words;
  std::uint32_t* of;

  __device__ __forceinline__ bool at(int word, int bit) const { return (of[word] >> bit & 1) != 0; }
  /// Those of the warp's samples, of which `Lanes` neighbours are a word's.
  __device__ __forceinline__ void set(int word, bool is) const {
    const std::uint32_t warp = __ballot_sync(~0U, is);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane % Lanes == 0) of[word] = Lanes == 32 ? warp : warp >> lane & ((1U << Lanes % 32) - 1);
  }
  /// Each bit becomes that of any in the window of so many columns, or rows, that ends there.
  __device__ void spread(int taps, bool along_y) const {
    constexpr int each = (words + Threads - 1) / Threads;
    for (int reached = 1; reached < taps;) {
      const int step = min(reached, taps - reached);
      std::uint32_t more[each];
#pragma unroll
      for (int k = 0; k < each; ++k) {
        const int at = static_cast<int>(threadIdx.x) + k * Threads;
        more[k] = at < words ? before(at, step, along_y) : 0;
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < each; ++k) {
        const int at = static_cast<int>(threadIdx.x) + k * Threads;
        if (at < words) of[at] |= more[k];
      }
      __syncthreads();
      reached += step;
    }
  }
  /// change(word, its place) for each word.
  template <class Change>
  __device__ __forceinline__ void for_each_word(const Change& change) const {
    for (int at = static_cast<int>(threadIdx.x); at < words; at += Threads) change(of[at], at);
  }
  /// use(word, bit) for each bit that is `of` such words, neighbours by neighbouring threads.
  template <class Use>
  __device__ __forceinline__ static void for_each_place(const Use& use) {
    for (int at = static_cast<int>(threadIdx.x); at < words * Lanes; at += Threads) use(at / Lanes, at % Lanes);
  }

 private:
  __device__ __forceinline__ std::uint32_t before(int at, int step, bool along_y) const {
    if (along_y) return at >= step * Words ? of[at - step * Words] : 0;
    const int word = at % Words, far = word - step / 32;
    const std::uint32_t near = far >= 0 ? of[at - step / 32] : 0, next = far >= 1 ? of[at - step / 32 - 1] : 0;
    return __funnelshift_l(next, near, step % 32);
  }
};

/// Magnitudes of the samples that a round transforms.
template <class T>
struct RoundNorms {
  T largest = 0, least = static_cast<T>(INFINITY);  ///< of those that are not 0
  double squares = 0;

  __device__ __forceinline__ void add(T magnitude) {
    largest = fmax(largest, magnitude);
    least = magnitude > 0 ? fmin(least, magnitude) : least;
    squares = fma(static_cast<double>(magnitude), static_cast<double>(magnitude), squares);
  }
  __device__ __forceinline__ void join(const RoundNorms& other) {
    largest = fmax(largest, other.largest);
    least = fmin(least, other.least);
    squares += other.squares;
  }
  /// Of lanes that lie a multiple of `step` apart, for all of them.
  __device__ __forceinline__ void join_lanes(int step = 1) {
    for (int apart = step; apart < 32; apart *= 2) {
      join({__shfl_xor_sync(~0U, largest, apart), __shfl_xor_sync(~0U, least, apart), __shfl_xor_sync(~0U, squares, apart)});
    }
  }
  /// From here on a sample makes its boxes strong: rms / factor, or what is surely no less, where squares overflow or vanish. Not 0.
  __device__ __forceinline__ T strong_from(int samples) const {
    const bool known = squares > 1e-280 && squares < 1e300;
    const double rms = known ? sqrt(squares / samples) : static_cast<double>(largest);
    return fmax(static_cast<T>(rms / own_box_factor), sizeof(T) == 8 ? static_cast<T>(5e-324) : static_cast<T>(1e-45));
  }
};

/// What all threads of a block know.
template <int Threads, class T>
__device__ void join_block(RoundNorms<T>& norms) {
  constexpr int warps = Threads / 32;
  __shared__ RoundNorms<T> of_warps[warps];
  norms.join_lanes();
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = norms;
  __syncthreads();
  norms = RoundNorms<T>();
  for (const RoundNorms<T>& of_warp : of_warps) norms.join(of_warp);
}

/// Samples of what a round leaves out become 0, others are multiplied by a power of two.
template <class T>
struct RoundOfTile {
  T limit = static_cast<T>(INFINITY);  ///< samples from here on are left out
  T scale = 1;

  __device__ __forceinline__ T operator()(T x) const { return fabs(x) < limit ? x * scale : T(0); }  // not of a NaN, nor infinite
};

/// All outputs of a tile whose check failed. `Tile` says how it lies:
///   Number, Bits, samples         samples of what norms are of: the tile, or each of its columns, which has a thread's samples
///   job, bits(i)                  two maps in shared memory
///   for_each_sample(use)          use(word, sample) of the thread's own, by whole warps
///   spread(bits)                  over windows of the filter's size
///   join(norms)                   of all that share norms
///   is_output(word, bit), put(word, bit, value)
///   transform(round, bits, no_negative)   filters the tile, puts out what has its bit
///   sum_of(word, bit, product)    of product(sample, its tap), by taps
/// Where sums `are_there`, those over strong boxes are good as they are.
template <class Tile>
__device__ void resolve(const Tile& tile, bool are_there) {
  using T = typename Tile::Number;
  using Bits = typename Tile::Bits;
  const Bits done = tile.bits(0), marks = tile.bits(1);
  const auto& job = tile.job;

  // First look: what is no number, what is not 0.
  RoundNorms<T> norms;
  bool odd = false, negative = false;
  tile.for_each_sample([&](int word, T x) {
    const bool finite = is_finite(x);
    done.set(word, !finite);
    marks.set(word, x != 0);
    norms.add(finite ? fabs(x) : T(0));
    odd = odd || !finite;
    negative = negative || x < 0;
  });
  odd = __syncthreads_or(odd ? 1 : 0) != 0;
  negative = __syncthreads_or(negative ? 1 : 0) != 0;
  const bool no_negative = job.own_box && job.not_negative && !negative;
  if (odd) tile.spread(done);
  if (job.own_box) {
    tile.spread(marks);
    Bits::for_each_place([&](int word, int bit) {
      if (!marks.at(word, bit) && tile.is_output(word, bit)) tile.put(word, bit, job.offset);
    });
    done.for_each_word([&](std::uint32_t& word, int at) { word |= ~marks.of[at]; });
    __syncthreads();
  }

  RoundOfTile<T> round;
  bool left = true;
  for (int r = 0; left && r < most_rounds; ++r) {
    tile.join(norms);
    const T strong_from = job.own_box ? norms.strong_from(Tile::samples) : T(0);
    RoundNorms<T> weaker;
    if (__syncthreads_and(norms.least >= strong_from ? 1 : 0) != 0) {
      marks.for_each_word([](std::uint32_t& word, int) { word = ~0U; });
    } else {
      tile.for_each_sample([&](int word, T x) {
        const T magnitude = fabs(x);
        const bool taken = magnitude < round.limit;
        marks.set(word, taken && magnitude >= strong_from);
        if (taken && magnitude < strong_from) weaker.add(magnitude);
      });
      __syncthreads();
      tile.spread(marks);
    }
    __syncthreads();
    bool some = false, more = false;
    Bits::for_each_place([&](int word, int bit) {
      if (!tile.is_output(word, bit) || done.at(word, bit)) return;
      if (marks.at(word, bit)) some = true;
      else more = true;
    });
    some = __syncthreads_or(some ? 1 : 0) != 0;
    left = __syncthreads_or(more ? 1 : 0) != 0;
    marks.for_each_word([&](std::uint32_t& word, int at) { word &= ~done.of[at]; });
    __syncthreads();
    done.for_each_word([&](std::uint32_t& word, int at) { word |= marks.of[at]; });
    if (some && !(r == 0 && are_there)) {
      round.scale = job.whole ? T(1) : scale_for(norms.largest);
      tile.transform(round, marks, no_negative);
    }
    __syncthreads();
    round.limit = fmin(round.limit, strong_from);
    norms = weaker;
  }
  if (left) {
    tile.join(norms);
    round.scale = scale_for(norms.largest);
    const FftFinish<T> finish{job, 1 / round.scale, true};
    const int last = job.taps_y * job.taps_x - 1;
    Bits::for_each_place([&](int word, int bit) {
      if (!tile.is_output(word, bit) || done.at(word, bit)) return;
      tile.put(word, bit, finish(tile.sum_of(word, bit, [&](T x, int tap) { return job.weights[last - tap] * round(x); })));
    });
  }
  if (!odd) return;

  // Boxes that hold NaN; then those that hold infinities.
  const auto mark = [&](const Bits& bits, const auto& is) {
    __syncthreads();
    tile.for_each_sample([&](int word, T x) { bits.set(word, is(x)); });
    __syncthreads();
    tile.spread(bits);
  };
  mark(done, [](T x) { return !is_finite(x); });
  mark(marks, [](T x) { return x != x; });
  Bits::for_each_place([&](int word, int bit) {
    if (!done.at(word, bit) || !tile.is_output(word, bit)) return;
    T sum = static_cast<T>(NAN);
    if (!marks.at(word, bit)) {
      sum = tile.sum_of(word, bit, [&](T x, int tap) { return is_finite(x) ? T(0) : odd_product<T>(kind_of(x), job.signs[tap]); });
    }
    tile.put(word, bit, sum * job.scale + job.offset);
  });
  __syncthreads();
}

}  // namespace halation::cuda_backend
