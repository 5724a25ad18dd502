// samples.cuh: what kernels of all sizes of tiles share: where a tile lies, numbers in and out, those that are not finite or huge.
#pragma once

#include <algorithm>

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

/// The block's dynamic shared memory, by its name: the compiler must see that it is shared.
__device__ __forceinline__ std::byte* block_memory() {
  extern __shared__ __align__(16) std::byte memory_of_block[];
  return memory_of_block;
}

/// The thread's number, hidden from the compiler: else it computes places from it ahead of a loop, in registers that the loop needs.
__device__ __forceinline__ int thread_now() {
  int t = static_cast<int>(threadIdx.x);
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(t));
#endif
  return t;
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

template <class T>
__device__ __forceinline__ bool is_finite(T x) {
  return x - x == 0;
}

/// A sample of a tile by itself, counted from its first.
template <class T>
__device__ __noinline__ T number_at(const FftArguments<T>& job, FftPlace place, std::int64_t z, std::int64_t y, std::int64_t x) {
  const std::int64_t sources[3]{job.borders[0].source(place.z + job.lead[0] + z), job.borders[1].source(place.y + job.lead[1] + y),
                                job.borders[2].source(place.x + job.lead[2] + x)};
  for (int axis = 0; axis < 3; ++axis) {
    if (sources[axis] < 0) return static_cast<T>(job.borders[axis].constant);
  }
  const std::byte* const from =
      place.in + sources[0] * job.in_strides.depth + sources[1] * job.in_strides.height + sources[2] * job.in_strides.width;
  T number = 0;
  with_pixel(job.in_pixel, [&](auto element) { number = load<decltype(element), T>(from); });
  return number;
}

/// Sample c of an axis, wherever it is.
template <class T>
__device__ __forceinline__ T sample_at(const std::byte* from, std::int64_t stride, Pixel pixel, const DeviceBorder& axis, std::int64_t c,
                                       T beyond_axis, T beyond_others) {
  const std::int64_t source = axis.source(c);
  if (source < 0) return beyond_axis;
  if (from == nullptr) return beyond_others;
  T number = 0;
  with_pixel(pixel, [&](auto element) { number = load<decltype(element), T>(from + source * stride); });
  return number;
}

/// to[i] = {sample(i, false), sample(i, true)}, one sample after the other: for those that may lie further outside than the axis is long, as few
/// do. Written out for each of them, such a sample took most of the kernels' time to compile.
template <int Count, class T, class Sample>
__device__ __forceinline__ void load_one_by_one(Complex<T> (&to)[Count], const Sample& sample) {
#pragma unroll 1
  for (int k = 0; k < 2 * Count; ++k) {
    const T number = sample(k % Count, k >= Count);
    // Each place by a name of its own, so that all stay in registers.
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      if (k == i) to[i].x = number;
      if (k == i + Count) to[i].y = number;
    }
  }
}

/// Samples of a tile along one axis: those of the image's axis from `first` on.
template <class T>
struct TileSamples {
  const std::byte* from = nullptr;  ///< sample 0 of the axis; null where all lie outside along another axis
  std::int64_t stride, first;
  DeviceBorder axis;
  T beyond_axis, beyond_others;  ///< what lies outside
  Pixel pixel;

  /// Of a tile, so many samples from its first.
  __device__ TileSamples(const FftArguments<T>& job, const FftPlace& tile, int along, std::int64_t y, std::int64_t x)
      : axis(job.borders[along]), pixel(job.in_pixel) {
    const std::int64_t at[3]{tile.z + job.lead[0], tile.y + job.lead[1] + y, tile.x + job.lead[2] + x};
    const std::int64_t strides[3]{job.in_strides.depth, job.in_strides.height, job.in_strides.width};
    first = along == 0 ? at[0] : along == 1 ? at[1] : at[2];
    stride = along == 0 ? strides[0] : along == 1 ? strides[1] : strides[2];
    // The first axis outside gives the constant.
    int outside = 3;
    std::int64_t offset = 0;
#pragma unroll
    for (int other = 2; other >= 0; --other) {
      const std::int64_t source = other == along ? 0 : job.borders[other].source(at[other]);
      if (source < 0) outside = other;
      offset += source * strides[other];
    }
    beyond_others = static_cast<T>(outside == 0 ? job.borders[0].constant : outside == 1 ? job.borders[1].constant : outside == 2 ? job.borders[2].constant : 0);
    beyond_axis = outside < along ? beyond_others : static_cast<T>(axis.constant);
    if (outside == 3) from = tile.in + offset;
  }

  /// The n-th.
  __device__ __forceinline__ T at(std::int64_t n) const { return sample_at(from, stride, pixel, axis, first + n, beyond_axis, beyond_others); }
  /// use(n, sample) of `Count` samples from `begin` on, so many apart, in this order. Whole warps call it.
  template <int Count, class Use>
  __device__ __forceinline__ void for_each(int begin, int step, const Use& use) const {
    const bool is_own = from != nullptr && pixel == (sizeof(T) == 8 ? Pixel::f64 : Pixel::f32);
    const std::int64_t at_begin = first + begin;
    if (__all_sync(~0U, is_own && at_begin >= 0 && at_begin + (Count - 1) * step < axis.n)) {
      const std::byte* here = from + at_begin * stride;
      const std::int64_t each = step * stride;
      use_some<Count>(begin, step, use, [&] {
        const T number = __ldg(reinterpret_cast<const T*>(here));
        here += each;
        return number;
      });
    } else if (const NearBorder near(axis); __all_sync(~0U, is_own && near.holds)) {
      int here = static_cast<int>(at_begin);
      use_some<Count>(begin, step, use, [&] {
        const int source = near.source(here);
        here += step;
        return source < 0 ? beyond_axis : __ldg(reinterpret_cast<const T*>(from + source * stride));
      });
    } else {
#pragma unroll 1
      for (int k = 0; k < Count; ++k) use(begin + k * step, at(begin + k * step));
    }
  }

 private:
  /// By next(): up to eight loads wait for memory together.
  template <int Count, class Use, class Next>
  __device__ __forceinline__ static void use_some(int begin, int step, const Use& use, const Next& next) {
    constexpr int ahead = std::min(Count, 8);
    static_assert(Count % ahead == 0);
#pragma unroll 1
    for (int k = 0; k < Count; k += ahead) {
      T some[ahead];
#pragma unroll
      for (T& number : some) number = next();
#pragma unroll
      for (int i = 0; i < ahead; ++i) use(begin + (k + i) * step, some[i]);
    }
  }
};

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

/// cos and sin of π · half_turns.
template <class T>
__device__ __forceinline__ Complex<T> root_of_half_turns(T half_turns) {
  Complex<T> root;
  if constexpr (sizeof(T) == 4) sincospif(half_turns, &root.y, &root.x);
  else sincospi(half_turns, &root.y, &root.x);
  return root;
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
    if (is_odd && job.whole) return fma(rint(sum * back), job.scale, job.offset);
    return is_odd ? fma(sum * job.gain * back, job.scale, job.offset) : fma(sum, job.gain * job.scale, job.offset);
  }
};

}  // namespace halation::cuda_backend
