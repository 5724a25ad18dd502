// line.cuh: a stretch of a row in, its transform, times the filter's, back, its outputs out.
#pragma once

#include <type_traits>

#include "cuda/fft/kernels.cuh"
#include "cuda/fft/samples.cuh"
#include "cuda/fft/steps/line_steps.cuh"

namespace halation::cuda_backend {

/// Where samples of a stretch of a row come from.
template <class T, int A, int Bytes>
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

  /// Samples 16 · A apart from the thread's first on and, as imaginary parts, those `length` further.
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
        load_at(i * step, real[i]);
        load_at(i * step + half, imaginary[i]);
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

/// Puts out what numbers that are not finite make of the outputs that they reach: running counts of them tell which hold any.
template <class T, int A, int Bytes>
__device__ void put_not_finite(const FftArguments<T>& job, const FftPlace& place, const FftLineInput<T, A, Bytes>& input, std::byte* shared) {
  using Size = FftLineSize<T, A>;
  constexpr int samples = 2 * Size::length, each = samples / Size::threads;
  // So many of either sort lie before a sample; at most 8,192.
  auto* const nans = reinterpret_cast<std::uint16_t*>(shared);
  auto* const infinities = nans + samples;
  const int t = static_cast<int>(threadIdx.x);
  __shared__ int totals[2][Size::threads];
  __syncthreads();
  Complex<T> v[16];
  input.load(v);
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

/// A stretch's transform times the filter's, and back; its outputs out.
template <class T, int A, int Bytes, FftPurpose Purpose>
__device__ __forceinline__ void put_line(const FftArguments<T>& job, const FftPlace& place, unsigned tile, Complex<T> (&v)[16], Complex<T>* numbers, T back) {
  using Size = FftLineSize<T, A>;
  constexpr int samples = 2 * Size::length;
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = v[i] * ldg(job.spectrum + Size::threads * i + t);
  line_back<T, A>(v, numbers, job.roots);
  turn_packed<-1>(v);
  if constexpr (Purpose == FftPurpose::filter) {
    if (t == 0) note_odd_tile(job, tile, v[0]);
  }
  if (job.whole) round_to_whole(v);
  const int skipped = samples - job.kept_x;
  const std::int64_t left = job.shape.width - place.x;
  const auto kept = static_cast<unsigned>(left < job.kept_x ? static_cast<int>(left) : job.kept_x);
  const int first = t - skipped;
  std::byte* const out = place.out + place.y * job.out_strides.height + (place.x + first) * job.out_strides.width;
  const std::int64_t width = job.out_strides.width;
  const FftFinish<T> finish{job, back, Purpose == FftPurpose::odd_tiles};
  with_pixel(job.out_pixel, [&](auto element) {
    using Out = decltype(element);
    const auto put_all = [&](auto bytes) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        constexpr int far = Size::length;
        const int n = 16 * A * i;
        if (static_cast<unsigned>(first + n) < kept) store_as<Out>(out + n * bytes, finish(v[i].x), job.rounding);
        if (static_cast<unsigned>(first + n + far) < kept) store_as<Out>(out + (n + far) * bytes, finish(v[i].y), job.rounding);
      }
    };
    if (width == static_cast<std::int64_t>(sizeof(Out))) put_all(std::integral_constant<int, static_cast<int>(sizeof(Out))>{});
    else put_all(width);
  });
}

/// One stretch. Those with odd numbers are noted for the second launch.
template <class T, int A, int Bytes, FftPurpose Purpose>
__device__ __forceinline__ void filter_line(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum_out) {
  using Size = FftLineSize<T, A>;
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  const int t = static_cast<int>(threadIdx.x);
  const FftPlace place = place_of_tile(job, tile);
  const FftLineInput<T, A, Bytes> input(job, place);
  T scale = 1, back = 1;
  Complex<T> v[16];
  input.load(v);
  if constexpr (Purpose == FftPurpose::odd_tiles) {
    scale = job.whole ? T(1) : scale_for(largest_of_block(largest_of(v)));
    back = 1 / scale;
    scale_finite(v, scale);
  }
  turn_packed<1>(v);
  line_forth<T, A>(v, numbers, job.roots);
  if constexpr (Purpose == FftPurpose::spectrum) {
    constexpr T one_of = T(1) / Size::length;
#pragma unroll
    for (int i = 0; i < 16; ++i) spectrum_out[Size::threads * i + t] = {v[i].x * one_of, v[i].y * one_of};
  } else {
    put_line<T, A, Bytes, Purpose>(job, place, tile, v, numbers, back);
  }
  if constexpr (Purpose == FftPurpose::odd_tiles) {
    put_not_finite<T, A, Bytes>(job, place, input, shared);
    __syncthreads();
  }
}

/// The size and what its kernels do.
template <class T, int A>
struct FftLine {
  using Size = FftLineSize<T, A>;
  static constexpr int height = 1, width = 2 * Size::length;

  template <int Bytes, FftPurpose Purpose>
  __device__ __forceinline__ static void filter(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum) {
    filter_line<T, A, Bytes, Purpose>(job, tile, shared, spectrum);
  }
};

template <class T, int A>
FftTileKernels<T> fft_line() {
  return fft_kernels<T, FftLine<T, A>>();
}

}  // namespace halation::cuda_backend
