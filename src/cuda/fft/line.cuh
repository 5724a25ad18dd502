// line.cuh: a stretch of a row in, its transform, times the filter's, back, its outputs out.
#pragma once

#include <type_traits>

#include "cuda/fft/kernels.cuh"
#include "cuda/fft/own_box.cuh"
#include "cuda/fft/samples.cuh"
#include "cuda/fft/steps/line_steps.cuh"

namespace halation::cuda_backend {

/// Where samples of a stretch of a row come from.
template <class T, int A>
class FftLineInput {
 public:
  __device__ FftLineInput(const FftArguments<T>& job, const FftPlace& place) : axis_(job.borders[2]), pixel_(job.in_pixel), step_(job.in_strides.width) {
    const std::int64_t z = job.borders[0].source(place.z + job.lead[0]);
    const std::int64_t y = job.borders[1].source(place.y + job.lead[1]);
    first_ = place.x + job.lead[2] + static_cast<int>(threadIdx.x);
    outside_ = static_cast<T>(z < 0 ? job.borders[0].constant : y < 0 ? job.borders[1].constant : axis_.constant);
    row_ = z < 0 || y < 0 ? nullptr : place.in + z * job.in_strides.depth + y * job.in_strides.height;
    const std::int64_t begin = place.x + job.lead[2];
    inside_ = row_ != nullptr && begin >= 0 && begin + 2 * FftLineSize<T, A>::length <= axis_.n;
  }

  /// Samples 16 · A apart from the thread's first on and, as imaginary parts, those `length` further, of elements of so many bytes.
  template <int Bytes>
  __device__ __forceinline__ void load(Complex<T> (&to)[16]) const {
    constexpr int step = 16 * A, half = FftLineSize<T, A>::length;
    Bits<T> real[16], imaginary[16];
    unsigned outside = 0;
    if (inside_) {
      const std::byte* const from = row_ + first_ * step_;
      const auto load_all = [&](auto bytes) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          real[i] = load_plain<Bytes, T>(from + i * step * bytes);
          imaginary[i] = load_plain<Bytes, T>(from + (i * step + half) * bytes);
        }
      };
      // Places that the compiler knows take neither instructions nor registers.
      if (step_ == Bytes) load_all(std::integral_constant<int, Bytes>{});
      else load_all(step_);
    } else if (const NearBorder near(axis_); near.holds) {
      const int first = static_cast<int>(first_);
      int places[32];
#pragma unroll
      for (int i = 0; i < 32; ++i) places[i] = row_ == nullptr ? -1 : near.source(first + i % 16 * step + i / 16 * half);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        load_bits<Bytes>(real[i], row_ + places[i] * step_, places[i] >= 0);
        load_bits<Bytes>(imaginary[i], row_ + places[i + 16] * step_, places[i + 16] >= 0);
        outside |= (places[i] < 0 ? 1U : 0U) << i | (places[i + 16] < 0 ? 1U : 0U) << (i + 16);
      }
    } else {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        load_at<Bytes>(i * step, real[i]);
        load_at<Bytes>(i * step + half, imaginary[i]);
        outside |= (is_outside(i * step) ? 1U : 0U) << i | (is_outside(i * step + half) ? 1U : 0U) << (i + 16);
      }
    }
    with_element<Bytes>(pixel_, [&](auto element) {
#pragma unroll
      for (int i = 0; i < 16; ++i) to[i] = {number_of<decltype(element), T>(real[i]), number_of<decltype(element), T>(imaginary[i])};
    });
    if (outside == 0) return;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if ((outside >> i & 1) != 0) to[i].x = outside_;
      if ((outside >> (i + 16) & 1) != 0) to[i].y = outside_;
    }
  }

 private:
  __device__ bool is_outside(int n) const { return row_ == nullptr || axis_.source(first_ + n) < 0; }
  template <int Bytes>
  __device__ void load_at(int n, Bits<T>& to) const {
    const std::int64_t source = axis_.source(first_ + n);
    load_bits<Bytes>(to, row_ + source * step_, row_ != nullptr && source >= 0);
  }

  DeviceBorder axis_;
  Pixel pixel_;
  std::int64_t step_, first_;
  const std::byte* row_;
  T outside_;
  bool inside_;
};

/// As load; compiled once, for what few stretches need.
template <class Input, class T>
__device__ __noinline__ void load_again(const Input& input, Pixel pixel, Complex<T> (&v)[16]) {
  with_bytes<T>(element_bytes(pixel), [&]<int Bytes>() { input.template load<Bytes>(v); });
}

