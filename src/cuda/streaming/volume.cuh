// volume.cuh: the walk of movers.cuh along the planes of a volume, where rows lie on 16-byte boundaries.
//
// What a thread moves is the same in every plane, so where from and where to is found once: pieces of 4 numbers that lie inside, and
// a single one beyond the sides. All warps move, compute and meet once a plane.
//
//   block → outputs    8 warps, 128 pixels × 16 rows; a half warp a row, two groups of 4 pixels a thread. Of a factored filter a warp has R
//                      rows, 4 pixels × R rows a thread: 128 × 32 at 5 taps, 24 at 7, 16 at 3 and 9
//   factored           up to 5 taps a thread sums the R + Y − 1 rows that it needs across by itself; beyond, each staged row is summed
//                      across once, by the warps in turns, while the plane before it is summed down and meets its outputs
//   shared memory      4 planes: one filtered, two on their way, one that is being left; where warps share them two of sums across
//   limits             Ampere and later; one channel, an anchor that keeps rows on their boundaries, planes below 2 GiB; pixels of f32, or
//                      smaller, which become numbers where windows are read; out as in, or f32
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/parts/windows.cuh"
#include "cuda/streaming/movers.cuh"

namespace halation::cuda_backend {

/// `Bytes` (16, 8 or 4) to a shared address, on their way when this returns, from `place` bytes after `base`, where that is not negative.
template <int Bytes>
__device__ __forceinline__ void copy_async_from([[maybe_unused]] void* to, [[maybe_unused]] const std::byte* base,
                                                [[maybe_unused]] int place) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16) {
    asm volatile("{ .reg .pred p; setp.ge.s32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(shared),
                 "l"(base + place), "r"(place));
  } else {
    asm volatile("{ .reg .pred p; setp.ge.s32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3; }" ::"r"(shared),
                 "l"(base + place), "r"(place), "n"(Bytes));
  }
#endif
}

/// A block's planes in shared memory, of elements as they are.
template <class M, class In>
struct Planes {
  static constexpr int pieces_a_row = (M::row_sums + M::window - 4 + 3) / 4;
  static constexpr int row_pitch = 4 * pieces_a_row;
  static constexpr int elements = M::staged_rows * row_pitch;
  static constexpr int count = M::ahead + 1;
  static constexpr int pieces = (elements / 4 + M::threads - 1) / M::threads;  // a thread
  static constexpr int turns = (M::staged_rows + M::warps - 1) / M::warps;  // of warps that sum rows across for each other
  static constexpr int across = M::shares_rows ? turns * M::warps * M::row_sums : 0;  // numbers of a plane summed so
  static constexpr int staged_bytes = count * elements * static_cast<int>(sizeof(In));
  static constexpr int bytes = staged_bytes + 2 * across * static_cast<int>(sizeof(float));
  static_assert(staged_bytes % 16 == 0);
};

/// What a thread brings of each plane.
template <class M, class In>
class PlaneShare {
  using P = Planes<M, In>;
  static constexpr int size = static_cast<int>(sizeof(In));
  static constexpr int nothing = -1;
  static constexpr int outside = -2;

 public:
  /// Of the rows y … and the columns x …, a multiple of 4, of which `columns` are needed.
  __device__ __forceinline__ PlaneShare(const LineArguments& job, std::int64_t y, std::int64_t x, int columns) {
    const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    const std::int64_t n = job.borders[2].n;
    const auto stride = static_cast<int>(job.in_strides.height);
#pragma unroll
    for (int i = 0; i < P::pieces; ++i) {
      const int piece = thread + i * M::threads;
      const int row = piece / P::pieces_a_row;
      const std::int64_t from_x = x + (piece - row * P::pieces_a_row) * 4;
      const auto source_y = static_cast<int>(job.borders[1].source(y + row));
      pieces_[i] = row >= M::staged_rows               ? nothing
                   : source_y < 0                      ? outside
                   : from_x >= 0 && from_x + 4 <= n    ? source_y * stride + static_cast<int>(from_x) * size
                                                       : nothing;
      meets_constant_ = meets_constant_ || pieces_[i] == outside;
    }
    const int low = static_cast<int>(min(max(-x, std::int64_t{0}), static_cast<std::int64_t>(P::row_pitch)));
    const int high = max(low, static_cast<int>(max(min(n - x, static_cast<std::int64_t>(P::row_pitch)), std::int64_t{0})) & ~3);
    const int outer = low + max(columns - high, 0);
    const int row = outer > 0 ? thread / outer : M::staged_rows;
    const int k = thread - row * outer;
    const int pixel = k < low ? k : k - low + high;
    const auto source_y = static_cast<int>(job.borders[1].source(y + row));
    const auto source_x = static_cast<int>(job.borders[2].source(x + pixel));
    single_to_ = row * P::row_pitch + pixel;
    single_ = row >= M::staged_rows || source_y < 0 ? nothing : source_x < 0 ? outside : source_y * stride + source_x * size;
    meets_constant_ = meets_constant_ || single_ == outside;
  }

