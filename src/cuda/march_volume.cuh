// march_volume.cuh: the walk of march.cuh along the planes of a volume, where rows lie on 16-byte boundaries.
//
// What a thread moves is the same in every plane, so where from and where to is found once: pieces of 4 numbers that lie inside, and
// a single one beyond the sides. All warps move, compute and meet once a plane.
//
//   block → outputs    8 warps, 128 pixels × 16 rows; a half warp a row, two groups of 4 pixels a thread
//   shared memory      4 planes: one filtered, two on their way, one that is being left
//   limits             Ampere and later; one channel, f32 in and out, an anchor that keeps rows on their boundaries, planes below 2 GiB
#pragma once

#include "cuda/march.cuh"

namespace halation::cuda_backend {

/// 16 bytes to a shared address, on their way when this returns.
__device__ __forceinline__ void copy_four_async([[maybe_unused]] float* to, [[maybe_unused]] const std::byte* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from));
#endif
}

/// A block's planes in shared memory.
template <class M>
struct Planes {
  static constexpr int pieces_a_row = (M::row_sums + M::window - 4 + 3) / 4;
  static constexpr int row_pitch = 4 * pieces_a_row;
  static constexpr int numbers = M::staged_rows * row_pitch;
  static constexpr int count = M::ahead + 1;
  static constexpr int pieces = (numbers / 4 + M::threads - 1) / M::threads;  // a thread
  static constexpr int outer = 4 + M::across / 2;  // at most: 4 columns on the left and X / 2 on the right
  static constexpr int singles = (outer * M::staged_rows + M::threads - 1) / M::threads;
};

/// What a thread brings of each plane.
template <class M>
class PlaneShare {
  using P = Planes<M>;
  static constexpr int nothing = -1;
  static constexpr int outside = -2;

 public:
  /// Of the rows y … and the columns x …, a multiple of 4, of which `columns` are needed.
  __device__ __forceinline__ PlaneShare(const Lines& job, std::int64_t y, std::int64_t x, int columns) {
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
                   : from_x >= 0 && from_x + 4 <= n    ? source_y * stride + static_cast<int>(from_x) * 4
                                                       : nothing;
    }
    const int low = static_cast<int>(min(max(-x, std::int64_t{0}), static_cast<std::int64_t>(P::row_pitch)));
    const int high = max(low, static_cast<int>(max(min(n - x, static_cast<std::int64_t>(P::row_pitch)), std::int64_t{0})) & ~3);
    const int outer = low + max(columns - high, 0);
#pragma unroll
    for (int i = 0; i < P::singles; ++i) {
      const int single = thread + i * M::threads;
      const int row = outer > 0 ? single / outer : M::staged_rows;
      const int k = single - row * outer;
      const int pixel = k < low ? k : k - low + high;
      const auto source_y = static_cast<int>(job.borders[1].source(y + row));
      const auto source_x = static_cast<int>(job.borders[2].source(x + pixel));
      singles_to_[i] = row * P::row_pitch + pixel;
      singles_[i] = row >= M::staged_rows || source_y < 0 ? nothing : source_x < 0 ? outside : source_y * stride + source_x * 4;
    }
  }

  /// Plane z, of which this thread's share is on its way when this returns.
  __device__ __forceinline__ void bring(const Lines& job, const Place& place, std::int64_t z, float* plane) const {
    const std::int64_t source_z = job.borders[0].source(z);
    const std::byte* const from = place.in + source_z * job.in_strides.depth;
    float* const own = plane + 4 * (threadIdx.y * 32 + threadIdx.x);
#pragma unroll
    for (int i = 0; i < P::pieces; ++i) {
      if (pieces_[i] >= 0 && source_z >= 0) copy_four_async(own + i * 4 * M::threads, from + pieces_[i]);
      else if (pieces_[i] == outside || source_z < 0) {
        if ((i + 1) * M::threads * 4 > P::numbers && own + i * 4 * M::threads >= plane + P::numbers) continue;
        const auto constant = static_cast<float>(job.borders[source_z < 0 ? 0 : 1].constant);
        *reinterpret_cast<float4*>(own + i * 4 * M::threads) = make_float4(constant, constant, constant, constant);
      }
    }
    if (source_z < 0) return;
#pragma unroll
    for (int i = 0; i < P::singles; ++i) {
      if (singles_[i] >= 0) copy_async(plane + singles_to_[i], from + singles_[i]);
      else if (singles_[i] == outside) plane[singles_to_[i]] = static_cast<float>(job.borders[2].constant);
    }
  }

 private:
  int pieces_[P::pieces];
  int singles_[P::singles];
  int singles_to_[P::singles];
};