/// Puts out what numbers that are not finite make of the outputs that they reach: running counts of them tell which hold any.
template <class T, int A>
__device__ void put_not_finite(const FftArguments<T>& job, const FftPlace& place, const FftLineInput<T, A>& input, std::byte* shared) {
  using Size = FftLineSize<T, A>;
  constexpr int samples = 2 * Size::length, each = samples / Size::threads;
  // So many of either sort lie before a sample; at most 8,192.
  auto* const nans = reinterpret_cast<std::uint16_t*>(shared);
  auto* const infinities = nans + samples;
  const int t = static_cast<int>(threadIdx.x);
  __shared__ int totals[2][Size::threads];
  __syncthreads();
  Complex<T> v[16];
  load_again(input, job.in_pixel, v);
  bool any = false;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const T both[2]{v[i].x, v[i].y};
    for (int half = 0; half < 2; ++half) {
      const T x = both[half];
      const int n = t + 16 * A * i + half * Size::length;
      nans[n] = x != x ? 1 : 0;
      infinities[n] = x == x && !is_finite(x) ? (x > 0 ? 1 : 2) : 0;
      any = any || !is_finite(x);
    }
  }
  if (__syncthreads_or(any ? 1 : 0) == 0) return;
  int here[2]{};
  for (int n = each * t; n < each * (t + 1); ++n) {
    here[0] += nans[n];
    here[1] += infinities[n] != 0 ? 1 : 0;
  }
  totals[0][t] = here[0];
  totals[1][t] = here[1];
  __syncthreads();
  // An output looks at its filter's samples alone: whole threads' shares by their totals, the rest one by one.
  const int skipped = samples - job.kept_x;
  for (int n = skipped + t; n < samples; n += Size::threads) {
    const std::int64_t x = place.x + n - skipped;
    if (x >= job.shape.width) continue;
    const int begin = n - job.taps_x + 1;
    int counts[2]{};
    for (int m = begin; m <= n;) {
      if (m % each == 0 && m + each <= n + 1) {
        counts[0] += totals[0][m / each];
        counts[1] += totals[1][m / each];
        m += each;
      } else {
        counts[0] += nans[m];
        counts[1] += infinities[m] != 0 ? 1 : 0;
        ++m;
      }
    }
    if (counts[0] + counts[1] == 0) continue;
    T sum = 0;
    if (counts[0] > 0) {
      sum = static_cast<T>(NAN);
    } else {
      for (int m = begin; m <= n; ++m) {
        if (infinities[m] != 0) sum += static_cast<T>(job.signs[m - begin]) * static_cast<T>(infinities[m] == 1 ? INFINITY : -INFINITY);
      }
    }
    store(place.out + place.y * job.out_strides.height + x * job.out_strides.width, sum * job.scale + job.offset, job.out_pixel, job.rounding);
  }
}

/// A stretch's transform times the filter's, and back.
template <class T, int A>
__device__ __forceinline__ void line_sums(const FftArguments<T>& job, Complex<T> (&v)[16], Complex<T>* numbers) {
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = v[i] * ldg(job.spectrum + FftLineSize<T, A>::threads * i + t);
  line_back<T, A>(v, numbers, job.roots);
  turn_packed<-1>(v);
}

/// A stretch's outputs out.
template <class T, int A>
__device__ __forceinline__ void put_line(const FftArguments<T>& job, const FftPlace& place, const Complex<T> (&v)[16], const FftFinish<T>& finish) {
  constexpr int samples = 2 * FftLineSize<T, A>::length;
  const int skipped = samples - job.kept_x;
  const std::int64_t left = job.shape.width - place.x;
  const auto kept = static_cast<unsigned>(left < job.kept_x ? static_cast<int>(left) : job.kept_x);
  const int first = static_cast<int>(threadIdx.x) - skipped;
  std::byte* const out = place.out + place.y * job.out_strides.height + (place.x + first) * job.out_strides.width;
  const std::int64_t width = job.out_strides.width;
  with_pixel(job.out_pixel, [&](auto element) {
    using Out = decltype(element);
    const auto put_all = [&](auto bytes) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        constexpr int far = samples / 2;
        const int n = 16 * A * i;
        if (static_cast<unsigned>(first + n) < kept) store_as<Out>(out + n * bytes, finish(v[i].x), job.rounding);
        if (static_cast<unsigned>(first + n + far) < kept) store_as<Out>(out + (n + far) * bytes, finish(v[i].y), job.rounding);
      }
    };
    if (width == static_cast<std::int64_t>(sizeof(Out))) put_all(std::integral_constant<int, static_cast<int>(sizeof(Out))>{});
    else put_all(width);
  });
}