  /// Plane z, of which this thread's share is on its way when this returns, but what `put_single` puts.
  __device__ __forceinline__ void bring(const LineArguments& job, const Place& place, int z, In* plane) {
    const int source_z = job.borders[0].source(z);
    In* const own = plane + 4 * (threadIdx.y * 32 + threadIdx.x);
    if (source_z >= 0) {
      const std::byte* const from = place.in + source_z * job.in_strides.depth;
#pragma unroll
      for (int i = 0; i < P::pieces; ++i) copy_async_from<4 * size>(own + i * 4 * M::threads, from, pieces_[i]);
      if constexpr (size == 4) {
        copy_async_from<4>(plane + single_to_, from, single_);
      } else if (single_ >= 0) {
        held_ = __ldg(reinterpret_cast<const Held*>(from + single_));
        held_to_ = plane + single_to_;
      }
      if (!meets_constant_) return;
    }
    set_constants(job, source_z < 0, plane, own);
  }

  /// Of the plane that was brought last, a single element that no copy brings on its way: a step later, when it has come.
  __device__ __forceinline__ void put_single() {
    if constexpr (size < 4) {
      if (held_to_ != nullptr) *reinterpret_cast<Held*>(held_to_) = held_;
      held_to_ = nullptr;
    }
  }

 private:
  using Held = std::conditional_t<size == 1, std::uint8_t, std::uint16_t>;

  /// This thread's share of what lies outside; of a plane that does, all.
  __device__ __forceinline__ void set_constants(const LineArguments& job, bool all, In* plane, In* own) const {
    const auto constant = static_cast<float>(job.borders[all ? 0 : 1].constant);
    const auto set = [](In* to, float number) { store_as<In>(reinterpret_cast<std::byte*>(to), number, Rounding::half_even); };
#pragma unroll
    for (int i = 0; i < P::pieces; ++i) {
      if (!all && pieces_[i] != outside) continue;
      if ((i + 1) * M::threads * 4 > P::elements && own + i * 4 * M::threads >= plane + P::elements) continue;
      for (int k = 0; k < 4; ++k) set(own + i * 4 * M::threads + k, constant);
    }
    if (!all && single_ == outside) set(plane + single_to_, static_cast<float>(job.borders[2].constant));
  }

  int pieces_[P::pieces];
  int single_;  // at most: 4 columns on the left and X / 2 on the right
  int single_to_;
  bool meets_constant_ = false;
  Held held_ = 0;
  In* held_to_ = nullptr;
};

/// The rows of a plane, of which warps take turns, summed across into `to`.
template <int Z, int X, class M, class In>
__device__ __forceinline__ void sum_plane_across(const StreamingArguments<M::weights>& job, const In* plane, float* to) {
  using P = Planes<M, In>;
  const auto warp = static_cast<int>(threadIdx.y);
  plane += warp * P::row_pitch + 4 * threadIdx.x;
  to += warp * M::row_sums + 4 * threadIdx.x;
#pragma unroll
  for (int i = 0; i < P::turns; ++i) {
    const int row = i * M::warps;
    const int beyond = row + M::warps > M::staged_rows ? max(row + warp - (M::staged_rows - 1), 0) : 0;  // some warps' last turn
    float window[1][M::window];
    float sums[M::sums];
    load_window<4>(window[0], plane + (row - beyond) * P::row_pitch);
    sum_row<Z, X, M>(job, window, sums);
    *reinterpret_cast<float4*>(to + row * M::row_sums) = make_float4(sums[0], sums[1], sums[2], sums[3]);
  }
}

/// A thread's sums of a row, finished, as outputs of type T: group g from element pixel[g] of a row on, where it lies inside.
template <class T, class M>
__device__ __forceinline__ void put_elements(const StreamingArguments<M::weights>& job, std::byte* row, const int (&pixel)[M::groups], int pixels,
                                             const float (&sums)[M::sums]) {
#pragma unroll
  for (int g = 0; g < M::groups; ++g) {
    float done[4];
#pragma unroll
    for (int v = 0; v < 4; ++v) done[v] = sums[4 * g + v] * job.scale + job.offset;
    if (pixel[g] < pixels) store_four<T>(row + pixel[g] * static_cast<int>(sizeof(T)), done, job.lines.rounding);
  }
}