template <int Z, int Y, int X, bool Factored, class M = March<Z, Y, X, Factored, true>>
__global__ void __launch_bounds__(M::threads, M::blocks) march_volume(const __grid_constant__ MarchArguments<M::weights> job) {
  extern __shared__ __align__(16) std::byte shared_memory[];
  using P = Planes<M>;
  float* const planes = reinterpret_cast<float*>(shared_memory);
  const Lines& lines = job.lines;
  Place place = place_of(lines, blockIdx.x, M::out_rows);
  const std::int64_t first = place.z * job.strip;  // strips were counted
  place.out += (first - place.z) * lines.out_strides.depth;
  place.z = first;
  const int all_units = static_cast<int>(min(lines.out.depth - place.z, static_cast<std::int64_t>(job.strip))) + Z - 1;
  const int pixels = pixels_left(lines, place.x);
  const PlaneShare<M> share(lines, place.y + job.lead[1], place.x + job.lead[2] - M::shift, pixels + X - 1 + M::shift);
  const std::int64_t z = place.z + job.lead[0];

  const int lane = static_cast<int>(threadIdx.x);
  constexpr int lanes = 32 / M::groups;  // of a row
  const int own_row = (static_cast<int>(threadIdx.y) * M::groups + lane / lanes) * M::rows;
  int pixel[M::groups];
#pragma unroll
  for (int g = 0; g < M::groups; ++g) pixel[g] = (lane % lanes + g * lanes) * 4;
  const int own = own_row * P::row_pitch + pixel[0];
  const auto own_rows = static_cast<int>(min(lines.out.height - place.y - own_row, static_cast<std::int64_t>(M::rows)));
  std::byte* to = job.out + place.out + (place.y + own_row) * lines.out_strides.height + place.x * 4;
  float sums[Z][M::rows][M::sums] = {};

  int next = 0;  // the place of the plane that is asked for next
  const auto advance = [](int& plane) { plane = plane + 1 == P::count ? 0 : plane + 1; };
#pragma unroll 1
  for (; next < M::ahead - 1; ++next) {
    if (next < all_units) share.bring(lines, place, z + next, planes + next * P::numbers);
    staged_but<M::ahead>();
  }
  int plane = 0;
#pragma unroll 1
  for (int s = 0; s < all_units; ++s) {
    if (s + M::ahead - 1 < all_units) share.bring(lines, place, z + s + M::ahead - 1, planes + next * P::numbers);
    staged_but<M::ahead - 1>();
    __syncthreads();
    const float* from[M::groups];
#pragma unroll
    for (int g = 0; g < M::groups; ++g) from[g] = planes + plane * P::numbers + own + g * 4 * lanes;
    add_unit<Z, Y, X, Factored, M>(job, from, sums, P::row_pitch);
    advance(next);
    advance(plane);
    if (s < Z - 1) continue;
#pragma unroll
    for (int r = 0; r < M::rows; ++r) put_groups<M>(job, to + r * lines.out_strides.height, pixel, r < own_rows ? pixels : 0, sums[0][r]);
    to += lines.out_strides.depth;
  }
}

}  // namespace halation::cuda_backend
