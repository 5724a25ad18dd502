// samples.cuh: what kernels of all sizes of tiles share: where a tile lies, numbers in and out, those that are not finite or huge.
#pragma once

#include "cuda/fft/arguments.cuh"
#include "cuda/parts/pixels.cuh"
#include "cuda/parts/with_pixel.cuh"

namespace halation::cuda_backend {

/// Where a tile lies.
struct FftPlace {
  std::int64_t x, y, z;  ///< its first output
  const std::byte* in;   ///< of its image and channel
  std::byte* out;
};

/// A tile's number as digits, from the one that counts fastest on.
struct TileDigits {
  unsigned rest;

  __device__ __forceinline__ std::int64_t next(const Divisor& divisor) {
    const unsigned number = rest;
    rest = divisor.quotient(number);
    return number - rest * divisor.by;
  }
};

template <class T>
__device__ __forceinline__ FftPlace place_of_tile(const FftArguments<T>& job, unsigned tile) {
  TileDigits digits{tile};
  const std::int64_t channel = digits.next(job.channels);  // those of a pixel one after the other: they share its bytes in the cache
  FftPlace place;
  place.x = digits.next(job.across) * job.kept_x;
  place.y = digits.next(job.down) * job.kept_y;
  place.z = digits.next(job.depth) * job.kept_z;
  const std::int64_t batch = digits.rest;
  place.in = job.in + batch * job.in_strides.batch + channel * job.in_strides.channels;
  place.out = job.out + batch * job.out_strides.batch + channel * job.out_strides.channels + place.z * job.out_strides.depth;
  return place;
}

/// A number of memory that no kernel writes meanwhile, in one load.
template <class T>
__device__ __forceinline__ Complex<T> ldg(const Complex<T>* from) {
  if constexpr (sizeof(T) == 4) {
    const float2 both = __ldg(reinterpret_cast<const float2*>(from));
    return {both.x, both.y};
  } else {
    const double2 both = __ldg(reinterpret_cast<const double2*>(from));
    return {both.x, both.y};
  }
}

/// Whether |x| is at most `largest_plain_number`, and a number.
template <class T>
__device__ __forceinline__ bool is_plain(T x) {
  return fabs(x) <= largest_plain_number<T>;
}

template <class T>
__device__ __forceinline__ bool is_finite(T x) {
  return x - x == 0;
}

/// What a number adds to the outputs whose filters reach it.
enum : std::uint8_t { plain_number = 0, not_a_number = 1, plus_infinity = 2, minus_infinity = 4 };

template <class T>
__device__ __forceinline__ std::uint8_t kind_of(T x) {
  return is_finite(x) ? plain_number : x != x ? not_a_number : x > 0 ? plus_infinity : minus_infinity;
}
/// A number of some kind, not plain, times a weight of that sign.
template <class T>
__device__ __forceinline__ T odd_product(std::uint8_t kind, std::int8_t sign) {
  return static_cast<T>(sign) * static_cast<T>(kind == not_a_number ? NAN : kind == plus_infinity ? INFINITY : -INFINITY);
}

/// |x|, 0 of what is not finite.
template <class T>
__device__ __forceinline__ T finite_magnitude(T x) {
  return is_finite(x) ? fabs(x) : 0;
}

/// Whether a tile has odd numbers, told by any of its sums: a transform brings one that is no number or infinite, or that becomes so by
/// being too large, to each bin, and each bin to each sum.
template <class T>
__device__ __forceinline__ void note_odd_tile(const FftArguments<T>& job, unsigned tile, Complex<T> sum) {
  if (job.odd_tiles != nullptr) job.odd_tiles[tile] = is_finite(sum.x) && is_finite(sum.y) ? 0 : 1;
}

/// Asks for the tile that follows in the block's place, so that memory works while the block computes.
template <int Rows, int Columns, int Bytes, class T>
__device__ __forceinline__ void prefetch_tile(const FftArguments<T>& job, unsigned tile) {
#if defined(__CUDA_ARCH__)
  if (job.ahead == 0 || tile + job.ahead >= job.tiles) return;
  const FftPlace place = place_of_tile(job, tile + job.ahead);
  const std::int64_t z = place.z + job.lead[0], y = place.y + job.lead[1];
  const std::int64_t begin = max(place.x + job.lead[2], std::int64_t{0}), end = min(place.x + job.lead[2] + Columns, job.borders[2].n);
  if (z < 0 || z >= job.borders[0].n || begin >= end) return;
  constexpr int line = 128;  // bytes of a line of the cache
  constexpr int lines = (Columns * Bytes + line - 1) / line + 1;
  const std::byte* const plane = place.in + z * job.in_strides.depth;
  for (int i = static_cast<int>(threadIdx.x); i < Rows * lines; i += static_cast<int>(blockDim.x)) {
    const std::int64_t row = y + i / lines;
    if (row < 0 || row >= job.borders[1].n) continue;
    const std::byte* const first = plane + row * job.in_strides.height + begin * Bytes;
    const std::byte* const at = first + i % lines * line;
    if (at < first + (end - begin) * Bytes) asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
  }
#endif
}

/// 2^e such that numbers up to `largest` times it are at most 1, or 4 of the largest and less of the smallest there are: 2^e and 2^−e are
/// normal numbers.
template <class T>
__device__ __forceinline__ T scale_for(T largest) {
  constexpr int most = sizeof(T) == 8 ? 1022 : 126;
  int exponent = 0;
  frexp(largest, &exponent);
  return ldexp(T(1), -min(max(exponent, -most), most));
}

/// As `scale_for`, from the word that a pass leaves for an odd tile: 1, or 1 + the exponent of the largest of its huge numbers.
template <class T>
__device__ __forceinline__ T scale_of_odd(std::uint32_t word) {
  constexpr int most = sizeof(T) == 8 ? 1022 : 126;
  return ldexp(T(1), -min(static_cast<int>(word) - 1, most));
}

/// DeviceBorder::source without branches, so that loads need not wait for one another, where no coordinate that a job reads lies further
/// outside than the axis is long: outside, a source is a straight line of the coordinate.
struct NearBorder {
  int low, high, n;
  int before, before_each, after, after_each;
  bool holds;  ///< whether it can be asked