/// One stretch, or weights as a stretch of their own. What is left to the second launch is noted.
template <class T, int A, int Bytes, FftPurpose Purpose>
__device__ __forceinline__ void filter_line(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum_out) {
  using Size = FftLineSize<T, A>;
  constexpr int warps = Size::threads / 32;
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  const int t = static_cast<int>(threadIdx.x);
  const FftPlace place = place_of_tile(job, tile);
  const FftLineInput<T, A> input(job, place);
  Complex<T> v[16];
  input.template load<Bytes>(v);
  if constexpr (Purpose == FftPurpose::spectrum) {
    turn_packed<1>(v);
    line_forth<T, A>(v, numbers, job.roots);
    constexpr T one_of = T(1) / Size::length;
#pragma unroll
    for (int i = 0; i < 16; ++i) spectrum_out[Size::threads * i + t] = {v[i].x * one_of, v[i].y * one_of};
  } else {
    __shared__ TileNorms<T> of_warps[warps];
    if (job.own_box) {
      TileNorms<T> norms;
      norms.add(v);
      // A box holds a stretch of every so many warps.
      if (job.group_lanes > 0 && t / 32 % job.group_period == 0) {
        // Groups that lie in what outputs need: stretches at the end hold more.
        const std::int64_t across = job.shape.width - place.x;
        const int needed = (across < job.kept_x ? static_cast<int>(across) : job.kept_x) + 2 * Size::length - job.kept_x;
        T sums[8];
        group_squares(v, sums, [&](int i, bool imaginary) {
          return ((t + Size::threads * i + (imaginary ? Size::length : 0)) | (job.group_lanes - 1)) < needed;
        });
        norms.least = least_group(sums, job.group_lanes);
      }
      norms.join_lanes();
      if (t % 32 == 0) of_warps[t / 32] = norms;
    }
    turn_packed<1>(v);
    line_forth<T, A>(v, numbers, job.roots);
    TileNorms<T> all;
    if (job.own_box) {
      for (const TileNorms<T>& of_warp : of_warps) all.join(of_warp);
    }
    const T lowest = job.own_box && job.not_negative && all.lowest >= 0 ? 0 : static_cast<T>(-INFINITY);
    const bool even = !job.own_box || (job.group_lanes > 0 && is_even(all, static_cast<T>(2 * Size::length)));
    line_sums<T, A>(job, v, numbers);
    if (t == 0 && job.odd_tiles != nullptr)
      job.odd_tiles[tile] = !is_finite(v[0].x) || !is_finite(v[0].y) ? tile_is_not_finite : even ? tile_is_fine : tile_is_doubtful;
    if (job.whole) round_to_whole(v);
    put_line<T, A>(job, place, v, FftFinish<T>{job, T(1), false, lowest});
  }
}