template <class In, int Z, int Y, int X, bool Factored, class M = Streaming<Z, Y, X, Factored, true>>
__global__ void __launch_bounds__(M::threads, M::blocks) streaming_volume_kernel(const __grid_constant__ StreamingArguments<M::weights> job) {
  extern __shared__ __align__(16) std::byte shared_memory[];
  using P = Planes<M, In>;
  static_assert((4 + X / 2) * M::staged_rows <= M::threads);  // single numbers
  In* const planes = reinterpret_cast<In*>(shared_memory);
  [[maybe_unused]] float* const across = reinterpret_cast<float*>(shared_memory + P::staged_bytes);  // two planes, where warps sum across for each other
  const LineArguments& lines = job.lines;
  Place place = place_of(lines, blockIdx.x, M::out_rows);
  const std::int64_t first = place.z * job.strip;  // strips were counted
  place.out += (first - place.z) * lines.out_strides.depth;
  place.z = first;
  const int all_units = static_cast<int>(min(lines.out.depth - place.z, static_cast<std::int64_t>(job.strip))) + Z - 1;
  const int pixels = pixels_left(lines, place.x);
  PlaneShare<M, In> share(lines, place.y + job.lead[1], place.x + job.lead[2] - M::shift, pixels + X - 1 + M::shift);
  const auto z = static_cast<int>(place.z + job.lead[0]);

  const int lane = static_cast<int>(threadIdx.x);
  constexpr int lanes = 32 / M::groups;  // of a row
  const int own_row = (static_cast<int>(threadIdx.y) * M::groups + lane / lanes) * M::rows;
  int pixel[M::groups];
#pragma unroll
  for (int g = 0; g < M::groups; ++g) pixel[g] = (lane % lanes + g * lanes) * 4;
  const auto own_rows = static_cast<int>(min(lines.out.height - place.y - own_row, static_cast<std::int64_t>(M::rows)));
  const bool as_f32 = sizeof(In) == 4 || lines.out_pixel == Pixel::f32;
  std::byte* to = job.out + place.out + (place.y + own_row) * lines.out_strides.height +
                  place.x * (as_f32 ? 4 : static_cast<int>(sizeof(In)));
  float sums[Z][M::rows][M::sums] = {};

  int next = 0;  // the place of the plane that is asked for next
  const auto advance = [](int& plane) { plane = plane + 1 == P::count ? 0 : plane + 1; };
#pragma unroll 1
  for (; next < M::ahead - 1; ++next) {
    share.put_single();
    if (next < all_units) share.bring(lines, place, z + next, planes + next * P::elements);
    staged_but<M::ahead>();
  }
  int plane = 0;
  // Where warps sum across for each other, a plane meets its outputs a step later, beside the sums across of the next: the first step
  // meets numbers that no output keeps, the last leaves some that none needs.
  constexpr int late = M::shares_rows ? 1 : 0;
#pragma unroll 1
  for (int s = 0; s < all_units + late; ++s) {
    share.put_single();
    if (s + M::ahead - 1 < all_units) share.bring(lines, place, z + s + M::ahead - 1, planes + next * P::elements);
    staged_but<M::ahead - 1>();
    __syncthreads();
    const In* const own_plane = planes + plane * P::elements;
    std::conditional_t<M::shares_rows, const float*, const In*> from[M::groups];
#pragma unroll
    for (int g = 0; g < M::groups; ++g) {
      if constexpr (M::shares_rows) from[g] = across + (s + 1) % 2 * P::across + own_row * M::row_sums + pixel[g];
      else from[g] = own_plane + own_row * P::row_pitch + pixel[g];
    }
    add_unit<Z, Y, X, Factored, M>(job, from, sums, M::shares_rows ? M::row_sums : P::row_pitch);
    if constexpr (M::shares_rows) sum_plane_across<Z, X, M>(job, own_plane, across + s % 2 * P::across);
    advance(next);
    advance(plane);
    if (s < Z - 1 + late) continue;
#pragma unroll
    for (int r = 0; r < M::rows; ++r) {
      std::byte* const row = to + r * lines.out_strides.height;
      const int own_pixels = r < own_rows ? pixels : 0;
      if (as_f32) put_groups<M>(job, row, pixel, own_pixels, sums[0][r]);
      else put_elements<In, M>(job, row, pixel, own_pixels, sums[0][r]);
    }
    to += lines.out_strides.depth;
  }
}

}  // namespace halation::cuda_backend