  __device__ explicit NearBorder(const DeviceBorder& border)
      : low(static_cast<int>(border.low)), high(static_cast<int>(border.high)), n(static_cast<int>(border.n)) {
    holds = border.n < (1 << 29) && border.low > -border.n && border.high < 2 * border.n;
    const bool is_reflected = border.mode == Border::Mode::reflect || border.mode == Border::Mode::reflect101;
    const int edge = border.mode == Border::Mode::reflect101 ? 1 : 0;
    before = after = -1;
    before_each = after_each = 0;
    if (border.mode == Border::Mode::replicate) {
      before = 0;
      after = n - 1;
    } else if (is_reflected) {
      before = edge - 1;
      after = 2 * n - 1 - edge;
      before_each = after_each = -1;
    } else if (border.mode == Border::Mode::wrap) {
      before = n;
      after = -n;
      before_each = after_each = 1;
    }
  }
  __device__ __forceinline__ int source(int c) const {
    const int read = min(max(c, low), high - 1);  // what lies beyond no output needs
    const int below = before + before_each * read, above = after + after_each * read;
    return read < 0 ? below : read >= n ? above : read;
  }
};

/// cos and sin of π · half_turns.
template <class T>
__device__ __forceinline__ Complex<T> root_of_half_turns(T half_turns) {
  Complex<T> root;
  if constexpr (sizeof(T) == 4) sincospif(half_turns, &root.y, &root.x);
  else sincospi(half_turns, &root.y, &root.x);
  return root;
}

/// The largest of all threads' magnitudes.
template <class T>
__device__ T largest_of_block(T mine) {
  __shared__ unsigned long long largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  atomicMax(&largest, static_cast<unsigned long long>(__double_as_longlong(static_cast<double>(mine))));
  __syncthreads();
  return static_cast<T>(__longlong_as_double(static_cast<long long>(largest)));
}

/// The largest finite magnitude.
template <class T, int Count>
__device__ __forceinline__ T largest_of(const Complex<T> (&v)[Count]) {
  T largest = 0;
#pragma unroll
  for (int i = 0; i < Count; ++i) largest = max(largest, max(finite_magnitude(v[i].x), finite_magnitude(v[i].y)));
  return largest;
}
/// Odd numbers as transforms can take them: times `scale`, and 0 in place of what is not finite.
template <class T, int Count>
__device__ __forceinline__ void scale_finite(Complex<T> (&v)[Count], T scale) {
#pragma unroll
  for (int i = 0; i < Count; ++i) v[i] = {is_finite(v[i].x) ? v[i].x * scale : 0, is_finite(v[i].y) ? v[i].y * scale : 0};
}
template <class T, int Count>
__device__ __forceinline__ void round_to_whole(Complex<T> (&v)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) v[i] = {rint(v[i].x), rint(v[i].y)};
}

/// What a transform gives as an output's number; `back` undoes the scale of odd tiles, step by step, so that what is huge stays finite
/// until it is put out.
template <class T>
struct FftFinish {
  const FftArguments<T>& job;
  T back;
  bool is_odd;

  __device__ __forceinline__ T operator()(T sum) const {
    return is_odd ? fma(sum * job.gain * back, job.scale, job.offset) : fma(sum, job.gain * job.scale, job.offset);
  }
};

}  // namespace halation::cuda_backend