/// What the first launch left of a stretch, as resolve_tile (tile.cuh).
template <class T, int A>
__device__ __forceinline__ void resolve_line(const FftArguments<T>& job, unsigned tile, std::byte* shared) {
  using Size = FftLineSize<T, A>;
  constexpr int samples = 2 * Size::length, words = samples / 32;
  using Bits = TileBits<1, words, Size::threads>;
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  auto* const bits = reinterpret_cast<std::uint32_t*>(shared + Size::shared_bytes);
  const Bits any{bits}, strong{bits + words}, done{bits + 2 * words};
  const int t = static_cast<int>(threadIdx.x);
  const FftPlace place = place_of_tile(job, tile);
  const FftLineInput<T, A> input(job, place);
  const int skipped = samples - job.kept_x;
  const std::int64_t beside = job.shape.width - place.x;
  const int end = (beside < job.kept_x ? static_cast<int>(beside) : job.kept_x) + skipped;

  const auto for_each = [&](const auto& use) {
    Complex<T> v[16];
    load_again(input, job.in_pixel, v);
    use(v);
  };
  const auto mark = [&](const Bits& map, const auto& is) {
    for_each([&](const Complex<T>(&v)[16]) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        const std::uint32_t real = __ballot_sync(~0U, is(v[i].x)), imaginary = __ballot_sync(~0U, is(v[i].y));
        if (t % 32 != 0) continue;
        map.of[(t + 16 * A * i) / 32] = real;
        map.of[(t + 16 * A * i + Size::length) / 32] = imaginary;
      }
    });
    __syncthreads();
    map.spread(job.taps_x, false);
  };
  // Those of a word's samples that outputs' filters end at.
  const auto outputs_of = [&](int at) -> std::uint32_t {
    const int low = max(skipped - 32 * at, 0), high = min(end - 32 * at, 32);
    if (low >= high) return 0;
    return (high == 32 ? ~0U : (1U << high) - 1) & (~0U << low);
  };
  const auto put_at = [&](int n, T value) {
    store(place.out + place.y * job.out_strides.height + (place.x + n - skipped) * job.out_strides.width, value, job.out_pixel, job.rounding);
  };

  bool mine = false;
  for_each([&](const Complex<T>(&v)[16]) {
#pragma unroll
    for (int i = 0; i < 16; ++i) mine = mine || v[i].x < 0 || v[i].y < 0;
  });
  const T lowest = __syncthreads_or(mine ? 1 : 0) == 0 && job.own_box && job.not_negative ? 0 : static_cast<T>(-INFINITY);
  const bool is_right = job.odd_tiles[tile] == tile_is_doubtful;
  mark(done, [](T x) { return !is_finite(x); });
  RoundOfTile<T> round;
  bool left = true;
  for (int r = 0; left && r < most_rounds; ++r) {
    const bool some = begin_round<16>(round, static_cast<T>(samples), for_each);
    if (r == 0 && job.own_box) {
      mark(any, [](T x) { return x != 0; });
      any.for_each_word([&](std::uint32_t word, int at) {
        std::uint32_t empty = ~word & outputs_of(at);
        done.of[at] |= empty;
        for (; empty != 0; empty &= empty - 1) put_at(32 * at + __ffs(static_cast<int>(empty)) - 1, job.offset);
      });
      __syncthreads();
    }
    if (!some && job.own_box) break;
    mark(strong, [&](T x) { return !job.own_box || (round.takes(x) && fabs(x) * round.scale >= round.strong); });
    bool more = false;
    strong.for_each_word([&](std::uint32_t word, int at) {
      const std::uint32_t open = outputs_of(at) & ~done.of[at];
      strong.of[at] = word & open;
      done.of[at] |= word & open;
      more = more || (open & ~word) != 0;
    });
    left = __syncthreads_or(more ? 1 : 0) != 0;
    if (r > 0 || !is_right) {
      Complex<T> v[16];
      load_again(input, job.in_pixel, v);
      round.keep(v);
      turn_packed<1>(v);
      line_forth<T, A>(v, numbers, job.roots);
      line_sums<T, A>(job, v, numbers);
      const FftFinish<T> finish{job, 1 / round.scale, true, lowest};
#pragma unroll 1
      for (int i = 0; i < 16; ++i) {
        const int n = t + 16 * A * i, far = n + Size::length;
        if (strong.at(0, n)) put_at(n, finish(v[i].x));
        if (strong.at(0, far)) put_at(far, finish(v[i].y));
      }
      __syncthreads();
    }
    round.limit = round.strong / round.scale;
  }
  if (left && job.own_box) {
    const FftFinish<T> finish{job, 1 / round.scale, true, lowest};
    done.for_each_word([&](std::uint32_t word, int at) {
      for (std::uint32_t open = ~word & outputs_of(at); open != 0; open &= open - 1) {
        const int n = 32 * at + __ffs(static_cast<int>(open)) - 1;
        T sum = 0;
        for (int k = 0; k < job.taps_x; ++k)
          sum = fma(job.weights[job.taps_x - 1 - k], number_at<T>(job, place, 0, 0, n - job.taps_x + 1 + k) * round.scale, sum);
        put_at(n, finish(sum));
      }
    });
  }
  put_not_finite<T, A>(job, place, input, shared);
  __syncthreads();
}

/// The size and what its kernels do.
template <class T, int A>
struct FftLine {
  using Size = FftLineSize<T, A>;
  static constexpr int height = 1, width = 2 * Size::length;
  static constexpr std::size_t odd_shared_bytes = Size::shared_bytes + 3 * (width / 32) * sizeof(std::uint32_t);
  static constexpr int group_rows = 1, pair_rows = 0;

  template <int Bytes, FftPurpose Purpose>
  __device__ __forceinline__ static void filter(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum) {
    filter_line<T, A, Bytes, Purpose>(job, tile, shared, spectrum);
  }
  __device__ __forceinline__ static void resolve(const FftArguments<T>& job, unsigned tile, std::byte* shared) {
    resolve_line<T, A>(job, tile, shared);
  }
};

template <class T, int A>
FftTileKernels<T> fft_line() {
  return fft_kernels<T, FftLine<T, A>>();
}

}  // namespace halation::cuda_backend
